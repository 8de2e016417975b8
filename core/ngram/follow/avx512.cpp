// Compiled with this instruction set's own flags (see CMakeLists.txt); never called where the processor lacks it. It must
// not call inline functions that are used elsewhere too, since the linker may keep this file's copy.
#include "ngram/follow/kernel.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace bitmeter {
namespace {

constexpr unsigned lanes = 16, groups = 4;
constexpr double ln10 = 2.302585092994045684;

/// Keys that match no code, for lanes without a search.
alignas(64) constexpr std::uint32_t no_keys[lanes] = {
    ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u,
};

/// Sixteen texts being scored, each in its own lane, with the steps of Lane in lanes.inc.
struct alignas(64) Group {
    std::uint64_t ngram[lanes];  // the address of the n-gram that is awaited
    std::uint64_t line[lanes];   // that of the keys that are looked at
    double paid[lanes];
    std::uint32_t length[lanes], at[lanes], end[lanes], word[lanes], code[lanes], suffix[lanes], begin[lanes], stop[lanes],
        guess[lanes], size[lanes], looks[lanes], equal[lanes], below[lanes];
    float backoff[lanes];
    __mmask16 active, scored, searching;
};

/// Interpolation steps before falling back to bisection.
constexpr std::uint32_t most_looks = 5;

__m512i load(const void* p) { return _mm512_load_si512(p); }
__m512i joined(__m256i low, __m256i high) { return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1); }
__m512i number(std::uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }

class Follower {
public:
    Follower(const FollowTables& tables, const FollowText& text)
        : t_(tables), text_(text), next_(text.from), order_(number(tables.order)), factor_(number(tables.code_factor)),
          mask_(number(tables.code_mask)), bits_(_mm_cvtsi32_si128(static_cast<int>(tables.bits))) {
        alignas(64) std::uint64_t ngrams[max_order], keys[max_order];
        alignas(64) std::uint32_t counts[max_order], below[max_order];
        for (unsigned i = 0; i < max_order; ++i) {
            ngrams[i] = reinterpret_cast<std::uint64_t>(t_.ngrams[i]);
            keys[i] = reinterpret_cast<std::uint64_t>(t_.keys[i]);
            counts[i] = static_cast<std::uint32_t>(t_.counts[i]);
            below[i] = static_cast<std::uint32_t>(t_.counts[i + 1]);
        }
        for (unsigned half = 0; half < 2; ++half) {
            ngrams_[half] = load(ngrams + 8 * half);
            keys_[half] = load(keys + 8 * half);
        }
        counts_ = load(counts);
        below_ = load(below);
    }

    void run() {
        Group all[groups];
        for (Group& g : all) {
            g.active = g.scored = g.searching = 0;
            for (unsigned i = 0; i < lanes; ++i) {
                idle(g, i);
                if (next_ < text_.to) start(g, i);
            }
        }
        for (;;) {
            unsigned busy = 0;
            for (Group& g : all) {
                if (g.active) arrive(g);
                busy |= g.active;
            }
            if (!busy) return;
            for (Group& g : all)
                if (g.active) look(g);
        }
    }

private:
    /// A lane without a text finds nothing and asks for nothing new.
    void idle(Group& g, unsigned i) const {
        g.ngram[i] = reinterpret_cast<std::uint64_t>(t_.ngrams[0]);
        g.line[i] = reinterpret_cast<std::uint64_t>(no_keys);
        g.paid[i] = 0.0;
        g.length[i] = 1;
        g.at[i] = g.end[i] = g.word[i] = g.code[i] = g.suffix[i] = g.begin[i] = g.stop[i] = g.guess[i] = 0;
        g.size[i] = g.looks[i] = 0;
        g.backoff[i] = 0.0f;
        g.active = static_cast<__mmask16>(g.active & ~(1u << i));
        g.scored = static_cast<__mmask16>(g.scored & ~(1u << i));
    }

    /// The next span.
    void start(Group& g, unsigned i) {
        const NgramSpan& s = *next_++;
        const NgramState state = follow_start(text_, s);
        g.at[i] = static_cast<std::uint32_t>(s.begin);
        g.end[i] = static_cast<std::uint32_t>(s.end);
        g.length[i] = static_cast<std::uint32_t>(state.length);
        const std::uint64_t width = g.length[i] == t_.order && t_.order > 1 ? sizeof(NgramLeaf) : sizeof(NgramNode);
        g.ngram[i] = reinterpret_cast<std::uint64_t>(t_.ngrams[g.length[i] - 1]) + state.place * width;
        g.paid[i] = 0.0;
        g.active = static_cast<__mmask16>(g.active | 1u << i);
        g.scored = static_cast<__mmask16>(g.scored & ~(1u << i));
    }

    /// Reads the n-grams that were awaited, scores the words that they end in, and takes the next ones.
    void arrive(Group& g) {
        for (unsigned todo = g.active & ~g.searching; todo;) {
            const auto ended = step(g, static_cast<__mmask16>(todo));
            todo = 0;
            for (unsigned left = ended; left; left &= left - 1) {
                const auto i = static_cast<unsigned>(__builtin_ctz(left));
                idle(g, i);
                if (next_ == text_.to) continue;
                start(g, i);
                todo |= 1u << i;
            }
        }
    }

    /// The same for some of them; those whose span ended.
    __mmask16 step(Group& g, __mmask16 todo) const {
        const __m512i length = load(g.length), order = _mm512_sub_epi32(length, number(1));
        const __mmask16 leaf = t_.order > 1 ? _mm512_mask_cmpeq_epi32_mask(todo, length, order_) : __mmask16{0};
        __m256i first[2][2], second[2][2], next[2];  // halves of the group; the low and high parts of eight bytes
        const __m512i nothing = _mm512_setzero_si512();
        for (unsigned half = 0; half < 2; ++half) {
            const auto own = static_cast<__mmask8>(todo >> (8 * half)), node = static_cast<__mmask8>(own & ~(leaf >> (8 * half)));
            const __m512i address = load(g.ngram + 8 * half);
            const __m512i a = _mm512_mask_i64gather_epi64(nothing, own, address, nullptr, 1);
            const __m512i b = _mm512_mask_i64gather_epi64(nothing, node, _mm512_add_epi64(address, _mm512_set1_epi64(8)),
                                                          nullptr, 1);
            next[half] = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), node,
                                                     _mm512_add_epi64(address, _mm512_set1_epi64(28)), nullptr, 1);
            first[half][0] = _mm512_cvtepi64_epi32(a);
            first[half][1] = _mm512_cvtepi64_epi32(_mm512_srli_epi64(a, 32));
            second[half][0] = _mm512_cvtepi64_epi32(b);
            second[half][1] = _mm512_cvtepi64_epi32(_mm512_srli_epi64(b, 32));
        }
        const __m512i high = joined(first[0][1], first[1][1]);  // the back-off, or a leaf's suffix
        const __m512i suffix = _mm512_mask_mov_epi32(joined(second[0][0], second[1][0]), leaf, high);
        const __m512i children = joined(second[0][1], second[1][1]), children_end = joined(next[0], next[1]);
        const __m512i below = _mm512_permutexvar_epi32(order, below_);
        if (_mm512_cmpgt_epu32_mask(children, children_end) | _mm512_mask_cmpgt_epu32_mask(todo, children_end, below))
            follow_outside();
        _mm512_mask_store_epi32(g.suffix, todo, suffix);
        _mm512_mask_store_epi32(g.backoff, todo, _mm512_mask_mov_epi32(high, leaf, nothing));

        const __mmask16 scored = g.scored & todo;
        __m512i at = load(g.at);
        for (unsigned half = 0; half < 2; ++half) {
            const __m512d logprob = _mm512_cvtps_pd(_mm256_castsi256_ps(first[half][0]));
            const __m512d sum = _mm512_add_pd(_mm512_load_pd(g.paid + 8 * half), logprob);
            _mm512_mask_i32scatter_pd(text_.out, static_cast<__mmask8>(scored >> (8 * half)),
                                      half ? _mm512_extracti64x4_epi64(at, 1) : _mm512_castsi512_si256(at),
                                      _mm512_mul_pd(sum, _mm512_set1_pd(ln10)), 8);
        }
        at = _mm512_mask_add_epi32(at, scored, at, number(1));
        _mm512_store_si512(g.at, at);
        const __mmask16 ended = _mm512_mask_cmpeq_epi32_mask(todo, at, load(g.end));
        const auto going = static_cast<__mmask16>(todo & ~ended);

        // The word at each place, whether it is a new one or was not found yet.
        const __m512i word = _mm512_mask_i32gather_epi32(nothing, going, at, text_.words, 4);
        const __m512i code = _mm512_and_si512(_mm512_mullo_epi32(word, factor_), mask_);
        for (unsigned half = 0; half < 2; ++half)
            _mm512_mask_store_pd(g.paid + 8 * half, static_cast<__mmask8>((scored & going) >> (8 * half)), _mm512_setzero_pd());
        _mm512_mask_store_epi32(g.word, going, word);
        _mm512_mask_store_epi32(g.code, going, code);
        aim(g, going, order, code, children, children_end);
        return ended;
    }

    /// A share of `size` as large as that of `part` in all codes.
    __m512i share(__m512i part, __m512i size) const {
        const __m512i even = _mm512_srl_epi64(_mm512_mul_epu32(part, size), bits_);
        const __m512i odd = _mm512_srl_epi64(_mm512_mul_epu32(_mm512_srli_epi64(part, 32), _mm512_srli_epi64(size, 32)), bits_);
        return _mm512_or_si512(even, _mm512_slli_epi64(odd, 32));
    }

    /// Where among its children each looks first.
    void aim(Group& g, __mmask16 going, __m512i order, __m512i code, __m512i begin, __m512i stop) const {
        const __m512i size = _mm512_sub_epi32(stop, begin), guess = _mm512_add_epi32(begin, share(code, size));
        _mm512_mask_store_epi32(g.begin, going, begin);
        _mm512_mask_store_epi32(g.stop, going, stop);
        _mm512_mask_store_epi32(g.size, going, size);
        _mm512_mask_store_epi32(g.looks, going, _mm512_setzero_si512());
        ask(g, going, order, guess, _mm512_test_epi32_mask(size, size));
    }

    /// Prefetches the lines of the next look.
    void ask(Group& g, __mmask16 going, __m512i order, __m512i guess, __mmask16 some) const {
        _mm512_mask_store_epi32(g.guess, going, guess);
        const __m512i line = _mm512_and_si512(guess, number(~(lanes - 1)));
        for (unsigned half = 0; half < 2; ++half) {
            const __m256i low = half ? _mm512_extracti64x4_epi64(order, 1) : _mm512_castsi512_si256(order);
            const __m256i place = half ? _mm512_extracti64x4_epi64(line, 1) : _mm512_castsi512_si256(line);
            const __m512i base = _mm512_permutex2var_epi64(keys_[0], _mm512_cvtepu32_epi64(low), keys_[1]);
            const __m512i address = _mm512_add_epi64(base, _mm512_slli_epi64(_mm512_cvtepu32_epi64(place), 2));
            const __m512i none = _mm512_set1_epi64(reinterpret_cast<long long>(no_keys));
            _mm512_mask_store_epi64(g.line + 8 * half, static_cast<__mmask8>(going >> (8 * half)),
                                    _mm512_mask_mov_epi64(none, static_cast<__mmask8>(some >> (8 * half)), address));
        }
        for (unsigned i = 0; i < lanes; ++i) __builtin_prefetch(reinterpret_cast<const void*>(g.line[i]));
    }

    /// Looks at one line of keys for each. Those whose search ends by it go on; see LineSearch::look.
    void look(Group& g) const {
        for (unsigned i = 0; i < lanes; ++i) {
            const __m512i keys = load(reinterpret_cast<const void*>(g.line[i])), code = number(g.code[i]);
            g.equal[i] = _mm512_cmpeq_epi32_mask(keys, code);
            g.below[i] = _mm512_cmplt_epu32_mask(keys, code);
        }
        const __m512i begin = load(g.begin), stop = load(g.stop), one = number(1), width = number(lanes);
        const __m512i line = _mm512_and_si512(load(g.guess), number(~(lanes - 1)));
        const __m512i left = _mm512_sub_epi32(stop, line);
        const __m512i from = _mm512_sub_epi32(_mm512_max_epu32(begin, line), line), to = _mm512_min_epu32(left, width);
        const __m512i low = _mm512_sub_epi32(_mm512_sllv_epi32(one, from), one);
        const __m512i own = _mm512_andnot_si512(low, _mm512_sub_epi32(_mm512_sllv_epi32(one, to), one));
        const __m512i equal = _mm512_and_si512(load(g.equal), own), below = _mm512_and_si512(load(g.below), own);
        const __m512i either = _mm512_or_si512(equal, below);
        const __mmask16 before = _mm512_mask_cmpgt_epu32_mask(_mm512_testn_epi32_mask(either, either), line, begin);
        const __mmask16 after = _mm512_mask_cmpgt_epu32_mask(_mm512_cmpeq_epi32_mask(below, own), left, width);
        g.searching = static_cast<__mmask16>((before | after) & g.active);
        // The place of the only bit: 31 less the zeros before it.
        const __m512i place = _mm512_sub_epi32(_mm512_add_epi32(line, number(31)), _mm512_lzcnt_epi32(equal));
        const auto settled = static_cast<__mmask16>(g.active & ~g.searching);
        advance(g, settled, _mm512_mask_test_epi32_mask(settled, equal, equal), place);
        if (g.searching) look_on(g, before & g.searching, line, begin, stop);
    }

    /// Where those look next that are not done: below their line or above it.
    void look_on(Group& g, __mmask16 before, __m512i line, __m512i begin, __m512i stop) const {
        const __mmask16 more = g.searching;
        const __m512i last = _mm512_mask_mov_epi32(number(lanes - 1), before, _mm512_setzero_si512());
        __m256i edges[2];
        for (unsigned half = 0; half < 2; ++half) {
            const __m256i offset = half ? _mm512_extracti64x4_epi64(last, 1) : _mm512_castsi512_si256(last);
            const __m512i address = _mm512_add_epi64(load(g.line + 8 * half), _mm512_slli_epi64(_mm512_cvtepu32_epi64(offset), 2));
            edges[half] = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), static_cast<__mmask8>(more >> (8 * half)), address,
                                                      nullptr, 1);
        }
        const __m512i edge = joined(edges[0], edges[1]), code = load(g.code), one = number(1);
        const __m512i apart = _mm512_mask_sub_epi32(_mm512_sub_epi32(code, edge), before, edge, code);
        const __m512i away = share(apart, load(g.size));
        stop = _mm512_mask_mov_epi32(stop, before, line);
        begin = _mm512_mask_mov_epi32(_mm512_add_epi32(line, number(lanes)), before, begin);
        const __m512i left = _mm512_sub_epi32(stop, begin), looks = _mm512_add_epi32(load(g.looks), one);
        const __mmask16 near = _mm512_mask_cmplt_epu32_mask(_mm512_cmplt_epu32_mask(looks, number(most_looks)), away, left);
        __m512i guess = _mm512_add_epi32(begin, _mm512_srli_epi32(left, 1));
        guess = _mm512_mask_add_epi32(guess, near, begin, away);
        guess = _mm512_mask_sub_epi32(guess, near & before, _mm512_sub_epi32(stop, one), away);
        _mm512_mask_store_epi32(g.begin, more, begin);
        _mm512_mask_store_epi32(g.stop, more, stop);
        _mm512_mask_store_epi32(g.looks, more, looks);
        ask(g, more, _mm512_sub_epi32(load(g.length), one), guess, more);
    }

    /// Goes on to the child that has the word, or else to the suffix.
    void advance(Group& g, __mmask16 settled, __mmask16 found, __m512i child) const {
        const __m512i one = number(1);
        __m512i length = load(g.length);
        const auto lost = static_cast<__mmask16>(settled & ~found);
        const __mmask16 alone = _mm512_mask_cmpeq_epi32_mask(lost, length, one);  // no shorter history is left
        const __m512 backoff = _mm512_load_ps(g.backoff);
        for (unsigned half = 0; half < 2; ++half) {
            const __m256 own = half ? _mm512_extractf32x8_ps(backoff, 1) : _mm512_castps512_ps256(backoff);
            const __m512d paid = _mm512_load_pd(g.paid + 8 * half);
            _mm512_store_pd(g.paid + 8 * half, _mm512_mask_add_pd(paid, static_cast<__mmask8>(lost >> (8 * half)), paid,
                                                                  _mm512_cvtps_pd(own)));
        }
        __m512i place = load(g.suffix);
        place = _mm512_mask_mov_epi32(place, alone, load(g.word));
        place = _mm512_mask_mov_epi32(place, found, child);
        const __m512i shorter = _mm512_mask_sub_epi32(length, static_cast<__mmask16>(lost & ~alone), length, one);
        length = _mm512_mask_add_epi32(shorter, found, length, one);
        g.scored = static_cast<__mmask16>(found | alone);
        const __m512i order = _mm512_sub_epi32(length, one);
        if (_mm512_mask_cmpge_epu32_mask(settled, place, _mm512_permutexvar_epi32(order, counts_))) follow_outside();
        const __mmask16 leaf = t_.order > 1 ? _mm512_cmpeq_epi32_mask(length, order_) : __mmask16{0};
        for (unsigned half = 0; half < 2; ++half) {
            const __m256i low = half ? _mm512_extracti64x4_epi64(order, 1) : _mm512_castsi512_si256(order);
            const __m256i own = half ? _mm512_extracti64x4_epi64(place, 1) : _mm512_castsi512_si256(place);
            const __m512i base = _mm512_permutex2var_epi64(ngrams_[0], _mm512_cvtepu32_epi64(low), ngrams_[1]);
            const __m512i wide = _mm512_cvtepu32_epi64(own);
            const __m512i offset = _mm512_mask_slli_epi64(_mm512_slli_epi64(wide, 4), static_cast<__mmask8>(leaf >> (8 * half)),
                                                          wide, 3);
            _mm512_mask_store_epi64(g.ngram + 8 * half, static_cast<__mmask8>(settled >> (8 * half)),
                                    _mm512_add_epi64(base, offset));
        }
        _mm512_store_si512(g.length, length);
        for (unsigned i = 0; i < lanes; ++i) {
            const auto* ngram = reinterpret_cast<const std::uint8_t*>(g.ngram[i]);
            __builtin_prefetch(ngram);
            __builtin_prefetch(ngram + 28);  // where its children end: one time in four a line on
        }
    }

    const FollowTables& t_;
    const FollowText& text_;
    const NgramSpan* next_;
    __m512i order_, factor_, mask_;
    __m128i bits_;
    __m512i ngrams_[2], keys_[2], counts_, below_;
};

static_assert(sizeof(NgramNode) == 16 && sizeof(NgramLeaf) == 8 && offsetof(NgramNode, suffix) == 8 &&
              offsetof(NgramNode, child) == 12 && offsetof(NgramLeaf, suffix) == 4 && max_order == 16);

}  // namespace

void follow_avx512(const FollowTables& tables, const FollowText& text) { Follower(tables, text).run(); }

}  // namespace bitmeter
#else
namespace bitmeter {
void follow_avx512(const FollowTables&, const FollowText&) {}  // other processors: never called
}  // namespace bitmeter
#endif
