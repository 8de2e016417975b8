#include "coding/table_coder.hpp"

#include <algorithm>
#include <stdexcept>

#include "coding/quantise.hpp"

namespace bitmeter {

double cumulate(const double* logprobs, std::size_t size, std::uint64_t* out) {
    Compensated sum;
    out[0] = 0;
    double p[exps_at_once];
    const auto take = [&](std::size_t first, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            sum.add(p[i]);
            out[first + i + 1] = out[first + i] + (p[i] >= 0.0 ? frequency_of(p[i], table_bits) : 0);
        }
    };
    std::size_t done = 0;
    for (; done + exps_at_once <= size; done += exps_at_once) {
        portable_exps(logprobs + done, p);
        take(done, exps_at_once);
    }
    double rest[exps_at_once] = {};
    std::copy(logprobs + done, logprobs + size, rest);
    portable_exps(rest, p);
    take(done, size - done);
    return sum.value();
}

FrequencyTable::FrequencyTable(const double* logprobs, std::size_t rows, std::size_t columns, std::size_t start)
    : rows_(rows), columns_(columns), start_(start), cumulative_(rows * (columns + 1)) {
    if (columns == 0 || rows == 0 || (rows > 1 && rows < columns) || start >= rows)
        throw std::invalid_argument("a table has one row, or a row for each column and for the start");
    if (columns > (std::size_t{1} << 14) * (std::size_t{1} << 14))
        throw std::invalid_argument("a table has at most 2^28 columns");
    for (std::size_t r = 0; r < rows; ++r) cumulate(logprobs + r * columns, columns, &cumulative_[r * (columns + 1)]);
}

std::size_t FrequencyTable::encode(const std::int64_t* symbols, std::size_t size, std::size_t& row, RangeEncoder& out,
                                   CodedBits& bits) const {
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t* sums = &cumulative_[row * (columns_ + 1)];
        if (symbols[i] < 0 || static_cast<std::size_t>(symbols[i]) >= columns_) return i;
        const auto symbol = static_cast<std::size_t>(symbols[i]);
        const std::uint64_t width = sums[symbol + 1] - sums[symbol];
        if (width == 0) return i;
        out.encode(sums[symbol], width, sums[columns_]);
        bits.add(width, sums[columns_]);
        row = rows_ == 1 ? 0 : symbol;
    }
    return size;
}

std::vector<std::int64_t> FrequencyTable::decode(RangeDecoder& in, std::size_t size, const std::int64_t* widths,
                                                 std::size_t& row) const {
    std::vector<std::int64_t> symbols;
    for (std::size_t done = 0; done < size;) {
        const std::uint64_t* sums = &cumulative_[row * (columns_ + 1)];
        if (sums[columns_] == 0) throw CodeError("the coded bytes lead to a unit of probability zero");
        const std::uint64_t place = in.find(sums[columns_]);
        const auto symbol =
            static_cast<std::size_t>(std::upper_bound(sums + 1, sums + columns_ + 1, place) - (sums + 1));
        in.take(sums[symbol], sums[symbol + 1] - sums[symbol]);
        if (widths[symbol] < 1 || static_cast<std::uint64_t>(widths[symbol]) > size - done)
            throw CodeError("the coded bytes lead to a unit that does not fit");
        symbols.push_back(static_cast<std::int64_t>(symbol));
        done += static_cast<std::size_t>(widths[symbol]);
        row = rows_ == 1 ? 0 : symbol;
    }
    return symbols;
}

AdaptiveBytes::AdaptiveBytes() : total_(256) {
    std::fill(single_, single_ + 256, std::uint64_t{1});
    std::fill(group_, group_ + 16, std::uint64_t{16});
}

void AdaptiveBytes::see(std::uint8_t byte) {
    single_[byte] += 2;
    group_[byte >> 4] += 2;
    total_ += 2;
    if (total_ >= most_frequency) throw std::length_error("a text of more than 2^47 bytes");
}

void AdaptiveBytes::encode(const std::uint8_t* data, std::size_t size, RangeEncoder& out, CodedBits& bits) {
    for (std::size_t i = 0; i < size; ++i) {
        const int byte = data[i], group = byte >> 4;
        std::uint64_t below = 0;
        for (int g = 0; g < group; ++g) below += group_[g];
        for (int s = group << 4; s < byte; ++s) below += single_[s];
        out.encode(below, single_[byte], total_);
        bits.add(single_[byte], total_);
        see(data[i]);
    }
}

void AdaptiveBytes::decode(RangeDecoder& in, std::size_t size, std::uint8_t* data) {
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t place = in.find(total_);
        std::uint64_t below = 0;
        int group = 0;
        while (below + group_[group] <= place) below += group_[group++];
        int byte = group << 4;
        while (below + single_[byte] <= place) below += single_[byte++];
        in.take(below, single_[byte]);
        data[i] = static_cast<std::uint8_t>(byte);
        see(data[i]);
    }
}

}  // namespace bitmeter
