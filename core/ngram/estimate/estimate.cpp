#include "ngram/estimate/estimate.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "ngram/estimate/prune.hpp"
#include "ngram/estimate/trie.hpp"
#include "ngram/sort/runs.hpp"
#include "util/parallel.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t per_task = 1 << 14;  // histories per task

}  // namespace

NgramEstimator::NgramEstimator(const NgramText& text, int order, NgramMeans means)
    : text_(text),
      order_(order),
      threads_(means.threads),
      store_(means.store ? *means.store : own_store_),
      watch_(means.watch ? *means.watch : own_watch_),
      keep_raw_(means.raw),
      most_keys_(means.most_keys),
      raw_(static_cast<std::size_t>(std::max(order, 1))),
      adjusted_(raw_.size()),
      statistics_(raw_.size()) {
    if (order < 1 || order > max_order) throw std::invalid_argument("order must be in 1..16");
    if (!text.adopted() && text.ids().size() >= ~std::uint32_t{0}) throw std::length_error("more than 2^32 words");
}

// ---- what it takes
// ---------------------------------------------------------------------------------------------------

std::uint64_t NgramEstimator::least_memory(const NgramText& text, int order, unsigned threads) {
    // For each word: its count, and where its n-grams begin, by thread; then a run that is worth its while.
    const std::uint64_t words = text.table().size(), parts = thread_count(threads, 1024);
    const std::uint64_t run = std::min<std::uint64_t>(text.adopted() ? 0 : text.ids().size(), std::uint64_t{1} << 20);
    return words * (2 * sizeof(std::uint64_t) + parts * sizeof(std::uint32_t)) +
           run * ngram_key_bytes(words, std::max(order, 2)) * 3 + text.table().bytes();
}

std::uint64_t NgramEstimator::most_disk(const NgramText& text, int order) {
    // Every n-gram of two words and more may be different from all others.
    const std::uint64_t places = text.places() + 1, words = text.table().size();
    if (order < 2) return places * sizeof(std::uint32_t);
    const std::uint64_t key = ngram_key_bytes(words, order) + sizeof(std::uint32_t);
    const std::uint64_t node = sizeof(NgramNode) + 2 * sizeof(std::uint32_t) + sizeof(double);
    const std::uint64_t leaf = sizeof(NgramLeaf) + 2 * sizeof(std::uint32_t);
    return places * (sizeof(std::uint32_t) + key + static_cast<std::uint64_t>(order - 2) * node + leaf);
}

bool NgramEstimator::sorts_in_memory(const NgramText& text, int order, const PageStore& store) {
    // The keys, and per thread a copy of those of one word.
    const std::uint64_t keys = (text.ids().size() + 1) * ngram_key_bytes(text.table().size(), order);
    return order < 2 || text.adopted() || store.fits(keys + keys / 4);
}

// ---- sorting
// ---------------------------------------------------------------------------------------------------------

void NgramEstimator::sort() {
    const IdList& ids = text_.ids();
    raw_[0] = store_.array<std::uint32_t>(text_.table().size());
    if (text_.adopted()) {
        const auto counts = text_.counts();
        std::copy(counts.begin(), counts.end(), raw_[0].begin());
    }
    for (std::uint32_t word : ids) ++raw_[0][word];
    if (order_ > 1 && text_.adopted()) {
        keys_ = merged_ngrams(files_, text_.table().size(), order_, threads_, watch_);
        runs_ = keys_->runs();
        return;
    }
    if (order_ == 1) {
        watch_.begin(1);
        return;
    }
    SortPlan plan{{ids.data(), ids.size()}, {raw_[0].data(), raw_[0].size()}, order_, threads_, most_keys_};
    const std::uint64_t key = ngram_key_bytes(text_.table().size(), order_);
    key_bytes_ = (ids.size() + 1) * key;
    if (plan.most_keys == 0 && !sorts_in_memory(text_, order_, store_))
        plan.most_keys = std::max<std::uint64_t>(std::uint64_t{1} << 16, store_.left() * 3 / 5 / (key + key / 2));
    if (plan.most_keys >= ids.size()) plan.most_keys = 0;
    if (plan.most_keys) key_bytes_ = 0;
    store_.use_disk(plan.most_keys != 0);
    keys_ = sorted_ngrams(plan, store_, watch_);
    runs_ = keys_->runs();
}

// ---- the trie
// --------------------------------------------------------------------------------------------------------

void NgramEstimator::name_words() {
    const auto& table = text_.table();
    static constexpr const char* special[first_word] = {"<unk>", "<s>", "</s>"};
    std::uint64_t offset = 0;
    for (std::size_t w = 0; w < table.size(); ++w) {
        const Bytes own = w < first_word ? Bytes{reinterpret_cast<const std::uint8_t*>(special[w]), std::strlen(special[w])}
                                         : table.word(w);
        model_->word_offsets()[w] = offset;
        std::memcpy(model_->word_text() + offset, own.data, own.size);
        offset += own.size;
    }
    model_->word_offsets()[table.size()] = offset;
}

/// Without n-grams of two words and more.
NgramShape NgramEstimator::shape_of_words() const {
    const auto& table = text_.table();
    NgramShape shape;
    shape.order = static_cast<std::uint32_t>(order_);
    shape.words = shape.counts[0] = table.size();
    shape.metadata_bytes = metadata_size;
    shape.word_bytes = std::strlen("<unk><s></s>");
    for (std::size_t w = first_word; w < table.size(); ++w) shape.word_bytes += table.word(w).size;
    return shape;
}

void NgramEstimator::grow() {
    NgramShape shape = shape_of_words();
    const std::size_t words = shape.words;
    // Where the n-grams of each order that begin in a bundle have their place.
    const std::size_t bundles = keys_ ? keys_->bundles() : 0;
    std::vector<TriePlaces> starts(bundles);
    for (std::size_t b = 0; b < bundles; ++b)
        for (int o = 2; o <= order_; ++o) {
            starts[b][o] = shape.counts[o - 1];
            shape.counts[o - 1] += keys_->kinds(b, o);
        }
    for (int o = 2; o <= order_; ++o)
        if (shape.counts[o - 1] >= ~std::uint32_t{0}) throw std::length_error("more than 2^32 n-grams of one order");
    std::uint64_t doubles = 0, counts = 0;
    for (int o = 1; o <= order_; ++o) {
        counts += shape.counts[o - 1] * (keep_raw_ && o < order_ ? 2 : 1);
        if (o + 1 < order_) doubles = std::max(doubles, shape.counts[o - 1] + shape.counts[o]);
    }
    const std::uint64_t need =
        NgramModel::size_of(shape) + counts * sizeof(std::uint32_t) + doubles * sizeof(double);
    store_.use_disk(most_keys_ != 0 || !store_.fits(need - std::min(need, key_bytes_)));
    model_ = std::make_unique<NgramModel>(shape, store_);
    name_words();
    for (int o = 1; o <= order_; ++o) {
        if (o > 1 && (keep_raw_ || o == order_)) raw_[o - 1] = store_.array<std::uint32_t>(shape.counts[o - 1]);
        adjusted_[o - 1] = o < order_ ? store_.array<std::uint32_t>(shape.counts[o - 1]) : raw_[o - 1];
    }
    watch_.begin(bundles);
    if (order_ == 1) return;
    model_->nodes(1)[words].child = static_cast<std::uint32_t>(shape.counts[1]);
    for (int o = 2; o < order_; ++o)
        model_->nodes(o)[shape.counts[o - 1]].child = static_cast<std::uint32_t>(shape.counts[o]);
    struct Whole {
        NgramEstimator& e;
        const NgramModel& m;
        void begin_children(std::uint32_t word, std::uint32_t place) { m.nodes(1)[word].child = place; }
        void add(int o, std::uint64_t place, std::uint32_t code, std::uint32_t child) {
            m.keys(o)[place] = code;
            if (o < e.order_) m.nodes(o)[place].child = child;
        }
        void count(int o, std::uint64_t place, std::uint32_t first, std::uint32_t times) {
            if (o == e.order_ || e.keep_raw_) e.raw_[o - 1][place] += times;
            // What begins a sentence has nothing before it: it keeps its occurrences.
            if (o < e.order_ && first == word_begin) e.adjusted_[o - 1][place] += times;
        }
    };
    parallel_for(bundles, threads_, [&](std::size_t bundle) {
        Whole trie{*this, *model_};
        const auto end = bundle + 1 < bundles ? keys_->bundle_begin(bundle + 1) : static_cast<std::uint32_t>(words);
        grow_bundle(*keys_, bundle, end, order_, starts[bundle], trie);
        keys_->forget(bundle);
        watch_.add(1);
    });
    keys_.reset();
}

void NgramEstimator::link() {
    std::uint64_t steps = 0;
    for (int o = 2; o <= order_; ++o) steps += model_->shape().counts[o - 1];
    watch_.begin(steps);
    for (int o = 2; o <= order_; ++o) link_order(o);
    count_kinds();
}

void NgramEstimator::link_order(int o) {
    const NgramModel& m = *model_;
    std::uint32_t* const extended = adjusted_[o - 2].data();
    auto set = [&](std::uint64_t place, std::uint32_t suffix) {
        (o < order_ ? m.nodes(o)[place].suffix : m.leaves()[place].suffix) = suffix;
        __atomic_fetch_add(extended + suffix, 1u, __ATOMIC_RELAXED);  // whole numbers: any order, same sum
    };
    if (o == 2) {
        parallel_blocks(m.shape().counts[1], per_task, threads_, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) set(i, m.codes().word(m.keys(2)[i]));
            watch_.add(to - from);
        });
        return;
    }
    struct Longer {
        const NgramNode* histories;
        const std::uint32_t* own;
        std::uint64_t child(std::size_t h) const { return histories[h].child; }
        std::uint64_t suffix(std::size_t h) const { return histories[h].suffix; }
        const std::uint32_t* keys() const { return own; }
    };
    struct Shorter {
        const NgramNode* nodes;
        const std::uint32_t *own, *extended;
        std::uint64_t child(std::uint64_t place) const { return nodes[place].child; }
        const std::uint32_t* keys() const { return own; }
        void fetch_node(std::uint64_t place) const { __builtin_prefetch(nodes + place); }
        void fetch_key(std::uint64_t place) const {
            __builtin_prefetch(own + place);
            __builtin_prefetch(extended + place, 1);
        }
    };
    const Longer longer{m.nodes(o - 1), m.keys(o)};
    const Shorter shorter{m.nodes(o - 2), m.keys(o - 1), extended};
    parallel_blocks(m.shape().counts[o - 2], per_task, threads_, [&](std::size_t from, std::size_t to) {
        link_histories(longer, shorter, m.codes().bits(), from, to, watch_, [&](std::uint64_t place, std::uint64_t at) {
            if (at == no_child) throw std::logic_error("an n-gram without its suffix");
            set(place, static_cast<std::uint32_t>(at));
        });
    });
}

void NgramEstimator::count_kinds() {
    for (int o = 1; o <= order_; ++o) {
        const auto& counts = adjusted_[o - 1];
        for (std::size_t from = 0; from < counts.size(); from += per_task) {
            for (std::size_t i = from; i < std::min(counts.size(), from + per_task); ++i)
                if (counts[i] >= 1 && counts[i] <= 4) ++statistics_[o - 1].kinds[counts[i]];
            watch_.add(0);
        }
    }
    correct_last([&](int o, const std::array<std::uint32_t, max_order>& words) {
        std::uint64_t place = words[static_cast<std::size_t>(o - 1)];
        for (int length = 2; length <= o; ++length) {
            const NgramNode* nodes = model_->nodes(length - 1);
            place = find_child(model_->keys(length), nodes[place].child, nodes[place + 1].child,
                               model_->codes().code(words[static_cast<std::size_t>(o - length)]), model_->codes().bits());
        }
        return adjusted_[o - 1][place];
    });
}

void NgramEstimator::weigh(SmoothingPlan plan, const NgramText* heldout) {
    const bool pruning =
        std::any_of(plan.prune.begin(), plan.prune.begin() + order_, [](std::uint32_t limit) { return limit > 0; });
    if (!keep_raw_ && (pruning || !plan.adjusted()))
        throw std::invalid_argument("a smoothing by occurrences, or pruning, needs them kept");
    NgramCounts counts;
    for (int o = 1; o <= order_; ++o) {
        counts.raw[o - 1] = raw_[o - 1].data();
        counts.adjusted[o - 1] = adjusted_[o - 1].data();
    }
    plan.closed = text_.closed();
    if (heldout) {
        const ModelTrie trie(*model_, plan.adjusted() ? counts.adjusted : counts.raw);
        learn(plan, trie, *heldout);
    } else if (plan.method == Smoothing::jelinek_mercer) {
        if (text_.adopted()) throw std::invalid_argument("jelinek-mercer needs a held-out text here");
        heldout_ = weights_within(*model_, counts.raw, {text_.ids().data(), text_.ids().size()}, store_, threads_);
        plan.weights = heldout_.weights;
    }
    ngram_smooth(*model_, counts, plan, statistics_, threads_, store_, watch_);
    if (pruning)
        model_ = ngram_pruned(
            *model_, [&](int order, std::uint64_t place) { return raw_[order - 1][place] > plan.prune[order - 1]; },
            &store_);
}

/// What the method learns from a held-out text; the counts of the trie are those that it smooths.
void NgramEstimator::learn(SmoothingPlan& plan, const CountedTrie& trie, const NgramText& heldout) {
    if (plan.method == Smoothing::jelinek_mercer) {
        heldout_ = weights_from(trie, numbered(heldout), threads_);
        plan.weights = heldout_.weights;
    }
    if (plan.method == Smoothing::modified_kneser_ney) {
        std::vector<ThreeDiscounts> estimated;
        for (OrderStatistics own : statistics_) {
            estimate_three_discounts(own);
            estimated.push_back({own.discounts[1], own.discounts[2], own.discounts[3]});
        }
        tuned_ = tuned_discounts(trie, estimated, numbered(heldout), plan.closed);
        heldout_.words = tuned_.words;
        if (tuned_.words) plan.discounts = tuned_.discounts;
    }
}

/// Another text's words by their numbers here.
std::vector<std::uint32_t> NgramEstimator::numbered(const NgramText& other) const {
    std::vector<std::uint32_t> numbers(other.table().size(), word_unknown);
    numbers[word_end] = word_end;
    for (std::size_t w = first_word; w < numbers.size(); ++w) {
        const std::int64_t found = text_.table().find(other.table().word(w));
        if (found >= first_word) numbers[w] = static_cast<std::uint32_t>(found);
    }
    std::vector<std::uint32_t> result(other.ids().begin(), other.ids().end());
    for (std::uint32_t& word : result) word = numbers[word];
    return result;
}

std::unique_ptr<NgramModel> NgramEstimator::model(std::string_view metadata) {
    model_->set_metadata(metadata);
    model_->seal(&watch_);
    return std::move(model_);
}

}  // namespace bitmeter
