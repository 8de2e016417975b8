#include "ngram/format/block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "util/system.hpp"
#include "util/watch.hpp"

namespace bitmeter {
namespace {

constexpr std::uint32_t byte_order = 0x01020304;
constexpr std::uint64_t most_words = (std::uint64_t{1} << 31) - 1, most_ngrams = (std::uint64_t{1} << 32) - 2;
constexpr std::size_t piece = std::size_t{1} << 22;          // bytes between two progress reports
constexpr std::size_t release_every = std::size_t{1} << 24;  // bytes of a model on the disk that are in memory at once

/// The header as it stands in the file: this, the form's own settings, and the rest.
struct Begin {
    char magic[16];
    std::uint32_t version, byte_order, order, flags;
};
struct Rest {
    std::uint64_t words, word_bytes, note_bytes, counts[max_order];
    std::uint64_t file_size, body_checksum, header_checksum;
};

[[noreturn]] void damaged(const std::string& what) {
    throw NgramFormatError(what);
}

std::uint64_t step(std::uint64_t h, std::uint64_t value) {
    return std::rotl((h ^ value) * 0x9E3779B97F4A7C15ULL, 29);
}

}  // namespace

/// Four lanes, so that it reads about as fast as memory.
std::uint64_t block_checksum(const std::uint8_t* data, std::size_t size, Watch* watch) {
    std::uint64_t lanes[4] = {1, 2, 3, size};
    std::size_t i = 0;
    for (; i + 32 <= size; i += 32) {
        if (watch && i % piece == 0) watch->add(i ? piece : 0);
        std::uint64_t values[4];
        std::memcpy(values, data + i, sizeof values);
        for (int lane = 0; lane < 4; ++lane) lanes[lane] = step(lanes[lane], values[lane]);
    }
    for (; i < size; ++i) lanes[0] = step(lanes[0], data[i]);
    std::uint64_t h = 0;
    for (std::uint64_t lane : lanes) h = step(h, lane ^ (lane >> 31));
    return h ^ (h >> 32);
}

void check_shape(const NgramShape& shape, std::uint64_t most_bytes) {
    if (shape.order < 1 || shape.order > max_order) damaged("its order is not between 1 and 16");
    if (shape.words < first_word || shape.words > most_words || shape.counts[0] != shape.words)
        damaged("its number of words is impossible");
    if (shape.word_bytes > most_bytes || shape.note_bytes > most_bytes) damaged("its sizes are impossible");
    for (std::uint32_t o = 0; o < max_order; ++o)
        if (shape.counts[o] > most_ngrams || (o >= shape.order && shape.counts[o]))
            damaged("its number of n-grams is impossible");
}

NgramBlock::NgramBlock(const NgramForm& form, PageBlock file)
    : form_(&form), memory_(std::move(file)), mapped_(true), size_(memory_.size()) {
    if (memory_.size() == 0) damaged("it is empty or not a regular file");
    if (memory_.size() < form.header_size) damaged("it is shorter than a header");
    Begin begin;
    std::memcpy(&begin, memory_.data(), sizeof begin);
    if (std::memcmp(begin.magic, form.magic, sizeof form.magic) != 0) damaged("it does not begin like one");
    if (begin.byte_order != byte_order)
        damaged(std::string("it was written on a machine of the other byte order; ") + form.again);
    if (begin.version != form.version)
        damaged("it has version " + std::to_string(begin.version) + " of " + form.format +
                "; this program reads version " + std::to_string(form.version));
    std::uint64_t sum;
    std::memcpy(&sum, memory_.data() + used() - sizeof sum, sizeof sum);
    if (sum != block_checksum(memory_.data(), used() - sizeof sum)) damaged("the checksum of its header is wrong");
}

std::size_t NgramBlock::used() const {
    return sizeof(Begin) + sizeof(std::uint32_t) * static_cast<std::size_t>(form_->extras) + sizeof(Rest);
}

NgramHeader NgramBlock::header() const {
    Begin begin;
    Rest rest;
    NgramHeader result;
    std::memcpy(&begin, memory_.data(), sizeof begin);
    std::memcpy(result.extras, memory_.data() + sizeof begin, used() - sizeof begin - sizeof rest);
    std::memcpy(&rest, memory_.data() + used() - sizeof rest, sizeof rest);
    result.shape = {begin.order, begin.flags, rest.words, rest.word_bytes, rest.note_bytes, {}};
    std::memcpy(result.shape.counts, rest.counts, sizeof rest.counts);
    result.file_size = rest.file_size;
    result.body_checksum = rest.body_checksum;
    std::memcpy(&result.content_checksum, memory_.data() + used(), sizeof result.content_checksum);
    return result;
}

void NgramBlock::accept(std::size_t size, Span note) {
    note_ = note;
    const NgramHeader found = header();
    const bool more = found.shape.flags & has_section;
    if (found.file_size != size || (more ? memory_.size() <= size : memory_.size() != size))
        damaged("it has " + std::to_string(memory_.size()) + " bytes where its header says " +
                std::to_string(found.file_size) + (more ? " and more" : ""));
    if (more) mapped_section_ = {memory_.data() + size, memory_.size() - size};
    size_ = size;
}

void NgramBlock::write_header(NgramHeader header) {
    const NgramShape& shape = header.shape;
    Begin begin{{}, form_->version, byte_order, shape.order, shape.flags};
    std::memcpy(begin.magic, form_->magic, sizeof begin.magic);
    Rest rest{shape.words, shape.word_bytes, shape.note_bytes, {}, header.file_size, header.body_checksum, 0};
    std::memcpy(rest.counts, shape.counts, sizeof rest.counts);
    std::uint8_t* const base = memory_.data();
    std::memcpy(base, &begin, sizeof begin);
    std::memcpy(base + sizeof begin, header.extras, used() - sizeof begin - sizeof rest);
    std::memcpy(base + used() - sizeof rest, &rest, sizeof rest);
    rest.header_checksum = block_checksum(base, used() - sizeof rest.header_checksum);
    std::memcpy(base + used() - sizeof rest, &rest, sizeof rest);
}

std::uint64_t NgramBlock::content_checksum(const NgramShape& shape, const std::uint32_t* extras, Span note,
                                           Watch* watch) const {
    std::uint64_t parts[4 + max_order] = {shape.order, shape.words};
    std::copy_n(shape.counts, max_order, parts + 4);
    for (int i = 0; i < form_->extras; ++i) parts[1] = step(parts[1], extras[i]);
    parts[2] = block_checksum(memory_.data() + form_->header_size, note.from - form_->header_size, watch);
    parts[3] = block_checksum(memory_.data() + note.to, size_ - note.to, watch);
    std::uint8_t bytes[sizeof parts];
    std::memcpy(bytes, parts, sizeof parts);
    const std::uint64_t sum = block_checksum(bytes, sizeof bytes);
    return sum ? sum : 1;
}

void NgramBlock::seal(const NgramShape& shape, const std::uint32_t* extras, Span note, Watch* watch) {
    NgramHeader header;
    header.shape = shape;
    std::copy_n(extras, form_->extras, header.extras);
    header.file_size = size_;
    note_ = note;
    // Behind the header proper, in bytes that the body's checksum covers; earlier versions left them zero.
    const std::uint64_t content = content_checksum(shape, extras, note, watch);
    std::memcpy(memory_.data() + used(), &content, sizeof content);
    header.body_checksum = block_checksum(memory_.data() + used(), size_ - used(), watch);
    write_header(header);
}

bool NgramBlock::attach(std::vector<std::uint8_t> section) {
    const bool moves = mapped_;
    if (moves) {  // a map of a file cannot be written to
        PageBlock own = PageBlock::zeros(size_);
        std::memcpy(own.data(), memory_.data(), size_);
        memory_ = std::move(own);
        mapped_section_ = {nullptr, 0};
        mapped_ = false;
    }
    section_ = std::move(section);
    NgramHeader header = this->header();
    header.shape.flags = section_.empty() ? header.shape.flags & ~has_section : header.shape.flags | has_section;
    write_header(header);
    return moves;
}

void NgramBlock::save(const std::string& path, Watch* watch) const {
    if (watch) watch->begin(bytes().size + section().size);
    os::OutputFile file(path);
    for (const Bytes part : {bytes(), section()}) {
        for (std::size_t at = 0; at < part.size;) {
            const std::size_t done = file.write(part.data + at, std::min(piece, part.size - at));
            at += done;
            if (watch) watch->add(done);
            if (at / release_every != (at - done) / release_every) memory_.release();
        }
    }
    file.close();
}

void NgramBlock::verify() const {
    if (header().body_checksum != block_checksum(memory_.data() + used(), size_ - used()))
        damaged("the checksum of its body is wrong");
    const NgramHeader found = header();
    if (found.content_checksum && found.content_checksum != content_checksum(found.shape, found.extras, note_))
        damaged("the checksum of its content is wrong");
}

}  // namespace bitmeter
