#include "ngram/estimate/smooth.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <stdexcept>

#include "util/parallel.hpp"
#include "util/sum.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t per_task = 1 << 14;  // histories per task
constexpr std::size_t look = 256;       // histories between two progress reports

float log10_of(double p) {
    return static_cast<float>(std::min(0.0, std::log10(p)));
}

// ---- discounts -------------------------------------------------------------------------------------------------------

void count_kinds(const std::uint32_t* counts, std::size_t size, OrderStatistics& s, unsigned threads) {
    s.kinds = {};
    std::mutex guard;
    parallel_blocks(size, per_task, threads, [&](std::size_t from, std::size_t to) {
        std::array<std::uint64_t, most_discounted + 2> own{};
        for (std::size_t i = from; i < to; ++i)
            if (counts[i] <= most_discounted + 1) ++own[counts[i]];
        std::lock_guard lock(guard);
        for (int j = 1; j <= most_discounted + 1; ++j) s.kinds[j] += own[j];
    });
}

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

// ---- shares ----------------------------------------------------------------------------------------------------------

/// The words after one history.
struct Followers {
    std::uint64_t total = 0, pruned = 0, types = 0;
    std::array<std::uint64_t, most_discounted + 2> kinds{};  // of those that stay
};

/// What becomes of them: see the head of the header.
struct Share {
    double total = std::numeric_limits<double>::infinity(), lower = 1.0, backoff = 1.0;
};

class Smoother {
public:
    Smoother(const NgramModel& model, const NgramCounts& counts, const SmoothingPlan& plan,
             std::vector<OrderStatistics>& statistics, unsigned threads, PageStore& store, Watch& watch)
        : m_(model),
          raw_(counts.raw),
          counts_(plan.adjusted() ? counts.adjusted : counts.raw),
          plan_(plan),
          statistics_(statistics),
          threads_(threads),
          store_(store),
          watch_(watch),
          outcomes_(static_cast<double>(model.words() - 1 - plan.closed)) {}

    void run() {
        for (int o = 1; o <= m_.order(); ++o) discount(o);
        std::uint64_t steps = 0;
        for (int o = 2; o <= m_.order(); ++o) steps += m_.shape().counts[o - 1];
        watch_.begin(steps);
        PageArray<double> lower, probabilities;
        words(lower);
        std::uint64_t begins = word_begin, ends = word_begin + 1;  // the histories that begin a sentence
        for (int o = 2; o <= m_.order(); ++o) {
            begins_ = begins;
            ends_ = ends;
            order(o, lower, probabilities);
            lower = std::move(probabilities);
            begins = m_.nodes(o - 1)[begins].child;
            ends = m_.nodes(o - 1)[ends].child;
        }
    }

private:
    void discount(int order) {
        OrderStatistics& s = statistics_[order - 1];
        const auto count = [&] { count_kinds(counts_[order - 1], m_.shape().counts[order - 1], s, threads_); };
        switch (plan_.method) {
            case Smoothing::modified_kneser_ney:
                return three(s, order);
            case Smoothing::absolute:
            case Smoothing::kneser_ney:
                count();
                return set_one_discount(s, plan_.parameter);
            case Smoothing::katz:
                count();
                return set_katz_discounts(s);
            default:
                s.last = 1;  // nothing is taken off
        }
    }

    void three(OrderStatistics& s, int order) const {
        if (plan_.discounts.empty()) return estimate_three_discounts(s);
        s.last = 3;
        s.fallback = false;
        std::copy(plan_.discounts[order - 1].begin(), plan_.discounts[order - 1].end(), s.discounts.begin() + 1);
    }

    bool dropped(int order, std::uint64_t place) const {
        return plan_.prune[order - 1] && raw_[order - 1][place] <= plan_.prune[order - 1];
    }

    Followers followers(int order, std::uint64_t begin, std::uint64_t end) const {
        Followers found;
        const std::uint32_t* counts = counts_[order - 1];
        const auto last = static_cast<std::uint32_t>(statistics_[order - 1].last);
        const bool pruning = plan_.prune[order - 1] > 0;
        for (std::uint64_t i = begin; i < end; ++i) {
            found.total += counts[i];
            if (pruning && dropped(order, i)) {
                found.pruned += counts[i];
                ++found.types;
            } else {
                ++found.kinds[std::min(counts[i], last)];
            }
        }
        for (std::uint32_t j = 1; j <= last; ++j) found.types += found.kinds[j];
        return found;
    }

    Share share(int order, const Followers& f, bool whole) const {
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
    Share stupid(int order, double total, bool whole) const {
        const double paid = whole ? 1.0 : std::pow(plan_.parameter, m_.order() - order);
        return {total / paid, 0.0, order == 1 ? paid * plan_.parameter : 1.0};
    }

    double probability(int order, std::uint64_t place, const Share& share, double lower) const {
        const OrderStatistics& s = statistics_[order - 1];
        const std::uint32_t count = counts_[order - 1][place];
        return (count - s.discounts[std::min(count, static_cast<std::uint32_t>(s.last))]) / share.total +
               share.lower * lower;
    }

    void words(PageArray<double>& probabilities) {
        const std::size_t size = m_.words();
        Share all = share(1, followers(1, 0, size), m_.order() == 1);
        const double uniform = 1.0 / outcomes_;
        double unseen = all.backoff * uniform;
        if (plan_.method == Smoothing::katz) {
            // What Katz leaves goes to the words that were never seen: most often <unk> alone.
            const auto kinds = static_cast<double>(size - 1 - plan_.closed - seen_words());
            if (kinds == 0.0) give_back(all);
            unseen = kinds > 0.0 ? all.backoff / kinds : 0.0;
        }
        probabilities = store_.array<double>(size);
        for (std::size_t w = 0; w < size; ++w) {
            probabilities[w] = counts_[0][w] ? probability(1, w, all, uniform) : unseen;
            if (w == word_unknown && plan_.closed) probabilities[w] = 0.0;
            m_.nodes(1)[w].logprob = w == word_begin ? 0.0f : log10_of(probabilities[w]);
        }
    }

    /// How many words came at all; word_begin is never counted.
    std::size_t seen_words() const {
        return m_.words() - static_cast<std::size_t>(std::count(counts_[0], counts_[0] + m_.words(), 0u));
    }

    /// Katz: with no unseen word to receive the discounted mass, no discount is taken.
    static void give_back(Share& share) {
        share.total *= 1.0 - share.backoff;
        share.backoff = 1.0;
    }

    std::uint32_t suffix(int order, std::uint64_t place) const {
        return order < m_.order() ? m_.nodes(order)[place].suffix : m_.leaves()[place].suffix;
    }

    /// The probability of <unk> after a history of this length: it was never seen, so it is all back-offs.
    double of_unknown(int length, std::uint64_t place) const {
        double paid = m_.nodes(1)[word_unknown].logprob;
        for (; length >= 1; --length) {
            paid += m_.nodes(length)[place].backoff;
            place = length > 1 ? m_.nodes(length)[place].suffix : 0;
        }
        return std::pow(10.0, paid);
    }

    /// What is left, over what the shorter history gives to words that were not seen after the longer one.
    void set_katz_backoff(int order, std::uint64_t history, Share& share, const PageArray<double>& lower) const {
        const NgramNode* histories = m_.nodes(order - 1);
        Compensated seen;
        for (std::uint64_t c = histories[history].child; c < histories[history + 1].child; ++c)
            if (!dropped(order, c)) seen.add(lower[suffix(order, c)]);
        double unseen = 1.0 - seen.value();
        const bool never_unknown = plan_.closed || counts_[0][word_unknown];
        if (unseen < 1e-6 && never_unknown) return give_back(share);
        if (unseen < 1e-6) {  // a difference of nearly equal numbers; <unk> at least is among the unseen
            const double unknown = order > 2 ? of_unknown(order - 2, histories[history].suffix) : lower[word_unknown];
            unseen = std::max(unseen, unknown);
        }
        share.backoff /= unseen;
    }

    void order(int order, const PageArray<double>& lower, PageArray<double>& probabilities) {
        NgramNode* histories = m_.nodes(order - 1);
        const bool leaves = order == m_.order();
        if (!leaves) probabilities = store_.array<double>(m_.shape().counts[order - 1]);
        parallel_blocks(m_.shape().counts[order - 2], per_task, threads_, [&](std::size_t from, std::size_t to) {
            constexpr std::uint64_t ahead = 32;  // probabilities whose memory is on its way
            const std::uint64_t last = histories[to].child;
            for (std::size_t h = from; h < to; ++h) {
                if (h % look == 0) watch_.add(0);
                const std::uint64_t begin = histories[h].child, end = histories[h + 1].child;
                if (begin == end) continue;
                const bool whole = leaves || (h >= begins_ && h < ends_);
                Share found = share(order, followers(order, begin, end), whole);
                if (plan_.method == Smoothing::katz) set_katz_backoff(order, h, found, lower);
                histories[h].backoff = static_cast<float>(std::log10(found.backoff));
                for (std::uint64_t c = begin; c < end; ++c) {
                    if (c + ahead < last) __builtin_prefetch(lower.data() + suffix(order, c + ahead));
                    const double p = probability(order, c, found, lower[suffix(order, c)]);
                    if (leaves) {
                        m_.leaves()[c].logprob = log10_of(p);
                    } else {
                        probabilities[c] = p;
                        m_.nodes(order)[c].logprob = log10_of(p);
                    }
                }
            }
            watch_.add(last - histories[from].child);
        });
    }

    const NgramModel& m_;
    const std::array<const std::uint32_t*, max_order>&raw_, &counts_;
    const SmoothingPlan& plan_;
    std::vector<OrderStatistics>& statistics_;
    unsigned threads_;
    PageStore& store_;
    Watch& watch_;
    double outcomes_;
    std::uint64_t begins_ = 0, ends_ = 0;
};

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

Smoothing smoothing_named(std::string_view name) {
    // In the order of the enumeration.
    static constexpr std::string_view names[] = {"maximum-likelihood",  "lidstone",      "jelinek-mercer",
                                                 "witten-bell",         "katz",          "absolute",
                                                 "kneser-ney",          "modified-kneser-ney", "stupid-backoff"};
    const auto found = std::find(std::begin(names), std::end(names), name);
    if (found == std::end(names)) throw std::invalid_argument("there is no smoothing of this name");
    return static_cast<Smoothing>(found - std::begin(names));
}

void ngram_smooth(const NgramModel& model, const NgramCounts& counts, const SmoothingPlan& plan,
                  std::vector<OrderStatistics>& statistics, unsigned threads, PageStore& store, Watch& watch) {
    Smoother(model, counts, plan, statistics, threads, store, watch).run();
}

}  // namespace bitmeter
