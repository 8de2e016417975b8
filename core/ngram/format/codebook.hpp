// Scalar quantisation codebooks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace bitmeter {

/// Floats that stand at even distances in memory, such as one figure of each node: they are read where they are.
class FloatList {
public:
    FloatList(std::span<const float> values) : FloatList(values.data(), sizeof(float), values.size()) {}
    FloatList(const std::vector<float>& values) : FloatList(std::span<const float>(values)) {}
    FloatList(const void* first, std::size_t distance, std::uint64_t size)
        : first_(static_cast<const std::uint8_t*>(first)), distance_(distance), size_(size) {}
    std::uint64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    float operator[](std::uint64_t i) const {
        float value;
        std::memcpy(&value, first_ + i * distance_, sizeof value);
        return value;
    }

private:
    const std::uint8_t* first_;
    std::size_t distance_;
    std::uint64_t size_;
};

/// Ascending values, and the mapping of any value to its code.
class Codebook {
public:
    /// For log10 of probabilities: nearest values. Errors are small where values are dense, in p and, near one, in 1 - p: the
    /// mass left to other words must not change by much either.
    static Codebook of_logprobs(const FloatList& values, unsigned bits);
    /// For log10 of back-offs: the next value below, so that no context sums above one. 0 and -inf are kept exactly.
    static Codebook of_backoffs(const FloatList& values, unsigned bits);

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
