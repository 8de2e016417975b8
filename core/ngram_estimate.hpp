// Estimating a model from a text, with the counts and corner cases of KenLM's lmplz:
//
// - sentences are preceded by one word_begin and closed by word_end; n-grams do not cross them;
// - the count of an n-gram below the highest order is the number of different words seen before it, except where it
//   begins a sentence: there, and at the highest order, it is how often it occurred;
// - modified Kneser-Ney (see ngram_smooth.hpp): with n_j n-grams of count j and Y = n_1/(n_1 + 2 n_2), the discounts are
//   D_j = j - (j + 1) Y n_{j+1}/n_j for j = 1, 2 and 3 (or more); where they are undefined or outside of [0, j], 1/2, 1
//   and 3/2 stand for them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ngram_keys.hpp"
#include "ngram_model.hpp"
#include "ngram_smooth.hpp"
#include "ngram_text.hpp"

namespace bitmeter {

/// The stages of an estimation, to be called in order; between two of them a caller may look at its clock or give up.
/// Results do not depend on the number of threads.
class NgramEstimator {
public:
    /// The text must stay as it is until the estimation ends. Throws std::length_error where it is too long to count.
    NgramEstimator(const NgramText& text, int order, unsigned threads);
    void sort();   // all n-grams of the highest order, in the order of the trie
    void grow();   // the trie with the number of occurrences
    void link();   // suffixes, and with them the adjusted counts
    /// Discounts, probabilities, back-offs, and the n-grams that the plan drops. Jelinek-Mercer finds its weights on the
    /// held-out text, or where there is none by holding out a part of its own.
    void weigh(SmoothingPlan plan = {}, const NgramText* heldout = nullptr);
    std::unique_ptr<NgramModel> model(std::string_view note);  // sealed; ends the estimation

    const std::vector<OrderStatistics>& statistics() const { return statistics_; }
    const Heldout& heldout() const { return heldout_; }

private:
    void count_kinds();
    void last_chain();
    std::vector<std::uint32_t> numbered(const NgramText& other) const;

    const NgramText& text_;
    int order_;
    unsigned threads_;
    std::unique_ptr<NgramKeys> keys_;
    std::unique_ptr<NgramModel> model_;
    std::vector<std::vector<std::uint32_t>> raw_, adjusted_;  // by order - 1
    std::vector<OrderStatistics> statistics_;
    Heldout heldout_;
};

}  // namespace bitmeter
