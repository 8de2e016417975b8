#include "ngram/kenlm/query.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <vector>

#include "ngram/kenlm/match.hpp"
#include "util/parallel.hpp"
#include "util/sum.hpp"

namespace bitmeter {
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr std::size_t task_words = 1 << 15;

/// KenLM marks a history that no n-gram goes on from by a back-off of minus zero.
bool has_extension(float backoff) { return std::bit_cast<std::uint32_t>(backoff) != 0x80000000u; }

template <class Search>
NgramFloat step_in(const Search& search, unsigned order, const KenlmState& before, std::uint32_t code, KenlmState& after) {
    typename Search::Node node;
    KenlmEntry own = search.unigram(code, node);
    KenlmState next;
    NgramFloat result{own.logprob, 1};
    next.backoffs[0] = own.backoff;
    next.length = has_extension(own.backoff) ? 1 : 0;
    for (unsigned o = 2; o <= order && o - 2 < before.length && own.extends_left; ++o) {
        const std::uint32_t word = before.words[o - 2];
        search.ask(o, node, word);
        own = search.entry(o, node, word);
        if (!own.found) break;
        result = {own.logprob, o};
        if (o == order) break;
        next.backoffs[o - 1] = own.backoff;
        if (has_extension(own.backoff)) next.length = o;
    }
    for (std::uint32_t i = result.length; i <= before.length; ++i) result.logprob += before.backoffs[i - 1];
    if (!(result.logprob < HUGE_VALF)) kenlm_no_number();
    if (next.length > 0) {
        next.words[0] = code;
        std::copy_n(before.words, next.length - 1, next.words + 1);
    }
    std::fill(next.backoffs + next.length, std::end(next.backoffs), 0.0f);
    after = next;
    return result;
}

/// Puts the words of a state before those that come, to be looked back to and not to be scored.
template <class Matcher>
void push_state(Matcher& matcher, const KenlmState& state) {
    matcher.restart();
    for (std::uint32_t i = state.length; i-- > 0;) matcher.push(state.words[i], Matcher::untagged);
}

}  // namespace

KenlmState kenlm_begin(const KenlmModel& model) {
    KenlmState result;
    result.length = 1;
    result.words[0] = model.begin_code();
    model.with([&](const auto& search) {
        typename std::decay_t<decltype(search)>::Node node;
        result.backoffs[0] = search.unigram(result.words[0], node).backoff;
    });
    return result;
}

NgramFloat kenlm_step(const KenlmModel& model, const KenlmState& before, std::uint32_t code, KenlmState& after) {
    return model.with([&](const auto& search) { return step_in(search, model.layout().order, before, code, after); });
}

double ngram_step(const KenlmModel& model, KenlmState& state, std::uint32_t word) {
    return kenlm_step(model, state, model.code_of(word), state).logprob;
}

void ngram_follow(const KenlmModel& model, const std::uint32_t* words, const SpanFrom<KenlmState>* from,
                  const SpanFrom<KenlmState>* to, bool class_of_unknown, double* out) {
    const auto emit = [&](std::uint64_t at, const KenlmMatch& before, const KenlmMatch& own) {
        const double scored = kenlm_cost(before, own) * std::numbers::ln10;
        out[at] = words[at] == word_unknown && !class_of_unknown ? impossible : scored;
    };
    model.with([&](const auto& search) {
        using Matcher = KenlmMatcher<std::decay_t<decltype(search)>, decltype(emit)>;
        Matcher matcher(search, model.layout().order, emit);
        for (; from < to; ++from) {
            push_state(matcher, from->state);
            for (std::size_t i = from->read_from; i < from->begin; ++i)
                matcher.push(model.code_of(words[i]), Matcher::untagged);
            for (std::size_t i = from->begin; i < from->end; ++i) matcher.push(model.code_of(words[i]), i);
        }
        matcher.flush();
    });
}

void ngram_logprobs(const KenlmModel& model, const NgramDocuments& text, bool class_of_unknown, double* out,
                    unsigned threads) {
    const auto reach = static_cast<std::size_t>(std::max(1, model.order() - 1));
    KenlmState before = kenlm_begin(model);
    for (std::size_t i = 0; i < text.before_size; ++i) ngram_step(model, before, ngram_word(model, text.before[i]));
    std::vector<SpanFrom<KenlmState>> all;
    const KenlmState begin = kenlm_begin(model);
    for (std::size_t d = 0; d < text.documents; ++d) {
        const auto first = static_cast<std::size_t>(text.bounds[d]), last = static_cast<std::size_t>(text.bounds[d + 1]);
        for (std::size_t at = first; at < last; at += task_words) {
            const std::size_t back = at - std::min(reach, at - first);
            all.push_back({at, std::min(last, at + task_words), back, back > first ? KenlmState{} : d == 0 ? before : begin});
        }
    }
    std::vector<std::size_t> cuts{0};
    std::size_t size = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        size += all[i].end - all[i].begin;
        if (size < task_words && i + 1 < all.size()) continue;
        cuts.push_back(i + 1);
        size = 0;
    }
    parallel_for(cuts.size() - 1, threads, [&](std::size_t task) {
        std::vector<SpanFrom<KenlmState>> own(all.begin() + static_cast<std::ptrdiff_t>(cuts[task]),
                                                 all.begin() + static_cast<std::ptrdiff_t>(cuts[task + 1]));
        const std::size_t first = own.front().read_from, last = own.back().end;
        std::vector<std::uint32_t> numbers(last - first);
        for (std::size_t i = first; i < last; ++i) numbers[i - first] = ngram_word(model, text.ids[i]);
        for (auto& s : own) {
            s.begin -= first;
            s.end -= first;
            s.read_from -= first;
        }
        ngram_follow(model, numbers.data(), own.data(), own.data() + own.size(), class_of_unknown, out + first);
    });
}

void ngram_predict(const KenlmModel& model, const std::int64_t* history, std::size_t size, double* out) {
    KenlmState state = kenlm_begin(model);
    const auto reach = static_cast<std::size_t>(std::max(1, model.order() - 1));
    for (std::size_t i = size - std::min(size, reach); i < size; ++i) ngram_step(model, state, ngram_word(model, history[i]));
    // Each word alone after the same history: the history is looked up again before each, which its memory outlasts.
    const auto emit = [&](std::uint64_t at, const KenlmMatch& before, const KenlmMatch& own) {
        out[at] = kenlm_cost(before, own) * std::numbers::ln10;
    };
    model.with([&](const auto& search) {
        using Matcher = KenlmMatcher<std::decay_t<decltype(search)>, decltype(emit)>;
        Matcher matcher(search, model.layout().order, emit);
        for (std::uint32_t word = 0; word < model.words(); ++word) {
            push_state(matcher, state);
            matcher.push(model.code_of(word), word);
        }
        matcher.flush();
    });
    out[word_begin] = impossible;
}

double ngram_sentence(const KenlmModel& model, Bytes sentence, const Separators& separators, bool ended,
                      bool class_of_unknown) {
    const KenlmIndex index = model.index();
    Compensated total;
    bool possible = true;
    const auto emit = [&](std::uint64_t, const KenlmMatch& before, const KenlmMatch& own) { total.add(kenlm_cost(before, own)); };
    model.with([&](const auto& search) {
        using Matcher = KenlmMatcher<std::decay_t<decltype(search)>, decltype(emit)>;
        Matcher matcher(search, model.layout().order, emit);
        matcher.push(model.begin_code(), Matcher::untagged);
        for (std::size_t i = 0; i < sentence.size;) {
            while (i < sentence.size && separators[sentence.data[i]]) ++i;
            const std::size_t start = i;
            while (i < sentence.size && !separators[sentence.data[i]]) ++i;
            if (start == i) break;
            const std::uint32_t word = index.find({sentence.data + start, i - start});
            possible = possible && (word != word_unknown || class_of_unknown);
            matcher.push(model.code_of(word), 0);
        }
        if (ended) matcher.push(model.end_code(), 0);
        matcher.flush();
    });
    return possible ? total.value() * std::numbers::ln10 : impossible;
}

void ngram_contexts(const KenlmModel& model, const NgramDocuments& text, std::int64_t* lengths, double* backoffs) {
    const KenlmState begin = kenlm_begin(model);
    for (std::size_t d = 0; d < text.documents; ++d) {
        KenlmState state = begin;
        if (d == 0)
            for (std::size_t i = 0; i < text.before_size; ++i) ngram_step(model, state, ngram_word(model, text.before[i]));
        for (std::int64_t i = text.bounds[d]; i < text.bounds[d + 1]; ++i) {
            lengths[i] = state.length;
            backoffs[i] = state.length ? state.backoffs[state.length - 1] : 0.0;
            ngram_step(model, state, ngram_word(model, text.ids[i]));
        }
    }
}

}  // namespace bitmeter
