// An array for results whose number is not known before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "util/array.hpp"

namespace bitmeter {

/// An array that grows, but rarely has to: its size is estimated well.
template <class T>
class Growing {
public:
    explicit Growing(std::size_t size = 0) : values_(size) {}
    T* data() const { return values_.data(); }
    /// At least `size` long, of which the first `used` are kept.
    void reach(std::size_t size, std::size_t used) {
        if (size <= values_.size()) return;
        Array<T> larger(std::max(size, values_.size() + values_.size() / 2));
        std::copy_n(values_.data(), used, larger.data());
        values_ = std::move(larger);
    }
    Array<T> finished(std::size_t size) {
        values_.shorten(size);
        return std::move(values_);
    }

private:
    Array<T> values_;
};

}  // namespace bitmeter
