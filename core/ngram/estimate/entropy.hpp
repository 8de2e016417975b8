// Pruning by relative entropy (Stolcke, "Entropy-based pruning of backoff language models", 1998): removes n-grams whose
// probability the back-off approximates well.
//
// The probability of a history is not taken from the lower orders, which under Kneser-Ney are not marginals of the higher
// ones. It is the stationary distribution of the model itself, as a Markov chain over its states, found by repeated linear
// passes over the n-grams.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ngram/format/model.hpp"

namespace bitmeter {

/// The share of places of an endless text by this model before which stands each n-gram that can be a history, by its
/// length - 1. Those of one length: the shares of the words sum to one, word_begin standing where a sentence begins.
/// Throws NgramFormatError where the model is damaged.
std::vector<std::vector<double>> history_shares(const NgramModel& model);

struct PrunedNgrams {
    std::unique_ptr<NgramModel> model;
    double divergence = 0.0;  // D(before || after), nats per word, by Stolcke's formula summed over histories
};

/// Leaves out each n-gram (but no single word) that raises the perplexity by less than the share `threshold`, unless a
/// longer one that stays begins or ends in it. Probabilities that stay do not change; back-offs do, so that all sums are
/// what they were.
PrunedNgrams prune_by_entropy(const NgramModel& model, double threshold);

}  // namespace bitmeter
