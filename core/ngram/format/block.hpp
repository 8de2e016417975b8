// The file format shared by the two forms of an n-gram model: one block with a header, which is checked when the file is
// opened, a checksum of the rest, and an optional section for the open vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "text/split.hpp"
#include "util/pages.hpp"

namespace bitmeter {

class Watch;

/// The bytes are not a valid model; the message is shown to the user.
struct NgramFormatError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The file of a model was cut or changed while it was mapped, so that nothing read from it since can be trusted.
struct NgramChanged : NgramFormatError {
    using NgramFormatError::NgramFormatError;
};

/// The file is sound, but what is asked for is not in it.
struct NgramUnable : NgramFormatError {
    using NgramFormatError::NgramFormatError;
};

constexpr std::uint32_t word_unknown = 0, word_begin = 1, word_end = 2, first_word = 3;
constexpr int max_order = 16;
/// Set in NgramShape::flags if an open-vocabulary section follows the model in its file. The other bits are then a checksum
/// of the section, and 0 in files of earlier versions.
constexpr std::uint32_t has_section = 1u << 31;
/// Bytes reserved in every model for metadata.
constexpr std::size_t metadata_size = 4096;
/// Every part of a block begins at a multiple of this.
constexpr std::size_t block_alignment = 64;

/// 64 bits that depend on all bytes; reads about as fast as memory.
std::uint64_t block_checksum(const std::uint8_t* data, std::size_t size, Watch* watch = nullptr);

/// The same of bytes that come in parts.
class BlockSum {
public:
    /// Of so many bytes in all.
    explicit BlockSum(std::size_t size) : lanes_{1, 2, 3, size} {}
    void add(const std::uint8_t* data, std::size_t size);
    std::uint64_t value() const;

private:
    static constexpr std::size_t width = 32;
    void take(const std::uint8_t* data);

    std::uint64_t lanes_[4];
    std::uint8_t rest_[width];  // the bytes that do not fill a step yet
    std::size_t waiting_ = 0;
};

/// How the block is laid out; all of it follows from these sizes.
struct NgramShape {
    std::uint32_t order = 0;
    std::uint32_t flags = 0;
    std::uint64_t words = 0;  // unknown, begin and end included
    std::uint64_t word_bytes = 0;
    std::uint64_t metadata_bytes = 0;
    std::uint64_t counts[max_order] = {};  // n-grams of each order; counts[0] is `words`
};

/// Throws NgramFormatError where no model has this shape; words and metadata take no more than `most_bytes` each.
void check_shape(const NgramShape& shape, std::uint64_t most_bytes);

/// Parts of a block one after the other.
class BlockParts {
public:
    explicit BlockParts(std::size_t header_size) : at_(header_size) {}
    /// Where the next part begins, which takes so many bytes.
    std::size_t take(std::size_t bytes) {
        const std::size_t start = at_;
        at_ = (at_ + bytes + block_alignment - 1) / block_alignment * block_alignment;
        return start;
    }
    std::size_t size() const { return at_; }

private:
    std::size_t at_;
};

/// The constants of a form.
struct NgramForm {
    char magic[16];
    std::uint32_t version;
    const char* format;  // as it is called in messages
    const char* again;   // what to do about a file of a machine of the other byte order
    int extras;          // how many settings of its own the header holds
    std::size_t header_size;
};

/// A header, checked except for the sizes that follow from the form.
struct NgramHeader {
    NgramShape shape;
    std::uint32_t extras[2] = {};
    std::uint64_t file_size = 0, body_checksum = 0;
    /// Of all that can change a probability: the body without the metadata. 0 in files that do not have it.
    std::uint64_t content_checksum = 0;
};

class NgramBlock {
public:
    /// A part of the block, by its offsets.
    struct Span {
        std::size_t from, to;
    };
    /// The metadata, with what fills up its last line.
    static Span metadata_span(std::size_t from, std::size_t bytes) {
        return {from, from + (bytes + block_alignment - 1) / block_alignment * block_alignment};
    }

    /// New memory of this size, to be filled in and sealed.
    NgramBlock(const NgramForm& form, PageBlock memory, std::size_t size)
        : form_(&form), memory_(std::move(memory)), size_(size) {}
    /// A file. Throws NgramFormatError where its header is not sound; `accept` must follow.
    NgramBlock(const NgramForm& form, PageBlock file);

    /// What the header says; that of a file is as it was when it was opened.
    const NgramHeader& header() const { return header_; }
    /// The size that follows from the shape. Throws NgramFormatError where the file has another.
    void accept(std::size_t size, Span metadata);

    std::uint8_t* data() const { return memory_.data(); }
    bool mapped() const { return mapped_; }
    /// The pages of a mapped file leave memory when the store asks for it; they are read again where they are needed.
    void evict_with(PageStore& store) const {
        if (mapped_) store.watch(memory_);
    }
    Bytes bytes() const { return {memory_.data(), size_}; }
    Bytes section() const { return mapped_section_.size ? mapped_section_ : Bytes{section_.data(), section_.size()}; }

    /// Moves the bytes of a mapped file into memory of its own; whether it was one.
    bool copy_file();
    /// Appends a section, of which the flags in the header tell. Returns whether the bytes have moved: a mapped file becomes a copy.
    bool attach(std::vector<std::uint8_t> section);
    /// Writes the header and its checksums. The watch counts bytes.
    void seal(const NgramShape& shape, const std::uint32_t* extras, Span metadata, Watch* watch = nullptr);
    /// Writes the file. Throws std::system_error. The watch counts bytes.
    void save(const std::string& path, Watch* watch = nullptr) const;
    /// Reads all of it. Throws NgramFormatError where the bytes are not those that were sealed.
    void verify() const;
    /// Throws NgramChanged where the file may have other bytes than when it was opened. `rarely`: see os::InputFile.
    void confirm(bool rarely = false) const {
        if (mapped_ && memory_.input() && memory_.input()->changed(rarely)) changed();
    }

private:
    [[noreturn]] static void changed();
    std::size_t used() const;
    NgramHeader read_header() const;
    template <class Take>
    void read_through(Take&& take) const;
    std::uint64_t content_checksum(const NgramShape& shape, const std::uint32_t* extras, Span metadata,
                                   Watch* watch = nullptr) const;
    std::uint64_t content_checksum(const NgramShape& shape, const std::uint32_t* extras, std::uint64_t before,
                                   std::uint64_t after) const;
    void write_header(NgramHeader header);

    const NgramForm* form_;
    PageBlock memory_;
    bool mapped_ = false;
    std::size_t size_ = 0;  // without the section
    Span metadata_{0, 0};
    NgramHeader header_;
    std::vector<std::uint8_t> section_;
    Bytes mapped_section_{nullptr, 0};
};

}  // namespace bitmeter
