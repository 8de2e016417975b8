// Interpolation search for a child of a node.
#pragma once

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

/// How any processor compares them.
struct AnyLines {
    static std::uint32_t equal(const std::uint32_t* line, std::uint32_t code) { return compare(line, code).equal; }
    static LineMasks compare(const std::uint32_t* line, std::uint32_t code) {
#if defined(__SSE2__)
        const __m128i wanted = _mm_set1_epi32(static_cast<int>(code));
        __m128i equal[4], below[4];
        for (int i = 0; i < 4; ++i) {
            const __m128i found = _mm_loadu_si128(reinterpret_cast<const __m128i*>(line) + i);
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
};

/// A search among ascending keys[begin, end), one cache line at a time: all keys of a line are compared at once, since
/// branches on them would be mispredicted. The list of all keys is aligned to lines and readable to the end of its last one.
template <class Lines>
struct LineSearch {
    std::uint64_t begin, end;
    std::uint64_t size;   // when it began
    std::uint64_t guess;  // where to look next, or what was found
    bool hit;

    LineSearch() = default;
    LineSearch(std::uint64_t from, std::uint64_t to, std::uint64_t first_guess)
        : begin(from), end(to), size(to - from), guess(first_guess), hit(false) {}

    /// Looks at one line; whether the search goes on. Most end with the first, since codes are spread evenly over their
    /// `bits` bits and the guess by proportion is near.
    bool look(const std::uint32_t* keys, std::uint32_t code, unsigned bits, bool halve = false) {
        const std::uint64_t line = guess & ~(line_keys - 1);
        const auto [equal, below] = Lines::compare(keys + line, code);
        const std::uint64_t from = begin > line ? begin - line : 0, to = end - line < line_keys ? end - line : line_keys;
        const std::uint32_t own = ((std::uint32_t{1} << to) - 1) & ~((std::uint32_t{1} << from) - 1);
        const std::uint32_t found = equal & own;
        const bool before = (((below | equal) & own) == 0) & (line > begin);
        const bool after = ((below & own) == own) & (line + line_keys < end);
        hit = found != 0;
        if (!(before | after)) {
            guess = line + static_cast<std::uint64_t>(__builtin_ctz(found | 1u << line_keys));
            return false;
        }
        turn(keys, code, bits, line, before, halve);
        return true;
    }

    /// After a line that all of it is before, or behind: where to look next.
    void turn(const std::uint32_t* keys, std::uint32_t code, unsigned bits, std::uint64_t line, bool before, bool halve) {
        const std::uint32_t edge = keys[before ? line : line + line_keys - 1];
        const std::uint64_t away = (std::uint64_t{before ? edge - code : code - edge} * size) >> bits;
        end = before ? line : end;
        begin = before ? begin : line + line_keys;
        const bool near = (away < end - begin) & !halve;
        guess = near ? (before ? end - 1 - away : begin + away) : begin + (end - begin) / 2;
    }

    /// Goes on to the end; by halves where the codes are not as even as they should be.
    void finish(const std::uint32_t* keys, std::uint32_t code, unsigned bits) {
        for (int step = 0; look(keys, code, bits, step >= 4); ++step) {
        }
    }
};

/// The same for one search alone: the place of `code`, no_child if it is not there.
inline std::uint64_t find_in_lines(const std::uint32_t* keys, std::uint64_t begin, std::uint64_t end, std::uint32_t code,
                                   unsigned bits) {
    if (begin >= end) return no_child;
    LineSearch<AnyLines> search(begin, end, begin + ((std::uint64_t{code} * (end - begin)) >> bits));
    search.finish(keys, code, bits);
    return search.hit ? search.guess : no_child;
}

/// As find_in_lines, for keys that lie anywhere: nothing outside of [begin, end) is read.
inline std::uint64_t find_child(const std::uint32_t* keys, std::uint64_t begin, std::uint64_t end, std::uint32_t code,
                                unsigned bits) {
    constexpr std::uint64_t few = 8;
    if (end - begin > few) {
        // The first guess needs no division, since the codes lie in all of [0, 2^bits).
        std::uint64_t low = 0, high = std::uint64_t{1} << bits;
        std::uint64_t place = begin + ((std::uint64_t{code} * (end - begin)) >> bits);
        for (int step = 0;; ++step) {
            const std::uint32_t found = keys[place];
            if (found == code) return place;
            if (found < code) {
                begin = place + 1;
                low = std::uint64_t{found} + 1;
            } else {
                end = place;
                high = found;
            }
            if (end - begin <= few) break;
            if (code < low || code >= high) return no_child;
            // Proportion first; halves where the codes are not as even as they should be.
            place = step < 4 ? begin + ((code - low) * (end - begin)) / (high - low) : begin + (end - begin) / 2;
        }
    }
    if (begin == end) return no_child;
    // Branch-free: a branch per key would be mispredicted.
    std::uint64_t found = no_child;
    for (std::uint64_t i = 0; i < few; ++i) {
        const std::uint64_t place = begin + i < end ? begin + i : end - 1;
        found = keys[place] == code ? place : found;
    }
    return found;
}

}  // namespace bitmeter
