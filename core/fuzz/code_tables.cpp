// Coded bytes of tables, of adaptive counts and of single predictions. What they decode to is coded as the same again.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "coding/coded_bits.hpp"
#include "coding/range_coder.hpp"
#include "coding/table_coder.hpp"

using namespace bitmeter;

namespace {

void adaptive(const std::uint8_t* data, std::size_t size, std::size_t wanted) {
    std::vector<std::uint8_t> text(wanted), again(wanted);
    AdaptiveBytes model, other, third;
    RangeDecoder in(data, size);
    model.decode(in, wanted, text.data());
    RangeEncoder out;
    CodedBits bits;
    other.encode(text.data(), wanted, out, bits);
    const auto coded = out.finish();
    RangeDecoder back(coded.data(), coded.size());
    third.decode(back, wanted, again.data());
    if (again != text) __builtin_trap();
}

void table(const std::uint8_t* data, std::size_t size, std::size_t wanted, std::size_t columns, bool rows) {
    std::vector<double> logs((rows ? columns : 1) * columns);
    for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = (i % columns) == 1 ? -HUGE_VAL : -1.0 - static_cast<double>((i * 7) % 11);
    std::vector<std::int64_t> widths(columns, 1);
    widths[columns - 1] = 0;
    const FrequencyTable model(logs.data(), rows ? columns : 1, columns, 0);
    std::size_t row = 0;
    RangeDecoder in(data, size);
    const auto symbols = model.decode(in, wanted, widths.data(), row);
    RangeEncoder out;
    CodedBits bits;
    row = 0;
    if (model.encode(symbols.data(), symbols.size(), row, out, bits) != symbols.size()) __builtin_trap();
}

/// Predictions that a file might lead to, finite or not.
void prediction(const std::uint8_t* data, std::size_t size) {
    std::vector<double> logs(size / 8);
    if (logs.empty()) return;
    std::memcpy(logs.data(), data, logs.size() * 8);
    std::vector<std::uint64_t> sums(logs.size() + 1);
    const double total = cumulate(logs.data(), logs.size(), sums.data());
    if (!(total < 2.0) || sums.back() == 0) return;
    for (std::size_t i = 0; i < logs.size(); ++i)
        if (sums[i] > sums[i + 1]) __builtin_trap();
    RangeDecoder in(data, size);
    for (int i = 0; i < 10; ++i) {
        const std::uint64_t place = in.find(sums.back());
        const auto found = std::upper_bound(sums.begin() + 1, sums.end(), place) - (sums.begin() + 1);
        in.take(sums[found], sums[found + 1] - sums[found]);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const std::size_t wanted = data[1];
    try {
        switch (data[0] % 4) {
            case 0: adaptive(data + 2, size - 2, wanted); break;
            case 1: table(data + 2, size - 2, wanted, 3 + wanted % 60, false); break;
            case 2: table(data + 2, size - 2, wanted, 3 + wanted % 60, true); break;
            case 3: prediction(data + 2, size - 2); break;
        }
    } catch (const CodeError&) {
    }
    return 0;
}
