// Compiled with this instruction set's own flags (see CMakeLists.txt); never called where the processor lacks it. It must
// not call inline functions that are used elsewhere too, since the linker may keep this file's copy.
#include "ngram/format/search.hpp"
#include "ngram/follow/kernel.hpp"
#include "util/once.hpp"

#if defined(__AVX2__)
#include <immintrin.h>

namespace bitmeter {
namespace {

struct Lines {
    static std::uint32_t mask(__m256i first, __m256i second) {
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(first))) |
               static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(second))) << 8;
    }
    static std::uint32_t equal(const std::uint32_t* line, std::uint32_t code) {
        const __m256i wanted = _mm256_set1_epi32(static_cast<int>(code));
        const auto* const keys = reinterpret_cast<const __m256i*>(line);
        return mask(_mm256_cmpeq_epi32(_mm256_load_si256(keys), wanted), _mm256_cmpeq_epi32(_mm256_load_si256(keys + 1), wanted));
    }
    static LineMasks compare(const std::uint32_t* line, std::uint32_t code) {
        const __m256i wanted = _mm256_set1_epi32(static_cast<int>(code));
        const auto* const keys = reinterpret_cast<const __m256i*>(line);
        const __m256i low = _mm256_load_si256(keys), high = _mm256_load_si256(keys + 1);
        return {mask(_mm256_cmpeq_epi32(low, wanted), _mm256_cmpeq_epi32(high, wanted)),
                mask(_mm256_cmpgt_epi32(wanted, low), _mm256_cmpgt_epi32(wanted, high))};  // codes have at most 31 bits
    }
};

}  // namespace
}  // namespace bitmeter

#include "ngram/follow/lanes.inc"

namespace bitmeter {
void follow_avx2(const FollowTables& tables, const FollowText& text) { Follower(tables, text).run(); }
}  // namespace bitmeter
#else
namespace bitmeter {
void follow_avx2(const FollowTables&, const FollowText&) {}  // other processors: never called
}  // namespace bitmeter
#endif
