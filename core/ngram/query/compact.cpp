#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "ngram/format/compact.hpp"
#include "ngram/format/search.hpp"
#include "util/once.hpp"

namespace bitmeter {
namespace {

[[noreturn, gnu::cold]] void outside() {
    throw NgramFormatError("a link in it leads out of the file; fetch or train it again");
}

constexpr std::size_t lanes = 24;

/// One text being followed. Its known endings are places[0, length); all of them look for the next word at once.
struct Lane {
    std::size_t at = 0, end = 0;
    std::uint32_t word = 0, code = 0;
    int length = 1;
    std::uint32_t places[max_order];
    float backoffs[max_order];
    Between among[max_order];
};

class Follower {
public:
    Follower(const CompactNgram& m, const std::uint32_t* words, bool class_of_unknown, double* out)
        : m_(m), words_(words), out_(out), longest_(std::max(1, m.order() - 1)), bits_(m.codes().bits()),
          unknown_paid_(class_of_unknown ? 0.0 : -std::numeric_limits<double>::infinity()) {}

    void start(Lane& lane, const NgramSpan& s) const {
        CompactCursor cursor = ngram_resume(m_, s.state);
        for (std::size_t i = s.read_from; i < s.begin; ++i) ngram_step(m_, cursor, words_[i]);
        lane.at = s.begin;
        lane.end = s.end;
        lane.length = cursor.length;
        for (int i = 0; i < cursor.length; ++i) {
            lane.places[i] = cursor.places[i];
            lane.backoffs[i] = m_.backoff(i + 1, cursor.places[i]);
        }
        ask(lane);
    }

    /// Where the children of each ending lie is known after this and the next step.
    void approach(Lane& lane) const {
        lane.word = words_[lane.at];
        lane.code = m_.codes().code(lane.word);
        __builtin_prefetch(m_.singles() + lane.word);
        for (int i = 1; i < lane.length && i + 1 < m_.order(); ++i) m_.level(i + 1).children.ask_high(lane.places[i]);
    }

    void spread(Lane& lane) const {
        for (int i = 0; i < lane.length; ++i) {
            const Between among = lane.among[i] = m_.children(i + 1, lane.places[i]);
            if (among.begin < among.end)
                m_.level(i + 2).ask(among.begin + ((lane.code * (among.end - among.begin)) >> bits_));
        }
    }

    /// Finds the word behind ever longer endings and scores it by the longest that has it; false at the end.
    bool advance(Lane& lane) const {
        std::uint32_t found[max_order];
        int known = 0;
        for (; known < lane.length; ++known) {
            const std::uint64_t place = m_.find(known + 1, lane.among[known], lane.code);
            if (place == no_child) break;
            found[known] = static_cast<std::uint32_t>(place);
        }
        double paid = lane.word == word_unknown ? unknown_paid_ : 0.0;
        for (int i = lane.length; i > known; --i) paid += lane.backoffs[i - 1];
        const float own = known ? m_.level(known + 1).logprob(found[known - 1]) : m_.singles()[lane.word].logprob;
        out_[lane.at] = (paid + own) * std::numbers::ln10;
        if (++lane.at == lane.end) return false;
        lane.length = std::min(known + 1, longest_);
        lane.places[0] = lane.word;
        lane.backoffs[0] = m_.singles()[lane.word].backoff;
        for (int i = 1; i < lane.length; ++i) {
            lane.places[i] = found[i - 1];
            lane.backoffs[i] = m_.level(i + 1).backoff(found[i - 1]);
        }
        ask(lane);
        return true;
    }

private:
    void ask(const Lane& lane) const {
        for (int i = 1; i < lane.length && i + 1 < m_.order(); ++i) m_.level(i + 1).children.ask_sample(lane.places[i]);
    }

    const CompactNgram& m_;
    const std::uint32_t* words_;
    double* out_;
    int longest_;
    unsigned bits_;
    double unknown_paid_;
};

}  // namespace

CompactCursor ngram_resume(const CompactNgram& m, const NgramState& state) {
    CompactCursor result;
    result.length = state.length;
    if (state.length == 0) return result;
    result.places[state.length - 1] = state.place;
    if (state.length == 1) return result;
    std::uint32_t words[max_order];  // the words of the ending, first to last
    std::uint64_t place = state.place;
    for (int length = state.length; length > 1; --length) {
        words[length - 1] = m.codes().word(m.level(length).code(place));
        place = m.parent(length, place);
    }
    words[0] = static_cast<std::uint32_t>(place);
    for (int length = state.length - 1; length >= 1; --length) {
        const std::uint32_t* own = words + state.length - length;
        if (own[0] >= m.words()) outside();
        std::uint64_t at = own[0];
        for (int i = 1; i < length; ++i) {
            at = m.find(i, m.children(i, at), m.codes().code(own[i]));
            if (at == no_child) outside();
        }
        result.places[length - 1] = static_cast<std::uint32_t>(at);
    }
    return result;
}

double ngram_step(const CompactNgram& m, CompactCursor& cursor, std::uint32_t word) {
    const std::uint32_t code = m.codes().code(word);
    std::uint32_t found[max_order];
    int known = 0;
    for (; known < cursor.length; ++known) {
        const std::uint64_t place = m.find(known + 1, m.children(known + 1, cursor.places[known]), code);
        if (place == no_child) break;
        found[known] = static_cast<std::uint32_t>(place);
    }
    double paid = 0.0;
    for (int i = cursor.length; i > known; --i) paid += m.backoff(i, cursor.places[i - 1]);
    const float own = known ? m.level(known + 1).logprob(found[known - 1]) : m.singles()[word].logprob;
    cursor.length = std::min(known + 1, std::max(1, m.order() - 1));
    cursor.places[0] = word;
    std::copy(found, found + cursor.length - 1, cursor.places + 1);
    return paid + own;
}

double ngram_step(const CompactNgram& m, NgramState& state, std::uint32_t word) {
    CompactCursor cursor = ngram_resume(m, state);
    const double scored = ngram_step(m, cursor, word);
    state = {cursor.length, cursor.places[cursor.length - 1]};
    return scored;
}

void ngram_follow(const CompactNgram& model, const std::uint32_t* words, const NgramSpan* from, const NgramSpan* to,
                  bool class_of_unknown, double* out) {
    const Follower follower(model, words, class_of_unknown, out);
    Lane running[lanes];
    std::size_t busy = std::min<std::size_t>(lanes, static_cast<std::size_t>(to - from));
    for (std::size_t i = 0; i < busy; ++i) follower.start(running[i], *from++);
    while (busy > 0) {
        for (std::size_t i = 0; i < busy; ++i) follower.approach(running[i]);
        for (std::size_t i = 0; i < busy; ++i) follower.spread(running[i]);
        for (std::size_t i = 0; i < busy;) {
            if (follower.advance(running[i]))
                ++i;
            else if (from < to)
                follower.start(running[i++], *from++);
            else if (--busy > i)
                running[i] = running[busy];
        }
    }
}

void ngram_predict(const CompactNgram& m, const std::int64_t* history, std::size_t size, double* out) {
    CompactCursor cursor;
    const auto reach = static_cast<std::size_t>(std::max(1, m.order() - 1));
    for (std::size_t i = size - std::min(size, reach); i < size; ++i) ngram_step(m, cursor, ngram_word(m, history[i]));
    double paid[max_order + 1];  // by the length of the history that speaks
    paid[cursor.length] = 0.0;
    for (int length = cursor.length; length >= 1; --length)
        paid[length - 1] = paid[length] + m.backoff(length, cursor.places[length - 1]);
    for (std::uint32_t w = 0; w < m.words(); ++w) out[w] = (paid[0] + m.singles()[w].logprob) * std::numbers::ln10;
    for (int length = 1; length <= cursor.length; ++length) {
        const Between among = m.children(length, cursor.places[length - 1]);
        for (std::uint64_t c = among.begin; c < among.end; ++c) {
            const std::uint32_t word = once(m.codes().word(m.level(length + 1).code(c)));
            if (word >= m.words()) outside();
            out[word] = (paid[length] + m.level(length + 1).logprob(c)) * std::numbers::ln10;
        }
    }
    out[word_begin] = -std::numeric_limits<double>::infinity();
}

void ngram_contexts(const CompactNgram& m, const NgramDocuments& text, std::int64_t* lengths, double* backoffs) {
    for (std::size_t d = 0; d < text.documents; ++d) {
        CompactCursor cursor;
        if (d == 0)
            for (std::size_t i = 0; i < text.before_size; ++i) ngram_step(m, cursor, ngram_word(m, text.before[i]));
        for (std::int64_t i = text.bounds[d]; i < text.bounds[d + 1]; ++i) {
            lengths[i] = cursor.length;
            backoffs[i] = m.backoff(cursor.length, cursor.places[cursor.length - 1]);
            ngram_step(m, cursor, ngram_word(m, text.ids[i]));
        }
    }
}

}  // namespace bitmeter
