// Page-aligned memory: anonymous, a mapped file, or a mapped temporary file, which can be larger than memory. Nothing
// remains of a temporary file however the program ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "util/system.hpp"

namespace bitmeter {

/// A block of pages with shared ownership.
class PageBlock {
public:
    PageBlock() = default;
    static PageBlock zeros(std::size_t size);
    /// A file mapped for reading; no bytes if it is empty or not a regular file. Throws std::system_error.
    static PageBlock file(const std::string& path);
    /// A temporary file in this folder, mapped for reading and writing, all zero; on huge pages where the system has them
    /// for files. Throws std::system_error.
    static PageBlock temporary(const std::string& folder, std::size_t size, bool huge = false);

    std::uint8_t* data() const { return mapping_ ? mapping_->view.data : nullptr; }
    std::size_t size() const { return mapping_ ? mapping_->view.size : 0; }
    bool on_disk() const { return mapping_ && mapping_->file != os::no_handle; }
    /// Makes it larger; the bytes may move.
    void grow(std::size_t size);
    /// The file that is mapped for reading; nullptr for other blocks.
    const os::InputFile* input() const { return mapping_ ? mapping_->input.get() : nullptr; }
    /// Evicts the pages of a temporary file from memory.
    void release() const;
    /// Discards the content of these bytes.
    void drop(std::size_t from, std::size_t to) const;

private:
    friend class PageStore;
    struct Mapping {
        os::View view;
        os::Handle file = os::no_handle;  // a temporary file
        std::unique_ptr<os::InputFile> input;  // owns the view
        Mapping() = default;
        Mapping(const Mapping&) = delete;
        Mapping& operator=(const Mapping&) = delete;
        ~Mapping();
    };
    std::shared_ptr<Mapping> mapping_;
};

/// An array in a block of pages.
template <class T>
class PageArray {
public:
    PageArray() = default;
    PageArray(PageBlock block, std::size_t size) : block_(std::move(block)), size_(size) {}
    T* data() const { return reinterpret_cast<T*>(block_.data()); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) const { return data()[i]; }
    T* begin() const { return data(); }
    T* end() const { return data() + size_; }
    /// Discards the entries [from, to).
    void drop(std::size_t from, std::size_t to) const { block_.drop(from * sizeof(T), to * sizeof(T)); }

private:
    PageBlock block_;
    std::size_t size_ = 0;
};

/// Allocates the large arrays of a job: in memory, or in temporary files whose pages are evicted when the process exceeds
/// its memory limit.
class PageStore {
public:
    /// At most `allowance` bytes of memory (0 for no limit); temporary files go to `folder`.
    explicit PageStore(std::uint64_t allowance = 0, std::string folder = {}) : allowance_(allowance), folder_(folder) {}
    PageStore(const PageStore&) = delete;
    PageStore& operator=(const PageStore&) = delete;

    std::uint64_t allowance() const { return allowance_; }
    const std::string& folder() const { return folder_; }
    /// Whether this many more bytes stay within the limit.
    bool fits(std::uint64_t bytes) const;
    /// Bytes of memory left.
    std::uint64_t left() const;
    /// From now on blocks are in temporary files, or in memory again.
    void use_disk(bool on) { on_disk_ = on; }
    bool on_disk() const { return on_disk_; }
    /// Zeros.
    PageBlock take(std::size_t bytes);
    template <class T>
    PageArray<T> array(std::size_t size) {
        return {take(size * sizeof(T)), size};
    }
    /// Adds an existing block to those that may be evicted: a temporary file, or a file that is mapped for reading.
    void watch(const PageBlock& block);
    /// Evicts pages of temporary files if the process nears its limit. Thread-safe.
    void keep_within();

private:
    /// Huge pages save most of the page faults, but between two looks at the limit they fill more memory: too much for a
    /// small one.
    bool huge() const { return allowance_ >= std::uint64_t{128} << 20; }

    std::uint64_t allowance_;
    std::string folder_;
    bool on_disk_ = false;
    std::mutex guard_;
    std::vector<std::weak_ptr<PageBlock::Mapping>> blocks_;
};

}  // namespace bitmeter
