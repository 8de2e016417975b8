// Smoothing: from counts to a trie of log-probabilities and back-offs.
//
// With c(hw) the count of a word w after a history h, c(h) that of all words after it, h' the history without its first
// word, and V the number of words with <unk> and </s> but without <s>, the probability of a word that was seen is
//
//     p(w|h) = (c(hw) - D) / total(h) + lower(h) p(w|h')     and of one that was not     backoff(h) p(w|h');
//
// below single words stands the uniform distribution 1/V. Each method is a choice of these four:
//
//     maximum likelihood   D = 0; total = c(h); lower = backoff = 0: what was not seen is impossible
//     lidstone             D = 0; total = c(h) + delta V; lower = backoff = delta V / total; only after whole
//                          histories (the longest, or those that begin a sentence): all others know nothing, 1/V
//     Jelinek-Mercer       D = 0; total = c(h)/x; lower = backoff = 1 - x; x by order and bucket of c(h)
//     Witten-Bell          D = 0; total = c(h) + t(h), with t(h) different words after h; lower = backoff = t(h) / total
//     Katz                 D by Good and Turing up to count 5; total = c(h); lower = 0; backoff so that all sums to one
//     absolute             one D; total = c(h); lower = backoff = what D takes off / total
//     Kneser-Ney           the same on adjusted counts (see ngram/estimate/estimate.hpp)
//     modified Kneser-Ney  the same with three D, for counts 1, 2, and 3 or more
//     stupid back-off      D = 0; total = c(h) / alpha^k, with k words fewer in h than in the longest history (none fewer
//                          where it begins a sentence); lower = 0; backoff = 1: no distribution
//
// A history that was never seen has no node: it is shortened until it was, at no cost.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "ngram/estimate/smoothing/discounts.hpp"
#include "ngram/estimate/smoothing/heldout.hpp"
#include "ngram/format/model.hpp"
#include "util/pages.hpp"
#include "util/watch.hpp"

namespace bitmeter {

enum class Smoothing {
    maximum_likelihood,
    lidstone,
    jelinek_mercer,
    witten_bell,
    katz,
    absolute,
    kneser_ney,
    modified_kneser_ney,
    stupid_backoff,
};

/// By its name, such as "witten-bell". Throws std::invalid_argument.
Smoothing smoothing_named(std::string_view name);

/// The highest count with a discount of its own; beyond it, all are as the next.
constexpr int most_discounted = 5;

struct OrderStatistics {
    std::array<std::uint64_t, most_discounted + 2> kinds{};  // [j]: how many n-grams have count j, for j = 1..6
    std::array<double, most_discounted + 2> discounts{};     // [j]: what is taken off count j
    int last = 3;                                            // the discount of this count is that of all above it
    bool fallback = false;                                   // the discounts could not be estimated
};

struct SmoothingPlan {
    Smoothing method = Smoothing::modified_kneser_ney;
    double parameter = std::numeric_limits<double>::quiet_NaN();  // delta, alpha, or a discount; NaN: estimated
    std::array<std::uint32_t, max_order> prune{};  // n-grams that occurred no more often are dropped; by order - 1
    HeldoutWeights weights{};                      // of Jelinek-Mercer
    std::vector<ThreeDiscounts> discounts{};       // of modified Kneser-Ney, by order - 1; empty: estimated
    bool closed = false;                           // no word is unknown: <unk> is impossible, and V counts it not

    /// Whether adjusted counts are smoothed, not occurrences.
    bool adjusted() const { return method == Smoothing::kneser_ney || method == Smoothing::modified_kneser_ney; }
    /// Whether the occurrences below the highest order are looked at.
    bool needs_raw() const {
        return !adjusted() || std::any_of(prune.begin(), prune.end(), [](std::uint32_t limit) { return limit > 0; });
    }
};

/// How often each n-gram occurred, and its adjusted count; by order - 1, in the order of the trie.
struct NgramCounts {
    std::array<const std::uint32_t*, max_order> raw{}, adjusted{};
};

/// The discounts of modified Kneser-Ney from the numbers of n-grams of each count.
void estimate_three_discounts(OrderStatistics& statistics);

/// Fills in all log-probabilities and back-offs of a trie that has its children and suffixes. Histories are processed in
/// order, from the shortest to the longest. `statistics` has one entry per order; that of modified
/// Kneser-Ney must have its kinds already, all others are counted here. N-grams that the plan prunes count for their
/// histories, and what they would have had goes to the back-off; they stay in the trie, with no probability of use.
/// The probabilities of one order, which the next one needs, are in the store; the watch counts n-grams.
void ngram_smooth(const NgramModel& model, const NgramCounts& counts, const SmoothingPlan& plan,
                  std::vector<OrderStatistics>& statistics, unsigned threads, PageStore& store, Watch& watch);

}  // namespace bitmeter
