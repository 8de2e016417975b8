#include "theory/alias.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "util/parallel.hpp"

namespace bitmeter {

AliasTables::AliasTables(const double* weights, std::size_t rows, std::size_t symbols, unsigned threads)
    : symbols_(symbols) {
    if (symbols == 0 || symbols > std::numeric_limits<std::int32_t>::max())
        throw std::invalid_argument("alias tables: between 1 and 2^31 - 1 symbols are needed");
    if (rows > std::numeric_limits<std::size_t>::max() / sizeof(Cell) / symbols)
        throw std::length_error("alias tables: too many rows");
    for (std::size_t i = 0; i < rows * symbols; ++i)
        if (!(weights[i] >= 0.0 && weights[i] <= 1e300))
            throw std::invalid_argument("alias tables: a weight is negative, NaN or infinite");
    cells_.resize(rows * symbols);
    constexpr std::size_t block = 256;
    parallel_for((rows + block - 1) / block, threads, [&](std::size_t task) {
        const std::size_t end = std::min(rows, (task + 1) * block);
        for (std::size_t row = task * block; row < end; ++row)
            fill(weights + row * symbols, cells_.data() + row * symbols);
    });
}

void AliasTables::fill(const double* weights, Cell* cells) const {
    constexpr std::uint64_t always = std::numeric_limits<std::uint64_t>::max();
    const auto count = static_cast<double>(symbols_);
    double total = 0.0;
    for (std::size_t i = 0; i < symbols_; ++i) total += weights[i];
    const auto heaviest = static_cast<std::uint32_t>(std::max_element(weights, weights + symbols_) - weights);
    std::vector<double> share(symbols_);
    std::vector<std::uint32_t> small, large;
    for (std::size_t i = 0; i < symbols_; ++i) {
        share[i] = total > 0.0 ? weights[i] / total * count : 1.0;
        (share[i] < 1.0 ? small : large).push_back(static_cast<std::uint32_t>(i));
    }
    while (!small.empty() && !large.empty()) {
        const std::uint32_t poor = small.back(), rich = large.back();
        small.pop_back();
        cells[poor] = {static_cast<std::uint64_t>(std::ldexp(share[poor], 64)), rich};
        share[rich] -= 1.0 - share[poor];
        if (share[rich] < 1.0) {
            large.pop_back();
            small.push_back(rich);
        }
    }
    for (std::uint32_t rest : large) cells[rest] = {always, rest};
    // What rounding left over is whole but for an ulp, unless its weight is zero: then it must never be drawn.
    for (std::uint32_t rest : small)
        cells[rest] = weights[rest] > 0.0 ? Cell{always, rest} : Cell{0, heaviest};
}

}  // namespace bitmeter
