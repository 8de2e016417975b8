#include "ngram/estimate/entropy.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "util/sum.hpp"

namespace bitmeter {
namespace {

using Numbers = std::vector<double>;

double power10(float log) {
    return std::pow(10.0, static_cast<double>(log));
}

/// A model whose links were all checked, with its probabilities as such.
struct Open {
    explicit Open(const NgramModel& model) : m(model), order(model.order()) {
        m.verify();
        for (int length = 1; length <= order; ++length) {
            auto& own = probability.emplace_back(count(length));
            for (std::uint64_t i = 0; i < own.size(); ++i) own[i] = static_cast<float>(power10(logprob(length, i)));
        }
        for (int length = 1; length < order; ++length) {
            auto& own = backoff.emplace_back(count(length));
            for (std::uint64_t i = 0; i < own.size(); ++i) own[i] = power10(m.nodes(length)[i].backoff);
        }
    }

    std::uint64_t count(int length) const { return m.shape().counts[length - 1]; }
    bool leaf(int length) const { return length == order && order > 1; }
    float logprob(int length, std::uint64_t i) const {
        return leaf(length) ? m.leaves()[i].logprob : m.nodes(length)[i].logprob;
    }
    /// Length 2 and up.
    std::uint32_t suffix(int length, std::uint64_t i) const {
        return leaf(length) ? m.leaves()[i].suffix : m.nodes(length)[i].suffix;
    }
    std::uint64_t first_child(int length, std::uint64_t i) const { return m.nodes(length)[i].child; }
    std::uint32_t word(int length, std::uint64_t i) const {
        return length == 1 ? static_cast<std::uint32_t>(i) : m.codes().word(m.keys(length)[i]);
    }

    const NgramModel& m;
    int order;
    std::vector<std::vector<float>> probability;  // by length - 1
    std::vector<Numbers> backoff;                 // by length - 1; of histories
};

/// The chain over the states of a model: which histories stand before the next word.
class Chain {
public:
    explicit Chain(const Open& open) : open_(open) {
        for (int length = 1; length < std::max(2, open.order); ++length) {
            here_.emplace_back(open.count(length), 0.0);
            next_.emplace_back(open.count(length), 0.0);
        }
        for (int length = 1; length <= open.order; ++length) used_.emplace_back(open.count(length), 0.0);
        here_[0][word_begin] = 1.0;
    }

    /// One word further, half of the mass staying where it is (so that nothing turns in circles); by how much that moves
    /// all shares in sum.
    double step() {
        for (auto& row : next_) std::fill(row.begin(), row.end(), 0.0);
        for (auto& row : used_) std::fill(row.begin(), row.end(), 0.0);
        // What arrives at each history, be it the longest that is known or by backing off.
        auto arriving = here_;
        double bottom = 0.0;
        const int longest = static_cast<int>(here_.size());
        for (int length = longest; length >= 1; --length) {
            const auto& mass = arriving[static_cast<std::size_t>(length - 1)];
            for (std::uint64_t s = 0; s < mass.size(); ++s) {
                if (mass[s] == 0.0) continue;
                const double on = open_.order == 1 ? mass[s] : mass[s] * open_.backoff[length - 1][s];
                if (length > 1)
                    arriving[static_cast<std::size_t>(length - 2)][open_.suffix(length, s)] += on;
                else
                    bottom += on;
            }
        }
        for (int length = open_.order - 1; length >= 1; --length) follow(length, arriving[length - 1]);
        for (std::uint64_t w = 0; w < open_.count(1); ++w)
            if (w != word_begin) arrive(1, w, std::max(0.0, bottom - used_[0][w]));
        return mix();
    }

    /// From those that are longest to all: what ends in them counts too.
    std::vector<Numbers> shares() const {
        auto result = here_;
        for (int length = static_cast<int>(result.size()); length >= 2; --length)
            for (std::uint64_t s = 0; s < result[length - 1].size(); ++s)
                result[length - 2][open_.suffix(length, s)] += result[length - 1][s];
        return result;
    }

private:
    /// The words after each history of this length. Of what arrives there, a part has found the word at a longer one.
    void follow(int length, const Numbers& arriving) {
        for (std::uint64_t s = 0; s < open_.count(length); ++s) {
            for (std::uint64_t c = open_.first_child(length, s), end = open_.first_child(length, s + 1); c < end; ++c) {
                // What is left of equal amounts may come out a rounding below zero.
                arrive(length + 1, c, std::max(0.0, arriving[s] - used_[length][c]));
                // All that arrived here has found the word, here or before, and none of it looks further down.
                used_[length - 1][open_.suffix(length + 1, c)] += arriving[s] * open_.backoff[length - 1][s];
            }
        }
    }

    void arrive(int length, std::uint64_t place, double weight) {
        const double mass = weight * open_.probability[length - 1][place];
        if (open_.word(length, place) == word_end)
            next_[0][word_begin] += mass;
        else if (open_.leaf(length))
            next_[length - 2][open_.suffix(length, place)] += mass;
        else
            next_[length - 1][place] += mass;
    }

    double mix() {
        Compensated total;
        for (const auto& row : next_)
            for (double value : row) total.add(value);
        const double scale = 0.5 / total.value();
        double moved = 0.0;
        for (std::size_t l = 0; l < here_.size(); ++l)
            for (std::size_t s = 0; s < here_[l].size(); ++s) {
                const double value = 0.5 * here_[l][s] + scale * next_[l][s];
                moved += std::abs(value - here_[l][s]);
                here_[l][s] = value;
            }
        return moved;
    }

    const Open& open_;
    std::vector<Numbers> here_, next_;  // by length - 1; of the longest known history
    std::vector<Numbers> used_;         // by length - 1
};

std::vector<Numbers> stationary(const Open& open) {
    constexpr int most_steps = 200;
    constexpr double still = 1e-7;
    Chain chain(open);
    for (int i = 0; i < most_steps; ++i)
        if (chain.step() < still) break;
    return chain.shares();
}

/// p ln(p / q) with 0 ln 0 = 0.
double term(double p, double q) {
    return p > 0.0 ? p * std::log(p / q) : 0.0;
}

/// What is left by the words after one history, in its own distribution and in that of the shorter history.
struct Mass {
    double left, left_below;  // 1 - the sums over the words that were seen

    /// The relative entropy (without the share of the history) of leaving words of the masses p and q to the back-off,
    /// where `own` is the sum of p ln(p / q) over them.
    double cost(double p, double q, double own) const {
        const double alpha = (left + p) / (left_below + q);
        const double unseen = left > 0.0 ? left * (std::log(left / left_below) - std::log(alpha)) : 0.0;
        return own - p * std::log(alpha) + unseen;
    }
};

class Pruner {
public:
    Pruner(const NgramModel& model, double threshold) : open_(model), threshold_(threshold) {
        for (int length = 1; length <= open_.order; ++length) stays_.emplace_back(open_.count(length), length == 1);
        for (const auto& row : open_.backoff) backoff_.push_back(row);
    }

    PrunedNgrams run() {
        const auto shares = stationary(open_);
        for (int length = open_.order; length >= 2; --length) {
            const auto& share = shares[static_cast<std::size_t>(length - 2)];
            for (std::uint64_t h = 0; h < open_.count(length - 1); ++h) history(length, h, share[h]);
        }
        return {rebuilt(), divergence_.value()};
    }

private:
    /// The n-grams of this length that begin with one history.
    void history(int length, std::uint64_t h, double share) {
        const std::uint64_t begin = open_.first_child(length - 1, h), end = open_.first_child(length - 1, h + 1);
        if (begin == end) return;
        const auto& p = open_.probability[length - 1];
        auto lower = [&](std::uint64_t c) -> double { return open_.probability[length - 2][open_.suffix(length, c)]; };
        Compensated below;
        for (std::uint64_t c = begin; c < end; ++c) below.add(lower(c));
        // What the back-off gives is known better than one minus the rest.
        const double left_below = std::max(0.0, 1.0 - below.value());
        const Mass mass{backoff_[length - 2][h] * left_below, left_below};
        Compensated gone, gone_below, own;
        bool any = false, all = true;
        for (std::uint64_t c = begin; c < end; ++c) {
            const double q = lower(c), parting = term(p[c], q);
            if (!stays_[length - 1][c] && std::expm1(share * mass.cost(p[c], q, parting)) < threshold_) {
                gone.add(p[c]);
                gone_below.add(q);
                own.add(parting);
                any = true;
                continue;
            }
            all = false;
            stays_[length - 1][c] = 1;
            stays_[length - 2][h] = 1;
            stays_[length - 2][open_.suffix(length, c)] = 1;
        }
        if (!any) return;
        divergence_.add(share * mass.cost(gone.value(), gone_below.value(), own.value()));
        backoff_[length - 2][h] = all ? 1.0 : (mass.left + gone.value()) / (mass.left_below + gone_below.value());
    }

    std::unique_ptr<NgramModel> rebuilt() const {
        const NgramModel& m = open_.m;
        NgramShape shape = m.shape();
        shape.flags = 0;  // no section yet
        // The new place of each n-gram: how many before it stay.
        std::vector<std::vector<std::uint32_t>> place;
        for (int length = 1; length <= open_.order; ++length) {
            const auto& stays = stays_[length - 1];
            auto& own = place.emplace_back(stays.size() + 1, 0);
            for (std::size_t i = 0; i < stays.size(); ++i) own[i + 1] = own[i] + stays[i];
            shape.counts[length - 1] = own.back();
        }
        auto result = std::make_unique<NgramModel>(shape);
        std::copy(m.word_offsets(), m.word_offsets() + shape.words + 1, result->word_offsets());
        std::memcpy(result->word_text(), m.word_text(), shape.word_bytes);
        for (int length = 1; length <= open_.order; ++length) copy(*result, length, place);
        if (const Bytes section = m.section(); section.size) result->attach({section.data, section.data + section.size});
        return result;
    }

    void copy(NgramModel& to, int length, const std::vector<std::vector<std::uint32_t>>& place) const {
        const NgramModel& m = open_.m;
        const auto& stays = stays_[length - 1];
        const bool history = length < open_.order;
        for (std::uint64_t i = 0; i < stays.size(); ++i) {
            if (!stays[i]) continue;
            const std::uint32_t at = place[length - 1][i];
            const std::uint32_t suffix = length > 1 ? place[length - 2][open_.suffix(length, i)] : 0;
            if (length > 1) to.keys(length)[at] = m.keys(length)[i];
            if (open_.leaf(length)) {
                to.leaves()[at] = {m.leaves()[i].logprob, suffix};
                continue;
            }
            NgramNode node = m.nodes(length)[i];
            node.suffix = suffix;
            if (history) {
                node.child = place[length][node.child];
                // One that lost nothing keeps its figure to the bit.
                if (backoff_[length - 1][i] != open_.backoff[length - 1][i])
                    node.backoff = static_cast<float>(std::log10(backoff_[length - 1][i]));
            }
            to.nodes(length)[at] = node;
        }
        if (history) to.nodes(length)[place[length - 1].back()].child = place[length].back();
    }

    Open open_;
    double threshold_;
    std::vector<std::vector<std::uint8_t>> stays_;  // by length - 1
    std::vector<Numbers> backoff_;
    Compensated divergence_;
};

}  // namespace

std::vector<std::vector<double>> history_shares(const NgramModel& model) {
    return stationary(Open(model));
}

PrunedNgrams prune_by_entropy(const NgramModel& model, double threshold) {
    return Pruner(model, threshold).run();
}

}  // namespace bitmeter
