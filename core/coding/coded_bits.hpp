// The exact length of a message in bits: the sum of -log2(size / total) over its symbols.
#pragma once

#include <cmath>
#include <cstdint>

#include "util/sum.hpp"

namespace bitmeter {

class CodedBits {
public:
    void add(std::uint64_t size, std::uint64_t total) {
        product_ *= static_cast<double>(size) / static_cast<double>(total);
        if (product_ < 1e-250) settle();
    }
    double value() {
        settle();
        return sum_.value();
    }

private:
    void settle() {
        sum_.add(-std::log2(product_));
        product_ = 1.0;
    }

    double product_ = 1.0;  // one logarithm for many symbols
    Compensated sum_;
};

}  // namespace bitmeter
