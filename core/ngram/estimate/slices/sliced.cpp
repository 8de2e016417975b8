// All slices as one trie.
#include <algorithm>

#include "ngram/estimate/slices/trie.hpp"
#include "util/once.hpp"

namespace bitmeter {

SlicedTrie::SlicedTrie(const SlicePlan& plan, const std::vector<std::uint32_t>& words)
    : plan_(plan), words_(words), codes_(plan.words) {
    for (auto& row : starts_) row.push_back(0);
    for (std::size_t s = 0; s < plan.slices(); ++s) {
        Slice slice{plan.grown(s), plan.linked(s), {}, {}, {}};
        for (int o = 1; o <= plan.order; ++o) {
            if (o < plan.order) slice.child[o] = slice.grown.map(SliceArrayKind::child, o);
            if (o == 1) continue;
            slice.key[o] = slice.grown.map(SliceArrayKind::key, o);
            const bool adjusts = plan.smoothing.adjusted() && o < plan.order;
            slice.count[o] = adjusts ? slice.linked.map(SliceArrayKind::adjusted, o) : slice.grown.map(SliceArrayKind::raw, o);
            if (slice.count[o].size() != slice.key[o].size() ||
                (o < plan.order && slice.child[o].size() != slice.key[o].size() + 1))
                slice.grown.damaged("has an array of another size");
            starts_[o].push_back(starts_[o].back() + slice.key[o].size());
        }
        if (slice.child[1].size() != plan.cuts[s + 1] - plan.cuts[s] + 1)
            slice.grown.damaged("has an array of another size");
        starts_[1].push_back(plan.cuts[s + 1]);
        slices_.push_back(std::move(slice));
    }
}

std::pair<std::size_t, std::uint64_t> SlicedTrie::at(int order, std::uint32_t place) const {
    const auto& row = starts_[order];
    const auto slice = static_cast<std::size_t>(std::upper_bound(row.begin(), row.end(), place) - row.begin()) - 1;
    if (slice >= slices_.size()) throw NgramFormatError("an n-gram of a slice leads outside of it");
    return {slice, place - row[slice]};
}

std::pair<std::uint64_t, std::uint64_t> SlicedTrie::children(int order, std::size_t slice, std::uint64_t place) const {
    const Slice& own = slices_[slice];
    const std::uint64_t begin = once(own.child[order][place]), end = once(own.child[order][place + 1]);
    if (begin > end || end > own.key[order + 1].size()) own.grown.damaged("has n-grams outside of it");
    return {begin, end};
}

std::uint32_t SlicedTrie::find(int order, std::uint32_t history, std::uint32_t word) const {
    const auto [slice, place] = at(order - 1, history);
    const auto [begin, end] = children(order - 1, slice, place);
    const std::uint64_t found = find_child(slices_[slice].key[order].data(), begin, end, codes_.code(word), codes_.bits());
    return found == no_child ? no_place : static_cast<std::uint32_t>(starts_[order][slice] + found);
}

std::uint32_t SlicedTrie::count(int order, std::uint32_t place) const {
    if (order == 1) return words_[place];
    const auto [slice, own] = at(order, place);
    return slices_[slice].count[order][own];
}

std::span<const std::uint32_t> SlicedTrie::counts_after(int order, std::uint32_t history) const {
    const auto [slice, place] = at(order - 1, history);
    const auto [begin, end] = children(order - 1, slice, place);
    return slices_[slice].count[order].subspan(begin, end - begin);
}

}  // namespace bitmeter
