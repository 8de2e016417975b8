// Files of arrays by which the tasks of an estimation in slices hand over what they have found: a header, arrays, and a
// table of them. Each array has a checksum of its own, so that a reader of one reads no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
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

/// An array in memory of its own.
template <class T>
class SliceArray {
public:
    SliceArray() = default;
    explicit SliceArray(std::size_t size) : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}
    static SliceArray zeros(std::size_t size) {
        SliceArray made;
        made.data_ = std::make_unique<T[]>(size);
        made.size_ = size;
        return made;
    }
    T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) const { return data_[i]; }
    T* begin() const { return data_.get(); }
    T* end() const { return data_.get() + size_; }
    T& back() const { return data_[size_ - 1]; }

private:
    std::unique_ptr<T[]> data_;
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
    /// Returns the bytes of the file.
    std::uint64_t close();

private:
    [[noreturn]] void fail() const;
    void put_bytes(SliceArrayKind kind, int order, std::size_t other, const std::uint8_t* data, std::size_t size);
    void write(const void* data, std::size_t size);

    std::string path_;
    SliceName name_;
    std::FILE* file_;
    std::uint64_t at_;
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
