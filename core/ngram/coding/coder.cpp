#include "ngram/coding/coder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "coding/quantise.hpp"
#include "ngram/format/search.hpp"

namespace bitmeter {
namespace {

constexpr std::uint64_t whole = std::uint64_t{1} << ngram_bits;
/// Histories with at least so many children keep their sums, up to so many children in all.
constexpr std::uint64_t many = 32;
constexpr std::size_t most_kept = std::size_t{1} << 23;

[[noreturn, gnu::cold]] void outside() {
    throw NgramFormatError("a link in it leads out of the file; fetch or train it again");
}

[[noreturn, gnu::cold]] void impossible() {
    throw CodeError("a word of the text has probability zero under the model");
}

[[noreturn, gnu::cold]] void above_one() {
    throw NgramFormatError("it holds probabilities above one; fetch or train it again");
}

std::uint64_t weight_of(float log10p) {
    if (!(log10p <= 0.3f)) above_one();
    if (std::isinf(log10p)) return 0;
    return std::max<std::uint64_t>(1, frequency_of(portable_exp10(log10p), ngram_bits));
}

/// Sums that no sound model reaches must not overflow the coder.
void check_sum(std::uint64_t sum) {
    if (sum > 16 * whole) above_one();
}

}  // namespace

// ---- what can come at a history --------------------------------------------------------------------------------------

std::uint64_t NgramCoder::Children::left() const {
    return suffix_sums.back() < whole ? whole - suffix_sums.back() : 1;
}

std::uint64_t NgramCoder::Level::own() const {
    const std::uint64_t out = ruled_out ? ruled_out->suffix_sums.back() : 0;
    if (out > sums->back()) outside();
    return sums->back() - out;
}

std::uint64_t NgramCoder::Level::place(std::size_t i) const {
    const std::uint32_t suffix = ruled_out->suffixes[i];
    if (ranks) return ranks[suffix];
    if (suffix < begin || suffix - begin >= sums->size() - 1) outside();
    return suffix - begin;
}

/// Where the interval of child number `at`, which is not ruled out, begins.
std::uint64_t NgramCoder::Level::start(std::uint64_t at) const {
    if (!ruled_out) return escape + (*sums)[at];
    std::size_t low = 0, high = ruled_out->size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (place(middle) < at)
            low = middle + 1;
        else
            high = middle;
    }
    const std::uint64_t out = ruled_out->suffix_sums[low];
    if (out > (*sums)[at]) outside();
    return escape + (*sums)[at] - out;
}

/// The child in whose interval `target` lies, which is not in that of the escape.
std::uint64_t NgramCoder::Level::find(std::uint64_t target) const {
    target -= escape;
    std::size_t low = 0, high = ruled_out ? ruled_out->size() : 0;
    const std::size_t all = high;
    while (low < high) {  // those ruled out that stand before it
        const std::size_t middle = low + (high - low) / 2;
        const std::uint64_t before = (*sums)[place(middle)], out = ruled_out->suffix_sums[middle];
        if (out > before) outside();
        if (before - out <= target)
            low = middle + 1;
        else
            high = middle;
    }
    const std::uint64_t first = low > 0 ? place(low - 1) + 1 : 0;
    const std::uint64_t last = low < all ? place(low) : sums->size() - 1;
    if (first >= last) outside();
    if (low > 0) target += ruled_out->suffix_sums[low];
    const auto from = sums->begin() + static_cast<std::ptrdiff_t>(first) + 1;
    const auto to = sums->begin() + static_cast<std::ptrdiff_t>(last);
    return first + static_cast<std::uint64_t>(std::upper_bound(from, to, target) - from);
}

// ---- the model -------------------------------------------------------------------------------------------------------

NgramCoder::NgramCoder(const NgramModel& model)
    : model_(&model), ranks_(model.words()), by_rank_(model.words()), word_sums_(std::size_t{model.words()} + 1) {
    std::iota(by_rank_.begin(), by_rank_.end(), 0u);
    std::sort(by_rank_.begin(), by_rank_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return model.codes().code(a) < model.codes().code(b); });
    for (std::uint32_t i = 0; i < model.words(); ++i) {
        const std::uint32_t word = by_rank_[i];
        ranks_[word] = i;
        word_sums_[i + 1] = word_sums_[i] + (word == word_begin ? 0 : weight_of(model.nodes(1)[word].logprob));
    }
    check_sum(word_sums_.back());
}

std::uint64_t NgramCoder::weight(int order, std::uint64_t place) const {
    return weight_of(order < model_->order() || order == 1 ? model_->nodes(order)[place].logprob
                                                           : model_->leaves()[place].logprob);
}

void NgramCoder::fill(int length, std::uint32_t place, Children& out) const {
    const NgramNode* node = model_->nodes(length) + place;
    const std::uint64_t begin = node[0].child, end = node[1].child;
    if (begin > end || end > model_->shape().counts[length]) outside();
    const std::size_t size = end - begin;
    out.begin = begin;
    out.sums.resize(size + 1);
    out.suffix_sums.resize(size + 1);
    out.suffixes.resize(size);
    const bool leaf = length + 1 == model_->order();
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint32_t suffix =
            leaf ? model_->leaves()[begin + i].suffix : model_->nodes(length + 1)[begin + i].suffix;
        if (suffix >= model_->shape().counts[length - 1] || (length == 1 && suffix == word_begin)) outside();
        out.suffixes[i] = suffix;
        out.sums[i + 1] = out.sums[i] + weight(length + 1, begin + i);
        out.suffix_sums[i + 1] = out.suffix_sums[i] + weight(length, suffix);
    }
    check_sum(out.sums.back());
    check_sum(out.suffix_sums.back());
}

const NgramCoder::Children& NgramCoder::children(int length, std::uint32_t place, Children& spare) {
    const NgramNode* node = model_->nodes(length) + place;
    const std::uint64_t size = std::uint64_t{node[1].child} - node[0].child;
    if (node[1].child < node[0].child || size < many || size > most_kept) {
        fill(length, place, spare);
        return spare;
    }
    const auto [found, is_new] = kept_.try_emplace(std::uint64_t{place} << 8 | static_cast<unsigned>(length));
    if (is_new) {
        fill(length, place, found->second);
        kept_size_ += found->second.size();
    }
    return found->second;
}

std::uint64_t NgramCoder::escape(int length, std::uint32_t place, const Children& of) const {
    const float backoff = model_->nodes(length)[place].backoff;
    if (!(backoff <= 12.0f)) throw NgramFormatError("it holds a back-off that is none; fetch or train it again");
    const double weight = portable_exp10(backoff) * static_cast<double>(of.left());
    return weight < 1.0 ? 1 : weight >= 16.0 * whole ? 16 * whole : static_cast<std::uint64_t>(weight + 0.5);
}

NgramCoder::Level NgramCoder::level(const NgramState& at, const Children& here, const Children* ruled_out) const {
    return {&here.sums, ruled_out, nullptr, here.begin, escape(at.length, at.place, here)};
}

NgramCoder::Level NgramCoder::last_level(const Children& ruled_out) const {
    return {&word_sums_, &ruled_out, ranks_.data(), 0, 0};
}

NgramState NgramCoder::shorter(const NgramState& at) const {
    const std::uint32_t suffix = model_->nodes(at.length)[at.place].suffix;
    if (suffix >= model_->shape().counts[at.length - 2]) outside();
    return {at.length - 1, suffix};
}

/// Before a word is coded, nothing that is kept is in use.
void NgramCoder::trim() {
    if (kept_size_ <= most_kept) return;
    kept_.clear();
    kept_size_ = 0;
}

// ---- coding ----------------------------------------------------------------------------------------------------------

void NgramCoder::encode(std::uint32_t word, RangeEncoder& out, CodedBits& bits, bool any) {
    trim();
    const std::uint32_t code = model_->codes().code(word);
    const Children* longer = nullptr;
    auto put = [&](const Level& level, std::uint64_t start, std::uint64_t size) {
        const std::uint64_t total = level.total();
        if (size == 0) impossible();
        if (start + size > total) outside();
        out.encode(start, size, total);
        bits.add(size, total);
    };
    for (NgramState at = state_;; at = shorter(at)) {
        const Children& here = children(at.length, at.place, spare_[at.length - 1]);
        const Level found = level(at, here, longer);
        const std::uint64_t end = here.begin + here.size();
        const std::uint64_t child =
            here.size() == 0
                ? no_child
                : find_child(model_->keys(at.length + 1), here.begin, end, code, model_->codes().bits());
        if (child != no_child) {
            const std::uint64_t i = child - here.begin;
            put(found, found.start(i), here.sums[i + 1] - here.sums[i]);
            break;
        }
        // Every escape has a frequency, so that decoding cannot fail; one of probability zero is refused here.
        if (!any && std::isinf(model_->nodes(at.length)[at.place].backoff)) impossible();
        if (found.own() > 0) put(found, 0, found.escape);
        longer = &here;
        if (at.length > 1) continue;
        const std::uint64_t rank = ranks_[word];
        const Level last = last_level(here);
        put(last, last.start(rank), word_sums_[rank + 1] - word_sums_[rank]);
        break;
    }
    ngram_step(*model_, state_, word);
}

std::uint32_t NgramCoder::decode(RangeDecoder& in) {
    trim();
    const Children* longer = nullptr;
    std::uint32_t word = 0;
    for (NgramState at = state_;; at = shorter(at)) {
        const Children& here = children(at.length, at.place, spare_[at.length - 1]);
        const Level found = level(at, here, longer);
        if (found.own() > 0) {
            const std::uint64_t target = in.find(found.total());
            if (target >= found.escape) {
                const std::uint64_t i = found.find(target);
                in.take(found.start(i), here.sums[i + 1] - here.sums[i]);
                word = model_->codes().word(model_->keys(at.length + 1)[here.begin + i]);
                break;
            }
            in.take(0, found.escape);
        }
        longer = &here;
        if (at.length > 1) continue;
        const Level last = last_level(here);
        if (last.own() == 0) throw CodeError("the coded bytes lead to a word that does not exist");
        const std::uint64_t rank = last.find(in.find(last.total()));
        in.take(last.start(rank), word_sums_[rank + 1] - word_sums_[rank]);
        word = by_rank_[rank];
        break;
    }
    if (word >= model_->words() || word == word_begin) throw CodeError("the coded bytes lead to no word");
    ngram_step(*model_, state_, word);
    return word;
}

}  // namespace bitmeter
