#include "ngram_query.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "ngram_search.hpp"
#include "parallel.hpp"

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
    const Range found{node[0].child, node[1].child};
    if (found.begin > found.end || found.end > m.shape().counts[length]) outside();
    return found;
}

std::uint32_t suffix_of(const NgramModel& m, int length, std::uint32_t suffix) {
    if (suffix >= m.shape().counts[length - 2]) outside();
    return suffix;
}

std::uint32_t known(const NgramModel& m, std::int64_t id) {
    return id < 0 || id >= m.words() || id == word_begin ? word_unknown : static_cast<std::uint32_t>(id);
}

constexpr std::size_t stretch = 512;  // words that one lane follows at most before it takes the next ones
constexpr std::size_t lanes = 16;     // texts followed at once, so that one waits for memory while others go on
constexpr std::size_t task_words = 1 << 16;

/// Words of one document to be rated, and where to begin reading so that the state is right.
struct Stretch {
    std::size_t begin, end, read_from;
    bool with_before;
};

/// One text being followed. Each step ends where memory is awaited.
class Lane {
public:
    Lane(const NgramModel& m, const NgramDocuments& text, bool class_of_unknown, double* out)
        : m_(&m), text_(&text), out_(out), class_(class_of_unknown) {}

    void start(const Stretch& s) {
        at_ = s.begin;
        end_ = s.end;
        NgramState state;
        if (s.with_before)
            for (std::size_t i = 0; i < text_->before_size; ++i) ngram_step(*m_, state, known(*m_, text_->before[i]));
        for (std::size_t i = s.read_from; i < s.begin; ++i) ngram_step(*m_, state, known(*m_, text_->ids[i]));
        length_ = state.length;
        place_ = state.place;
        next_word();
        await_node();
    }

    /// Goes on to the next wait; false at the end of the stretch.
    bool step() {
        switch (phase_) {
            case Phase::node:
                return load_node();
            case Phase::keys:
                return search();
            default:
                return rate();
        }
    }

private:
    enum class Phase { node, keys, ngram };

    void next_word() {
        word_ = known(*m_, text_->ids[at_]);
        code_ = m_->codes().code(word_);
        paid_ = 0.0;
    }

    void await_node() {
        __builtin_prefetch(m_->nodes(length_) + place_);
        phase_ = Phase::node;
    }

    bool load_node() {
        range_ = children(*m_, length_, place_);
        const NgramNode& node = m_->nodes(length_)[place_];
        backoff_ = node.backoff;
        suffix_ = node.suffix;
        return await_keys();
    }

    bool await_keys() {
        const std::uint64_t size = range_.end - range_.begin;
        if (size == 0) return miss();
        const std::uint64_t guess =
            size > 8 ? range_.begin + ((std::uint64_t{code_} * size) >> m_->codes().bits()) : range_.begin;
        __builtin_prefetch(m_->keys(length_ + 1) + guess);
        phase_ = Phase::keys;
        return true;
    }

    bool search() {
        const std::uint64_t found =
            find_child(m_->keys(length_ + 1), range_.begin, range_.end, code_, m_->codes().bits());
        if (found == no_child) return miss();
        ++length_;
        place_ = static_cast<std::uint32_t>(found);
        return await_ngram();
    }

    bool miss() {
        paid_ += backoff_;
        if (length_ == 1) {
            place_ = word_;
            return await_ngram();
        }
        place_ = suffix_of(*m_, length_, suffix_);
        --length_;
        await_node();
        return true;
    }

    bool await_ngram() {
        if (length_ < m_->order() || length_ == 1)
            __builtin_prefetch(m_->nodes(length_) + place_);
        else
            __builtin_prefetch(m_->leaves() + place_);
        phase_ = Phase::ngram;
        return true;
    }

    bool rate() {
        const bool leaf = length_ == m_->order() && length_ > 1;
        const double rated = paid_ + (leaf ? m_->leaves()[place_].logprob : m_->nodes(length_)[place_].logprob);
        out_[at_] =
            word_ == word_unknown && !class_ ? -std::numeric_limits<double>::infinity() : rated * std::numbers::ln10;
        if (leaf) {
            place_ = suffix_of(*m_, length_, m_->leaves()[place_].suffix);
            --length_;
        }
        if (++at_ == end_) return false;
        next_word();
        if (!leaf) return load_node();
        await_node();
        return true;
    }

    const NgramModel* m_;
    const NgramDocuments* text_;
    double* out_;
    bool class_;
    Phase phase_ = Phase::node;
    int length_ = 1;
    std::uint32_t place_ = 0, word_ = 0, code_ = 0, suffix_ = 0;
    float backoff_ = 0.0f;
    double paid_ = 0.0;
    Range range_{};
    std::size_t at_ = 0, end_ = 0;
};

/// The stretches of all documents, cut so that none is long.
std::vector<Stretch> stretches(const NgramDocuments& text, std::size_t reach) {
    std::vector<Stretch> result;
    for (std::size_t d = 0; d < text.documents; ++d) {
        const auto first = static_cast<std::size_t>(text.bounds[d]),
                   last = static_cast<std::size_t>(text.bounds[d + 1]);
        for (std::size_t begin = first; begin < last; begin += stretch) {
            const std::size_t from = begin - std::min(reach, begin - first);
            // Those that reach back to the very beginning of the first document go on from what came before it.
            result.push_back({begin, std::min(last, begin + stretch), from, d == 0 && from == first});
        }
    }
    return result;
}

void follow(const NgramModel& m, const NgramDocuments& text, bool class_of_unknown, double* out, const Stretch* from,
            const Stretch* to) {
    std::vector<Lane> running(std::min<std::size_t>(lanes, static_cast<std::size_t>(to - from)),
                              Lane(m, text, class_of_unknown, out));
    for (Lane& lane : running) lane.start(*from++);
    while (!running.empty()) {
        for (std::size_t i = 0; i < running.size();) {
            if (running[i].step()) {
                ++i;
            } else if (from < to) {
                running[i++].start(*from++);
            } else {
                running[i] = running.back();
                running.pop_back();
            }
        }
    }
}

}  // namespace

double ngram_step(const NgramModel& m, NgramState& state, std::uint32_t word) {
    double paid = 0.0;
    const std::uint32_t code = m.codes().code(word);
    for (;;) {
        const Range range = children(m, state.length, state.place);
        const NgramNode& node = m.nodes(state.length)[state.place];
        if (range.begin < range.end) {
            const std::uint64_t found =
                find_child(m.keys(state.length + 1), range.begin, range.end, code, m.codes().bits());
            if (found != no_child) {
                if (state.length + 1 < m.order()) {
                    state = {state.length + 1, static_cast<std::uint32_t>(found)};
                    return paid + m.nodes(state.length)[found].logprob;
                }
                state.place = suffix_of(m, m.order(), m.leaves()[found].suffix);
                return paid + m.leaves()[found].logprob;
            }
        }
        paid += node.backoff;
        if (state.length == 1) {
            state.place = word;
            return paid + m.nodes(1)[word].logprob;
        }
        state = {state.length - 1, suffix_of(m, state.length, node.suffix)};
    }
}

void ngram_logprobs(const NgramModel& model, const NgramDocuments& text, bool class_of_unknown, double* out,
                    unsigned threads) {
    const auto all = stretches(text, static_cast<std::size_t>(std::max(1, model.order() - 1)));
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
        follow(model, text, class_of_unknown, out, all.data() + cuts[task], all.data() + cuts[task + 1]);
    });
}

void ngram_predict(const NgramModel& m, const std::int64_t* history, std::size_t size, double* out) {
    NgramState state;
    const std::size_t reach = static_cast<std::size_t>(std::max(1, m.order() - 1));
    for (std::size_t i = size - std::min(size, reach); i < size; ++i) ngram_step(m, state, known(m, history[i]));
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
            const std::uint32_t word = m.codes().word(m.keys(length + 1)[c]);
            if (word >= m.words()) outside();
            const float own = length + 1 < m.order() ? m.nodes(length + 1)[c].logprob : m.leaves()[c].logprob;
            out[word] = (at->second + own) * std::numbers::ln10;
        }
    }
    out[word_begin] = -std::numeric_limits<double>::infinity();
}

}  // namespace bitmeter
