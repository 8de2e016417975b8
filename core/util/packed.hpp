// Bit-packed integers, and Elias-Fano coding of ascending integers: low bits verbatim, high bits as a bit string whose
// i-th one is at high(i) + i.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "util/once.hpp"

namespace bitmeter {

/// Bytes that must be readable after the last packed number.
constexpr std::size_t packed_slack = 8;
/// The most bits of a packed number at any bit offset.
constexpr unsigned packed_width = 57;

inline std::uint64_t load_little(const std::uint8_t* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    return value;
}

inline std::uint64_t packed_at(const std::uint8_t* base, std::uint64_t bit, unsigned width) {
    return (load_little(base + (bit >> 3)) >> (bit & 7)) & ((std::uint64_t{1} << width) - 1);
}

/// Writes into bits that are zero.
inline void pack_at(std::uint8_t* base, std::uint64_t bit, std::uint64_t value) {
    std::uint64_t held = load_little(base + (bit >> 3)) | value << (bit & 7);
    if constexpr (std::endian::native == std::endian::big) held = __builtin_bswap64(held);
    std::memcpy(base + (bit >> 3), &held, sizeof held);
}

constexpr std::uint64_t bits_to_bytes(std::uint64_t bits) { return (bits + 7) / 8; }

/// The sizes of ascending numbers 0 <= c_0 <= ... <= c_{count-1} <= most.
struct AscendingShape {
    std::uint64_t count = 0, most = 0;

    AscendingShape() = default;
    AscendingShape(std::uint64_t how_many, std::uint64_t largest) : count(how_many), most(largest) {}
    unsigned low_bits() const {
        return count == 0 || most <= count ? 0 : static_cast<unsigned>(std::bit_width(most / count)) - 1;
    }
    std::uint64_t high_words() const { return (count + (most >> low_bits())) / 64 + 1; }
    /// The position of one in this many ones is stored as an index.
    static constexpr std::uint64_t step = 32;
    std::uint64_t samples() const { return count / step + 1; }
    /// Places of ones must fit into 32 bits.
    bool fits() const { return high_words() < (std::uint64_t{1} << 26); }
};

struct Between {
    std::uint64_t begin, end;
};

/// Finds the ones of 64 bits by counting: without loops, whose lengths a processor mispredicts.
struct OnesOfBytes {
    explicit OnesOfBytes(std::uint64_t value) : bits(value) {
        value -= (value >> 1) & (~std::uint64_t{0} / 3);
        value = (value & (~std::uint64_t{0} / 5)) + ((value >> 2) & (~std::uint64_t{0} / 5));
        sums = ((value + (value >> 4)) & (~std::uint64_t{0} / 17)) * each;
    }
    std::uint64_t all() const { return sums >> 56; }
    /// The place of a one before which there are so many, less than all.
    unsigned place(std::uint64_t before) const {
        const auto byte = static_cast<unsigned>(above(sums, before)) * 8;
        const std::uint64_t rest = before - ((sums << 8 >> byte) & 0xFF);
        // The bits of the byte, each in a byte of its own, and how many there are up to each.
        const std::uint64_t spread = (((bits >> byte) & 0xFF) * each & 0x8040201008040201u) + (~std::uint64_t{0} / 255 * 127);
        return byte + static_cast<unsigned>(above((spread >> 7 & each) * each, rest));
    }

    static constexpr std::uint64_t each = ~std::uint64_t{0} / 255;
    std::uint64_t bits, sums;  // a byte counts the ones up to its end

private:
    /// How many of eight ascending bytes, below 128, are not above a number below 128.
    static std::uint64_t above(std::uint64_t bytes, std::uint64_t number) {
        return ((((number * each) | each << 7) - bytes) >> 7 & each) * each >> 56;
    }
};

/// Ascending numbers in memory that may be damaged: no content causes a read out of bounds. The low bits of number i are at
/// bit i * stride + offset.
class Ascending {
public:
    Ascending() = default;
    Ascending(const AscendingShape& shape, const std::uint8_t* low, std::uint64_t stride, std::uint64_t offset,
              const std::uint64_t* high, const std::uint32_t* samples)
        : low_(low), stride_(stride), offset_(offset), high_(high), samples_(samples), words_(shape.high_words()),
          low_bits_(shape.low_bits()) {}

    /// Prefetches for `at` in two steps; the second needs what the first has fetched.
    void ask_sample(std::uint64_t i) const { __builtin_prefetch(samples_ + i / AscendingShape::step); }
    void ask_high(std::uint64_t i) const { __builtin_prefetch(high_ + samples_[i / AscendingShape::step] / 64); }

    /// c_i and c_{i+1}, for i + 1 < count; arbitrary values if it is damaged.
    Between pair(std::uint64_t i) const {
        const std::uint64_t place = once(samples_[i / AscendingShape::step]);
        std::uint64_t word = place / 64;
        if (word >= words_) return {1, 0};
        std::uint64_t left = i % AscendingShape::step;
        OnesOfBytes ones(high_[word] & (~std::uint64_t{0} << (place % 64)));
        while (ones.all() <= left) {
            left -= ones.all();
            if (++word >= words_) return {1, 0};
            ones = OnesOfBytes(high_[word]);
        }
        const unsigned at = ones.place(left);
        const std::uint64_t first = word * 64 + at;
        std::uint64_t bits = ones.bits & (~std::uint64_t{1} << at);
        while (bits == 0) {
            if (++word >= words_) return {1, 0};
            bits = high_[word];
        }
        const std::uint64_t second = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
        if (first < i || second < i + 1) return {1, 0};
        return {once((first - i) << low_bits_ | low(i)), once((second - i - 1) << low_bits_ | low(i + 1))};
    }

private:
    std::uint64_t low(std::uint64_t i) const { return packed_at(low_, i * stride_ + offset_, low_bits_); }

    const std::uint8_t* low_ = nullptr;
    std::uint64_t stride_ = 0, offset_ = 0;
    const std::uint64_t* high_ = nullptr;
    const std::uint32_t* samples_ = nullptr;
    std::uint64_t words_ = 0;
    unsigned low_bits_ = 0;
};

/// Writes ascending numbers one by one into zeroed memory.
class AscendingWriter {
public:
    AscendingWriter(const AscendingShape& shape, std::uint8_t* low, std::uint64_t stride, std::uint64_t offset,
                    std::uint64_t* high, std::uint32_t* samples)
        : low_(low), stride_(stride), offset_(offset), high_(high), samples_(samples), low_bits_(shape.low_bits()) {}

    void add(std::uint64_t value) {
        const std::uint64_t place = (value >> low_bits_) + i_;
        high_[place / 64] |= std::uint64_t{1} << (place % 64);
        if (i_ % AscendingShape::step == 0) samples_[i_ / AscendingShape::step] = static_cast<std::uint32_t>(place);
        if (low_bits_) pack_at(low_, i_ * stride_ + offset_, value & ((std::uint64_t{1} << low_bits_) - 1));
        ++i_;
    }

private:
    std::uint8_t* low_;
    std::uint64_t stride_, offset_;
    std::uint64_t* high_;
    std::uint32_t* samples_;
    unsigned low_bits_;
    std::uint64_t i_ = 0;
};

}  // namespace bitmeter
