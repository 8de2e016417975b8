#include "ngram/estimate/smoothing/smooth.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <stdexcept>

#include "ngram/estimate/smoothing/shares.hpp"
#include "util/parallel.hpp"
#include "util/sum.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t per_task = 1 << 14;  // histories per task

class Smoother {
public:
    Smoother(const NgramModel& model, const NgramCounts& counts, const SmoothingPlan& plan,
             std::vector<OrderStatistics>& statistics, unsigned threads, PageStore& store, Watch& watch)
        : m_(model),
          raw_(counts.raw),
          counts_(plan.adjusted() ? counts.adjusted : counts.raw),
          plan_(plan),
          statistics_(statistics),
          shares_(plan, statistics, model.words()),
          threads_(threads),
          store_(store),
          watch_(watch) {}

    void run() {
        for (int o = 1; o <= m_.order(); ++o) {
            // Those of modified Kneser-Ney are known, with a correction.
            if (counts_kinds(plan_.method) && plan_.method != Smoothing::modified_kneser_ney) count(o);
            settle_discounts(plan_, statistics_[o - 1], o);
        }
        std::uint64_t steps = 0;
        for (int o = 2; o <= m_.order(); ++o) steps += m_.shape().counts[o - 1];
        watch_.begin(steps);
        PageArray<double> lower = store_.array<double>(m_.words()), probabilities;
        shares_.words(counts_[0], lower.data());
        for (std::uint32_t w = 0; w < m_.words(); ++w) m_.nodes(1)[w].logprob = word_logprob(w, lower[w]);
        std::uint64_t begins = word_begin, ends = word_begin + 1;  // the histories that begin a sentence
        for (int o = 2; o <= m_.order(); ++o) {
            if (o < m_.order()) probabilities = store_.array<double>(m_.shape().counts[o - 1]);
            const Level level(*this, o, begins, ends, lower.data(), probabilities.data());
            parallel_blocks(m_.shape().counts[o - 2], per_task, threads_, [&](std::size_t from, std::size_t to) {
                Level own = level;
                own.last = level.child(to);
                smooth_histories(shares_, o, own, from, to, watch_);
            });
            lower = std::move(probabilities);
            begins = m_.nodes(o - 1)[begins].child;
            ends = m_.nodes(o - 1)[ends].child;
        }
    }

private:
    /// An order of the trie, for smooth_histories.
    struct Level {
        Level(const Smoother& smoother, int number, std::uint64_t from, std::uint64_t to, const double* shorter,
              double* longer)
            : s(smoother),
              order(number),
              begins(from),
              ends(to),
              below(shorter),
              own(longer),
              histories(s.m_.nodes(number - 1)),
              nodes(number < s.m_.order() ? s.m_.nodes(number) : nullptr),
              leaves(s.m_.leaves()) {}

        OrderCounts counts() const { return {s.counts_[order - 1], s.raw_[order - 1]}; }
        std::uint64_t child(std::size_t history) const { return histories[history].child; }
        bool whole(std::size_t history) const { return !nodes || (history >= begins && history < ends); }
        void adapt(std::size_t history, Share& share) const {
            if (s.plan_.method == Smoothing::katz) s.set_katz_backoff(*this, history, share);
        }
        void set_backoff(std::size_t history, float backoff) const { histories[history].backoff = backoff; }
        std::uint32_t suffix(std::uint64_t place) const { return nodes ? nodes[place].suffix : leaves[place].suffix; }
        double lower(std::uint64_t place) const {
            constexpr std::uint64_t ahead = 32;  // probabilities whose memory is on its way
            if (place + ahead < last) __builtin_prefetch(below + suffix(place + ahead));
            return below[suffix(place)];
        }
        void set(std::uint64_t place, double probability) const {
            if (!nodes) {
                leaves[place].logprob = log10_of(probability);
                return;
            }
            own[place] = probability;
            nodes[place].logprob = log10_of(probability);
        }

        const Smoother& s;
        int order;
        std::uint64_t begins, ends;
        const double* below;  // the probabilities of the order below
        double* own;
        NgramNode *histories, *nodes;
        NgramLeaf* leaves;
        std::uint64_t last = 0;  // of the children of a task
    };

    void count(int order) const {
        OrderStatistics& s = statistics_[order - 1];
        s.kinds = {};
        std::mutex guard;
        parallel_blocks(m_.shape().counts[order - 1], per_task, threads_, [&](std::size_t from, std::size_t to) {
            OrderStatistics own;
            add_kinds(counts_[order - 1] + from, to - from, own);
            std::lock_guard lock(guard);
            for (std::size_t j = 1; j < s.kinds.size(); ++j) s.kinds[j] += own.kinds[j];
        });
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
    void set_katz_backoff(const Level& level, std::uint64_t history, Share& share) const {
        Compensated seen;
        for (std::uint64_t c = level.child(history); c < level.child(history + 1); ++c)
            if (!shares_.dropped(level.order, level.counts(), c)) seen.add(level.below[level.suffix(c)]);
        double unseen = 1.0 - seen.value();
        const bool never_unknown = plan_.closed || counts_[0][word_unknown];
        if (unseen < 1e-6 && never_unknown) return Shares::give_back(share);
        if (unseen < 1e-6) {  // a difference of nearly equal numbers; <unk> at least is among the unseen
            const double unknown = level.order > 2 ? of_unknown(level.order - 2, level.histories[history].suffix)
                                                   : level.below[word_unknown];
            unseen = std::max(unseen, unknown);
        }
        share.backoff /= unseen;
    }

    const NgramModel& m_;
    const std::array<const std::uint32_t*, max_order>&raw_, &counts_;
    const SmoothingPlan& plan_;
    std::vector<OrderStatistics>& statistics_;
    Shares shares_;
    unsigned threads_;
    PageStore& store_;
    Watch& watch_;
};

}  // namespace

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
