#include "ngram/estimate/smoothing/discounts.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "util/sum.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t enough = 1'000'000;
constexpr int most_rounds = 100, most_halvings = 40;
constexpr double settled = 1e-9;  // nats per word
constexpr double pull = 1e-6;     // towards the estimated discounts: holds those of which the text says nothing
constexpr double steepest = 8.0;  // no discount nearer to 0 or to its count than this, in log-odds
constexpr double digits = 1e6;    // discounts are rounded, so that all machines find the same

/// The words after one history.
struct History {
    double total = 0.0;
    ThreeDiscounts kinds{};
};

/// A held-out word after one of its histories.
struct Event {
    std::uint32_t history, count;
};

class Evidence {
public:
    Evidence(const CountedTrie& trie, bool closed, const std::vector<std::uint32_t>& heldout)
        : trie_(trie), uniform_(1.0 / static_cast<double>(trie.words() - 1 - closed)) {
        NgramWalk walk(trie);
        History all;
        for (std::uint32_t w = 0; w < trie.words(); ++w) add(all, trie.count(1, w));
        histories_.push_back(all);
        for (std::size_t i = 0; i < heldout.size(); ++i) {
            if (words_ >= enough && i > 0 && heldout[i - 1] == word_end) break;
            walk.next_sentence();
            walk.step(heldout[i]);
            if (closed && heldout[i] == word_unknown) continue;
            ++words_;
            events_.push_back({0, trie.count(1, heldout[i])});
            for (int o = 2; o <= trie.order() && walk.before()[o - 2] != no_place; ++o) {
                const std::uint32_t place = walk.places()[o - 1], history = number(o, walk.before()[o - 2]);
                if (histories_[history].total == 0.0) break;  // nothing came after it, nor after any longer one
                events_.push_back({history, place == no_place ? 0 : trie.count(o, place)});
            }
            ends_.push_back(events_.size());
        }
    }

    std::size_t words() const { return words_; }

    /// The mean of ln p, and into `slopes` its derivative by each discount.
    double mean(const std::vector<ThreeDiscounts>& discounts, std::vector<ThreeDiscounts>& slopes) const {
        for (auto& row : slopes) row.fill(0.0);
        std::array<double, max_order + 1> p{};
        std::array<double, max_order> lower{};
        p[0] = uniform_;
        Compensated sum;
        std::size_t begin = 0;
        for (const std::size_t end : ends_) {
            const Event* own = events_.data() + begin;
            const std::size_t orders = end - begin;
            for (std::size_t o = 0; o < orders; ++o) {
                const History& h = histories_[own[o].history];
                const ThreeDiscounts& d = discounts[o];
                lower[o] = (d[0] * h.kinds[0] + d[1] * h.kinds[1] + d[2] * h.kinds[2]) / h.total;
                const double seen = own[o].count ? (own[o].count - d[kind(own[o].count)]) / h.total : 0.0;
                p[o + 1] = seen + lower[o] * p[o];
            }
            sum.add(std::log(p[orders]));
            double slope = 1.0 / p[orders];
            for (std::size_t o = orders; o-- > 0;) {
                const History& h = histories_[own[o].history];
                for (std::size_t j = 0; j < 3; ++j) slopes[o][j] += slope * h.kinds[j] * p[o] / h.total;
                if (own[o].count) slopes[o][kind(own[o].count)] -= slope / h.total;
                slope *= lower[o];
            }
            begin = end;
        }
        const auto words = static_cast<double>(words_);
        for (auto& row : slopes)
            for (double& each : row) each /= words;
        return sum.value() / words;
    }

private:
    static std::size_t kind(std::uint32_t count) { return std::min<std::uint32_t>(count, 3) - 1; }
    static void add(History& history, std::uint32_t count) {
        if (!count) return;
        history.total += count;
        history.kinds[kind(count)] += 1.0;
    }
    /// That of a history of order - 1 words among those seen so far.
    std::uint32_t number(int order, std::uint32_t place) {
        const std::uint64_t key = (static_cast<std::uint64_t>(order) << 32) | place;
        const auto [found, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(histories_.size()));
        if (is_new) {
            History own;
            for (const std::uint32_t count : trie_.counts_after(order, place)) add(own, count);
            histories_.push_back(own);
        }
        return found->second;
    }

    const CountedTrie& trie_;
    double uniform_;
    std::vector<History> histories_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
    std::vector<Event> events_;
    std::vector<std::size_t> ends_;  // of the events of each word
    std::size_t words_ = 0;
};

/// What is minimised, in log-odds of the discounts.
class Objective {
public:
    Objective(const Evidence& evidence, std::vector<double> begin, std::size_t orders)
        : evidence_(evidence), begin_(std::move(begin)), slopes_(orders) {}

    static std::vector<ThreeDiscounts> discounts(const std::vector<double>& x) {
        std::vector<ThreeDiscounts> result(x.size() / 3);
        for (std::size_t i = 0; i < x.size(); ++i)
            result[i / 3][i % 3] = static_cast<double>(i % 3 + 1) / (1.0 + std::exp(-x[i]));
        return result;
    }

    double operator()(const std::vector<double>& x, std::vector<double>& slope) {
        const auto own = discounts(x);
        double value = -evidence_.mean(own, slopes_);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double whole = static_cast<double>(i % 3 + 1), d = own[i / 3][i % 3];
            const double away = x[i] - begin_[i];
            slope[i] = -slopes_[i / 3][i % 3] * d * (1.0 - d / whole) + 2.0 * pull * away;
            value += pull * away * away;
        }
        return value;
    }

private:
    const Evidence& evidence_;
    std::vector<double> begin_;
    std::vector<ThreeDiscounts> slopes_;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// BFGS with a search that halves its step until the value falls by enough; returns the number of rounds.
int minimise(Objective& objective, std::vector<double>& x) {
    const std::size_t n = x.size();
    std::vector<double> slope(n), next(n), next_slope(n), step(n), change(n), image(n);
    std::vector<std::vector<double>> inverse(n, std::vector<double>(n, 0.0));
    // The curvature per word is small: a first step of about one in log-odds.
    auto restart = [&] {
        for (std::size_t i = 0; i < n; ++i) {
            std::fill(inverse[i].begin(), inverse[i].end(), 0.0);
            inverse[i][i] = 10.0;
        }
    };
    restart();
    double value = objective(x, slope);
    int round = 0;
    for (; round < most_rounds; ++round) {
        for (std::size_t i = 0; i < n; ++i) step[i] = std::clamp(-dot(inverse[i], slope), -1.0, 1.0);
        if (dot(step, slope) >= 0.0) {
            restart();
            for (std::size_t i = 0; i < n; ++i) step[i] = std::clamp(-10.0 * slope[i], -1.0, 1.0);
        }
        double length = 1.0, found = value;
        int halvings = 0;
        for (; halvings < most_halvings; ++halvings, length *= 0.5) {
            for (std::size_t i = 0; i < n; ++i) next[i] = std::clamp(x[i] + length * step[i], -steepest, steepest);
            found = objective(next, next_slope);
            if (found < value) break;
        }
        if (halvings == most_halvings) break;
        for (std::size_t i = 0; i < n; ++i) {
            step[i] = next[i] - x[i];
            change[i] = next_slope[i] - slope[i];
        }
        const double gain = value - found, curvature = dot(step, change);
        x = next;
        slope = next_slope;
        value = found;
        if (gain < settled) break;
        if (curvature <= 1e-14) continue;
        for (std::size_t i = 0; i < n; ++i) image[i] = dot(inverse[i], change);
        const double scale = 1.0 + dot(change, image) / curvature;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                inverse[i][j] += (scale * step[i] * step[j] - image[i] * step[j] - step[i] * image[j]) / curvature;
    }
    return round;
}

}  // namespace

TunedDiscounts tuned_discounts(const CountedTrie& trie, const std::vector<ThreeDiscounts>& estimated,
                               const std::vector<std::uint32_t>& heldout, bool closed) {
    TunedDiscounts result{estimated};
    const Evidence evidence(trie, closed, heldout);
    result.words = evidence.words();
    if (result.words == 0) return result;
    std::vector<ThreeDiscounts> slopes(estimated.size());
    std::vector<double> x;
    for (const ThreeDiscounts& row : estimated)
        for (std::size_t j = 0; j < 3; ++j) {
            const double share = row[j] / static_cast<double>(j + 1);
            x.push_back(share <= 0.0   ? -steepest
                        : share >= 1.0 ? steepest
                                       : std::clamp(std::log(share / (1.0 - share)), -steepest, steepest));
        }
    result.before = evidence.mean(Objective::discounts(x), slopes);
    Objective objective(evidence, x, estimated.size());
    result.rounds = minimise(objective, x);
    result.discounts = Objective::discounts(x);
    for (ThreeDiscounts& row : result.discounts)
        for (double& each : row) each = std::round(each * digits) / digits;
    result.after = evidence.mean(result.discounts, slopes);
    return result;
}

}  // namespace bitmeter
