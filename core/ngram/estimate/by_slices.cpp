// What an estimation does itself of one whose slices are tasks of other processes: all that needs the whole vocabulary.
#include <algorithm>
#include <stdexcept>

#include "ngram/estimate/estimate.hpp"
#include "ngram/estimate/smoothing/shares.hpp"
#include "ngram/estimate/slices/trie.hpp"

namespace bitmeter {

/// Those of single words that are smoothed.
std::vector<std::uint32_t> NgramEstimator::word_counts(const SlicePlan& plan) const {
    std::vector<std::uint32_t> counts;
    if (plan.smoothing.adjusted()) {
        for (std::size_t slice = 0; slice < plan.slices(); ++slice) {
            const SliceFile file = plan.linked(slice);
            const auto found = file.read<std::uint32_t>(SliceArrayKind::adjusted, 1);
            if (found.size() != plan.cuts[slice + 1] - plan.cuts[slice]) file.damaged("has an array of another size");
            counts.insert(counts.end(), found.begin(), found.end());
        }
    } else {
        const auto found = text_.counts();
        counts.assign(found.begin(), found.end());
    }
    return counts;
}

void NgramEstimator::settle(SlicePlan& plan, const std::vector<std::array<std::uint64_t, most_discounted + 2>>& kinds,
                            const std::vector<std::uint32_t>& last, const NgramText* heldout) {
    const std::size_t words = text_.table().size();
    if (plan.order != order_ || plan.words != words || kinds.size() + 1 != statistics_.size() ||
        last.size() + 2 != statistics_.size())
        throw std::invalid_argument("the slices are those of another text");
    watch_.begin(words);
    const std::vector<std::uint32_t> counts = word_counts(plan);
    plan.smoothing.closed = text_.closed();
    for (std::size_t o = 1; o < statistics_.size(); ++o) statistics_[o].kinds = kinds[o - 1];
    if (counts_kinds(plan.smoothing.method)) add_kinds(counts.data(), counts.size(), statistics_[0]);
    if (plan.smoothing.method == Smoothing::modified_kneser_ney)
        correct_last([&](int o, const std::array<std::uint32_t, max_order>& chain) {
            return o == 1 ? counts[chain[0]] : last[static_cast<std::size_t>(o - 2)];
        });
    if (heldout) learn(plan.smoothing, SlicedTrie(plan, counts), *heldout);
    for (int o = 1; o <= order_; ++o) settle_discounts(plan.smoothing, statistics_[o - 1], o);
}

void NgramEstimator::weigh_words(const SlicePlan& plan, const std::string& path) {
    const std::vector<std::uint32_t> counts = word_counts(plan);
    words_.resize(counts.size());
    Shares(plan.smoothing, statistics_, counts.size()).words(counts.data(), words_.data());
    SliceWriter out(path, plan.name(SliceStage::words, 0));
    out.put(SliceArrayKind::probability, 1, words_);
    out.close();
}

void NgramEstimator::join(const SlicePlan& plan, const std::vector<std::vector<std::uint64_t>>& kept) {
    if (words_.size() != text_.table().size()) throw std::invalid_argument("weigh_words() comes first");
    NgramShape shape = shape_of_words();
    for (const auto& row : kept)
        for (std::size_t o = 1; o < static_cast<std::size_t>(order_); ++o) shape.counts[o] += row.at(o);
    for (int o = 2; o <= order_; ++o)
        if (shape.counts[o - 1] >= ~std::uint32_t{0}) throw std::length_error("more than 2^32 n-grams of one order");
    store_.use_disk(!store_.fits(NgramModel::size_of(shape)));
    model_ = std::make_unique<NgramModel>(shape, store_);
    name_words();
    watch_.begin(kept.size());
    std::array<std::uint64_t, max_order> next{};
    for (std::size_t slice = 0; slice < kept.size(); ++slice) {
        const SliceFile file = plan.finished(slice);
        for (int o = 1; o <= order_; ++o) {
            const std::uint64_t size = o == 1 ? plan.cuts[slice + 1] - plan.cuts[slice] : kept[slice][o - 1], at = next[o - 1];
            if (o > 1) file.read_into(SliceArrayKind::key, o, model_->keys(o) + at, size);
            if (o < order_)
                file.read_into(SliceArrayKind::node, o, model_->nodes(o) + at, size);
            else
                file.read_into(SliceArrayKind::leaf, o, model_->leaves() + at, size);
            next[o - 1] += size;
        }
        watch_.add(1);
    }
    for (std::uint32_t w = 0; w < model_->words(); ++w) model_->nodes(1)[w].logprob = word_logprob(w, words_[w]);
    for (int o = 1; o < order_; ++o)
        model_->nodes(o)[shape.counts[o - 1]].child = static_cast<std::uint32_t>(shape.counts[o]);
}

}  // namespace bitmeter
