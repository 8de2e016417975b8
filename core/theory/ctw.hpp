// Context tree weighting (Willems, Shtarkov, Tjalkens 1995), computed in one batch instead of symbol by symbol.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bitmeter {

/// The widest symbols, in bits: each open node of the context tree keeps a table of this many counters.
constexpr unsigned ctw_max_bits = 20;

/// ln P(x[0..n)) under context tree weighting: Krichevsky-Trofimov leaves, weight one half at each node.
///
/// Symbols are numbers below 2^bits, coded bit by bit from the top; each bit's place in the symbol has a context tree of
/// its own, and the contexts are the `depth` symbols before, most recent first. Before the first symbol come zeros.
/// Needs 1 <= bits <= ctw_max_bits, bits * depth <= 64, n < 2^32, and all symbols in range; throws invalid_argument else.
template <class Symbol>
double ctw_log_probability(const Symbol* x, std::size_t n, unsigned bits, unsigned depth, unsigned threads);

extern template double ctw_log_probability(const std::uint8_t*, std::size_t, unsigned, unsigned, unsigned);
extern template double ctw_log_probability(const std::uint16_t*, std::size_t, unsigned, unsigned, unsigned);
extern template double ctw_log_probability(const std::uint32_t*, std::size_t, unsigned, unsigned, unsigned);

}  // namespace bitmeter
