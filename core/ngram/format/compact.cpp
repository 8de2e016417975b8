#include "ngram/format/compact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "ngram/format/search.hpp"
#include "util/once.hpp"
#include "util/parallel.hpp"

namespace bitmeter {
namespace {

constexpr NgramForm make_form() {
    NgramForm result{{}, 1, "the compact format", "convert it again here", 2, 256};
    for (std::size_t i = 0; i < sizeof result.magic; ++i) result.magic[i] = compact_magic[i];
    return result;
}
constexpr NgramForm form = make_form();
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;

[[noreturn, gnu::cold]] void damaged(const std::string& what) { throw NgramFormatError(what); }
[[noreturn, gnu::cold]] void outside() { damaged("a link in it leads out of the file; fetch or train it again"); }

struct Layout {
    std::size_t word_low, word_high, word_samples, word_text, metadata, singles, logprobs[max_order], backoffs[max_order],
        records[max_order], high[max_order], samples[max_order], size;
};

AscendingShape word_shape(const NgramShape& shape) { return {shape.words + 1, shape.word_bytes}; }

/// Of the n-grams of order o (from 2): no children at the highest order.
AscendingShape children_shape(const NgramShape& shape, std::uint32_t o) {
    return o < shape.order ? AscendingShape(shape.counts[o - 1] + 1, shape.counts[o]) : AscendingShape();
}

unsigned record_width(const CompactShape& shape, std::uint32_t o) {
    const bool inner = o < shape.order;
    return WordCodes(shape.words).bits() + shape.logprob_bits +
           (inner ? shape.backoff_bits + children_shape(shape, o).low_bits() : 0);
}

Layout layout(const CompactShape& shape) {
    Layout result{};
    BlockParts parts(form.header_size);
    auto take = [&](std::size_t bytes) { return parts.take(bytes); };
    auto take_packed = [&](std::uint64_t bits) { return take(bits_to_bytes(bits) + packed_slack); };
    const AscendingShape words = word_shape(shape);
    result.word_low = take_packed(words.count * words.low_bits());
    result.word_high = take(words.high_words() * 8);
    result.word_samples = take(words.samples() * 4);
    result.word_text = take(shape.word_bytes);
    result.metadata = take(shape.metadata_bytes);
    result.singles = take((shape.words + 1) * sizeof(CompactWord));
    for (std::uint32_t o = 2; o <= shape.order; ++o) {
        const bool inner = o < shape.order;
        result.logprobs[o - 1] = take((std::size_t{4}) << shape.logprob_bits);
        result.records[o - 1] = take_packed((shape.counts[o - 1] + inner) * record_width(shape, o));
        if (!inner) break;
        const AscendingShape children = children_shape(shape, o);
        result.backoffs[o - 1] = take((std::size_t{4}) << shape.backoff_bits);
        result.high[o - 1] = take(children.high_words() * 8);
        result.samples[o - 1] = take(children.samples() * 4);
    }
    result.size = parts.size();
    return result;
}

void check(const CompactShape& shape) {
    check_shape(shape, most_bytes);
    for (unsigned bits : {shape.logprob_bits, shape.backoff_bits})
        if (bits < least_figure_bits || bits > most_figure_bits) damaged("its figures have an impossible number of bits");
}

bool fits(const CompactShape& shape) {
    bool result = word_shape(shape).fits();
    for (std::uint32_t o = 2; o < shape.order; ++o) result = result && children_shape(shape, o).fits();
    return result;
}

/// The bytes that a new model of this shape takes.
std::size_t new_size(const CompactShape& shape) {
    check(shape);
    if (!fits(shape)) throw std::length_error("the model has too many n-grams for the compact form; keep the fast one");
    return layout(shape).size;
}

CompactShape read_shape(const NgramHeader& header) {
    CompactShape result;
    static_cast<NgramShape&>(result) = header.shape;
    result.logprob_bits = header.extras[0];
    result.backoff_bits = header.extras[1];
    check(result);
    if (!fits(result)) damaged("its number of n-grams is impossible");
    return result;
}

}  // namespace

// ---- the block -------------------------------------------------------------------------------------------------------

CompactNgram::CompactNgram(const CompactShape& shape)
    : shape_(shape), block_(form, PageBlock::zeros(new_size(shape)), new_size(shape)) {
    place();
}

CompactNgram::CompactNgram(const CompactShape& shape, PageStore& store)
    : shape_(shape), block_(form, store.take(new_size(shape)), new_size(shape)) {
    place();
}

std::size_t CompactNgram::size_of(const CompactShape& shape) { return new_size(shape); }

CompactNgram::CompactNgram(PageBlock file) : block_(form, std::move(file)) {
    shape_ = read_shape(block_.header());
    block_.accept(layout(shape_).size, metadata_span());
    place();
}

std::unique_ptr<CompactNgram> CompactNgram::open(const std::string& path) {
    auto result = std::make_unique<CompactNgram>(PageBlock::file(path));
    result->block_.verify();
    return result;
}

void CompactNgram::place() {
    codes_ = WordCodes(shape_.words);
    const Layout at = layout(shape_);
    std::uint8_t* base = block_.data();
    auto bits64 = [&](std::size_t from) { return reinterpret_cast<std::uint64_t*>(base + from); };
    auto bits32 = [&](std::size_t from) { return reinterpret_cast<std::uint32_t*>(base + from); };
    auto floats = [&](std::size_t from) { return reinterpret_cast<float*>(base + from); };
    word_shape_ = word_shape(shape_);
    word_low_ = base + at.word_low;
    word_high_ = bits64(at.word_high);
    word_samples_ = bits32(at.word_samples);
    word_places_ = Ascending(word_shape_, word_low_, word_shape_.low_bits(), 0, word_high_, word_samples_);
    word_text_ = base + at.word_text;
    metadata_ = base + at.metadata;
    singles_ = reinterpret_cast<CompactWord*>(base + at.singles);
    for (std::uint32_t o = 2; o <= shape_.order; ++o) {
        CompactLevel& level = levels_[o - 1];
        const bool inner = o < shape_.order;
        level.count = shape_.counts[o - 1];
        level.records = base + at.records[o - 1];
        level.width = record_width(shape_, o);
        level.code_bits = codes_.bits();
        level.logprob_bits = shape_.logprob_bits;
        level.backoff_bits = inner ? shape_.backoff_bits : 0;
        level.logprobs = floats(at.logprobs[o - 1]);
        if (!inner) break;
        level.backoffs = floats(at.backoffs[o - 1]);
        level.high = bits64(at.high[o - 1]);
        level.samples = bits32(at.samples[o - 1]);
        level.shape = children_shape(shape_, o);
        level.children = Ascending(level.shape, level.records, level.width, level.width - level.shape.low_bits(),
                                   level.high, level.samples);
    }
}

AscendingWriter CompactNgram::word_places() {
    return {word_shape_, word_low_, word_shape_.low_bits(), 0, word_high_, word_samples_};
}

void CompactNgram::set_metadata(std::string_view text) {
    if (text.size() != shape_.metadata_bytes) throw std::length_error("the metadata does not fit its place");
    std::memcpy(metadata_, text.data(), text.size());
}

NgramBlock::Span CompactNgram::metadata_span() const {
    return NgramBlock::metadata_span(layout(shape_).metadata, shape_.metadata_bytes);
}

void CompactNgram::seal() {
    const std::uint32_t extras[] = {shape_.logprob_bits, shape_.backoff_bits};
    block_.seal(shape_, extras, metadata_span());
}

void CompactNgram::attach(std::vector<std::uint8_t> section) {
    if (block_.attach(std::move(section))) place();
    shape_.flags = block_.header().shape.flags;
}

// ---- what it holds ---------------------------------------------------------------------------------------------------

Bytes CompactNgram::word(std::uint32_t number) const {
    if (number >= shape_.words) damaged("it names a word that it does not have");
    const Between own = word_places_.pair(number);
    if (own.begin > own.end || own.end > shape_.word_bytes) damaged("the places of its words are wrong");
    return {word_text_ + own.begin, own.end - own.begin};
}

/// Where all words begin, and the last one ends; one that does not begin where the one before ends is damaged.
void CompactNgram::fill_offsets(std::uint64_t* offsets) const {
    offsets[0] = 0;
    for (std::uint32_t i = 0; i < words(); ++i) {
        const Bytes own = word(i);
        if (static_cast<std::uint64_t>(own.data - word_text_) != offsets[i]) damaged("the places of its words are wrong");
        offsets[i + 1] = offsets[i] + own.size;
    }
}

WordIndex CompactNgram::index() const {
    // Not std::call_once, which hangs on Windows (winpthreads) after a call that threw.
    if (!index_->made.load(std::memory_order_acquire)) {
        const std::lock_guard lock(index_->guard);
        if (!index_->made.load(std::memory_order_relaxed)) {
            index_->offsets.resize(shape_.words + 1);
            fill_offsets(index_->offsets.data());
            index_->slots.resize(index_size(shape_.words));
            WordIndex({index_->slots.data(), index_->slots.size()}, index_->offsets.data(), word_text_, shape_.word_bytes,
                      words())
                .fill(first_word);
            index_->made.store(true, std::memory_order_release);
        }
    }
    return {{index_->slots.data(), index_->slots.size()}, index_->offsets.data(), word_text_, shape_.word_bytes, words()};
}

Between CompactNgram::children(int length, std::uint64_t place) const {
    if (length >= order()) return {0, 0};
    const Between found = length == 1 ? Between{once(singles_[place].child), once(singles_[place + 1].child)}
                                      : level(length).children.pair(place);
    if (found.begin > found.end || found.end > shape_.counts[length]) outside();
    return found;
}

std::uint64_t CompactNgram::find(int length, Between among, std::uint32_t code) const {
    auto [begin, end] = among;
    if (begin >= end) return no_child;
    const CompactLevel& own = level(length + 1);
    const std::uint64_t size = end - begin;
    const unsigned bits = codes_.bits();
    std::uint64_t guess = begin + ((code * size) >> bits);
    // Codes are spread evenly, so that a guess by proportion is near; by halves where they are not.
    for (int step = 0;; ++step) {
        const std::uint32_t found = own.code(guess);
        if (found == code) return guess;
        const bool before = found > code;
        if (before)
            end = guess;
        else
            begin = guess + 1;
        if (begin >= end) return no_child;
        const std::uint64_t away = (std::uint64_t{before ? found - code : code - found} * size) >> bits;
        if (away >= end - begin || step >= 6)
            guess = begin + (end - begin) / 2;
        else
            guess = before ? end - 1 - away : begin + away;
    }
}

std::uint64_t CompactNgram::parent(int length, std::uint64_t place) const {
    // The last one whose children do not begin after the place.
    std::uint64_t low = 0, high = shape_.counts[length - 2];
    if (high == 0) outside();
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (children(length - 1, middle).begin <= place ? low : high) = middle;
    }
    return low;
}

// ---- the whole of it -------------------------------------------------------------------------------------------------

void CompactNgram::verify() const {
    block_.verify();
    const WordIndex all = index();
    for (std::uint32_t i = first_word; i < words(); ++i)
        if (all.find(word(i)) != i) damaged("it has the same word twice, or cannot find one of its own");
    expanded(1)->verify();
}

std::unique_ptr<NgramModel> CompactNgram::expanded(unsigned threads) const {
    NgramShape shape = shape_;
    shape.flags = 0;  // no section yet
    shape.metadata_bytes = std::max<std::uint64_t>(metadata_size, shape_.metadata_bytes);
    auto result = std::make_unique<NgramModel>(shape);
    fill_offsets(result->word_offsets());
    std::memcpy(result->word_text(), word_text_, shape.word_bytes);
    result->set_metadata(metadata());
    NgramNode* const first = result->nodes(1);
    for (std::uint32_t w = 0; w <= words(); ++w) {
        const std::uint32_t child = order() > 1 ? singles_[w].child : 0;
        first[w] = w < words() ? NgramNode{singles_[w].logprob, singles_[w].backoff, 0, child} : NgramNode{0, 0, 0, child};
    }
    constexpr std::uint64_t many = 1 << 14;
    for (int o = 2; o <= order(); ++o) {
        const CompactLevel& own = level(o);
        const bool inner = o < order();
        const std::uint64_t above = shape.counts[o - 2];
        if (own.count && (above == 0 || children(o - 1, 0).begin != 0 || children(o - 1, above - 1).end != own.count))
            damaged("an n-gram is no other's child");
        parallel_for((above + many - 1) / many, threads, [&](std::size_t task) {
            for (std::uint64_t h = task * many; h < std::min(above, (task + 1) * many); ++h) {
                const Between among = children(o - 1, h);
                if (among.begin == among.end) continue;
                const Between shorter = o > 2 ? children(o - 2, result->nodes(o - 1)[h].suffix) : Between{0, 0};
                for (std::uint64_t i = among.begin; i < among.end; ++i) {
                    const std::uint32_t code = once(own.code(i)), word = codes_.word(code);
                    const std::uint64_t suffix = o > 2 ? find(o - 2, shorter, code) : word;
                    if (suffix >= above) damaged("an n-gram's suffix is none of its n-grams");
                    result->keys(o)[i] = code;
                    const auto short_suffix = static_cast<std::uint32_t>(suffix);
                    if (!inner)
                        result->leaves()[i] = {own.logprob(i), short_suffix};
                    else
                        result->nodes(o)[i] = {own.logprob(i), own.backoff(i), short_suffix,
                                               static_cast<std::uint32_t>(children(o, i).begin)};
                }
            }
        });
        if (inner && own.count)
            result->nodes(o)[own.count].child = static_cast<std::uint32_t>(children(o, own.count - 1).end);
    }
    result->seal();
    if (const Bytes more = section(); more.size) result->attach({more.data, more.data + more.size});
    return result;
}

}  // namespace bitmeter
