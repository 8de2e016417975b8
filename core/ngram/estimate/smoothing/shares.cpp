#include "ngram/estimate/smoothing/shares.hpp"

namespace bitmeter {
namespace {

void set_one_discount(OrderStatistics& s, double fixed) {
    const double n1 = static_cast<double>(s.kinds[1]), n2 = static_cast<double>(s.kinds[2]);
    double discount = std::isnan(fixed) ? n1 / (n1 + 2.0 * n2) : fixed;
    if (!(discount > 0.0 && discount < 1.0)) {
        s.fallback = true;
        discount = 0.5;
    }
    s.last = 1;
    s.discounts[1] = discount;
}

/// Good-Turing for counts up to k, as Katz scales it so that larger counts stay as they are. False where it would not
/// take something off each of them and leave something.
bool good_turing(OrderStatistics& s, int k) {
    const auto n = [&](int j) { return static_cast<double>(s.kinds[j]); };
    for (int j = 1; j <= k + 1; ++j)
        if (!s.kinds[j]) return false;
    const double large = (k + 1) * n(k + 1) / n(1);
    for (int j = 1; j <= k; ++j) {
        const double ratio = ((j + 1) * n(j + 1) / (j * n(j)) - large) / (1.0 - large);
        if (!(ratio > 0.0 && ratio < 1.0)) return false;
        s.discounts[j] = j * (1.0 - ratio);
    }
    s.last = k + 1;
    s.discounts[k + 1] = 0.0;
    return true;
}

/// With k = 5; fewer where the counts of counts are odd, and one discount for all counts where nothing fits.
void set_katz_discounts(OrderStatistics& s) {
    for (int k = most_discounted; k >= 2; --k) {
        if (good_turing(s, k)) {
            s.fallback = k < most_discounted;
            return;
        }
    }
    s.discounts = {};
    set_one_discount(s, std::numeric_limits<double>::quiet_NaN());
    s.fallback = true;
}

void set_three(const SmoothingPlan& plan, OrderStatistics& s, int order) {
    if (plan.discounts.empty()) return estimate_three_discounts(s);
    s.last = 3;
    s.fallback = false;
    std::copy(plan.discounts[order - 1].begin(), plan.discounts[order - 1].end(), s.discounts.begin() + 1);
}

}  // namespace

void estimate_three_discounts(OrderStatistics& s) {
    const auto n = [&](int j) { return static_cast<double>(s.kinds[j]); };
    const double y = n(1) / (n(1) + 2.0 * n(2));
    s.last = 3;
    for (int j = 1; j <= 3; ++j) {
        s.discounts[j] = s.kinds[j] ? j - (j + 1) * y * n(j + 1) / n(j) : -1.0;
        if (!(s.discounts[j] >= 0.0 && s.discounts[j] <= j)) s.fallback = true;
    }
    if (s.fallback) s.discounts = {0.0, 0.5, 1.0, 1.5};
}

bool counts_kinds(Smoothing method) {
    return method == Smoothing::modified_kneser_ney || method == Smoothing::kneser_ney || method == Smoothing::absolute ||
           method == Smoothing::katz;
}

void add_kinds(const std::uint32_t* counts, std::size_t size, OrderStatistics& s) {
    std::array<std::uint64_t, most_discounted + 2> own{};
    for (std::size_t i = 0; i < size; ++i)
        if (counts[i] <= most_discounted + 1) ++own[counts[i]];
    for (int j = 1; j <= most_discounted + 1; ++j) s.kinds[j] += own[j];
}

void settle_discounts(const SmoothingPlan& plan, OrderStatistics& s, int order) {
    switch (plan.method) {
        case Smoothing::modified_kneser_ney:
            return set_three(plan, s, order);
        case Smoothing::absolute:
        case Smoothing::kneser_ney:
            return set_one_discount(s, plan.parameter);
        case Smoothing::katz:
            return set_katz_discounts(s);
        default:
            s.last = 1;  // nothing is taken off
    }
}

Share Shares::share(int order, const Followers& f, bool whole) const {
    if (f.total == 0) return {};
    const OrderStatistics& s = statistics_[order - 1];
    const auto total = static_cast<double>(f.total), types = static_cast<double>(f.types),
               pruned = static_cast<double>(f.pruned);
    double left = 0.0;
    for (int j = 1; j <= s.last; ++j) left += s.discounts[j] * static_cast<double>(f.kinds[j]);
    left += pruned;
    const auto interpolated = [](double denominator, double weight) { return Share{denominator, weight, weight}; };
    switch (plan_.method) {
        case Smoothing::lidstone: {
            if (!whole) return {};
            const double added = plan_.parameter * outcomes_;
            return interpolated(total + added, (added + pruned) / (total + added));
        }
        case Smoothing::jelinek_mercer: {
            const double own = plan_.weights[order - 1][history_bucket(f.total)];
            return interpolated(total / own, (1.0 - own) + own * pruned / total);
        }
        case Smoothing::witten_bell:
            return interpolated(total + types, (types + pruned) / (total + types));
        case Smoothing::katz:
            // Where all words are frequent nothing is taken off: one more occurrence is counted for the unseen.
            return left > 0.0 ? Share{total, 0.0, left / total} : Share{total + 1.0, 0.0, 1.0 / (total + 1.0)};
        case Smoothing::stupid_backoff:
            return stupid(order, total, whole);
        default:
            return interpolated(total, left / total);
    }
}

/// What all steps back from the longest history cost together is in the probability itself, so that histories that
/// were never seen are charged too. One that begins a sentence is as long as any: <s> stands in all places before.
Share Shares::stupid(int number, double total, bool whole) const {
    const double paid = whole ? 1.0 : std::pow(plan_.parameter, order() - number);
    return {total / paid, 0.0, number == 1 ? paid * plan_.parameter : 1.0};
}

void Shares::words(const std::uint32_t* counts, double* probabilities) const {
    const std::size_t size = static_cast<std::size_t>(outcomes_) + 1 + plan_.closed;
    Share all = share(1, followers(1, {counts, counts}, 0, size), order() == 1);
    const double uniform = 1.0 / outcomes_;
    double unseen = all.backoff * uniform;
    if (plan_.method == Smoothing::katz) {
        // What Katz leaves goes to the words that were never seen: most often <unk> alone. word_begin is never counted.
        const auto seen = static_cast<std::size_t>(size - static_cast<std::size_t>(std::count(counts, counts + size, 0u)));
        const auto kinds = static_cast<double>(size - 1 - plan_.closed - seen);
        if (kinds == 0.0) give_back(all);
        unseen = kinds > 0.0 ? all.backoff / kinds : 0.0;
    }
    for (std::size_t w = 0; w < size; ++w) {
        probabilities[w] = counts[w] ? probability(1, counts[w], all, uniform) : unseen;
        if (w == word_unknown && plan_.closed) probabilities[w] = 0.0;
    }
}

}  // namespace bitmeter
