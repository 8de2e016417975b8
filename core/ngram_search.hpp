// Finding one child of a node.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bitmeter {

constexpr std::uint64_t no_child = ~std::uint64_t{0};

/// Keys that share a line of the cache; lists of them begin at a line.
constexpr std::uint64_t line_keys = 16;

/// Which of the sixteen keys of a line equal a code, and which are below it; bit i stands for the key i.
struct LineMasks {
    std::uint32_t equal, below;
};

inline LineMasks compare_line(const std::uint32_t* line, std::uint32_t code) {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(code));
    __m128i equal[4], below[4];
    for (int i = 0; i < 4; ++i) {
        const __m128i found = _mm_load_si128(reinterpret_cast<const __m128i*>(line) + i);
        equal[i] = _mm_cmpeq_epi32(found, wanted);
        below[i] = _mm_cmplt_epi32(found, wanted);  // codes have at most 31 bits
    }
    auto mask = [](const __m128i* parts) {
        const __m128i low = _mm_packs_epi32(parts[0], parts[1]), high = _mm_packs_epi32(parts[2], parts[3]);
        return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
    };
    return {mask(equal), mask(below)};
#else
    LineMasks result{0, 0};
    for (std::uint32_t i = 0; i < line_keys; ++i) {
        result.equal |= std::uint32_t{line[i] == code} << i;
        result.below |= std::uint32_t{line[i] < code} << i;
    }
    return result;
#endif
}

/// Where to look first for a code among `size` children from `begin` on: codes are spread evenly over `bits` bits.
inline std::uint64_t guess_child(std::uint64_t begin, std::uint64_t size, std::uint32_t code, unsigned bits) {
    return begin + ((code * size) >> bits);
}

/// Which child a search found. Both numbers are there either way, so that a caller can go on without a branch.
struct FoundChild {
    std::uint64_t place;
    bool hit;
};

/// Looks for `code` in keys[begin, end), which ascend. The list of all keys begins at a line and is readable to the end
/// of its last one. Whole lines are compared at once, since which of its keys it is cannot be foreseen; most searches
/// end in the first.
inline FoundChild search_child(const std::uint32_t* keys, std::uint64_t begin, std::uint64_t end, std::uint32_t code,
                                unsigned bits) {
    if (begin >= end) return {0, false};
    const std::uint64_t size = end - begin;
    std::uint64_t guess = guess_child(begin, size, code, bits);
    for (int step = 0;; ++step) {
        const std::uint64_t line = guess & ~(line_keys - 1);
        const auto [equal, below] = compare_line(keys + line, code);
        const std::uint64_t from = std::max(begin, line) - line, to = std::min(end - line, line_keys);
        const std::uint32_t own = ((std::uint32_t{1} << to) - 1) & ~((std::uint32_t{1} << from) - 1);
        const std::uint32_t found = equal & own;
        const bool before = (((below | equal) & own) == 0) & (line > begin);
        const bool after = ((below & own) == own) & (line + line_keys < end);
        if (!(before | after)) return {line + static_cast<std::uint64_t>(std::countr_zero(found | 1u << 16)), found != 0};
        std::uint64_t away;
        if (before) {
            away = (std::uint64_t{keys[line] - code} * size) >> bits;
            end = line;
            guess = end - 1 - away;
        } else {
            begin = line + line_keys;
            away = (std::uint64_t{code - keys[begin - 1]} * size) >> bits;
            guess = begin + away;
        }
        if (step >= 4 || away >= end - begin) guess = begin + (end - begin) / 2;
    }
}

/// The place of `code` in keys[begin, end); no_child if it is not there.
inline std::uint64_t find_child(const std::uint32_t* keys, std::uint64_t begin, std::uint64_t end, std::uint32_t code,
                                unsigned bits) {
    const auto [place, hit] = search_child(keys, begin, end, code, bits);
    return hit ? place : no_child;
}

}  // namespace bitmeter
