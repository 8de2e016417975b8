// A linear layer of a network: y = b + W x.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "network/kernel.hpp"

namespace bitmeter::network {

/// A matrix that somebody else holds, row by row.
struct Matrix {
    const float* data = nullptr;
    std::size_t rows = 0, columns = 0;

    /// Throws std::invalid_argument unless it has this shape.
    const Matrix& shaped(std::size_t wanted_rows, std::size_t wanted_columns) const {
        if (rows != wanted_rows || columns != wanted_columns) throw std::invalid_argument("a weight has another shape");
        return *this;
    }
};

/// A vector that somebody else holds.
struct Vector {
    const float* data = nullptr;
    std::size_t size = 0;

    const Vector& shaped(std::size_t wanted) const {
        if (size != wanted) throw std::invalid_argument("a weight has another shape");
        return *this;
    }
};

class Product {
public:
    /// Several matrices side by side, for inputs one behind the other, and the sum of several biases.
    Product(const std::vector<Matrix>& parts, const std::vector<Vector>& biases, const Kernel& kernel)
        : kernel_(kernel), rows_(parts.at(0).rows) {
        for (const Matrix& part : parts) columns_ += part.shaped(rows_, part.columns).columns;
        panels_.resize((rows_ + panel_rows - 1) / panel_rows * panel_rows * columns_);
        std::size_t before = 0;
        for (const Matrix& part : parts) {
            for (std::size_t row = 0; row < rows_; ++row)
                for (std::size_t column = 0; column < part.columns; ++column)
                    panels_[(row / panel_rows * columns_ + before + column) * panel_rows + row % panel_rows] =
                        part.data[row * part.columns + column];
            before += part.columns;
        }
        bias_.resize(rows_);
        for (const Vector& bias : biases)
            for (std::size_t row = 0; row < rows_; ++row) bias_[row] += bias.shaped(rows_).data[row];
    }

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }

    void apply(const float* x, float* out) const {
        float sums[panel_rows];
        for (std::size_t first = 0; first < rows_; first += panel_rows) {
            kernel_.multiply(panels_.data() + first * columns_, x, columns_, sums);
            for (std::size_t row = first; row < rows_ && row < first + panel_rows; ++row)
                out[row] = bias_[row] + sums[row - first];
        }
    }

private:
    Kernel kernel_;
    std::size_t rows_ = 0, columns_ = 0;
    std::vector<float> panels_, bias_;
};

}  // namespace bitmeter::network
