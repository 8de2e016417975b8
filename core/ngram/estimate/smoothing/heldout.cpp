#include "ngram/estimate/smoothing/heldout.hpp"

#include <algorithm>
#include <cmath>

#include "util/parallel.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t per_task = 1 << 12;  // words per task
constexpr std::size_t part = 10;        // one sentence of ten is held out
constexpr std::size_t enough = 1'000'000;
constexpr int most_rounds = 100;
constexpr double settled = 1e-5;  // no weight moves by more than this
constexpr std::uint8_t no_bucket = 255;

using Counts = std::array<const std::uint32_t*, max_order>;

/// The probability of each held-out word by each order, and the bucket of its history.
class Evidence {
public:
    Evidence(int order, std::size_t words) : order_(order), own_(words * order), buckets_(words * order, no_bucket) {}

    void set(std::size_t word, int order, std::uint64_t count, std::uint64_t history) {
        if (history == 0) return;
        own_[word * order_ + order - 1] = static_cast<double>(count) / static_cast<double>(history);
        buckets_[word * order_ + order - 1] = static_cast<std::uint8_t>(history_bucket(history));
    }

    /// One EM iteration: for each weight, its expected uses and those of its own estimate.
    struct Sums {
        HeldoutWeights asked{}, own{};
    };

    Sums expect(const HeldoutWeights& weights, double uniform, std::size_t from, std::size_t to) const {
        Sums sums;
        std::array<double, max_order + 1> mixed{};
        mixed[0] = uniform;
        for (std::size_t word = from; word < to; ++word) {
            const double* own = own_.data() + word * order_;
            const std::uint8_t* bucket = buckets_.data() + word * order_;
            for (int o = 0; o < order_; ++o) {
                const double x = bucket[o] == no_bucket ? 0.0 : weights[o][bucket[o]];
                mixed[o + 1] = x * own[o] + (1.0 - x) * mixed[o];
            }
            double reached = 1.0;  // the probability that it came down to this order
            for (int o = order_ - 1; o >= 0; --o) {
                if (bucket[o] == no_bucket) continue;
                const double spoke = reached * weights[o][bucket[o]] * own[o] / mixed[o + 1];
                sums.asked[o][bucket[o]] += reached;
                sums.own[o][bucket[o]] += spoke;
                reached -= spoke;
                if (!(reached > 0.0)) break;
            }
        }
        return sums;
    }

private:
    int order_;
    std::vector<double> own_;
    std::vector<std::uint8_t> buckets_;
};

Heldout halves() {
    Heldout result;
    for (auto& row : result.weights) row.fill(0.5);
    return result;
}

/// Until no weight moves. Each weight is given one observation beforehand, half on either side, so that none is 0 or 1.
Heldout maximise(const Evidence& evidence, int order, std::size_t words, double uniform, unsigned threads) {
    Heldout result = halves();
    result.words = words;
    const std::size_t tasks = (words + per_task - 1) / per_task;
    double moved = 1.0;
    for (; result.rounds < most_rounds && moved > settled; ++result.rounds) {
        std::vector<Evidence::Sums> sums(tasks);
        parallel_for(tasks, threads, [&](std::size_t task) {
            sums[task] =
                evidence.expect(result.weights, uniform, task * per_task, std::min(words, (task + 1) * per_task));
        });
        moved = 0.0;
        for (int o = 0; o < order; ++o) {
            for (int b = 0; b < history_buckets; ++b) {
                double asked = 1.0, own = 0.5;
                for (const auto& each : sums) asked += each.asked[o][b], own += each.own[o][b];
                moved = std::max(moved, std::abs(own / asked - result.weights[o][b]));
                result.weights[o][b] = own / asked;
            }
        }
    }
    return result;
}

/// Histories of length one: those that begin a sentence are as many as sentences.
std::uint64_t history_count(const CountedTrie& trie, int length, std::uint32_t place) {
    return trie.count(length, length == 1 && place == word_begin ? word_end : place);
}

}  // namespace

Heldout weights_from(const CountedTrie& trie, const std::vector<std::uint32_t>& heldout, unsigned threads) {
    if (heldout.empty()) return halves();
    std::uint64_t total = 0;
    for (std::uint32_t w = 0; w < trie.words(); ++w) total += trie.count(1, w);
    Evidence evidence(trie.order(), heldout.size());
    NgramWalk walk(trie);
    for (std::size_t i = 0; i < heldout.size(); ++i) {
        walk.next_sentence();
        walk.step(heldout[i]);
        evidence.set(i, 1, trie.count(1, heldout[i]), total);
        for (int o = 2; o <= trie.order() && walk.before()[o - 2] != no_place; ++o) {
            const std::uint32_t place = walk.places()[o - 1];
            evidence.set(i, o, place == no_place ? 0 : trie.count(o, place),
                         history_count(trie, o - 1, walk.before()[o - 2]));
        }
    }
    return maximise(evidence, trie.order(), heldout.size(), 1.0 / (trie.words() - 1), threads);
}

Heldout weights_within(const NgramModel& model, const Counts& raw, std::span<const std::uint32_t> text,
                       PageStore& store, unsigned threads) {
    const std::size_t sentences = raw[0][word_end];
    if (sentences < 2) return halves();
    const std::size_t step = std::max(std::min(part, sentences), text.size() / enough);
    std::vector<std::uint32_t> heldout;
    for (std::size_t i = 0, sentence = 0; i < text.size(); ++i) {
        if (sentence % step == step - 1) heldout.push_back(text[i]);
        sentence += text[i] == word_end;
    }
    std::vector<PageArray<std::uint32_t>> rest(static_cast<std::size_t>(model.order()));
    for (int o = 1; o <= model.order(); ++o) {
        rest[o - 1] = store.array<std::uint32_t>(model.shape().counts[o - 1]);
        std::copy(raw[o - 1], raw[o - 1] + rest[o - 1].size(), rest[o - 1].begin());
    }
    const ModelTrie trie(model, raw);
    NgramWalk walk(trie);
    for (std::uint32_t word : heldout) {
        walk.next_sentence();
        walk.step(word);
        for (int o = 1; o <= model.order() && walk.places()[o - 1] != no_place; ++o)
            --rest[o - 1][walk.places()[o - 1]];
    }
    Counts left{};
    for (int o = 1; o <= model.order(); ++o) left[o - 1] = rest[o - 1].data();
    return weights_from(ModelTrie(model, left), heldout, threads);
}

}  // namespace bitmeter
