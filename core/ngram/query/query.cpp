#include "ngram/query/query.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "ngram/format/compact.hpp"
#include "ngram/format/search.hpp"
#include "ngram/follow/follow.hpp"
#include "util/once.hpp"
#include "util/parallel.hpp"

namespace bitmeter {
namespace {

[[noreturn, gnu::cold]] void outside() {
    throw NgramFormatError("a link in it leads out of the file; fetch or train it again");
}

struct Range {
    std::uint64_t begin, end;
};

/// The children of a node. A damaged file must not lead outside of it.
Range children(const NgramModel& m, int length, std::uint64_t place) {
    const NgramNode* node = m.nodes(length) + place;
    const Range found{once(node[0].child), once(node[1].child)};
    if (found.begin > found.end || found.end > m.shape().counts[length]) outside();
    return found;
}

std::uint32_t suffix_of(const NgramModel& m, int length, std::uint32_t suffix) {
    suffix = once(suffix);
    if (suffix >= m.shape().counts[length - 2]) outside();
    return suffix;
}

constexpr std::size_t task_words = 1 << 15;

/// The spans of all documents, cut so that none is long.
template <class Model>
std::vector<NgramSpan> spans(const Model& m, const NgramDocuments& text) {
    const std::size_t reach = static_cast<std::size_t>(std::max(1, m.order() - 1));
    NgramState before;
    for (std::size_t i = 0; i < text.before_size; ++i) ngram_step(m, before, ngram_word(m, text.before[i]));
    std::vector<NgramSpan> result;
    for (std::size_t d = 0; d < text.documents; ++d) {
        const auto first = static_cast<std::size_t>(text.bounds[d]),
                   last = static_cast<std::size_t>(text.bounds[d + 1]);
        for (std::size_t begin = first; begin < last; begin += longest_span) {
            const std::size_t from = begin - std::min(reach, begin - first);
            // Those that reach back to the very beginning of the first document go on from what came before it.
            result.push_back({begin, std::min(last, begin + longest_span), from,
                              d == 0 && from == first ? before : NgramState{}});
        }
    }
    return result;
}

}  // namespace

namespace {

/// One step of the automaton; pay(backoff) is called from the longest history down. Returns the n-gram's own logarithm and
/// its length.
template <class Pay>
NgramFloat walk(const NgramModel& m, NgramState& state, std::uint32_t word, Pay&& pay) {
    const std::uint32_t code = m.codes().code(word);
    __builtin_prefetch(m.nodes(1) + word);
    while (state.length > 0) {
        const Range range = children(m, state.length, state.place);
        const NgramNode& node = m.nodes(state.length)[state.place];
        if (state.length > 1) __builtin_prefetch(m.nodes(state.length - 1) + node.suffix);
        if (range.begin < range.end) {
            const std::uint64_t found =
                find_in_lines(m.keys(state.length + 1), range.begin, range.end, code, m.codes().bits());
            if (found != no_child) {
                const auto length = static_cast<unsigned>(state.length + 1);
                if (state.length + 1 < m.order()) {
                    state = {state.length + 1, static_cast<std::uint32_t>(found)};
                    return {m.nodes(state.length)[found].logprob, length};
                }
                state.place = suffix_of(m, m.order(), m.leaves()[found].suffix);
                return {m.leaves()[found].logprob, length};
            }
        }
        pay(node.backoff);
        if (state.length == 1) break;
        state = {state.length - 1, suffix_of(m, state.length, node.suffix)};
    }
    state = {1, word};
    return {m.nodes(1)[word].logprob, 1};
}

}  // namespace

double ngram_step(const NgramModel& m, NgramState& state, std::uint32_t word) {
    double paid = 0.0;
    return walk(m, state, word, [&](float backoff) { paid += backoff; }).logprob + paid;
}

NgramFloat ngram_float_step(const NgramModel& m, NgramState& state, std::uint32_t word) {
    float paid[max_order];
    int many = 0;
    NgramFloat result = walk(m, state, word, [&](float backoff) { paid[many++] = backoff; });
    result.logprob = ngram_kenlm_float(result.logprob, word);
    while (many > 0) result.logprob += paid[--many];
    while (state.length > 0) {
        const NgramNode& node = m.nodes(state.length)[state.place];
        const Range range = children(m, state.length, state.place);
        if (range.begin < range.end || node.backoff != 0.0f) {
            // What the next step reads first comes while the caller makes up the next word.
            const std::uint32_t* const keys = m.keys(state.length + 1);
            if (range.begin < range.end) __builtin_prefetch(keys + range.begin);
            if (range.end - range.begin > 1) __builtin_prefetch(keys + range.end - 1);
            if (state.length > 1) __builtin_prefetch(m.nodes(state.length - 1) + node.suffix);
            break;
        }
        state = state.length == 1 ? NgramState{0, 0}
                                  : NgramState{state.length - 1, suffix_of(m, state.length, node.suffix)};
    }
    return result;
}

template <class Model>
void ngram_logprobs(const Model& model, const NgramDocuments& text, bool class_of_unknown, double* out,
                    unsigned threads) {
    const auto all = spans(model, text);
    std::vector<std::size_t> cuts{0};
    std::size_t words = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        words += all[i].end - all[i].begin;
        if (words >= task_words || i + 1 == all.size()) {
            cuts.push_back(i + 1);
            words = 0;
        }
    }
    parallel_for(cuts.size() - 1, threads, [&](std::size_t task) {
        std::vector<NgramSpan> own(all.begin() + static_cast<std::ptrdiff_t>(cuts[task]),
                                      all.begin() + static_cast<std::ptrdiff_t>(cuts[task + 1]));
        const std::size_t first = own.front().read_from, last = own.back().end;
        std::vector<std::uint32_t> numbers(last - first);
        for (std::size_t i = first; i < last; ++i) numbers[i - first] = ngram_word(model, text.ids[i]);
        for (NgramSpan& s : own) {
            s.begin -= first;
            s.end -= first;
            s.read_from -= first;
        }
        ngram_follow(model, numbers.data(), own.data(), own.data() + own.size(), class_of_unknown, out + first);
    });
}

template <class Model>
bool ngram_holds(const Model& m, const NgramState& state) {
    const int longest = std::max(1, m.order() - 1);
    if (state.length == 0) return state.place == 0;
    return state.length >= 1 && state.length <= longest && state.place < m.shape().counts[state.length - 1];
}

void ask(const NgramModel& m, const NgramState& state) {
    if (state.length > 0) __builtin_prefetch(m.nodes(state.length) + state.place);
}
void ask(const CompactNgram& m, const NgramState& state) {
    if (state.length > 1) m.level(state.length).ask(state.place);
}

template <class Model>
void ngram_extend(const Model& m, NgramState* states, const std::int64_t* words, std::size_t size,
                  bool class_of_unknown, double* out, unsigned threads) {
    constexpr std::size_t many = 4096;
    parallel_for((size + many - 1) / many, threads, [&](std::size_t task) {
        const std::size_t end = std::min(size, (task + 1) * many);
        constexpr std::size_t ahead = 8;
        for (std::size_t i = task * many; i < end; ++i) {
            if (i + ahead < end) ask(m, states[i + ahead]);
            const std::uint32_t word = ngram_word(m, words[i]);
            const double scored = ngram_step(m, states[i], word) * std::numbers::ln10;
            out[i] = word == word_unknown && !class_of_unknown ? -std::numeric_limits<double>::infinity() : scored;
        }
    });
}

void ngram_predict(const NgramModel& m, const std::int64_t* history, std::size_t size, double* out) {
    NgramState state;
    const std::size_t reach = static_cast<std::size_t>(std::max(1, m.order() - 1));
    for (std::size_t i = size - std::min(size, reach); i < size; ++i) ngram_step(m, state, ngram_word(m, history[i]));
    // From the longest history down: what each pays before the shorter one speaks.
    std::vector<std::pair<NgramState, double>> chain;
    double paid = 0.0;
    for (;;) {
        chain.emplace_back(state, paid);
        const NgramNode& node = m.nodes(state.length)[state.place];
        paid += node.backoff;
        if (state.length == 1) break;
        state = {state.length - 1, suffix_of(m, state.length, node.suffix)};
    }
    for (std::uint32_t w = 0; w < m.words(); ++w) out[w] = (paid + m.nodes(1)[w].logprob) * std::numbers::ln10;
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
        const int length = at->first.length;
        const Range range = children(m, length, at->first.place);
        for (std::uint64_t c = range.begin; c < range.end; ++c) {
            const std::uint32_t word = once(m.codes().word(m.keys(length + 1)[c]));
            if (word >= m.words()) outside();
            const float own = length + 1 < m.order() ? m.nodes(length + 1)[c].logprob : m.leaves()[c].logprob;
            out[word] = (at->second + own) * std::numbers::ln10;
        }
    }
    out[word_begin] = -std::numeric_limits<double>::infinity();
}

template void ngram_logprobs(const NgramModel&, const NgramDocuments&, bool, double*, unsigned);
template void ngram_logprobs(const CompactNgram&, const NgramDocuments&, bool, double*, unsigned);
template bool ngram_holds(const NgramModel&, const NgramState&);
template bool ngram_holds(const CompactNgram&, const NgramState&);
template void ngram_extend(const NgramModel&, NgramState*, const std::int64_t*, std::size_t, bool, double*, unsigned);
template void ngram_extend(const CompactNgram&, NgramState*, const std::int64_t*, std::size_t, bool, double*, unsigned);

}  // namespace bitmeter
