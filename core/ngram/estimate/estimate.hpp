// Estimating a model from a text, with the counts and corner cases of KenLM's lmplz:
//
// - sentences are preceded by one word_begin and closed by word_end; n-grams do not cross them;
// - the count of an n-gram below the highest order is the number of different words seen before it, except where it
//   begins a sentence: there, and at the highest order, it is how often it occurred;
// - modified Kneser-Ney (see smooth.hpp): with n_j n-grams of count j and Y = n_1/(n_1 + 2 n_2), the discounts are
//   D_j = j - (j + 1) Y n_{j+1}/n_j for j = 1, 2 and 3 (or more); if undefined or outside of [0, j], they are 1/2, 1 and
//   3/2.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ngram/sort/keys.hpp"
#include "ngram/estimate/slices/slices.hpp"
#include "ngram/estimate/smoothing/smooth.hpp"
#include "ngram/estimate/text.hpp"
#include "ngram/format/model.hpp"
#include "util/pages.hpp"
#include "util/watch.hpp"

namespace bitmeter {

/// Resources of an estimation.
struct NgramMeans {
    unsigned threads = 0;
    PageStore* store = nullptr;   // where its arrays are; in memory without one
    Watch* watch = nullptr;       // reports the progress of each stage
    bool raw = false;             // keep how often n-grams below the highest order occurred
    std::uint64_t most_keys = 0;  // n-grams sorted at once; 0: as many as the store allows
};

/// The stages of an estimation, to be called in order; between two of them a caller may look at its clock or give up.
/// Results do not depend on the number of threads.
class NgramEstimator {
public:
    /// The text must stay as it is until the estimation ends. Throws std::length_error where it is too long to count.
    NgramEstimator(const NgramText& text, int order, NgramMeans means);
    NgramEstimator(const NgramText& text, int order, unsigned threads)
        : NgramEstimator(text, order, NgramMeans{.threads = threads, .raw = true}) {}
    /// Of a text that was counted in parts: the files of its merged partitions, instead of sorting. See runs.hpp.
    void use_runs(std::vector<std::string> files) { files_ = std::move(files); }
    void sort();   // all n-grams of the highest order, in the order of the trie
    void grow();   // the trie with the number of occurrences
    void link();   // suffixes, and with them the adjusted counts
    /// Discounts, probabilities, back-offs, and the n-grams that the plan drops. Jelinek-Mercer finds its weights on the
    /// held-out text, or where there is none by holding out a part of its own; modified Kneser-Ney tunes its discounts on
    /// the held-out text if there is one.
    void weigh(SmoothingPlan plan = {}, const NgramText* heldout = nullptr);
    // The last two stages where other processes do them in slices: see slices/slices.hpp. In by_slices.cpp.
    /// Discounts from the sums of all slices: how many n-grams have each count, by order - 2, and the adjusted counts of the
    /// text's last n-grams; and what is learned from a held-out text. Completes the plan.
    void settle(SlicePlan& plan, const std::vector<std::array<std::uint64_t, most_discounted + 2>>& kinds,
                const std::vector<std::uint32_t>& last, const NgramText* heldout);
    /// The probabilities of single words, and a file of them for the slices.
    void weigh_words(const SlicePlan& plan, const std::string& path);
    /// The model from the slices that are finished, of which so many n-grams stay by slice and order - 1.
    void join(const SlicePlan& plan, const std::vector<std::vector<std::uint64_t>>& kept);

    std::unique_ptr<NgramModel> model(std::string_view metadata);  // sealed; ends the estimation

    const std::vector<OrderStatistics>& statistics() const { return statistics_; }
    const Heldout& heldout() const { return heldout_; }
    /// Where modified Kneser-Ney had a held-out text.
    const TunedDiscounts& tuned() const { return tuned_; }
    /// How many runs were sorted and merged: one where all was sorted in memory.
    std::size_t runs() const { return runs_; }
    /// Bytes of memory without which an estimation cannot be made: the vocabulary, and what has to be known of each word.
    static std::uint64_t least_memory(const NgramText& text, int order, unsigned threads);
    /// Whether the store can hold all n-grams while they are sorted.
    static bool sorts_in_memory(const NgramText& text, int order, const PageStore& store);
    /// Bytes of disk that it needs at most where it does not fit into memory.
    static std::uint64_t most_disk(const NgramText& text, int order);

private:
    void count_kinds();
    template <class Adjusted>
    void correct_last(Adjusted&& adjusted);
    NgramShape shape_of_words() const;
    std::vector<std::uint32_t> word_counts(const SlicePlan& plan) const;
    void learn(SmoothingPlan& plan, const CountedTrie& trie, const NgramText& heldout);
    std::vector<std::uint32_t> numbered(const NgramText& other) const;
    void name_words();
    void link_order(int order);

    const NgramText& text_;
    int order_;
    unsigned threads_;
    PageStore own_store_;
    Watch own_watch_;
    PageStore& store_;
    Watch& watch_;
    bool keep_raw_;
    std::uint64_t most_keys_;
    std::vector<std::string> files_;
    std::size_t runs_ = 0;
    std::uint64_t key_bytes_ = 0;  // that are in memory until the trie has grown
    std::unique_ptr<NgramKeys> keys_;
    std::unique_ptr<NgramModel> model_;
    // By order - 1. Below the highest order, raw ones are kept only if asked for; at the highest, both are one.
    std::vector<PageArray<std::uint32_t>> raw_, adjusted_;
    std::vector<OrderStatistics> statistics_;
    std::vector<double> words_;  // their probabilities, of an estimation in slices
    Heldout heldout_;
    TunedDiscounts tuned_;
};

/// lmplz goes through the n-grams ordered from their last word to their first, and counts the very last one of each
/// order below the highest by its occurrences instead of its adjusted count, adjusted(order, words from the last to the
/// first). On a small text that moves the discounts.
template <class Adjusted>
void NgramEstimator::correct_last(Adjusted&& adjusted) {
    const LastChain chain = text_.chain(order_);
    if (chain.empty()) return;
    const auto& [words, times] = chain;
    for (int o = 1; o < order_; ++o) {
        if (o > 1 && words[static_cast<std::size_t>(o - 1)] == word_begin) return;  // those that begin a sentence are counted alike
        auto& kinds = statistics_[o - 1].kinds;
        const std::uint32_t count = adjusted(o, words);
        if (count >= 1 && count <= 4) --kinds[count];
        if (const std::uint64_t raw = times[static_cast<std::size_t>(o - 1)]; raw >= 1 && raw <= 4) ++kinds[raw];
    }
}

}  // namespace bitmeter
