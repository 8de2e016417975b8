// Repeats in a text from its suffix array: longest previous factors, Lempel-Ziv parsings, and block counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitmeter {

/// For each place i, the length of the longest string that starts at i and also at some earlier place. The two may
/// overlap. Linear time. Throws invalid_argument if `suffixes` holds a place outside of the text.
template <class Symbol, class Index>
std::vector<Index> longest_previous(const Symbol* text, const Index* suffixes, std::size_t n, unsigned threads);

/// Phrases of Lempel and Ziv's 1976 parsing: each is the shortest string that has not begun earlier.
template <class Index>
std::size_t lz76_phrases(const Index* longest, std::size_t n);

/// Means over places i = 1 .. n-1, with L = 1 + longest[i] and l = log2(i + 1).
struct MatchMeans {
    double length_over_log = 0.0;  // of L / l
    double log_over_length = 0.0;  // of l / L
};
template <class Index>
MatchMeans match_means(const Index* longest, std::size_t n, unsigned threads);

/// Phrases of Lempel and Ziv's 1978 parsing: each is the shortest string that is not yet in the dictionary; a rest that
/// is in it counts as a phrase.
template <class Symbol>
std::size_t lz78_phrases(const Symbol* text, std::size_t n);

/// How many symbols each suffix shares with the one before it in the suffix array; the first shares none.
template <class Symbol, class Index>
std::vector<Index> common_prefixes(const Symbol* text, const Index* suffixes, std::size_t n, unsigned threads);

/// How the strings of one length are spread: `kinds[j]` different ones occur `counts[j]` times each.
struct Blocks {
    std::vector<std::int64_t> counts;  // ascending
    std::vector<std::int64_t> kinds;
    std::int64_t last = 0;  // how often the text's last such string occurs
};
/// `common` as from common_prefixes; 1 <= length <= n.
template <class Index>
Blocks count_blocks(const Index* suffixes, const Index* common, std::size_t n, std::size_t length);

#define BITMETER_MATCHES_TEXT(Symbol, Index)                                                                        \
    extern template std::vector<Index> longest_previous(const Symbol*, const Index*, std::size_t, unsigned);        \
    extern template std::vector<Index> common_prefixes(const Symbol*, const Index*, std::size_t, unsigned);
#define BITMETER_MATCHES_INDEX(Index)                                                                               \
    BITMETER_MATCHES_TEXT(std::uint8_t, Index)                                                                      \
    BITMETER_MATCHES_TEXT(std::uint16_t, Index)                                                                     \
    BITMETER_MATCHES_TEXT(std::uint32_t, Index)                                                                     \
    extern template std::size_t lz76_phrases(const Index*, std::size_t);                                            \
    extern template MatchMeans match_means(const Index*, std::size_t, unsigned);                                    \
    extern template Blocks count_blocks(const Index*, const Index*, std::size_t, std::size_t);
BITMETER_MATCHES_INDEX(std::int32_t)
BITMETER_MATCHES_INDEX(std::int64_t)
#undef BITMETER_MATCHES_INDEX
#undef BITMETER_MATCHES_TEXT

extern template std::size_t lz78_phrases(const std::uint8_t*, std::size_t);
extern template std::size_t lz78_phrases(const std::uint16_t*, std::size_t);
extern template std::size_t lz78_phrases(const std::uint32_t*, std::size_t);

}  // namespace bitmeter
