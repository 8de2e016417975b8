// The probabilities of one order of a slice, and the back-offs of their histories.
#include <algorithm>

#include "ngram/estimate/smoothing/shares.hpp"
#include "ngram/estimate/slices/trie.hpp"

namespace bitmeter {
namespace {

/// For smooth_histories. The probabilities of an order replace those of the order below.
struct SliceLevel {
    const std::uint32_t* children;
    OrderCounts own;
    std::array<std::uint64_t, 2> begins;  // the histories that begin a sentence
    bool highest;
    double* probabilities;
    float *logprobs, *backoffs;

    OrderCounts counts() const { return own; }
    std::uint64_t child(std::size_t history) const { return children[history]; }
    bool whole(std::size_t history) const { return highest || (history >= begins[0] && history < begins[1]); }
    void adapt(std::size_t, Share&) const {}
    void set_backoff(std::size_t history, float backoff) const { backoffs[history] = backoff; }
    double lower(std::uint64_t place) const { return probabilities[place]; }
    void set(std::uint64_t place, double probability) const {
        probabilities[place] = probability;
        logprobs[place] = log10_of(probability);
    }
};

/// What the order below gives to each n-gram of this one.
SliceArray<double> lower_probabilities(const SlicePlan& plan, int order, std::size_t slice, const SliceTrie& trie) {
    if (order > 2)
        return trie.gathered<double>(
            order,
            [&](std::size_t other) {
                return plan.weighed(order - 1, other).read<double>(SliceArrayKind::probability, order, slice);
            },
            [](std::size_t, double probability) { return probability; });
    const SliceFile file = plan.words_file();
    const SliceArray<double> words = file.read<double>(SliceArrayKind::probability, 1);
    if (words.size() != plan.words) file.damaged("has an array of another size");
    SliceArray<double> result(trie.size(2));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = words[trie.codes().word(trie.keys(2)[i])];
    return result;
}

}  // namespace

void weigh_slice(const SlicePlan& plan, int order, std::size_t slice, const std::vector<OrderStatistics>& statistics,
                 const std::string& path, Watch& watch) {
    SlicePool pool;
    SliceTrie trie(plan, slice);
    trie.read_children(trie.has_begin() ? 1 : std::min(2, order - 1), order - 1);
    trie.read_second_words();
    SliceArray<double> probabilities = lower_probabilities(plan, order, slice, trie);
    const bool highest = order == plan.order, adjusts = plan.smoothing.adjusted() && !highest;
    const SliceFile linked = plan.linked(slice);
    SliceArray<std::uint32_t> smoothed, raw;
    if (adjusts) smoothed = trie.array<std::uint32_t>(linked, SliceArrayKind::adjusted, order);
    if (!adjusts || plan.smoothing.prune[order - 1])
        raw = trie.array<std::uint32_t>(trie.file(), SliceArrayKind::raw, order);
    const std::uint64_t histories = trie.size(order - 1), size = trie.size(order);
    SliceArray<float> logprobs(size), backoffs = SliceArray<float>::zeros(histories);
    SliceLevel level{trie.child(order - 1), {adjusts ? smoothed.data() : raw.data(), raw.data()}, trie.begins(order - 1),
                     highest, probabilities.data(), logprobs.data(), backoffs.data()};
    const Shares shares(plan.smoothing, statistics, plan.words);
    watch.begin(size);
    smooth_histories(shares, order, level, 0, histories, watch);
    SliceWriter out(path, plan.name(SliceStage::weighed, slice, order));
    out.put(SliceArrayKind::logprob, order, logprobs);
    out.put(SliceArrayKind::backoff, order - 1, backoffs);
    for (std::size_t other = 0; !highest && other < plan.slices(); ++other) {
        const auto route = linked.read<std::uint32_t>(SliceArrayKind::route, order + 1, other);
        SliceArray<double> served(route.size());
        for (std::size_t i = 0; i < route.size(); ++i) {
            if (route[i] >= size) linked.damaged("has a suffix outside of it");
            served[i] = probabilities[route[i]];
        }
        out.put(SliceArrayKind::probability, order + 1, served, other);
        watch.add(0);
    }
    out.close();
}

}  // namespace bitmeter
