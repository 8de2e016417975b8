// A carryless binary arithmetic coder with a 64-bit interval and 32-bit probabilities. It loses less than 10^-6 bits per
// bit. Decoding any bytes terminates: bytes beyond the end read as zero.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "util/once.hpp"

namespace bitmeter::universal {

/// The last value of the part of [low, high] that means 1, with p(1) = one / 2^32. Neither part is empty.
inline std::uint64_t cut(std::uint64_t low, std::uint64_t high, std::uint32_t one) {
    return low + static_cast<std::uint64_t>(static_cast<unsigned __int128>(high - low) * one >> 32);
}

class BitEncoder {
public:
    void put(int bit, std::uint32_t one) {
        mass_ *= (bit ? one : 4294967296.0 - one) * 0x1p-32;
        if (mass_ < 1e-200) settle();
        std::uint64_t middle = cut(low_, high_, one);
        if (bit)
            high_ = middle;
        else
            low_ = middle + 1;
        while ((low_ ^ high_) >> 56 == 0) {
            out_.push_back(static_cast<std::uint8_t>(high_ >> 56));
            low_ <<= 8;
            high_ = high_ << 8 | 255;
        }
    }

    /// Writes the fewest bytes that lie in the interval when zeros follow.
    void finish() {
        if (low_ > 0) {  // else nothing: the decoder's zeros are in the interval
            for (int kept = 8; kept <= 64; kept += 8) {
                std::uint64_t rest = kept == 64 ? 0 : ~std::uint64_t{0} >> kept;
                std::uint64_t up = low_ > ~std::uint64_t{0} - rest ? ~rest : (low_ + rest) & ~rest;
                if (up < low_ || up > high_) continue;
                for (int i = 0; i < kept; i += 8) out_.push_back(static_cast<std::uint8_t>(up >> (56 - i)));
                break;
            }
        }
        low_ = 0;
        high_ = ~std::uint64_t{0};
    }

    std::vector<std::uint8_t>& out() { return out_; }
    /// -log2 of the product of all probabilities so far.
    double bits() {
        settle();
        return bits_;
    }

private:
    void settle() {
        bits_ -= std::log2(mass_);
        mass_ = 1.0;
    }

    double mass_ = 1.0, bits_ = 0.0;
    std::uint64_t low_ = 0, high_ = ~std::uint64_t{0};
    std::vector<std::uint8_t> out_;
};

class BitDecoder {
public:
    /// The bytes must outlive the decoder.
    BitDecoder(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

    /// Bytes that are not yet in the interval.
    std::size_t waiting() const { return static_cast<std::size_t>(end_ - at_); }
    /// How many bytes were read beyond the last.
    std::size_t beyond() const { return beyond_; }

    int get(std::uint32_t one) {
        if (!begun_) {
            for (int i = 0; i < 8; ++i) value_ = value_ << 8 | next();
            begun_ = true;
        }
        std::uint64_t middle = cut(low_, high_, one);
        // A branch, not a conditional move: the processor goes on with the bit that it expects while `one` is computed.
        int bit;
        if (value_ <= middle) {
            high_ = middle;
            bit = once(1);
        } else {
            low_ = middle + 1;
            bit = once(0);
        }
        while ((low_ ^ high_) >> 56 == 0) {
            low_ <<= 8;
            high_ = high_ << 8 | 255;
            value_ = value_ << 8 | next();
        }
        return bit;
    }

private:
    std::uint8_t next() {
        if (at_ < end_) return *at_++;
        ++beyond_;
        return 0;
    }

    std::uint64_t low_ = 0, high_ = ~std::uint64_t{0}, value_ = 0;
    const std::uint8_t *at_, *end_;
    std::size_t beyond_ = 0;
    bool begun_ = false;
};

}  // namespace bitmeter::universal
