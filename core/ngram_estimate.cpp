#include "ngram_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "ngram_search.hpp"
#include "parallel.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t chunk = 1 << 14;  // histories a task

/// Calls run(from, to) for stretches of [0, size).
template <class Run>
void in_chunks(std::size_t size, unsigned threads, Run&& run) {
    parallel_for((size + chunk - 1) / chunk, threads,
                 [&](std::size_t task) { run(task * chunk, std::min(size, (task + 1) * chunk)); });
}

OrderStatistics with_discounts(OrderStatistics s) {
    const auto n = [&](int j) { return static_cast<double>(s.kinds[j]); };
    const double y = n(1) / (n(1) + 2.0 * n(2));
    for (int j = 1; j <= 3; ++j) {
        s.discounts[j] = s.kinds[j] ? j - (j + 1) * y * n(j + 1) / n(j) : -1.0;
        if (!(s.discounts[j] >= 0.0 && s.discounts[j] <= j)) s.fallback = true;
    }
    if (s.fallback) s.discounts = {0.0, 0.5, 1.0, 1.5};
    return s;
}

/// What the n-grams after one history come to.
struct History {
    double total = 0.0, backoff = 1.0;

    History(const std::uint32_t* counts, std::size_t size, const OrderStatistics& statistics) {
        std::uint64_t sum = 0, kinds[4] = {};
        for (std::size_t i = 0; i < size; ++i) {
            sum += counts[i];
            ++kinds[std::min<std::uint32_t>(counts[i], 3)];
        }
        if (sum == 0) return;
        total = static_cast<double>(sum);
        double left = 0.0;
        for (int j = 1; j <= 3; ++j) left += statistics.discounts[j] * static_cast<double>(kinds[j]);
        backoff = left / total;
    }

    double probability(std::uint32_t count, const OrderStatistics& statistics, double lower) const {
        return (count - statistics.discounts[std::min<std::uint32_t>(count, 3)]) / total + backoff * lower;
    }
};

float log10_of(double p) {
    return static_cast<float>(std::min(0.0, std::log10(p)));
}

}  // namespace

NgramEstimator::NgramEstimator(const NgramText& text, int order, unsigned threads)
    : text_(text), order_(order), threads_(threads), raw_(order), adjusted_(order), statistics_(order) {
    if (order < 1 || order > max_order) throw std::invalid_argument("order must be in 1..16");
    if (text.ids().size() >= ~std::uint32_t{0}) throw std::length_error("more than 2^32 words");
}

void NgramEstimator::sort() {
    raw_[0].assign(text_.table().size(), 0);
    for (std::uint32_t word : text_.ids()) ++raw_[0][word];
    if (order_ > 1) keys_ = sorted_ngrams(text_.ids(), text_.table().size(), order_, threads_);
}

void NgramEstimator::grow() {
    const auto& table = text_.table();
    const std::size_t words = table.size();
    NgramShape shape;
    shape.order = static_cast<std::uint32_t>(order_);
    shape.words = shape.counts[0] = words;
    shape.note_bytes = note_size;
    static constexpr const char* special[first_word] = {"<unk>", "<s>", "</s>"};
    std::vector<std::uint64_t> offsets{0};
    for (std::size_t w = 0; w < words; ++w)
        offsets.push_back(offsets.back() + (w < first_word ? std::strlen(special[w]) : table.word(w).size));
    shape.word_bytes = offsets.back();
    // Where the n-grams of each order that begin with a word have their place.
    std::vector<std::vector<std::uint64_t>> starts(order_);
    for (int o = 2; o <= order_; ++o) {
        starts[o - 1].resize(words + 1);
        for (std::size_t w = 0; w < words; ++w) {
            starts[o - 1][w] = shape.counts[o - 1];
            shape.counts[o - 1] += keys_->kinds(static_cast<std::uint32_t>(w), o);
        }
        starts[o - 1][words] = shape.counts[o - 1];
        raw_[o - 1].assign(shape.counts[o - 1], 0);
    }
    model_ = std::make_unique<NgramModel>(shape);
    std::copy(offsets.begin(), offsets.end(), model_->word_offsets());
    for (std::size_t w = 0; w < words; ++w) {
        const Bytes own = table.word(w);
        if (w < first_word)
            std::memcpy(model_->word_text() + offsets[w], special[w], std::strlen(special[w]));
        else
            std::memcpy(model_->word_text() + offsets[w], own.data, own.size);
    }
    if (order_ == 1) return;
    for (std::size_t w = 0; w <= words; ++w) model_->nodes(1)[w].child = static_cast<std::uint32_t>(starts[1][w]);
    for (int o = 2; o < order_; ++o)
        model_->nodes(o)[shape.counts[o - 1]].child = static_cast<std::uint32_t>(shape.counts[o]);
    const std::size_t bundle = 64;
    parallel_for((words + bundle - 1) / bundle, threads_, [&](std::size_t task) {
        for (std::size_t w = task * bundle; w < std::min(words, (task + 1) * bundle); ++w) {
            std::uint64_t next[max_order + 1] = {};
            for (int o = 2; o <= order_; ++o) next[o] = starts[o - 1][w];
            keys_->visit(static_cast<std::uint32_t>(w),
                         [&](const std::uint32_t* codes, int length, int shared, std::uint64_t count) {
                             for (int o = shared + 2; o <= length + 1; ++o) {
                                 const std::uint64_t place = next[o]++;
                                 model_->keys(o)[place] = codes[o - 2];
                                 if (o < order_)
                                     model_->nodes(o)[place].child = static_cast<std::uint32_t>(next[o + 1]);
                             }
                             for (int o = 2; o <= length + 1; ++o)
                                 raw_[o - 1][next[o] - 1] += static_cast<std::uint32_t>(count);
                         });
        }
    });
    keys_.reset();
}

void NgramEstimator::link() {
    const NgramModel& m = *model_;
    for (int o = 1; o < order_; ++o) adjusted_[o - 1].assign(m.shape().counts[o - 1], 0);
    auto extends = [&](int order, std::uint32_t place) {
        __atomic_fetch_add(&adjusted_[order - 1][place], 1u, __ATOMIC_RELAXED);  // whole numbers: any order, same sum
    };
    for (int o = 2; o <= order_; ++o) {
        auto set = [&](std::uint64_t place, std::uint32_t suffix) {
            (o < order_ ? m.nodes(o)[place].suffix : m.leaves()[place].suffix) = suffix;
            extends(o - 1, suffix);
        };
        if (o == 2) {
            in_chunks(m.shape().counts[1], threads_, [&](std::size_t from, std::size_t to) {
                for (std::size_t i = from; i < to; ++i) set(i, m.codes().word(m.keys(2)[i]));
            });
            continue;
        }
        const NgramNode *histories = m.nodes(o - 1), *shorter = m.nodes(o - 2);
        in_chunks(m.shape().counts[o - 2], threads_, [&](std::size_t from, std::size_t to) {
            for (std::size_t h = from; h < to; ++h) {
                // What follows a history follows its suffix too: both lists ascend, and one holds the other.
                std::uint64_t at = shorter[histories[h].suffix].child;
                const std::uint64_t end = shorter[histories[h].suffix + 1].child;
                for (std::uint64_t c = histories[h].child; c < histories[h + 1].child; ++c) {
                    at = find_child(m.keys(o - 1), at, end, m.keys(o)[c], m.codes().bits());
                    if (at == no_child) throw std::logic_error("an n-gram without its suffix");
                    set(c, static_cast<std::uint32_t>(at));
                }
            }
        });
    }
    // What begins a sentence has nothing before it: it keeps its occurrences. So does the highest order.
    std::uint64_t from = word_begin, to = word_begin + 1;
    for (int o = 2; o < order_; ++o) {
        from = m.nodes(o - 1)[from].child;
        to = m.nodes(o - 1)[to].child;
        std::copy(raw_[o - 1].begin() + static_cast<std::ptrdiff_t>(from),
                  raw_[o - 1].begin() + static_cast<std::ptrdiff_t>(to),
                  adjusted_[o - 1].begin() + static_cast<std::ptrdiff_t>(from));
    }
    adjusted_[order_ - 1] = raw_[order_ - 1];
    count_kinds();
}

void NgramEstimator::count_kinds() {
    for (int o = 1; o <= order_; ++o)
        for (std::uint32_t count : adjusted_[o - 1])
            if (count >= 1 && count <= 4) ++statistics_[o - 1].kinds[count];
    last_chain();
}

/// lmplz goes through the n-grams ordered from their last word to their first, and counts the very last one of each
/// order below the highest by its occurrences instead of its adjusted count. On a small text that moves the discounts.
void NgramEstimator::last_chain() {
    const auto& ids = text_.ids();
    if (ids.empty()) return;
    const std::uint32_t last = *std::max_element(ids.begin(), ids.end());  // of the words that come
    // The word k places before place i; word_begin before the sentence.
    auto before = [&](std::size_t i, int k) {
        for (int back = 1; back <= k; ++back)
            if (i < static_cast<std::size_t>(back) || ids[i - back] == word_end) return word_begin;
        return ids[i - k];
    };
    std::size_t best = ids.size();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] != last) continue;
        for (int k = 1; best < ids.size() && k < order_; ++k) {
            const std::uint32_t ours = before(i, k), theirs = before(best, k);
            if (ours != theirs) {
                if (ours > theirs) best = i;
                break;
            }
        }
        if (best == ids.size()) best = i;
    }
    for (int o = 1; o < order_; ++o) {
        if (o > 1 && before(best, o - 1) == word_begin) return;  // those that begin a sentence are counted alike
        std::uint64_t place = before(best, o - 1);
        for (int length = 2; length <= o; ++length) {
            const NgramNode* nodes = model_->nodes(length - 1);
            place = find_child(model_->keys(length), nodes[place].child, nodes[place + 1].child,
                               model_->codes().code(before(best, o - length)), model_->codes().bits());
        }
        auto& kinds = statistics_[o - 1].kinds;
        const std::uint32_t adjusted = adjusted_[o - 1][place], raw = raw_[o - 1][place];
        if (adjusted >= 1 && adjusted <= 4) --kinds[adjusted];
        if (raw >= 1 && raw <= 4) ++kinds[raw];
    }
}

void NgramEstimator::weigh_words(std::vector<double>& probabilities) {
    const std::size_t words = model_->words();
    const auto& counts = adjusted_[0];
    const History all(counts.data(), counts.size(), statistics_[0]);
    // All but word_begin can come; in a closed vocabulary word_unknown cannot either.
    const double uniform = 1.0 / static_cast<double>(words - 1 - text_.closed());
    probabilities.resize(words);
    for (std::size_t w = 0; w < words; ++w) {
        probabilities[w] = counts[w] ? all.probability(counts[w], statistics_[0], uniform) : all.backoff * uniform;
        if (w == word_unknown && text_.closed()) probabilities[w] = 0.0;
        model_->nodes(1)[w].logprob = w == word_begin ? 0.0f : log10_of(probabilities[w]);
    }
}

void NgramEstimator::weigh_order(int order, const std::vector<double>& lower, std::vector<double>& probabilities) {
    const NgramModel& m = *model_;
    const OrderStatistics& statistics = statistics_[order - 1];
    const auto& counts = adjusted_[order - 1];
    NgramNode* histories = m.nodes(order - 1);
    if (order < order_) probabilities.resize(counts.size());
    in_chunks(m.shape().counts[order - 2], threads_, [&](std::size_t from, std::size_t to) {
        for (std::size_t h = from; h < to; ++h) {
            const std::uint64_t begin = histories[h].child, end = histories[h + 1].child;
            if (begin == end) continue;
            const History history(counts.data() + begin, end - begin, statistics);
            histories[h].backoff = static_cast<float>(std::log10(history.backoff));
            for (std::uint64_t c = begin; c < end; ++c) {
                const std::uint32_t suffix = order < order_ ? m.nodes(order)[c].suffix : m.leaves()[c].suffix;
                const double p = history.probability(counts[c], statistics, lower[suffix]);
                if (order < order_) {
                    probabilities[c] = p;
                    m.nodes(order)[c].logprob = log10_of(p);
                } else {
                    m.leaves()[c].logprob = log10_of(p);
                }
            }
        }
    });
}

void NgramEstimator::weigh() {
    for (auto& s : statistics_) s = with_discounts(s);
    std::vector<double> lower, probabilities;
    weigh_words(lower);
    for (int o = 2; o <= order_; ++o) {
        weigh_order(o, lower, probabilities);
        lower.swap(probabilities);
    }
}

std::unique_ptr<NgramModel> NgramEstimator::model(std::string_view note) {
    model_->set_note(note);
    model_->seal();
    return std::move(model_);
}

}  // namespace bitmeter
