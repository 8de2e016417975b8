// Sampling from many discrete distributions over one alphabet in constant time (Walker's alias method).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "util/random.hpp"

namespace bitmeter {

class AliasTables {
public:
    /// `weights` holds rows × symbols numbers, not negative; a row that is all zero is never to be drawn from.
    AliasTables(const double* weights, std::size_t rows, std::size_t symbols, unsigned threads);

    /// A symbol of row `row`. A symbol of weight zero is never drawn.
    std::uint32_t draw(std::size_t row, Random& random) const {
        // One 64-bit number serves twice: the high part of the product is the column, the low part the coin.
        const auto product = static_cast<Wide>(random.next()) * symbols_;
        const auto column = static_cast<std::uint32_t>(product >> 64);
        const Cell cell = cells_[row * symbols_ + column];
        return static_cast<std::uint64_t>(product) < cell.threshold ? column : cell.alias;
    }

private:
    __extension__ typedef unsigned __int128 Wide;
    struct Cell {
        std::uint64_t threshold;  // of 2^64: how often the column's own symbol is taken
        std::uint32_t alias;      // the symbol taken otherwise
    };

    void fill(const double* weights, Cell* cells) const;

    std::size_t symbols_;
    std::vector<Cell> cells_;
};

}  // namespace bitmeter
