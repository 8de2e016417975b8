// The weights of Jelinek-Mercer interpolation, by expectation-maximisation on text that the counts do not hold.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "ngram/estimate/walk.hpp"

namespace bitmeter {

/// Histories are alike when the logarithms of their counts are: 1, 2-3, 4-7, 8-15...
constexpr int history_buckets = 32;

inline int history_bucket(std::uint64_t count) {
    const int found = static_cast<int>(std::bit_width(count)) - 1;
    return found < 0 ? 0 : found >= history_buckets ? history_buckets - 1 : found;
}

/// The share of an order's own estimate, by order - 1 and bucket of the history's count.
using HeldoutWeights = std::array<std::array<double, history_buckets>, max_order>;

struct Heldout {
    HeldoutWeights weights{};
    std::uint64_t words = 0;  // held out; with none, all weights are one half
    int rounds = 0;
};

/// Sentences of word numbers, each closed by word_end, that the counts of the trie, which are occurrences, do not hold.
/// Threads change nothing in the result.
Heldout weights_from(const CountedTrie& trie, const std::vector<std::uint32_t>& heldout, unsigned threads);

/// The same from the counted text itself: every tenth sentence is taken out of the counts (in a long text fewer, so that
/// no more than about a million words are), for the estimation of the weights only.
Heldout weights_within(const NgramModel& model, const std::array<const std::uint32_t*, max_order>& raw,
                       std::span<const std::uint32_t> text, PageStore& store, unsigned threads);

}  // namespace bitmeter
