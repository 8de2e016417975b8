// A growing list of word ids, in memory or, beyond a limit, in a temporary file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "util/pages.hpp"

namespace bitmeter {

class IdList {
public:
    IdList() = default;
    IdList(IdList&& other) noexcept
        : block_(std::move(other.block_)),
          size_(std::exchange(other.size_, 0)),
          room_(std::exchange(other.room_, 0)),
          limit_(other.limit_),
          store_(other.store_) {}
    IdList& operator=(IdList&&) = delete;

    /// Beyond so many bytes it goes to the disk.
    void limit(std::uint64_t bytes, PageStore* store) {
        limit_ = bytes;
        store_ = store;
    }

    void push_back(std::uint32_t id) {
        if (size_ == room_) grow(size_ + 1);
        begin()[size_++] = id;
    }
    void pop_back() { --size_; }
    void append(const std::uint32_t* from, std::size_t count) {
        if (count == 0) return;
        if (size_ + count > room_) grow(size_ + count);
        std::memcpy(begin() + size_, from, count * sizeof(std::uint32_t));
        size_ += count;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool on_disk() const { return block_.on_disk(); }
    std::uint32_t* begin() { return reinterpret_cast<std::uint32_t*>(block_.data()); }
    std::uint32_t* end() { return begin() + size_; }
    const std::uint32_t* begin() const { return reinterpret_cast<const std::uint32_t*>(block_.data()); }
    const std::uint32_t* end() const { return begin() + size_; }
    const std::uint32_t* data() const { return begin(); }
    std::uint32_t operator[](std::size_t i) const { return begin()[i]; }

private:
    void grow(std::size_t size) {
        constexpr std::size_t first = std::size_t{1} << 16, step = std::size_t{1} << 24;  // words
        std::size_t room = room_ == 0 ? first : room_ < step ? 2 * room_ : room_ + step;
        while (room < size) room += step;
        const std::size_t bytes = room * sizeof(std::uint32_t);
        if (store_ && !block_.on_disk() && bytes > limit_) {
            PageBlock moved = PageBlock::temporary(store_->folder(), bytes);
            if (size_) std::memcpy(moved.data(), block_.data(), size_ * sizeof(std::uint32_t));
            block_ = std::move(moved);
            store_->watch(block_);
        } else if (block_.data() == nullptr) {
            block_ = PageBlock::zeros(bytes);
        } else {
            block_.grow(bytes);
        }
        room_ = room;
        if (store_) store_->keep_within();
    }

    PageBlock block_;
    std::size_t size_ = 0, room_ = 0;
    std::uint64_t limit_ = 0;
    PageStore* store_ = nullptr;
};

}  // namespace bitmeter
