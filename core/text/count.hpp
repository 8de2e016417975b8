// Counting symbols, and pairs of symbols, in integer arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitmeter {

struct SymbolCounts {
    std::vector<std::int64_t> symbols;  // ascending
    std::vector<std::int64_t> counts;   // all positive
};

struct PairCounts {
    std::vector<std::int64_t> first, second;  // ascending by first, then second
    std::vector<std::int64_t> counts;
};

/// How often each integer occurs. Any values: a small range is counted in a table, a wide one by hashing.
template <class Int>
SymbolCounts count_symbols(const Int* x, std::size_t n, unsigned threads);

/// How often each pair (x[i], y[i]) occurs.
template <class Int>
PairCounts count_pairs(const Int* x, const Int* y, std::size_t n, unsigned threads);

#define BITMETER_COUNT(Int)                                                           \
    extern template SymbolCounts count_symbols(const Int*, std::size_t, unsigned);    \
    extern template PairCounts count_pairs(const Int*, const Int*, std::size_t, unsigned);
BITMETER_COUNT(std::uint8_t)
BITMETER_COUNT(std::uint16_t)
BITMETER_COUNT(std::int32_t)
BITMETER_COUNT(std::uint32_t)
BITMETER_COUNT(std::int64_t)
#undef BITMETER_COUNT

}  // namespace bitmeter
