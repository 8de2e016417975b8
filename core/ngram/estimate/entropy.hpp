// Pruning by relative entropy (Stolcke, "Entropy-based pruning of backoff language models", 1998): an n-gram goes where
// leaving its probability to the back-off costs next to nothing.
//
// How often a history comes is not read off the lower orders of the model: under Kneser-Ney they are no marginals of the
// higher ones. It is the stationary distribution of the model itself, as a chain over its own states whose sentences
// follow each other, found by repeated linear passes over the n-grams.
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
    double divergence = 0.0;  // D(before || after), nats a word, by Stolcke's formula summed over histories
};

/// Leaves out each n-gram (but no single word) that raises the perplexity by less than the share `threshold`, unless a
/// longer one that stays begins or ends in it. Probabilities that stay do not change; back-offs do, so that all sums are
/// what they were.
PrunedNgrams prune_by_entropy(const NgramModel& model, double threshold);

}  // namespace bitmeter
