// Codebooks of any probabilities and back-offs that a model can hold.
#include <cmath>
#include <cstring>
#include <vector>

#include "ngram/format/codebook.hpp"

namespace {

void check(const bitmeter::Codebook& book, const std::vector<float>& values, unsigned bits, bool below) {
    const auto& all = book.values();
    if (all.size() > (std::size_t{1} << bits)) __builtin_trap();
    for (std::size_t i = 1; i < all.size(); ++i)
        if (!(all[i - 1] <= all[i])) __builtin_trap();
    for (float value : values) {
        const std::uint16_t code = below ? book.below(value) : book.nearest(value);
        if (code >= all.size()) __builtin_trap();
        if (below && all[code] > value && code != 0) __builtin_trap();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 5) return 0;
    const unsigned bits = 4 + data[0] % 5;
    std::vector<float> values((size - 1) / 4), backoffs;
    std::memcpy(values.data(), data + 1, values.size() * 4);
    for (float& value : values) value = std::isnan(value) ? 0.0f : value;
    for (float value : values)
        if (value != HUGE_VALF) backoffs.push_back(value);
    for (float& value : values) value = -std::fabs(value);
    check(bitmeter::Codebook::of_logprobs(values, bits), values, bits, false);
    if (!backoffs.empty()) check(bitmeter::Codebook::of_backoffs(backoffs, bits), backoffs, bits, true);
    return 0;
}
