// The vocabulary of a text.
#include <algorithm>
#include <numeric>

#include "ngram/estimate/text.hpp"

namespace bitmeter {

std::vector<std::uint64_t> NgramText::counts() const {
    std::vector<std::uint64_t> result(table_.size(), 0);
    for (std::uint32_t word : ids_) ++result[word];
    return result;
}

/// Renumbers the words that are kept, in their order, and makes the others unknown.
void NgramText::renumber(const std::vector<bool>& keep) {
    WordTable kept;
    std::vector<std::uint32_t> fresh(table_.size(), word_unknown);
    for (std::uint32_t w = 0; w < table_.size(); ++w)
        if (w < first_word || keep[w]) fresh[w] = static_cast<std::uint32_t>(kept.add(table_.word(w)));
    for (std::uint32_t& word : ids_) word = fresh[word];
    table_ = std::move(kept);
    numbers_.clear();  // nothing more is fed
}

void NgramText::keep_frequent(std::uint64_t least, std::uint64_t most) {
    const auto count = counts();
    std::vector<std::uint32_t> ranked(table_.size() - first_word);
    std::iota(ranked.begin(), ranked.end(), first_word);
    // Words are numbered as they first come, and a stable sort leaves equally frequent ones so.
    std::stable_sort(ranked.begin(), ranked.end(), [&](auto a, auto b) { return count[a] > count[b]; });
    std::vector<bool> keep(table_.size(), false);
    for (std::size_t i = 0; i < ranked.size() && i < most && count[ranked[i]] >= least; ++i) keep[ranked[i]] = true;
    renumber(keep);
}

void NgramText::keep_listed(const WordTable& list) {
    std::vector<bool> keep(table_.size(), false);
    for (std::uint32_t w = first_word; w < table_.size(); ++w) keep[w] = list.find(table_.word(w)) >= 0;
    renumber(keep);
    for (std::size_t i = 0; i < list.size(); ++i)
        if (table_.add(list.word(i)) < first_word)
            throw ReservedWord(std::string(reinterpret_cast<const char*>(list.word(i).data), list.word(i).size), 0);
}

}  // namespace bitmeter
