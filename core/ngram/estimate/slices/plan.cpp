#include <algorithm>
#include <functional>
#include <stdexcept>

#include "ngram/estimate/slices/trie.hpp"

namespace bitmeter {

std::size_t SlicePlan::slice_of(std::uint32_t word) const {
    return static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), word) - cuts.begin()) - 1;
}

bool SlicePlan::pruning() const {
    return std::any_of(smoothing.prune.begin(), smoothing.prune.begin() + order, [](std::uint32_t limit) { return limit > 0; });
}

SliceName SlicePlan::name(SliceStage stage, std::size_t slice, int number) const {
    const bool later = stage != SliceStage::grown && stage != SliceStage::linked;
    return {later ? job ^ settled : job, stage, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(slice)};
}

SliceFile SlicePlan::grown(std::size_t slice) const {
    return {folder + "/grown-" + std::to_string(slice), name(SliceStage::grown, slice)};
}

SliceFile SlicePlan::linked(std::size_t slice) const {
    return {folder + "/linked-" + std::to_string(slice), name(SliceStage::linked, slice)};
}

SliceFile SlicePlan::weighed(int number, std::size_t slice) const {
    return {folder + "/weighed-" + std::to_string(number) + "-" + std::to_string(slice),
            name(SliceStage::weighed, slice, number)};
}

SliceFile SlicePlan::words_file() const { return {folder + "/weighed-words", name(SliceStage::words, 0)}; }

SliceFile SlicePlan::finished(std::size_t slice) const {
    return {folder + "/finished-" + std::to_string(slice), name(SliceStage::finished, slice)};
}

void SlicePlan::check() const {
    if (order < 2 || order > max_order) throw std::invalid_argument("order must be in 2..16");
    if (words < first_word || cuts.size() < 2 || cuts.front() != 0 || cuts.back() != words ||
        std::adjacent_find(cuts.begin(), cuts.end(), std::greater_equal<>()) != cuts.end())
        throw std::invalid_argument("partitions must ascend from the first word to the last");
    if (!smooths_in_slices(smoothing.method)) throw std::invalid_argument("this smoothing is not done in slices");
}

bool smooths_in_slices(Smoothing method) {
    return method != Smoothing::katz;  // looks up back-offs of shorter histories, wherever they are
}

bool children_fit(const SliceArray<std::uint32_t>& child, std::uint64_t size, std::uint64_t next) {
    return child.size() == size + 1 && child[0] == 0 && child.back() == next && std::is_sorted(child.begin(), child.end());
}

void SliceTrie::read_children(int from, int to) {
    for (int o = from; o <= to; ++o) {
        if (child_[o].size()) continue;
        child_[o] = file_.read<std::uint32_t>(SliceArrayKind::child, o);
        if (child_[o].size() == 0 || !children_fit(child_[o], child_[o].size() - 1, child_[o].back()))
            file_.damaged("has n-grams outside of it");
    }
    // Each order is as long as the one below says, and as its keys where they are there.
    for (int o = 1; o < plan_.order; ++o) {
        const bool known = o == 1 || child_[o - 1].size() || key_[o].size();
        if (child_[o].size() && known && child_[o].size() != size(o) + 1) file_.damaged("has an array of another size");
        if (child_[o].size() && key_[o + 1].size() && key_[o + 1].size() != size(o + 1))
            file_.damaged("has an array of another size");
    }
}

void SliceTrie::read_keys(int from, int to) {
    for (int o = from; o <= to; ++o) {
        key_[o] = file_.read<std::uint32_t>(SliceArrayKind::key, o);
        if (child_[o - 1].size() && key_[o].size() != child_[o - 1].back()) file_.damaged("has an array of another size");
    }
}

void SliceTrie::read_second_words() {
    read_keys(2, 2);
    if (child_[2].size() && child_[2].size() != key_[2].size() + 1) file_.damaged("has an array of another size");
    for (const std::uint32_t code : key_[2])
        if (code > codes_.mask() || codes_.word(code) >= plan_.words) file_.damaged("has a word that there is not");
}

std::array<std::uint64_t, 2> SliceTrie::begins(int order) const {
    if (!has_begin()) return {0, 0};
    std::uint64_t from = word_begin - plan_.cuts[slice_], to = from + 1;
    for (int o = 1; o < order; ++o) {
        from = child_[o][from];
        to = child_[o][to];
    }
    return {from, to};
}

}  // namespace bitmeter
