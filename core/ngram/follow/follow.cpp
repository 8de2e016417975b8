#include "ngram/follow/follow.hpp"

#include <limits>

#include "ngram/format/search.hpp"
#include "ngram/follow/kernel.hpp"
#include "util/once.hpp"

namespace bitmeter {
namespace {

using Lines = AnyLines;

}  // namespace
}  // namespace bitmeter

#include "ngram/follow/lanes.inc"

namespace bitmeter {
namespace {

FollowTables tables_of(const NgramModel& m) {
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
    return t;
}

}  // namespace

NgramState follow_start(const FollowText& text, const NgramSpan& span) {
    NgramState state = span.state;
    for (std::size_t i = span.read_from; i < span.begin; ++i) ngram_step(*text.model, state, text.words[i]);
    return state;
}

void follow_outside() { throw NgramFormatError("a link in it leads out of the file; fetch or train it again"); }

void ngram_follow(const NgramModel& model, const std::uint32_t* words, const NgramSpan* from, const NgramSpan* to,
                  bool class_of_unknown, double* out, const Cpu& processor) {
    constexpr std::ptrdiff_t few = 4;  // texts for which the set-up of sixteen lanes does not pay
    const FollowTables tables = tables_of(model);
    const FollowText text{&model, words, from, to, out};
    if (to - from > few && (to - 1)->end <= most_follow_words && processor.runs(CpuLevel::avx512, follow_avx512_needs))
        follow_avx512(tables, text);
    else if (processor.runs(CpuLevel::avx2, follow_avx2_needs))
        follow_avx2(tables, text);
    else
        Follower(tables, text).run();
    if (class_of_unknown) return;
    for (; from < to; ++from)
        for (std::size_t i = from->begin; i < from->end; ++i)
            if (words[i] == word_unknown) out[i] = -std::numeric_limits<double>::infinity();
}

}  // namespace bitmeter
