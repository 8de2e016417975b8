// Files of arrays by which the tasks of an estimation in slices hand over what they have found: a header, arrays, and a
// table of them. Each array has a checksum of its own, so that a reader of one reads no other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ngram/format/block.hpp"
#include "util/system.hpp"

namespace bitmeter {

/// Which stage has written a file.
enum class SliceStage : std::uint32_t { grown = 1, linked, words, weighed, finished };

/// What an array holds; the comments say by which order it is known, and where it is one of several partitions.
enum class SliceArrayKind : std::uint32_t {
    child = 1,     // where the children of each n-gram of this order begin, and where the last ones end
    key,           // the code of the last word of each n-gram
    raw,           // how often it occurred
    sent_word,     // to a partition: the second words of bigrams that are of that partition
    sent_child,    // to a partition: below these, the n-grams of this order as in `child`
    sent_key,      // and as in `key`
    adjusted,      // adjusted counts
    route,         // from a partition: the suffixes of what it sent, by their places in this slice
    moved,         // the same after n-grams were dropped; no_place for one that was
    probability,   // of the order below, for the n-grams of this order that a partition sent; or of all words
    logprob,       // base 10
    backoff,       // base 10
    node,          // as in a model's file
    leaf,
};

/// While there is one, the memory of arrays that ended is used by those that follow in the same thread: a task has many, and
/// the system would clear the pages of each.
class SlicePool {
public:
    SlicePool() : before_(current_) { current_ = this; }
    SlicePool(const SlicePool&) = delete;
    SlicePool& operator=(const SlicePool&) = delete;
    ~SlicePool() { current_ = before_; }

    struct Memory {
        std::unique_ptr<std::uint8_t[]> data;
        std::size_t size = 0;
    };
    static Memory take(std::size_t size);
    static void give(Memory memory);

private:
    static thread_local SlicePool* current_;
    SlicePool* before_;
    std::vector<Memory> free_;
};

/// An array in memory of its own.
template <class T>
class SliceArray {
public:
    SliceArray() = default;
    explicit SliceArray(std::size_t size) : memory_(SlicePool::take(size * sizeof(T))), size_(size) {}
    SliceArray(SliceArray&& other) noexcept
        : memory_(std::exchange(other.memory_, {})), size_(std::exchange(other.size_, 0)) {}
    SliceArray& operator=(SliceArray&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~SliceArray() { SlicePool::give(std::move(memory_)); }
    static SliceArray zeros(std::size_t size) {
        SliceArray made(size);
        if (size) std::memset(static_cast<void*>(made.data()), 0, size * sizeof(T));
        return made;
    }
    T* data() const { return reinterpret_cast<T*>(memory_.data.get()); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) const { return data()[i]; }
    T* begin() const { return data(); }
    T* end() const { return data() + size_; }
    T& back() const { return data()[size_ - 1]; }

private:
    SlicePool::Memory memory_;
    std::size_t size_ = 0;
};

/// Of which training, stage and partition a file is.
struct SliceName {
    std::uint64_t job;
    SliceStage stage;
    std::uint32_t order, partition;  // an order only where the stage is one of several orders
};

struct SliceEntry {
    std::uint32_t kind, order;
    std::uint64_t other, offset, bytes, checksum;
};

class SliceWriter {
public:
    /// Throws std::system_error, as all of it.
    SliceWriter(std::string path, const SliceName& name);
    SliceWriter(const SliceWriter&) = delete;
    SliceWriter& operator=(const SliceWriter&) = delete;
    ~SliceWriter();

    /// An empty array is as one that was not written.
    template <class T>
    void put(SliceArrayKind kind, int order, const T* data, std::size_t size, std::size_t other = 0) {
        put_bytes(kind, order, other, reinterpret_cast<const std::uint8_t*>(data), size * sizeof(T));
    }
    template <class T>
    void put(SliceArrayKind kind, int order, const SliceArray<T>& array, std::size_t other = 0) {
        put(kind, order, array.data(), array.size(), other);
    }
    template <class T>
    void put(SliceArrayKind kind, int order, const std::vector<T>& array, std::size_t other = 0) {
        put(kind, order, array.data(), array.size(), other);
    }
    /// An array of so many entries that come one by one.
    template <class T>
    class Entries {
    public:
        Entries(SliceWriter& out, SliceArrayKind kind, int order, std::size_t size)
            : out_(out), sum_(size * sizeof(T)), left_(size) {
            if (size) out_.begin(kind, order, size * sizeof(T));
            buffer_.reserve(std::min(size, most));
        }
        void add(const T& entry) {
            buffer_.push_back(entry);
            if (buffer_.size() == most) flush();
        }
        /// Throws std::logic_error where there were more, or fewer.
        void end() {
            flush();
            if (left_) throw std::logic_error("an array of another size was written");
            out_.end(sum_.value());
        }

    private:
        static constexpr std::size_t most = std::size_t{1} << 14;
        void flush() {
            if (buffer_.empty()) return;
            if (buffer_.size() > left_) throw std::logic_error("an array of another size was written");
            const auto* data = reinterpret_cast<const std::uint8_t*>(buffer_.data());
            sum_.add(data, buffer_.size() * sizeof(T));
            out_.write(data, buffer_.size() * sizeof(T));
            left_ -= buffer_.size();
            buffer_.clear();
        }

        SliceWriter& out_;
        BlockSum sum_;
        std::size_t left_;
        std::vector<T> buffer_;
    };
    /// Returns the bytes of the file.
    std::uint64_t close();

private:
    void begin(SliceArrayKind kind, int order, std::size_t bytes);
    void end(std::uint64_t checksum);
    [[noreturn]] void fail() const;
    void put_bytes(SliceArrayKind kind, int order, std::size_t other, const std::uint8_t* data, std::size_t size);
    void write(const void* data, std::size_t size);

    std::string path_;
    SliceName name_;
    std::FILE* file_;
    std::uint64_t at_;
    bool open_ = false;  // an array that comes entry by entry
    std::vector<SliceEntry> table_;
};

/// Whatever the bytes of the file are, what comes out of it is of the sizes that it says, or NgramFormatError is thrown.
class SliceFile {
public:
    SliceFile(std::string path, const SliceName& name);

    template <class T>
    SliceArray<T> read(SliceArrayKind kind, int order, std::size_t other = 0) const {
        const SliceEntry* entry = find(kind, order, other, sizeof(T));
        SliceArray<T> found(entry ? entry->bytes / sizeof(T) : 0);
        if (entry) read_bytes(*entry, reinterpret_cast<std::uint8_t*>(found.data()));
        return found;
    }
    /// The same into memory for exactly so many.
    template <class T>
    void read_into(SliceArrayKind kind, int order, T* data, std::size_t size) const {
        const SliceEntry* entry = find(kind, order, 0, sizeof(T));
        if ((entry ? entry->bytes / sizeof(T) : 0) != size) damaged("has an array of another size");
        if (entry) read_bytes(*entry, reinterpret_cast<std::uint8_t*>(data));
    }
    /// The same in a map of the file, after its checksum was read: others may still change it.
    std::span<const std::uint32_t> map(SliceArrayKind kind, int order) const;
    [[noreturn]] void damaged(const char* why) const;

private:
    const SliceEntry* find(SliceArrayKind kind, int order, std::size_t other, std::size_t width) const;
    void read_bytes(const SliceEntry& entry, std::uint8_t* data) const;

    std::string path_;
    std::unique_ptr<os::InputFile> file_;
    std::vector<SliceEntry> table_;
};

}  // namespace bitmeter
