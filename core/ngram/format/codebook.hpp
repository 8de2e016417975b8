// Scalar quantisation codebooks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bitmeter {

/// Ascending values, and the mapping of any value to its code.
class Codebook {
public:
    /// For log10 of probabilities: nearest values. Errors are small where values are dense, in p and, near one, in 1 - p: the
    /// mass left to other words must not change by much either.
    static Codebook of_logprobs(std::span<const float> values, unsigned bits);
    /// For log10 of back-offs: the next value below, so that no context sums above one. 0 and -inf are kept exactly.
    static Codebook of_backoffs(std::span<const float> values, unsigned bits);

    /// By code.
    const std::vector<float>& values() const { return values_; }
    std::uint16_t nearest(float value) const;
    /// The greatest value that is not above; the least of all where there is none.
    std::uint16_t below(float value) const;

private:
    std::vector<float> values_;
    std::vector<float> cuts_;  // from cuts_[i] on, value i + 1 is nearer than value i
};

}  // namespace bitmeter
