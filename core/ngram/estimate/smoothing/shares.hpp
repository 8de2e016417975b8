// From the counts of the words after one history to what each of them gets: the formulas of smooth.hpp, for whoever has
// the counts of a history's words side by side, in a whole trie or in a slice of one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ngram/estimate/smoothing/smooth.hpp"
#include "util/watch.hpp"

namespace bitmeter {

/// As the file has it.
inline float log10_of(double p) {
    return static_cast<float>(std::min(0.0, std::log10(p)));
}

/// The words after one history.
struct Followers {
    std::uint64_t total = 0, pruned = 0, types = 0;
    std::array<std::uint64_t, most_discounted + 2> kinds{};  // of those that stay
};

/// What becomes of them: see the head of smooth.hpp.
struct Share {
    double total = std::numeric_limits<double>::infinity(), lower = 1.0, backoff = 1.0;
};

/// The counts of one order that are smoothed, and how often its n-grams occurred: needed only where some are dropped.
struct OrderCounts {
    const std::uint32_t *smoothed = nullptr, *raw = nullptr;
};

class Shares {
public:
    /// `statistics` has one entry per order, with its discounts; `words` is the size of the vocabulary.
    Shares(const SmoothingPlan& plan, const std::vector<OrderStatistics>& statistics, std::uint64_t words)
        : plan_(plan), statistics_(statistics), outcomes_(static_cast<double>(words - 1 - plan.closed)) {}

    const SmoothingPlan& plan() const { return plan_; }
    int order() const { return static_cast<int>(statistics_.size()); }
    /// How many words can come.
    double outcomes() const { return outcomes_; }

    bool dropped(int order, const OrderCounts& counts, std::uint64_t place) const {
        return plan_.prune[order - 1] && counts.raw[place] <= plan_.prune[order - 1];
    }

    Followers followers(int order, const OrderCounts& counts, std::uint64_t begin, std::uint64_t end) const {
        Followers found;
        const std::uint32_t* own = counts.smoothed;
        const auto last = static_cast<std::uint32_t>(statistics_[order - 1].last);
        const bool pruning = plan_.prune[order - 1] > 0;
        for (std::uint64_t i = begin; i < end; ++i) {
            found.total += own[i];
            if (pruning && dropped(order, counts, i)) {
                found.pruned += own[i];
                ++found.types;
            } else {
                ++found.kinds[std::min(own[i], last)];
            }
        }
        for (std::uint32_t j = 1; j <= last; ++j) found.types += found.kinds[j];
        return found;
    }

    /// `whole`: the history is of the longest, or begins a sentence.
    Share share(int order, const Followers& f, bool whole) const;

    double probability(int order, std::uint32_t count, const Share& share, double lower) const {
        const OrderStatistics& s = statistics_[order - 1];
        return (count - s.discounts[std::min(count, static_cast<std::uint32_t>(s.last))]) / share.total +
               share.lower * lower;
    }

    /// Of single words, of which `counts` has one per word.
    void words(const std::uint32_t* counts, double* probabilities) const;

    /// Katz: with no unseen word to receive the discounted mass, no discount is taken.
    static void give_back(Share& share) {
        share.total *= 1.0 - share.backoff;
        share.backoff = 1.0;
    }

private:
    Share stupid(int order, double total, bool whole) const;

    const SmoothingPlan& plan_;
    const std::vector<OrderStatistics>& statistics_;
    double outcomes_;
};

/// The logarithm of a word's probability in the file: nothing predicts the beginning of a sentence.
inline float word_logprob(std::uint32_t word, double probability) {
    return word == word_begin ? 0.0f : log10_of(probability);
}

/// Whether a method takes its discounts from how many n-grams have each count.
bool counts_kinds(Smoothing method);
/// Adds them up of these counts, for j = 1..6.
void add_kinds(const std::uint32_t* counts, std::size_t size, OrderStatistics& statistics);
/// The discounts of one order, whose kinds are known if the method counts them.
void settle_discounts(const SmoothingPlan& plan, OrderStatistics& statistics, int order);

/// The words after the histories [from, to) of one order. A level says where the children of a history are, which counts
/// they have and what the order below gives them, and takes what is found.
template <class Level>
void smooth_histories(const Shares& shares, int order, Level& level, std::size_t from, std::size_t to, Watch& watch) {
    constexpr std::size_t look = 256;  // histories between two progress reports
    const OrderCounts counts = level.counts();
    for (std::size_t h = from; h < to; ++h) {
        if (h % look == 0) watch.add(0);
        const std::uint64_t begin = level.child(h), end = level.child(h + 1);
        if (begin == end) continue;
        Share found = shares.share(order, shares.followers(order, counts, begin, end), level.whole(h));
        level.adapt(h, found);
        level.set_backoff(h, static_cast<float>(std::log10(found.backoff)));
        for (std::uint64_t c = begin; c < end; ++c)
            level.set(c, shares.probability(order, counts.smoothed[c], found, level.lower(c)));
    }
    watch.add(level.child(to) - level.child(from));
}

}  // namespace bitmeter
