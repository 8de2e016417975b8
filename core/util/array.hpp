// An uninitialised array. A long one lies on huge pages, or in memory that was used before: the page faults of fresh memory
// cost as much as the work that fills it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace bitmeter {

/// Uninitialised memory for give_block; nullptr if there is none. Only for blocks of at least `least_block` bytes are those
/// that were given back used again.
void* take_block(std::size_t size) noexcept;
void give_block(void* block) noexcept;

constexpr std::size_t least_block = std::size_t{1} << 17;
/// No more bytes than these are kept.
constexpr std::size_t most_kept = std::size_t{1} << 25;
/// The bytes that are kept now.
std::size_t kept_bytes() noexcept;
/// Returns them to the system.
void drop_blocks() noexcept;

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
