#include "ngram/format/model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

#include "util/once.hpp"
#include "util/watch.hpp"

namespace bitmeter {
namespace {

constexpr NgramForm form{"bitmeter.ngram\n", 2, "the format", "train it again here", 0, 512};
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48;

[[noreturn]] void damaged(const std::string& what) {
    throw NgramFormatError(what);
}

/// Where each part lies in a block.
struct Layout {
    std::size_t word_offsets, word_text, word_slots, metadata, nodes[max_order], keys[max_order], leaves, size;
};

Layout layout(const NgramShape& shape) {
    Layout result{};
    BlockParts parts(form.header_size);
    auto take = [&](std::size_t bytes) { return parts.take(bytes); };
    result.word_offsets = take((shape.words + 1) * sizeof(std::uint64_t));
    result.word_text = take(shape.word_bytes);
    result.word_slots = take(index_size(shape.words) * sizeof(WordSlot));
    result.metadata = take(shape.metadata_bytes);
    for (std::uint32_t o = 0; o < shape.order; ++o) {
        if (o > 0) result.keys[o] = take(shape.counts[o] * sizeof(std::uint32_t));
        if (o == 0 || o + 1 < shape.order)
            result.nodes[o] = take((shape.counts[o] + 1) * sizeof(NgramNode));
        else
            result.leaves = take(shape.counts[o] * sizeof(NgramLeaf));
    }
    result.size = parts.size();
    return result;
}

NgramShape checked(const NgramShape& shape) {
    check_shape(shape, most_bytes);
    return shape;
}

}  // namespace

WordCodes::WordCodes(std::uint64_t words)
    : bits_(std::max(1u, static_cast<unsigned>(std::bit_width(words > 0 ? words - 1 : 0)))) {
    mask_ = bits_ >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bits_) - 1;
}

NgramModel::NgramModel(const NgramShape& shape)
    : shape_(checked(shape)), block_(form, PageBlock::zeros(size_of(shape)), size_of(shape)), codes_(shape.words) {
    place();
}

NgramModel::NgramModel(const NgramShape& shape, PageStore& store)
    : shape_(checked(shape)), block_(form, store.take(size_of(shape)), size_of(shape)), codes_(shape.words) {
    place();
}

NgramBlock::Span NgramModel::metadata_span() const {
    return NgramBlock::metadata_span(layout(shape_).metadata, shape_.metadata_bytes);
}

std::size_t NgramModel::size_of(const NgramShape& shape) {
    return layout(shape).size;
}

NgramModel::NgramModel(PageBlock file) : block_(form, std::move(file)) {
    shape_ = checked(block_.header().shape);
    block_.accept(size_of(shape_), metadata_span());
    codes_ = WordCodes(shape_.words);
    place();
}

std::unique_ptr<NgramModel> NgramModel::open(const std::string& path) {
    auto result = std::make_unique<NgramModel>(PageBlock::file(path));
    result->block_.verify();
    return result;
}

std::unique_ptr<NgramModel> NgramModel::in_memory() const {
    auto result = std::make_unique<NgramModel>(*this);
    if (result->block_.copy_file()) result->place();
    return result;
}

void NgramModel::place() {
    const Layout at = layout(shape_);
    std::uint8_t* base = block_.data();
    word_offsets_ = reinterpret_cast<std::uint64_t*>(base + at.word_offsets);
    word_text_ = base + at.word_text;
    word_slots_ = reinterpret_cast<WordSlot*>(base + at.word_slots);
    metadata_ = base + at.metadata;
    for (std::uint32_t o = 0; o < shape_.order; ++o) {
        if (o > 0) keys_[o] = reinterpret_cast<std::uint32_t*>(base + at.keys[o]);
        if (o == 0 || o + 1 < shape_.order) nodes_[o] = reinterpret_cast<NgramNode*>(base + at.nodes[o]);
    }
    if (shape_.order > 1) leaves_ = reinterpret_cast<NgramLeaf*>(base + at.leaves);
}

Bytes NgramModel::word(std::uint32_t number) const {
    if (number >= shape_.words) damaged("it names a word that it does not have");
    const std::uint64_t from = once(word_offsets_[number]), to = once(word_offsets_[number + 1]);
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

void NgramModel::set_metadata(std::string_view text) {
    if (text.size() > shape_.metadata_bytes) throw std::length_error("the metadata is too long");
    std::memset(metadata_, ' ', shape_.metadata_bytes);
    std::memcpy(metadata_, text.data(), text.size());
}

WordIndex NgramModel::index() const {
    return {{word_slots_, index_size(shape_.words)}, word_offsets_, word_text_, shape_.word_bytes, words()};
}

void NgramModel::seal(Watch* watch) {
    if (watch) watch->begin(2 * bytes().size);  // the content, then all of it
    index().fill(first_word);
    block_.seal(shape_, nullptr, metadata_span(), watch);
}

void NgramModel::attach(std::vector<std::uint8_t> section) {
    if (block_.attach(std::move(section))) place();
    // The header of a model that is not sealed yet says nothing of its shape.
    shape_.flags = block_.header().shape.flags;
}

void NgramModel::verify(PageStore* store) const {
    block_.verify();
    for (std::uint32_t i = 0; i < words(); ++i)
        if (const Bytes own = word(i); i >= first_word && index().find(own) != i)
            damaged("it has the same word twice, or cannot find one of its own");
    for (int o = 1; o <= order(); ++o) {
        const std::uint64_t count = shape_.counts[o - 1];
        const bool last = o == order() && o > 1;
        for (std::uint64_t i = 0; i < count; ++i) {
            if (store && i % (1 << 16) == 0) store->keep_within();
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
