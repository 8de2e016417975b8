#include "ngram/query/follow.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "ngram/format/search.hpp"
#include "ngram/query/follow_kernel.hpp"
#include "util/once.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t lanes = 32;

[[noreturn, gnu::cold]] void outside() {
    throw NgramFormatError("a link in it leads out of the file; fetch or train it again");
}

/// `a` where the mask is all ones, `b` where it is zero: a choice that is no branch.
template <class Int>
Int choose(Int mask, Int a, Int b) {
    return b ^ ((a ^ b) & mask);
}

double choose(std::uint64_t mask, double a, double b) {
    return std::bit_cast<double>(choose(mask, std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)));
}

/// The n-grams of one order, and where their last words are found.
struct Level {
    const std::uint8_t* ngrams;
    std::size_t width;
    const std::uint32_t* keys;
    std::uint64_t count;
};

/// One text being scored. Whether a word is found is unpredictable, and a mispredicted branch costs more than a few wasted
/// instructions: so both cases run the same steps and select by masks.
struct Lane {
    double paid = 0.0;
    std::size_t at = 0, end = 0;
    ChildSearch search{};
    std::uint32_t word = 0, code = 0, place = 0, suffix = 0;
    float backoff = 0.0f;
    std::uint32_t length = 1;
    std::uint32_t scored = 0;  // the n-gram that is awaited ends in the word: all ones, or zero
};

class Follower {
public:
    Follower(const NgramModel& m, const std::uint32_t* words, bool class_of_unknown, double* out)
        : m_(m), words_(words), out_(out), codes_(m.codes()), bits_(m.codes().bits()),
          order_(static_cast<std::uint32_t>(m.order())),
          unknown_paid_(class_of_unknown ? 0.0 : -std::numeric_limits<double>::infinity()) {
        for (std::uint32_t n = 1; n <= order_; ++n) {
            const int order = static_cast<int>(n);
            Level& level = levels_[n];
            const bool leaf = n == order_ && n > 1;
            level.ngrams = leaf ? reinterpret_cast<const std::uint8_t*>(m.leaves())
                                : reinterpret_cast<const std::uint8_t*>(m.nodes(order));
            level.width = leaf ? sizeof(NgramLeaf) : sizeof(NgramNode);
            level.keys = n > 1 ? m.keys(order) : nullptr;
            level.count = m.shape().counts[n - 1];
        }
        // The highest order has no children, but prefetching an unmapped address is slow: any mapped one will do.
        levels_[order_ + 1].keys = reinterpret_cast<const std::uint32_t*>(m.nodes(1));
    }

    void start(Lane& lane, const NgramSpan& s) const {
        NgramState state = s.state;
        for (std::size_t i = s.read_from; i < s.begin; ++i) ngram_step(m_, state, words_[i]);
        lane.at = s.begin;
        lane.end = s.end;
        lane.length = static_cast<std::uint32_t>(state.length);
        lane.place = state.place;
        lane.scored = ~std::uint32_t{0};
        take_word(lane);
        lane.scored = 0;
    }

    /// Reads the n-gram that was awaited, and scores the word if that is its last; false at the end of the span.
    bool arrive(Lane& lane) const {
        const Level& level = levels_[lane.length];
        std::uint64_t children = 0, children_end = 0;
        float logprob;
        if (lane.length == order_ && order_ > 1) [[unlikely]] {
            NgramLeaf leaf;
            std::memcpy(&leaf, level.ngrams + lane.place * level.width, sizeof leaf);
            logprob = leaf.logprob;
            lane.suffix = once(leaf.suffix);
            lane.backoff = 0.0f;  // the way on leads over the suffix, and costs nothing
        } else {
            NgramNode node[2];
            std::memcpy(node, level.ngrams + lane.place * level.width, sizeof node);
            logprob = node[0].logprob;
            lane.backoff = node[0].backoff;
            lane.suffix = once(node[0].suffix);
            children = once(node[0].child);
            children_end = once(node[1].child);
            if ((children > children_end) | (children_end > levels_[lane.length + 1].count)) outside();
        }
        out_[lane.at] = (lane.paid + logprob) * std::numbers::ln10;  // not scored yet: written again when it is
        lane.at += lane.scored & 1;
        if (lane.at == lane.end) return false;
        take_word(lane);
        lane.search = ChildSearch(children, children_end, lane.code, bits_);
        const std::uint64_t wanted = -static_cast<std::uint64_t>(lane.search.size != 0);
        __builtin_prefetch(levels_[lane.length + 1].keys + (lane.search.guess & wanted));
        return true;
    }

    /// Looks for the word among the children; true if the first guess missed.
    bool look(Lane& lane) const {
        if (lane.search.size == 0) [[unlikely]]
            return false;
        const std::uint32_t* keys = levels_[lane.length + 1].keys;
        const bool more = lane.search.look(keys, lane.code, bits_);
        __builtin_prefetch(keys + lane.search.guess);
        return more;
    }

    void look_on(Lane& lane) const { lane.search.finish(levels_[lane.length + 1].keys, lane.code, bits_); }

    /// Goes on to the child that has the word, or else to the suffix.
    void advance(Lane& lane) const {
        const std::uint32_t found = -static_cast<std::uint32_t>(lane.search.hit);
        const std::uint32_t alone = -static_cast<std::uint32_t>(lane.length == 1);  // no shorter history is left
        const std::uint32_t cost = std::bit_cast<std::uint32_t>(lane.backoff) & ~found;
        lane.paid += std::bit_cast<float>(cost);
        lane.place = choose(found, static_cast<std::uint32_t>(lane.search.guess), choose(alone, lane.word, lane.suffix));
        lane.length += (found & 1) - (~(found | alone) & 1);
        lane.scored = found | alone;
        const Level& level = levels_[lane.length];
        if (lane.place >= level.count) outside();
        const std::uint8_t* ngram = level.ngrams + lane.place * level.width;
        __builtin_prefetch(ngram);
        __builtin_prefetch(ngram + level.width + sizeof(float) * 3);  // where its children end: one time in four a line on
    }

private:
    /// The word at the lane's place, whether it is a new one or was not found yet.
    void take_word(Lane& lane) const {
        lane.word = words_[lane.at];
        lane.code = codes_.code(lane.word);
        const std::uint64_t unknown = -static_cast<std::uint64_t>(lane.word == word_unknown);
        const std::uint64_t renewed = lane.scored | static_cast<std::uint64_t>(lane.scored) << 32;
        lane.paid = choose(renewed, choose(unknown, unknown_paid_, 0.0), lane.paid);
    }

    const NgramModel& m_;
    const std::uint32_t* words_;
    double* out_;
    WordCodes codes_;
    unsigned bits_;
    std::uint32_t order_;
    double unknown_paid_;
    Level levels_[max_order + 2] = {};
};

FollowTables tables_of(const NgramModel& m, bool class_of_unknown) {
    FollowTables t{};
    t.order = static_cast<std::uint32_t>(m.order());
    for (std::uint32_t n = 0; n < t.order; ++n) {
        const int order = static_cast<int>(n) + 1;
        const bool leaf = n + 1 == t.order && n > 0;
        t.ngrams[n] = leaf ? reinterpret_cast<const std::uint8_t*>(m.leaves())
                           : reinterpret_cast<const std::uint8_t*>(m.nodes(order));
        t.keys[n] = n + 1 < t.order ? m.keys(order + 1) : nullptr;
        t.counts[n] = m.shape().counts[n];
    }
    t.code_factor = m.codes().code_factor();
    t.code_mask = m.codes().mask();
    t.bits = m.codes().bits();
    t.unknown_paid = class_of_unknown ? 0.0 : -std::numeric_limits<double>::infinity();
    return t;
}

void follow_scalar(const NgramModel& model, const std::uint32_t* words, const NgramSpan* from, const NgramSpan* to,
                    bool class_of_unknown, double* out) {
    const Follower follower(model, words, class_of_unknown, out);
    Lane running[lanes];
    std::size_t busy = std::min<std::size_t>(lanes, static_cast<std::size_t>(to - from));
    for (std::size_t i = 0; i < busy; ++i) follower.start(running[i], *from++);
    while (busy > 0) {
        for (std::size_t i = 0; i < busy;) {
            if (follower.arrive(running[i]))
                ++i;
            else if (from < to)
                follower.start(running[i], *from++);
            else
                running[i] = running[--busy];
        }
        std::size_t looking[lanes], left = 0;
        for (std::size_t i = 0; i < busy; ++i) {
            looking[left] = i;
            left += follower.look(running[i]);
        }
        for (std::size_t i = 0; i < left; ++i) follower.look_on(running[looking[i]]);
        for (std::size_t i = 0; i < busy; ++i) follower.advance(running[i]);
    }
}

}  // namespace

NgramState follow_start(const FollowText& text, const NgramSpan& span) {
    NgramState state = span.state;
    for (std::size_t i = span.read_from; i < span.begin; ++i) ngram_step(*text.model, state, text.words[i]);
    return state;
}

void follow_outside() { outside(); }

void ngram_follow(const NgramModel& model, const std::uint32_t* words, const NgramSpan* from, const NgramSpan* to,
                  bool class_of_unknown, double* out, const Cpu& processor) {
    constexpr std::ptrdiff_t few = 4;  // texts for which the set-up does not pay
    if (to - from <= few || (to - 1)->end > most_follow_words || !processor.runs(CpuLevel::avx512, follow_avx512_needs))
        return follow_scalar(model, words, from, to, class_of_unknown, out);
    follow_avx512(tables_of(model, class_of_unknown), {&model, words, from, to, out});
}

}  // namespace bitmeter
