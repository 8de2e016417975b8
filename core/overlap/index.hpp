// An index of a corpus for the substrings of other texts: its bytes, and suffix arrays over parts of them, in one file.
//
// Documents stand one after the other, each followed by `overlap_separator`, a byte that no UTF-8 text has and that
// matches nothing: so no match crosses the end of a document. A part is a run of documents with a suffix array of its
// own. A document longer than a part is divided between several, and then a part's array also covers the bytes behind it,
// as many as a match may have. So the longest match of all parts does not depend on how the corpus was divided.
//
// The file is mapped and untrusted: sizes are checked when it is opened, every offset where it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "text/split.hpp"
#include "util/pages.hpp"

namespace bitmeter {

/// The bytes are not a valid index; the message is shown to the user.
struct OverlapFormatError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

constexpr char overlap_magic[17] = "bitmeter.overlap";
constexpr std::uint32_t overlap_version = 1;
constexpr std::uint8_t overlap_separator = 0xFF;
/// Suffixes whose least is kept.
constexpr std::uint64_t overlap_row = 256;

/// What decides where each section of the file lies.
struct OverlapShape {
    std::uint64_t text_bytes = 0, documents = 0, parts = 0, longest = 0, metadata_bytes = 0;
};

/// Suffixes from text[begin] on, sorted as far as text[stop]; those from `end` on belong to the next part as well.
struct OverlapPart {
    std::uint64_t begin = 0, end = 0, stop = 0;
    const std::uint32_t* suffixes = nullptr;
    const std::uint32_t* least = nullptr;  // of each row of suffixes
    std::uint64_t size() const { return stop - begin; }
};

class OverlapIndex {
public:
    /// Throws OverlapFormatError where the header or the sizes are not sound.
    explicit OverlapIndex(PageBlock file);
    /// A file, all of which is read and held against its checksum. Throws OverlapFormatError and std::system_error.
    static std::unique_ptr<OverlapIndex> open(const std::string& path);

    /// Throws OverlapFormatError where the bytes are not those that were written.
    void verify() const;
    /// Throws OverlapFormatError where the file was cut or changed since it was opened.
    void confirm(bool rarely = false) const;

    const OverlapShape& shape() const { return shape_; }
    Bytes text() const { return {text_, shape_.text_bytes}; }
    /// Where each document ends: the place of its separator.
    const std::uint64_t* ends() const { return ends_; }
    std::string_view metadata() const { return {metadata_, shape_.metadata_bytes}; }
    const std::vector<OverlapPart>& parts() const { return parts_; }

private:
    PageBlock file_;
    OverlapShape shape_;
    std::uint64_t body_checksum_ = 0;
    const std::uint8_t* text_ = nullptr;
    const std::uint64_t* ends_ = nullptr;
    const char* metadata_ = nullptr;
    std::vector<OverlapPart> parts_;
};

/// Sections begin at multiples of this; the first one behind the header.
constexpr std::uint64_t overlap_alignment = 64, overlap_header = 128;
/// The header of a file whose sections have been written: to be written in front of them. Throws std::system_error.
std::vector<std::uint8_t> overlap_seal(const std::string& path, const OverlapShape& shape);

}  // namespace bitmeter
