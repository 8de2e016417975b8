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
constexpr std::size_t read_size = std::size_t{1} << 18;      // bytes that are read at once: they stay in the cache
constexpr std::size_t release_every = std::size_t{1} << 24;  // bytes of a model on the disk that are in memory at once

/// The header as it stands in the file: this, the form's own settings, and the rest.
struct Begin {
    char magic[16];
    std::uint32_t version, byte_order, order, flags;
};
struct Rest {
    std::uint64_t words, word_bytes, metadata_bytes, counts[max_order];
    std::uint64_t file_size, body_checksum, header_checksum;
};

[[noreturn]] void damaged(const std::string& what) {
    throw NgramFormatError(what);
}

std::uint32_t section_flags(const std::uint8_t* data, std::size_t size) {
    const auto sum = static_cast<std::uint32_t>(block_checksum(data, size)) & ~has_section;
    return has_section | (sum ? sum : 1);
}

std::uint64_t step(std::uint64_t h, std::uint64_t value) {
    return std::rotl((h ^ value) * 0x9E3779B97F4A7C15ULL, 29);
}

}  // namespace

void BlockSum::take(const std::uint8_t* data) {
    std::uint64_t values[4];
    std::memcpy(values, data, sizeof values);
    for (int lane = 0; lane < 4; ++lane) lanes_[lane] = step(lanes_[lane], values[lane]);
}

/// Four lanes, so that it reads about as fast as memory.
void BlockSum::add(const std::uint8_t* data, std::size_t size) {
    const std::uint8_t* const end = data + size;
    if (waiting_) {
        const std::size_t more = std::min(width - waiting_, size);
        std::memcpy(rest_ + waiting_, data, more);
        waiting_ += more;
        data += more;
        if (waiting_ < width) return;
        take(rest_);
    }
    for (; end - data >= static_cast<std::ptrdiff_t>(width); data += width) take(data);
    waiting_ = static_cast<std::size_t>(end - data);
    if (waiting_) std::memcpy(rest_, data, waiting_);
}

std::uint64_t BlockSum::value() const {
    std::uint64_t first = lanes_[0], h = 0;
    for (std::size_t i = 0; i < waiting_; ++i) first = step(first, rest_[i]);
    for (int lane = 0; lane < 4; ++lane) {
        const std::uint64_t own = lane ? lanes_[lane] : first;
        h = step(h, own ^ (own >> 31));
    }
    return h ^ (h >> 32);
}

std::uint64_t block_checksum(const std::uint8_t* data, std::size_t size, Watch* watch) {
    BlockSum sum(size);
    for (std::size_t at = 0; at < size; at += piece) {
        const std::size_t part = std::min(piece, size - at);
        sum.add(data + at, part);
        if (watch) watch->add(part);
    }
    return sum.value();
}

void check_shape(const NgramShape& shape, std::uint64_t most_bytes) {
    if (shape.order < 1 || shape.order > max_order) damaged("its order is not between 1 and 16");
    if (shape.words < first_word || shape.words > most_words || shape.counts[0] != shape.words)
        damaged("its number of words is impossible");
    if (shape.word_bytes > most_bytes || shape.metadata_bytes > most_bytes) damaged("its sizes are impossible");
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
    header_ = read_header();
}

std::size_t NgramBlock::used() const {
    return sizeof(Begin) + sizeof(std::uint32_t) * static_cast<std::size_t>(form_->extras) + sizeof(Rest);
}

NgramHeader NgramBlock::read_header() const {
    Begin begin;
    Rest rest;
    NgramHeader result;
    std::memcpy(&begin, memory_.data(), sizeof begin);
    std::memcpy(result.extras, memory_.data() + sizeof begin, used() - sizeof begin - sizeof rest);
    std::memcpy(&rest, memory_.data() + used() - sizeof rest, sizeof rest);
    result.shape = {begin.order, begin.flags, rest.words, rest.word_bytes, rest.metadata_bytes, {}};
    std::memcpy(result.shape.counts, rest.counts, sizeof rest.counts);
    result.file_size = rest.file_size;
    result.body_checksum = rest.body_checksum;
    std::memcpy(&result.content_checksum, memory_.data() + used(), sizeof result.content_checksum);
    return result;
}

void NgramBlock::accept(std::size_t size, Span metadata) {
    metadata_ = metadata;
    const NgramHeader& found = header_;
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
    Rest rest{shape.words, shape.word_bytes, shape.metadata_bytes, {}, header.file_size, header.body_checksum, 0};
    std::memcpy(rest.counts, shape.counts, sizeof rest.counts);
    std::uint8_t* const base = memory_.data();
    std::memcpy(base, &begin, sizeof begin);
    std::memcpy(base + sizeof begin, header.extras, used() - sizeof begin - sizeof rest);
    std::memcpy(base + used() - sizeof rest, &rest, sizeof rest);
    rest.header_checksum = block_checksum(base, used() - sizeof rest.header_checksum);
    std::memcpy(base + used() - sizeof rest, &rest, sizeof rest);
    header_ = read_header();
}

std::uint64_t NgramBlock::content_checksum(const NgramShape& shape, const std::uint32_t* extras, Span metadata,
                                           Watch* watch) const {
    return content_checksum(shape, extras,
                            block_checksum(memory_.data() + form_->header_size, metadata.from - form_->header_size, watch),
                            block_checksum(memory_.data() + metadata.to, size_ - metadata.to, watch));
}

std::uint64_t NgramBlock::content_checksum(const NgramShape& shape, const std::uint32_t* extras, std::uint64_t before,
                                           std::uint64_t after) const {
    std::uint64_t parts[4 + max_order] = {shape.order, shape.words, before, after};
    std::copy_n(shape.counts, max_order, parts + 4);
    for (int i = 0; i < form_->extras; ++i) parts[1] = step(parts[1], extras[i]);
    std::uint8_t bytes[sizeof parts];
    std::memcpy(bytes, parts, sizeof parts);
    const std::uint64_t sum = block_checksum(bytes, sizeof bytes);
    return sum ? sum : 1;
}

void NgramBlock::seal(const NgramShape& shape, const std::uint32_t* extras, Span metadata, Watch* watch) {
    NgramHeader header;
    header.shape = shape;
    std::copy_n(extras, form_->extras, header.extras);
    header.file_size = size_;
    metadata_ = metadata;
    // Behind the header proper, in bytes that the body's checksum covers; earlier versions left them zero.
    const std::uint64_t content = content_checksum(shape, extras, metadata, watch);
    std::memcpy(memory_.data() + used(), &content, sizeof content);
    header.body_checksum = block_checksum(memory_.data() + used(), size_ - used(), watch);
    write_header(header);
}

/// All bytes of the block in order, in parts. Those of a file are read and not touched in the map, which would be slower
/// and leave its pages in the memory of the process.
template <class Take>
void NgramBlock::read_through(Take&& take) const {
    const os::InputFile* input = mapped_ ? memory_.input() : nullptr;
    std::vector<std::uint8_t> buffer(input ? std::min(read_size, size_) : 0);
    for (std::size_t at = 0; at < size_;) {
        const std::size_t part = std::min(read_size, size_ - at);
        if (input && input->read(at, buffer.data(), part) != part) changed();
        take(at, input ? buffer.data() : memory_.data() + at, part);
        at += part;
    }
}

bool NgramBlock::copy_file() {
    if (!mapped_) return false;
    PageBlock own = PageBlock::zeros(size_);
    read_through([&](std::size_t at, const std::uint8_t* data, std::size_t size) {
        std::memcpy(own.data() + at, data, size);
    });
    if (mapped_section_.size) section_.assign(mapped_section_.data, mapped_section_.data + mapped_section_.size);
    confirm();
    memory_ = std::move(own);
    mapped_section_ = {nullptr, 0};
    mapped_ = false;
    return true;
}

bool NgramBlock::attach(std::vector<std::uint8_t> section) {
    const bool moves = copy_file();  // a map of a file cannot be written to
    section_ = std::move(section);
    NgramHeader header = header_;
    header.shape.flags = section_.empty() ? 0 : section_flags(section_.data(), section_.size());
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

void NgramBlock::changed() {
    throw NgramChanged("it was cut or changed while it was in use, so its figures cannot be trusted; load it again");
}

void NgramBlock::verify() const {
    struct Summed {
        std::size_t from, to;
        BlockSum sum;
        Summed(std::size_t begin, std::size_t end) : from(begin), to(end), sum(end - begin) {}
    };
    Summed body(used(), size_), before(form_->header_size, metadata_.from), after(metadata_.to, size_);
    read_through([&](std::size_t at, const std::uint8_t* data, std::size_t size) {
        for (Summed* part : {&body, &before, &after}) {
            const std::size_t from = std::max(at, part->from), to = std::min(at + size, part->to);
            if (from < to) part->sum.add(data + (from - at), to - from);
        }
    });
    confirm();
    if (header_.body_checksum != body.sum.value()) damaged("the checksum of its body is wrong; fetch or train it again");
    if (header_.content_checksum &&
        header_.content_checksum != content_checksum(header_.shape, header_.extras, before.sum.value(), after.sum.value()))
        damaged("the checksum of its content is wrong; fetch or train it again");
    if ((header_.shape.flags & ~has_section) && header_.shape.flags != section_flags(section().data, section().size))
        damaged("the checksum of how its words are spelled is wrong; fetch or train it again");
}

}  // namespace bitmeter
