// Sums over the rows of a table of probabilities (or counts), in bits: the one pass behind entropy, cross-entropy and
// divergence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitmeter {

constexpr std::int64_t no_index = -1;

/// The sum to compute.
enum class RowMode {
    sum,         // only Σ p
    entropy,     // Σ p log2 p
    variance,    // Σ p (log2 p - centre)²
    cross,       // Σ p log2 q
    divergence,  // Σ p log2 (p / q)
};

struct RowSums {
    double p = 0.0;                      // Σ p
    double q = 0.0;                      // Σ q (cross, divergence)
    double value = 0.0;                  // what the mode asks; -inf or +inf where p > 0 = q
    std::int64_t bad_p = no_index;       // first entry of p that is negative, NaN or infinite
    std::int64_t bad_q = no_index;       // likewise of q
    std::int64_t impossible = no_index;  // first entry with p > 0 = q
};

/// Sums of each row of p (rows × length), against q of the same shape where the mode needs it.
/// `centre` holds one number per row for RowMode::variance. The result does not depend on `threads`.
template <class Real>
std::vector<RowSums> row_sums(RowMode mode, const Real* p, const Real* q, const double* centre, std::size_t rows,
                              std::size_t length, unsigned threads);

extern template std::vector<RowSums> row_sums(RowMode, const double*, const double*, const double*, std::size_t,
                                              std::size_t, unsigned);
extern template std::vector<RowSums> row_sums(RowMode, const float*, const float*, const double*, std::size_t,
                                              std::size_t, unsigned);

}  // namespace bitmeter
