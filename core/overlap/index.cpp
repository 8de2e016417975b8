#include "overlap/index.hpp"

#include <cstring>
#include <utility>

#include "ngram/format/block.hpp"
#include "util/once.hpp"

namespace bitmeter {
namespace {

constexpr std::uint32_t byte_order = 0x01020304;
// More than any file holds, and few enough that no size overflows.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48, most_parts = std::uint64_t{1} << 24;
constexpr std::uint64_t longest_part = (std::uint64_t{1} << 32) - 1;

struct Header {
    char magic[16];
    std::uint32_t version, byte_order;
    std::uint64_t text_bytes, documents, parts, longest, metadata_bytes, file_size, body_checksum, header_checksum;
};
static_assert(sizeof(Header) <= overlap_header);

[[noreturn]] void refuse(const std::string& what) { throw OverlapFormatError(what); }

Header header_of(const PageBlock& file) {
    if (file.size() < overlap_header) refuse("it is shorter than a header, or not a regular file");
    Header result;
    std::memcpy(&result, file.data(), sizeof result);
    if (std::memcmp(result.magic, overlap_magic, sizeof result.magic) != 0) refuse("it does not begin like one");
    if (result.byte_order != byte_order)
        refuse("it was written on a machine of the other byte order; build it again on this one");
    if (result.version != overlap_version)
        refuse("it has version " + std::to_string(result.version) + " of the format; this program reads version " +
               std::to_string(overlap_version) + ": build it again");
    if (result.header_checksum != block_checksum(reinterpret_cast<const std::uint8_t*>(&result), sizeof result - 8))
        refuse("the checksum of its header is wrong; build it again");
    return result;
}

/// Sections one after the other, none beyond the end of the file.
class Sections {
public:
    explicit Sections(const PageBlock& file) : file_(file), size_(file.size()) {}
    const std::uint8_t* take(std::uint64_t many, std::uint64_t width) {
        const std::uint64_t bytes = many * width;
        if (many > most_bytes || bytes > size_ || at_ > size_ - bytes)
            refuse("its header speaks of more bytes than the file has; it is cut short: build it again");
        const std::uint8_t* const from = file_.data() + at_;
        at_ = (at_ + bytes + overlap_alignment - 1) / overlap_alignment * overlap_alignment;
        return from;
    }
    std::uint64_t reached() const { return at_; }

private:
    const PageBlock& file_;
    std::uint64_t size_, at_ = overlap_header;
};

std::uint64_t number_at(const std::uint8_t* data, std::uint64_t i) {
    std::uint64_t value;
    std::memcpy(&value, data + 8 * i, sizeof value);
    return once(value);
}

}  // namespace

OverlapIndex::OverlapIndex(PageBlock file) : file_(std::move(file)) {
    const Header header = header_of(file_);
    shape_ = {header.text_bytes, header.documents, header.parts, header.longest, header.metadata_bytes};
    body_checksum_ = header.body_checksum;
    if (shape_.text_bytes > most_bytes || shape_.documents > shape_.text_bytes || shape_.parts > most_parts ||
        shape_.longest == 0 || shape_.longest > longest_part || header.file_size != file_.size())
        refuse("its sizes are impossible, or it is cut short; build it again");
    Sections sections(file_);
    text_ = sections.take(shape_.text_bytes, 1);
    const std::uint8_t* const ends = sections.take(shape_.documents, 8);
    ends_ = reinterpret_cast<const std::uint64_t*>(ends);
    const std::uint8_t* const table = sections.take(shape_.parts, 24);
    metadata_ = reinterpret_cast<const char*>(sections.take(shape_.metadata_bytes, 1));
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i < shape_.parts; ++i) {
        OverlapPart part;
        part.begin = number_at(table, 3 * i);
        part.end = number_at(table, 3 * i + 1);
        part.stop = number_at(table, 3 * i + 2);
        if (part.begin != before || part.end <= part.begin || part.stop < part.end || part.stop > shape_.text_bytes ||
            part.size() > longest_part)
            refuse("its parts do not follow each other; build it again");
        before = part.end;
        part.suffixes = reinterpret_cast<const std::uint32_t*>(sections.take(part.size(), 4));
        part.least = reinterpret_cast<const std::uint32_t*>(sections.take((part.size() + overlap_row - 1) / overlap_row, 4));
        parts_.push_back(part);
    }
    if (before != shape_.text_bytes) refuse("its parts do not cover its text; build it again");
    if (sections.reached() != file_.size()) refuse("it has more bytes than its header says; build it again");
    before = 0;
    for (std::uint64_t d = 0; d < shape_.documents; ++d) {
        const std::uint64_t end = number_at(ends, d);
        if (end < before || end >= shape_.text_bytes) refuse("its documents do not follow each other; build it again");
        before = end + 1;
    }
    if (before != shape_.text_bytes) refuse("its documents do not cover its text; build it again");
}

std::unique_ptr<OverlapIndex> OverlapIndex::open(const std::string& path) {
    auto index = std::make_unique<OverlapIndex>(PageBlock::file(path));
    index->verify();
    index->confirm();
    return index;
}

void OverlapIndex::verify() const {
    if (block_checksum(file_.data() + overlap_header, file_.size() - overlap_header) != body_checksum_)
        refuse("its checksum is wrong, so it was changed or damaged; build it again");
}

void OverlapIndex::confirm(bool rarely) const {
    if (file_.input() && file_.input()->changed(rarely)) refuse("it was cut or changed while it was in use; build it again");
}

std::vector<std::uint8_t> overlap_seal(const std::string& path, const OverlapShape& shape) {
    const PageBlock file = PageBlock::file(path);
    if (file.size() < overlap_header) refuse("it is shorter than a header");
    Header header{};
    std::memcpy(header.magic, overlap_magic, sizeof header.magic);
    header.version = overlap_version;
    header.byte_order = byte_order;
    header.text_bytes = shape.text_bytes;
    header.documents = shape.documents;
    header.parts = shape.parts;
    header.longest = shape.longest;
    header.metadata_bytes = shape.metadata_bytes;
    header.file_size = file.size();
    header.body_checksum = block_checksum(file.data() + overlap_header, file.size() - overlap_header);
    header.header_checksum = block_checksum(reinterpret_cast<const std::uint8_t*>(&header), sizeof header - 8);
    std::vector<std::uint8_t> result(overlap_header);
    std::memcpy(result.data(), &header, sizeof header);
    return result;
}

}  // namespace bitmeter
