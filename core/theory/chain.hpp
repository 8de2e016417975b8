// Markov chains of order `order` over symbols: sampling and log-probabilities.
//
// The table of such a process has one row of next-symbol probabilities for each history: first the histories shorter
// than `order` (the start of a sequence), by length, then the full contexts; within a length, in lexicographic order
// with the latest symbol last. Order 0 has one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "util/random.hpp"

namespace bitmeter {

struct ContextShape {
    std::size_t symbols;
    std::size_t order;

    /// How many rows the table has; throws where that cannot be held.
    std::size_t rows() const;
};

/// Fills `out` (paths × length) with samples; `table` holds shape.rows() × shape.symbols probabilities.
/// Path i depends on the table, the seed and i alone.
template <class Symbol>
void sample_chain(const double* table, ContextShape shape, const Seed& seed, Symbol* out, std::size_t paths,
                  std::size_t length, unsigned threads);

/// ln p(x_t | history) of each symbol of each path into `out` (where not null) and the sum of each path.
/// `table` holds natural logarithms. Throws where a symbol lies outside of the alphabet.
template <class Symbol>
std::vector<double> chain_logprobs(const Symbol* x, std::size_t paths, std::size_t length, const double* table,
                                   ContextShape shape, double* out, unsigned threads);

/// Sums of the first ends[k] entries of each row of x (rows × length), for ascending ends; rows × ends numbers.
std::vector<double> running_sums(const double* x, std::size_t rows, std::size_t length, const std::int64_t* ends,
                                 std::size_t count, unsigned threads);

#define BITMETER_CHAIN(Symbol)                                                                                    \
    extern template void sample_chain(const double*, ContextShape, const Seed&, Symbol*, std::size_t, std::size_t, \
                                      unsigned);                                                                  \
    extern template std::vector<double> chain_logprobs(const Symbol*, std::size_t, std::size_t, const double*,    \
                                                       ContextShape, double*, unsigned);
BITMETER_CHAIN(std::uint8_t)
BITMETER_CHAIN(std::uint16_t)
BITMETER_CHAIN(std::int32_t)
#undef BITMETER_CHAIN

}  // namespace bitmeter
