#include "ngram_estimate.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "ngram_prune.hpp"
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

void NgramEstimator::weigh(SmoothingPlan plan, const NgramText* heldout) {
    NgramCounts counts;
    for (int o = 1; o <= order_; ++o) {
        counts.raw[o - 1] = raw_[o - 1].data();
        counts.adjusted[o - 1] = adjusted_[o - 1].data();
    }
    plan.closed = text_.closed();
    if (plan.method == Smoothing::jelinek_mercer) {
        heldout_ = heldout ? weights_from(*model_, counts.raw, numbered(*heldout), threads_)
                           : weights_within(*model_, counts.raw, text_.ids(), threads_);
        plan.weights = heldout_.weights;
    }
    ngram_smooth(*model_, counts, plan, statistics_, threads_);
    if (std::any_of(plan.prune.begin(), plan.prune.begin() + order_, [](std::uint32_t limit) { return limit > 0; }))
        model_ = ngram_pruned(*model_, [&](int order, std::uint64_t place) {
            return raw_[order - 1][place] > plan.prune[order - 1];
        });
}

/// Another text's words by their numbers here.
std::vector<std::uint32_t> NgramEstimator::numbered(const NgramText& other) const {
    std::vector<std::uint32_t> numbers(other.table().size(), word_unknown);
    numbers[word_end] = word_end;
    for (std::size_t w = first_word; w < numbers.size(); ++w) {
        const std::int64_t found = text_.table().find(other.table().word(w));
        if (found >= first_word) numbers[w] = static_cast<std::uint32_t>(found);
    }
    std::vector<std::uint32_t> result(other.ids());
    for (std::uint32_t& word : result) word = numbers[word];
    return result;
}

std::unique_ptr<NgramModel> NgramEstimator::model(std::string_view note) {
    model_->set_note(note);
    model_->seal();
    return std::move(model_);
}

}  // namespace bitmeter
