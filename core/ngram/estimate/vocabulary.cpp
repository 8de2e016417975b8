// The vocabulary of a text.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "ngram/estimate/text.hpp"

namespace bitmeter {

std::vector<std::uint32_t> NgramText::adopt(const WordTable& words, std::span<const std::uint64_t> counts) {
    if (!ids_.empty() || counts.size() < first_word || counts.size() != words.size() + first_word || counts[word_begin])
        throw std::invalid_argument("a part's words and counts do not fit together");
    adopted_ = true;
    std::vector<std::uint32_t> numbers{word_unknown, word_begin, word_end};
    numbers.reserve(counts.size());
    for (std::size_t w = 0; w < words.size(); ++w) {
        const auto number = static_cast<std::uint64_t>(table_.add(words.word(w)));
        if (number < first_word) throw std::invalid_argument("a part names a word that is reserved");
        if (number >= std::uint64_t{1} << 31) throw std::length_error("more than 2^31 different words");
        numbers.push_back(static_cast<std::uint32_t>(number));
    }
    counts_.resize(table_.size());
    for (std::size_t w = 0; w < counts.size(); ++w) {
        counts_[numbers[w]] += counts[w];
        places_ += counts[w];
        // N-grams come no more often than their first word.
        if (counts_[numbers[w]] >= ~std::uint32_t{0}) throw std::length_error("a word came more than 2^32 times");
    }
    sentences_ = counts_[word_end];
    return numbers;
}

std::vector<std::uint64_t> NgramText::counts() const {
    if (adopted_) return counts_;
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
    if (adopted_) {
        std::vector<std::uint64_t> counts(kept.size(), 0);
        for (std::size_t w = 0; w < counts_.size(); ++w) counts[fresh[w]] += counts_[w];
        counts_ = std::move(counts);
        settled_ = fresh;
    }
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
    if (adopted_) counts_.resize(table_.size());
}

}  // namespace bitmeter
