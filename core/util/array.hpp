// An uninitialised array on huge pages: for long arrays, the page faults of small pages cost as much as the work itself.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include "util/system.hpp"

namespace bitmeter {

template <class T>
class Array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Array() = default;
    explicit Array(std::size_t size) : size_(size) {
        // Half a huge page, which takes less time to fill than 256 small ones.
        constexpr std::size_t long_array = std::size_t{1} << 20;
        const std::size_t bytes = size * sizeof(T);
        if (bytes < long_array) {
            data_.reset(static_cast<T*>(std::malloc(bytes ? bytes : 1)));
        } else {
            data_.reset(static_cast<T*>(os::allocate_huge(bytes)));
        }
        if (!data_) throw std::bad_alloc();
    }

    T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) const { return data_.get()[i]; }
    T* begin() const { return data(); }
    T* end() const { return data() + size_; }
    /// Reduces the size; the memory stays.
    void shorten(std::size_t size) { size_ = size; }
    /// Transfers ownership; the caller must std::free it.
    T* release() {
        size_ = 0;
        return data_.release();
    }

private:
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace bitmeter
