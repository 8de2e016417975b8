#include "ngram_model.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>

namespace bitmeter {
namespace {

constexpr char magic[16] = "bitmeter.ngram\n";
constexpr std::uint32_t version = 2, byte_order = 0x01020304;
constexpr std::uint64_t most_words = (std::uint64_t{1} << 31) - 1, most_ngrams = (std::uint64_t{1} << 32) - 2;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48;
constexpr std::size_t alignment = 64;

struct Header {
    char magic[16];
    std::uint32_t version, byte_order, order, flags;
    std::uint64_t words, word_bytes, note_bytes, counts[max_order];
    std::uint64_t file_size, body_checksum, header_checksum;
};
constexpr std::size_t header_size = 512;
static_assert(sizeof(Header) <= header_size);

std::uint64_t step(std::uint64_t h, std::uint64_t value) {
    return std::rotl((h ^ value) * 0x9E3779B97F4A7C15ULL, 29);
}

/// 64 bits that depend on all bytes; four lanes, so that it reads about as fast as memory.
std::uint64_t checksum(const std::uint8_t* data, std::size_t size) {
    std::uint64_t lanes[4] = {1, 2, 3, size};
    std::size_t i = 0;
    for (; i + 32 <= size; i += 32) {
        std::uint64_t values[4];
        std::memcpy(values, data + i, sizeof values);
        for (int lane = 0; lane < 4; ++lane) lanes[lane] = step(lanes[lane], values[lane]);
    }
    for (; i < size; ++i) lanes[0] = step(lanes[0], data[i]);
    std::uint64_t h = 0;
    for (std::uint64_t lane : lanes) h = step(h, lane ^ (lane >> 31));
    return h ^ (h >> 32);
}

[[noreturn]] void damaged(const std::string& what) {
    throw NgramFormatError(what);
}

/// Where each part lies in a block.
struct Layout {
    std::size_t word_offsets, word_text, word_slots, note, nodes[max_order], keys[max_order], leaves, size;
};

Layout layout(const NgramShape& shape) {
    Layout result{};
    std::size_t at = header_size;
    auto take = [&](std::size_t bytes) {
        const std::size_t start = at;
        at = (at + bytes + alignment - 1) / alignment * alignment;
        return start;
    };
    result.word_offsets = take((shape.words + 1) * sizeof(std::uint64_t));
    result.word_text = take(shape.word_bytes);
    result.word_slots = take(index_size(shape.words) * sizeof(WordSlot));
    result.note = take(shape.note_bytes);
    for (std::uint32_t o = 0; o < shape.order; ++o) {
        if (o > 0) result.keys[o] = take(shape.counts[o] * sizeof(std::uint32_t));
        if (o == 0 || o + 1 < shape.order)
            result.nodes[o] = take((shape.counts[o] + 1) * sizeof(NgramNode));
        else
            result.leaves = take(shape.counts[o] * sizeof(NgramLeaf));
    }
    result.size = at;
    return result;
}

void check(const NgramShape& shape) {
    if (shape.order < 1 || shape.order > max_order) damaged("its order is not between 1 and 16");
    if (shape.words < first_word || shape.words > most_words || shape.counts[0] != shape.words)
        damaged("its number of words is impossible");
    if (shape.word_bytes > most_bytes || shape.note_bytes > most_bytes) damaged("its sizes are impossible");
    for (std::uint32_t o = 0; o < max_order; ++o)
        if (shape.counts[o] > most_ngrams || (o >= shape.order && shape.counts[o]))
            damaged("its number of n-grams is impossible");
}

}  // namespace

std::uint64_t block_checksum(const std::uint8_t* data, std::size_t size) {
    return checksum(data, size);
}

// ---- memory
// ----------------------------------------------------------------------------------------------------------

PageBlock PageBlock::zeros(std::size_t size) {
    PageBlock result;
    void* found = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    madvise(found, size, MADV_HUGEPAGE);  // only advice: fewer misses in the table of pages
#endif
    result.data_ = static_cast<std::uint8_t*>(found);
    result.size_ = size;
    return result;
}

PageBlock PageBlock::file(const std::string& path) {
    const int handle = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (handle < 0) throw std::system_error(errno, std::generic_category());
    struct stat about{};
    if (fstat(handle, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0) {
        const int error = errno;
        close(handle);
        if (S_ISDIR(about.st_mode)) throw std::system_error(EISDIR, std::generic_category());
        if (about.st_mode != 0) damaged("it is empty or no regular file");
        throw std::system_error(error, std::generic_category());
    }
    const auto size = static_cast<std::size_t>(about.st_size);
    void* found = mmap(nullptr, size, PROT_READ, MAP_SHARED, handle, 0);
    const int error = errno;
    close(handle);
    if (found == MAP_FAILED) throw std::system_error(error, std::generic_category());
#ifdef MADV_HUGEPAGE
    madvise(found, size, MADV_HUGEPAGE);
#endif
    PageBlock result;
    result.data_ = static_cast<std::uint8_t*>(found);
    result.size_ = size;
    return result;
}

PageBlock::PageBlock(PageBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

PageBlock& PageBlock::operator=(PageBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

PageBlock::~PageBlock() {
    if (data_) munmap(data_, size_);
}

// ---- the model
// -------------------------------------------------------------------------------------------------------

WordCodes::WordCodes(std::uint64_t words)
    : bits_(std::max(1u, static_cast<unsigned>(std::bit_width(words > 0 ? words - 1 : 0)))) {
    mask_ = bits_ >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bits_) - 1;
}

NgramModel::NgramModel(const NgramShape& shape) : shape_(shape), codes_(shape.words) {
    check(shape_);
    size_ = layout(shape_).size;
    block_ = PageBlock::zeros(size_);
    place();
}

NgramModel::NgramModel(PageBlock block) : block_(std::move(block)) {
    if (block_.size() < header_size) damaged("it is shorter than a header");
    Header header;
    std::memcpy(&header, block_.data(), sizeof header);
    if (std::memcmp(header.magic, magic, sizeof magic) != 0) damaged("it does not begin like one");
    if (header.byte_order != byte_order)
        damaged("it was written on a machine of the other byte order; train it again here");
    if (header.version != version)
        damaged("it has version " + std::to_string(header.version) + " of the format; this program reads version " +
                std::to_string(version));
    if (header.header_checksum != checksum(block_.data(), offsetof(Header, header_checksum)))
        damaged("the checksum of its header is wrong");
    shape_.order = header.order;
    shape_.flags = header.flags;
    shape_.words = header.words;
    shape_.word_bytes = header.word_bytes;
    shape_.note_bytes = header.note_bytes;
    std::memcpy(shape_.counts, header.counts, sizeof shape_.counts);
    check(shape_);
    size_ = layout(shape_).size;
    const bool more = shape_.flags & has_section;
    if (header.file_size != size_ || (more ? block_.size() <= size_ : block_.size() != size_))
        damaged("it has " + std::to_string(block_.size()) + " bytes where its header says " +
                std::to_string(header.file_size) + (more ? " and more" : ""));
    if (more) mapped_section_ = {block_.data() + size_, block_.size() - size_};
    codes_ = WordCodes(shape_.words);
    place();
}

void NgramModel::place() {
    const Layout at = layout(shape_);
    std::uint8_t* base = block_.data();
    word_offsets_ = reinterpret_cast<std::uint64_t*>(base + at.word_offsets);
    word_text_ = base + at.word_text;
    word_slots_ = reinterpret_cast<WordSlot*>(base + at.word_slots);
    note_ = base + at.note;
    for (std::uint32_t o = 0; o < shape_.order; ++o) {
        if (o > 0) keys_[o] = reinterpret_cast<std::uint32_t*>(base + at.keys[o]);
        if (o == 0 || o + 1 < shape_.order) nodes_[o] = reinterpret_cast<NgramNode*>(base + at.nodes[o]);
    }
    if (shape_.order > 1) leaves_ = reinterpret_cast<NgramLeaf*>(base + at.leaves);
}

Bytes NgramModel::word(std::uint32_t number) const {
    if (number >= shape_.words) damaged("it names a word that it does not have");
    const std::uint64_t from = word_offsets_[number], to = word_offsets_[number + 1];
    if (from > to || to > shape_.word_bytes) damaged("its list of words is broken");
    return {word_text_ + from, static_cast<std::size_t>(to - from)};
}

WordTable NgramModel::table() const {
    WordTable result;
    for (std::uint32_t i = 0; i < words(); ++i) {
        // A word of a text has no newline in it, so these three are never found.
        static constexpr const char* hidden[first_word] = {"\n0", "\n1", "\n2"};
        const Bytes own = i < first_word ? Bytes{reinterpret_cast<const std::uint8_t*>(hidden[i]), 2} : word(i);
        if (result.add(own) != i) damaged("it has the same word twice");
    }
    return result;
}

void NgramModel::set_note(std::string_view text) {
    if (text.size() > shape_.note_bytes) throw std::length_error("the note is too long");
    std::memset(note_, ' ', shape_.note_bytes);
    std::memcpy(note_, text.data(), text.size());
}

WordIndex NgramModel::index() const {
    return {{word_slots_, index_size(shape_.words)}, word_offsets_, word_text_, shape_.word_bytes, words()};
}

void NgramModel::seal() {
    index().fill(first_word);
    Header header{};
    std::memcpy(header.magic, magic, sizeof magic);
    header.version = version;
    header.byte_order = byte_order;
    header.order = shape_.order;
    header.flags = shape_.flags;
    header.words = shape_.words;
    header.word_bytes = shape_.word_bytes;
    header.note_bytes = shape_.note_bytes;
    std::memcpy(header.counts, shape_.counts, sizeof header.counts);
    header.file_size = size_;
    header.body_checksum = checksum(block_.data() + sizeof header, size_ - sizeof header);
    std::memcpy(block_.data(), &header, sizeof header);
    header.header_checksum = checksum(block_.data(), offsetof(Header, header_checksum));
    std::memcpy(block_.data(), &header, sizeof header);
}

void NgramModel::attach(std::vector<std::uint8_t> section) {
    section_ = std::move(section);
    shape_.flags = section_.empty() ? shape_.flags & ~has_section : shape_.flags | has_section;
    Header header;
    std::memcpy(&header, block_.data(), sizeof header);
    header.flags = shape_.flags;
    std::memcpy(block_.data(), &header, sizeof header);
    header.header_checksum = checksum(block_.data(), offsetof(Header, header_checksum));
    std::memcpy(block_.data(), &header, sizeof header);
}

std::uint64_t NgramModel::fingerprint() const {
    Header header;
    std::memcpy(&header, block_.data(), sizeof header);
    return header.body_checksum;
}

void NgramModel::save(const std::string& path) const {
    const int handle = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (handle < 0) throw std::system_error(errno, std::generic_category());
    constexpr std::size_t most = std::size_t{1} << 30;  // some systems write no more at once
    for (const Bytes part : {bytes(), section()}) {
        for (std::size_t at = 0; at < part.size;) {
            const ssize_t done = write(handle, part.data + at, std::min(most, part.size - at));
            if (done < 0 && errno == EINTR) continue;
            if (done <= 0) {
                const int error = done == 0 ? ENOSPC : errno;
                close(handle);
                throw std::system_error(error, std::generic_category());
            }
            at += static_cast<std::size_t>(done);
        }
    }
    if (close(handle) != 0) throw std::system_error(errno, std::generic_category());
}

void NgramModel::verify() const {
    Header header;
    std::memcpy(&header, block_.data(), sizeof header);
    if (header.body_checksum != checksum(block_.data() + sizeof header, size_ - sizeof header))
        damaged("the checksum of its body is wrong");
    for (std::uint32_t i = 0; i < words(); ++i)
        if (const Bytes own = word(i); i >= first_word && index().find(own) != i)
            damaged("it has the same word twice, or cannot find one of its own");
    for (int o = 1; o <= order(); ++o) {
        const std::uint64_t count = shape_.counts[o - 1];
        const bool last = o == order() && o > 1;
        for (std::uint64_t i = 0; i < count; ++i) {
            if (o > 1) {
                if (codes_.word(keys(o)[i]) >= shape_.words)
                    damaged("an n-gram has a word that the model does not have");
                if ((last ? leaves_[i].suffix : nodes(o)[i].suffix) >= shape_.counts[o - 2])
                    damaged("an n-gram's suffix leads nowhere");
            }
            const float p = last ? leaves_[i].logprob : nodes(o)[i].logprob;
            if (!(p <= 0.0f)) damaged("a probability is above one, or none at all");
            if (last) continue;
            const NgramNode &node = nodes(o)[i], &next = nodes(o)[i + 1];
            if (std::isnan(node.backoff) || node.backoff == HUGE_VALF) damaged("a back-off is not a number");
            const std::uint64_t below = o < order() ? shape_.counts[o] : 0;
            if (node.child > next.child || next.child > below) damaged("an n-gram's children lie outside of the file");
            for (std::uint64_t c = node.child; c + 1 < next.child; ++c)
                if (keys(o + 1)[c] >= keys(o + 1)[c + 1]) damaged("an n-gram's children are not in order");
        }
    }
}

}  // namespace bitmeter
