#include <algorithm>

#include "ngram/format/search.hpp"
#include "ngram/follow/kernel.hpp"
#include "ngram/query/query.hpp"
#include "util/once.hpp"

namespace bitmeter {
namespace {

/// A part of a sentence. One that is not the first begins with the words before it on which it depends.
struct Part {
    std::size_t at, end, scored_from;
    NgramState state;
    bool arrived;  // the n-gram at the state ends in the word
    std::uint32_t code;
    LineSearch<AnyLines> search;
    float backoffs[max_order];
    int many;
};

class Parts {
public:
    Parts(const NgramModel& model, const std::uint32_t* words, NgramFloat* out) : m_(model), words_(words), out_(out) {}

    /// Reads the n-gram that was awaited, and takes the next word if it ends in this one; false at the end of the part.
    bool arrive(Part& part) const {
        const bool leaf = part.state.length == m_.order() && m_.order() > 1;
        if (part.arrived) {
            const float own = leaf ? m_.leaves()[part.state.place].logprob : m_.nodes(part.state.length)[part.state.place].logprob;
            if (part.at >= part.scored_from) {
                NgramFloat scored{ngram_kenlm_float(own, words_[part.at]), static_cast<unsigned>(part.state.length)};
                for (int i = part.many; i > 0; --i) scored.logprob += part.backoffs[i - 1];
                out_[part.at] = scored;
            }
            part.arrived = false;
            part.many = 0;
            if (++part.at == part.end) return false;
        }
        part.code = m_.codes().code(words_[part.at]);
        part.search = {0, 0, 0};
        if (leaf || part.state.length == 0) return true;
        const NgramNode* const node = m_.nodes(part.state.length) + part.state.place;
        const std::uint64_t begin = once(node[0].child), end = once(node[1].child);
        if (begin > end || end > m_.shape().counts[part.state.length]) follow_outside();
        part.search = {begin, end, begin + ((std::uint64_t{part.code} * (end - begin)) >> m_.codes().bits())};
        if (begin < end) __builtin_prefetch(m_.keys(part.state.length + 1) + part.search.guess);
        return true;
    }

    /// Goes on to the child that has the word, or else to the suffix.
    void look(Part& part) const {
        int& length = part.state.length;
        std::uint32_t& place = part.state.place;
        const bool some = part.search.size != 0;
        if (some) part.search.finish(m_.keys(length + 1), part.code, m_.codes().bits());
        if (some && part.search.hit) {
            ++length;
            place = static_cast<std::uint32_t>(part.search.guess);
            part.arrived = true;
        } else {
            if (length == m_.order() && length > 1) {
                place = once(m_.leaves()[place].suffix);
            } else if (length > 0) {
                const NgramNode& node = m_.nodes(length)[place];
                // The states between single steps leave such a history out.
                if (some || node.backoff != 0.0f) part.backoffs[part.many++] = node.backoff;
                place = once(node.suffix);
            }
            part.arrived = length <= 1;
            if (part.arrived) place = words_[part.at];
            length = std::max(1, length - 1);
        }
        if (place >= m_.shape().counts[length - 1]) follow_outside();
        if (length == m_.order() && length > 1)
            __builtin_prefetch(m_.leaves() + place);
        else
            __builtin_prefetch(m_.nodes(length) + place);
    }

private:
    const NgramModel& m_;
    const std::uint32_t* words_;
    NgramFloat* out_;
};

}  // namespace

void ngram_float_steps(const NgramModel& model, const NgramState& before, const std::uint32_t* words, std::size_t size,
                       NgramFloat* out) {
    constexpr std::size_t least = 12, most = 12;  // words of a part, parts
    const auto reach = static_cast<std::size_t>(std::max(1, model.order() - 1));
    if (size < 2 * least) {
        NgramState state = before;
        for (std::size_t i = 0; i < size; ++i) out[i] = ngram_float_step(model, state, words[i]);
        return;
    }
    Part all[most];
    const std::size_t many = std::min(most, size / least), each = (size + many - 1) / many;
    std::size_t busy = 0;
    for (std::size_t from = 0; from < size; from += each) {
        Part& part = all[busy++];
        const std::size_t back = std::min(from, reach);
        part.at = from - back;
        part.end = std::min(size, from + each);
        part.scored_from = from;
        part.state = part.at == 0 ? before : NgramState{0, 0};
        part.arrived = false;
        part.many = 0;
    }
    const Parts parts(model, words, out);
    while (busy > 0) {
        for (std::size_t i = 0; i < busy;) {
            if (parts.arrive(all[i]))
                ++i;
            else
                all[i] = all[--busy];
        }
        for (std::size_t i = 0; i < busy; ++i) parts.look(all[i]);
    }
}

}  // namespace bitmeter
