// A range coder with integer frequencies: a message is a number in an interval that narrows with each symbol in proportion
// to the symbol's frequency. All is in integers, so that encoder and decoder agree on all machines.
//
// The interval has 64 bits and is kept at 2^56 or more. With frequencies that sum to `total`, rounding costs at most
// total / 2^56 of a symbol's width: for totals up to 2^41, below 5e-5 bits, and on average a tenth of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace bitmeter {

/// Coded bytes that are damaged.
struct CodeError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The largest sum of frequencies that a coder takes.
constexpr std::uint64_t most_frequency = std::uint64_t{1} << 48;

class RangeEncoder {
public:
    /// Narrows to [start, start + size) of [0, total).
    void encode(std::uint64_t start, std::uint64_t size, std::uint64_t total) {
        const std::uint64_t unit = range_ / total, step = unit * start;
        low_ += step;
        if (low_ < step) carry();
        range_ = unit * size;
        while (range_ < smallest) shift();
    }

    /// The bytes of the message so far; resets the encoder. Only as many as identify the interval: the decoder reads zeros
    /// beyond the end.
    std::vector<std::uint8_t> finish() {
        // The number in the interval with the most zeros at its end.
        for (int kept = 0; kept <= 64; kept += 8) {
            const std::uint64_t mask = kept == 0 ? ~std::uint64_t{0} : kept == 64 ? 0 : ~std::uint64_t{0} >> kept;
            const std::uint64_t up = low_ + mask;  // may pass 2^64: then it is a carry and what remains
            const bool passes = up < low_;
            const std::uint64_t value = up & ~mask;
            if (value - low_ < range_) {
                if (passes) carry();
                low_ = value;
                for (int i = 0; i < kept; i += 8) put_byte();
                break;
            }
        }
        std::vector<std::uint8_t> done;
        done.swap(out_);
        low_ = 0;
        range_ = ~std::uint64_t{0};
        return done;
    }

    std::size_t size() const { return out_.size(); }

private:
    static constexpr std::uint64_t smallest = std::uint64_t{1} << 56;

    /// Adds one to the number written so far. It is below one, so that the carry stops inside of it.
    void carry() {
        for (std::size_t i = out_.size(); i-- > 0;)
            if (++out_[i] != 0) return;
    }
    void put_byte() {
        out_.push_back(static_cast<std::uint8_t>(low_ >> 56));
        low_ <<= 8;
    }
    void shift() {
        put_byte();
        range_ <<= 8;
    }

    std::uint64_t low_ = 0, range_ = ~std::uint64_t{0};
    std::vector<std::uint8_t> out_;
};

class RangeDecoder {
public:
    RangeDecoder(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {
        for (std::size_t i = 0; i < ahead; ++i) code_ = code_ << 8 | next();
    }

    /// Where in [0, total) the message lies; `take` must follow with the interval of the symbol found there.
    std::uint64_t find(std::uint64_t total) {
        unit_ = range_ / total;
        const std::uint64_t place = code_ / unit_;
        return place < total ? place : total - 1;
    }

    void take(std::uint64_t start, std::uint64_t size) {
        code_ -= unit_ * start;
        range_ = unit_ * size;
        // Only damaged bytes lie in the rest that rounding leaves.
        if (code_ >= range_) throw CodeError("the coded bytes are damaged");
        while (range_ < smallest) {
            code_ = code_ << 8 | next();
            range_ <<= 8;
        }
    }

    /// Whether all bytes were read.
    bool spent() const { return at_ >= size_; }

private:
    static constexpr std::uint64_t smallest = std::uint64_t{1} << 56;
    /// Bytes that are read ahead: more zeros beyond the end than these stand for no message.
    static constexpr std::size_t ahead = 8;

    std::uint8_t next() {
        if (at_ < size_) return data_[at_++];
        if (++at_ > size_ + ahead) throw CodeError("the coded bytes end before the text does");
        return 0;
    }

    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
    std::uint64_t code_ = 0, range_ = ~std::uint64_t{0}, unit_ = 0;
};

}  // namespace bitmeter
