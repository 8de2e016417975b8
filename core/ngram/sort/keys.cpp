#include "ngram/sort/keys.hpp"

#include <algorithm>
#include <utility>

#include "ngram/sort/packed_keys.hpp"
#include "util/parallel.hpp"

namespace bitmeter {
namespace {

using namespace packed;

/// A run on the disk: different keys in order, their counts, and where those of each first word begin.
template <int W>
struct Run {
    PageBlock block;
    std::uint64_t* starts = nullptr;
    Wide<W>* keys = nullptr;
    std::uint32_t* counts = nullptr;

    Run(PageStore& store, std::size_t words, std::uint64_t size)
        : block(store.take((words + 1) * sizeof(std::uint64_t) + size * (sizeof(Wide<W>) + sizeof(std::uint32_t)))) {
        starts = reinterpret_cast<std::uint64_t*>(block.data());
        keys = reinterpret_cast<Wide<W>*>(starts + words + 1);
        counts = reinterpret_cast<std::uint32_t*>(keys + size);
    }
    void drop(std::uint32_t from, std::uint32_t to) const {
        const std::size_t base = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(keys) - block.data());
        block.drop(base + starts[from] * sizeof(Wide<W>), base + starts[to] * sizeof(Wide<W>));
    }
};

template <int W>
class Keys final : public NgramKeys {
public:
    Keys(const SortPlan& plan, PageStore& store, Watch& watch) : packing_(plan.counts.size(), plan.order) {
        length_ = packing_.length;
        cut(plan.counts);
        kinds_.assign(bundles() * static_cast<std::size_t>(length_), 0);
        const std::size_t size = plan.ids.size();
        if (plan.most_keys == 0) {
            watch.begin(size);
            slice_ = std::make_unique<Slice<W>>(plan, packing_, size + 1);
            slice_->sort(0, size, cuts_, watch, [&](std::size_t bundle) { count(bundle); });
            return;
        }
        watch.begin(size + size / 2);
        write_runs(plan, store, watch);
        parallel_for(bundles(), plan.threads, [&](std::size_t bundle) {
            std::uint64_t own = 0;
            for (const auto& run : runs_) own += run.starts[cuts_[bundle + 1]] - run.starts[cuts_[bundle]];
            count(bundle);
            watch.add(own / 2);
        });
    }

    std::size_t runs() const override { return slice_ ? 1 : runs_.size(); }

    void visit(std::size_t bundle, const Visit& visit) const override {
        std::uint32_t codes[max_order];
        for_words(bundle, [&](std::uint32_t word, const Wide<W>& key, int length, int shared, std::uint64_t count) {
            for (int j = shared; j < length; ++j)
                codes[j] = key.bits(static_cast<unsigned>(length_ - 1 - j) * packing_.bits, packing_.mask());
            visit(word, codes, length, shared, count);
        });
    }

    void forget(std::size_t bundle) const override {
        if (slice_) slice_->drop(cuts_[bundle], cuts_[bundle + 1]);
        for (const auto& run : runs_) run.drop(cuts_[bundle], cuts_[bundle + 1]);
    }

private:
    void cut(std::span<const std::uint32_t> counts) {
        constexpr std::uint64_t tasks = 1024;
        std::uint64_t total = 0, own = 0;
        for (std::uint32_t count : counts) total += count;
        cuts_ = {0};
        for (std::uint32_t word = 0; word + 1 < counts.size(); ++word) {
            own += word == word_begin ? counts[word_end] : word == word_end ? 0 : counts[word];
            if (own <= total / tasks) continue;
            cuts_.push_back(word + 1);
            own = 0;
        }
        cuts_.push_back(static_cast<std::uint32_t>(counts.size()));
    }

    /// Calls take(word, key, length, shared, count) for the different n-grams of a bundle.
    template <class Take>
    void for_words(std::size_t bundle, Take&& take) const {
        for (std::uint32_t word = cuts_[bundle]; word < cuts_[bundle + 1]; ++word) {
            const Wide<W>* before = nullptr;
            auto visit_key = [&](const Wide<W>& key, std::uint64_t count) {
                take(word, key, packing_.length_of(key), before ? packing_.shared_words(*before, key) : 0, count);
                before = &key;
            };
            if (slice_) {
                for (const Wide<W>*at = slice_->begin(word), *end = slice_->end(word); at < end;) {
                    const Wide<W>* next = at + 1;
                    while (next < end && *next == *at) ++next;
                    visit_key(*at, static_cast<std::uint64_t>(next - at));
                    at = next;
                }
                continue;
            }
            Merge<W> merge;
            for (const auto& run : runs_)
                if (const std::uint64_t from = run.starts[word], to = run.starts[word + 1]; from < to)
                    merge.add(run.keys + from, run.keys + to, run.counts + from);
            merge.run(visit_key);
        }
    }

    void count(std::size_t bundle) {
        std::uint64_t* kinds = kinds_.data() + bundle * static_cast<std::size_t>(length_);
        for_words(bundle, [&](std::uint32_t, const Wide<W>&, int length, int shared, std::uint64_t) {
            for (int j = shared; j < length; ++j) ++kinds[j];
        });
    }

    void write_runs(const SortPlan& plan, PageStore& store, Watch& watch) {
        const std::size_t size = plan.ids.size(), words = plan.counts.size();
        const std::size_t runs = std::max<std::size_t>(1, (size + plan.most_keys - 1) / plan.most_keys);
        Slice<W> slice(plan, packing_, size / runs + 2);
        std::vector<std::uint64_t> different(bundles());
        for (std::size_t r = 0; r < runs; ++r) {
            slice.sort(size * r / runs, size * (r + 1) / runs, cuts_, watch, [&](std::size_t bundle) {
                std::uint64_t own = 0;
                for (std::uint32_t w = cuts_[bundle]; w < cuts_[bundle + 1]; ++w)
                    for (const Wide<W>* at = slice.begin(w); at < slice.end(w); ++at)
                        own += at == slice.begin(w) || !(*at == at[-1]);
                different[bundle] = own;
            });
            std::uint64_t total = 0;
            for (auto& own : different) total += std::exchange(own, total);
            runs_.emplace_back(store, words, total);
            const Run<W>& run = runs_.back();
            run.starts[words] = total;
            parallel_for(bundles(), plan.threads, [&](std::size_t bundle) {
                std::uint64_t at = different[bundle];
                for (std::uint32_t w = cuts_[bundle]; w < cuts_[bundle + 1]; ++w) {
                    run.starts[w] = at;
                    for (const Wide<W>* key = slice.begin(w); key < slice.end(w); ++key) {
                        if (key > slice.begin(w) && *key == key[-1]) {
                            ++run.counts[at - 1];
                            continue;
                        }
                        run.keys[at] = *key;
                        run.counts[at++] = 1;
                    }
                }
                watch.add(0);
            });
        }
    }

    Packing<W> packing_;
    std::unique_ptr<Slice<W>> slice_;
    std::vector<Run<W>> runs_;
};

}  // namespace

std::size_t ngram_key_bytes(std::uint64_t words, int order) {
    // Widths of 5 to 7 are rare, and each is one more of everything that sorts: they are 8.
    const unsigned width = (WordCodes(words).bits() * static_cast<unsigned>(order - 1) + 63) / 64;
    return (width > 4 && width < 8 ? 8 : width) * 8;
}

std::unique_ptr<NgramKeys> sorted_ngrams(const SortPlan& plan, PageStore& store, Watch& watch) {
    return with_width(plan.counts.size(), plan.order, [&]<int W>() -> std::unique_ptr<NgramKeys> {
        return std::make_unique<Keys<W>>(plan, store, watch);
    });
}

}  // namespace bitmeter
