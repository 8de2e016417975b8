// An uninitialised array. A long one lies on huge pages, in memory that was used before where there is some (see blocks.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include "util/blocks.hpp"

namespace bitmeter {

template <class T>
class Array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Array() = default;
    explicit Array(std::size_t size) : size_(size) {
        data_.reset(static_cast<T*>(take_block(size * sizeof(T))));
        if (!data_) throw std::bad_alloc();
    }

    T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) const { return data_.get()[i]; }
    T* begin() const { return data(); }
    T* end() const { return data() + size_; }
    /// Reduces the size; the memory stays.
    void shorten(std::size_t size) { size_ = size; }
    /// Transfers ownership; the caller must give_block it.
    T* release() {
        size_ = 0;
        return data_.release();
    }

private:
    struct Free {
        void operator()(T* p) const { give_block(p); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace bitmeter
