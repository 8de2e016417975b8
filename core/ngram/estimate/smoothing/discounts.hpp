// The discounts of modified Kneser-Ney under which a held-out text is likeliest.
//
// With the adjusted counts of the trie, the probability of a held-out word is, from the shortest history to the longest
// that was seen,
//
//     p_o = (c - D_o(c)) / total + sum_j D_o(j) n_j / total * p_{o-1},    p_0 = 1/V,
//
// with n_j words of count j after the history. It is differentiable in the three discounts of each order, so that the
// mean log-probability is maximised by BFGS from the estimated discounts. D(j) = j / (1 + exp(-x)) keeps 0 < D(j) < j.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ngram/estimate/walk.hpp"

namespace bitmeter {

/// For counts 1, 2, and 3 or more.
using ThreeDiscounts = std::array<double, 3>;

struct TunedDiscounts {
    std::vector<ThreeDiscounts> discounts;  // by order - 1, to six decimals
    std::uint64_t words = 0;                // of the held-out text that were used; with none, nothing is tuned
    double before = 0.0, after = 0.0;       // ln p per word
    int rounds = 0;
};

/// The counts of the trie are adjusted ones, `estimated` the discounts to begin with, `heldout` sentences of word numbers,
/// each closed by word_end; `closed`: <unk> is impossible. Of a long text, about the first million words are used.
TunedDiscounts tuned_discounts(const CountedTrie& trie, const std::vector<ThreeDiscounts>& estimated,
                               const std::vector<std::uint32_t>& heldout, bool closed);

}  // namespace bitmeter
