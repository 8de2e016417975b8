// Coding with frequency tables: static tables, single rows, and adaptive counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "coding/coded_bits.hpp"
#include "coding/range_coder.hpp"

namespace bitmeter {

/// Frequencies on a scale of 2^table_bits.
constexpr int table_bits = 32;

/// ln p of each outcome as cumulative frequencies, out[0..size]; what is impossible keeps none. Returns the sum of the
/// probabilities, which is NaN where one of them is.
double cumulate(const double* logprobs, std::size_t size, std::uint64_t* out);

/// A table that never changes: row 0 alone, or row r after the symbol r.
class FrequencyTable {
public:
    /// logprobs[rows * columns]; rows is 1 or at least columns. Throws std::invalid_argument.
    FrequencyTable(const double* logprobs, std::size_t rows, std::size_t columns, std::size_t start);

    /// Codes symbols until one is impossible; how many were coded.
    std::size_t encode(const std::int64_t* symbols, std::size_t size, std::size_t& row, RangeEncoder& out,
                       CodedBits& bits) const;
    /// Symbols until their widths (one for each column, 0 for what cannot be decoded) sum to `size`. Throws CodeError.
    std::vector<std::int64_t> decode(RangeDecoder& in, std::size_t size, const std::int64_t* widths,
                                     std::size_t& row) const;
    std::size_t start() const { return start_; }
    std::size_t columns() const { return columns_; }

private:
    std::size_t rows_, columns_, start_;
    std::vector<std::uint64_t> cumulative_;  // columns + 1 per row
};

/// The Krichevsky-Trofimov estimator over bytes, exactly: (2 n(x) + 1) of (2 n + 256).
class AdaptiveBytes {
public:
    AdaptiveBytes();
    void encode(const std::uint8_t* data, std::size_t size, RangeEncoder& out, CodedBits& bits);
    /// Throws CodeError.
    void decode(RangeDecoder& in, std::size_t size, std::uint8_t* data);

private:
    void see(std::uint8_t byte);

    std::uint64_t single_[256], group_[16], total_;
};

}  // namespace bitmeter
