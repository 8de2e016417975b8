// A cache model: the next word is one of the last `size` words, the more recent the likelier, among those that followed
// the same context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace bitmeter {

struct CacheSettings {
    int order = 1;          // 1: any recent word; n: those that followed the last n - 1 words
    std::size_t size = 1;   // how many words are remembered
    double decay = 1.0;     // what a word weighs more than the one before it: 1/decay; 1 for all alike
    std::size_t words = 1;  // outcomes: ids in [0, words)
};

/// How many bins `bucket` has.
constexpr int cache_buckets = 8;

/// p(w | h) = weight of w / weight of all, over the remembered words that followed the same n - 1 words as h ends in;
/// where there are none, those of n - 2, and so on; where nothing is remembered, 1/words.
class HistoryCache {
public:
    /// `weights`: what each word counts for beside its age; empty for one each.
    explicit HistoryCache(const CacheSettings& settings, std::vector<double> weights = {});

    std::size_t words() const { return settings_.words; }
    /// ln p of the next word; does not add it.
    double score(std::uint32_t word) const;
    /// How often the context occurred before, in bins: 0, 1, 2, 3-4, 5-8, ... For order 1: how many words are held.
    int bucket() const;
    /// A finer sorting of histories: how long the longest context is that occurred before, how often it did, and how many
    /// different words followed it. For order 1 as `bucket`.
    int kind() const;
    /// How many kinds there are.
    int kinds() const;
    /// Adds a word.
    void push(std::uint32_t word);
    /// The probability of each word, into out[0, words).
    void predict(double* out) const;

private:
    struct Weight {
        double sum = 0.0;
        std::uint32_t count = 0, types = 0;  // of a context: how many different words followed it
        void add(double x) { sum += x, ++count; }
        void take(double x) { sum = --count ? sum - x : 0.0; }
    };
    struct Item {
        std::uint32_t word;
        double weight;
    };

    std::uint64_t context_before(std::size_t place, int length) const;
    double own_weight(std::uint32_t word) const { return weights_.empty() ? 1.0 : weights_[word]; }
    void update(std::size_t place, bool add);
    void rescale();

    CacheSettings settings_;
    std::vector<double> weights_;
    std::vector<Weight> words_;
    Weight all_;
    std::deque<Item> items_;       // those remembered, and before them the order - 1 words that their contexts need
    std::size_t remembered_ = 0;
    std::vector<std::unordered_map<std::uint64_t, Weight>> contexts_, pairs_;  // by length of the context - 1
    double now_ = 1.0;
};

}  // namespace bitmeter
