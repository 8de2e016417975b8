// Few values that stand for many.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bitmeter {

/// Ascending values of a float each, and the code of each value that they stand for.
class Codebook {
public:
    /// For log10 of probabilities: nearest values. Errors are held small where there are many values, and both in p and,
    /// near one, in 1 - p: what a probability leaves to other words must not change by much either.
    static Codebook of_logprobs(std::span<const float> values, unsigned bits);
    /// For log10 of back-offs: the next value below, since more would be more than there is. 0 and -inf stay what they are.
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
