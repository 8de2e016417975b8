#include "ngram/format/words.hpp"

#include <algorithm>

namespace bitmeter {
using word_keys::long_word;

WordKey long_word_key(Bytes word) {
    const auto hash = static_cast<std::uint64_t>(hash_word(word));
    return {hash, hash, long_word | (static_cast<std::uint32_t>(word.size) & 0xFFFFFFu)};
}

std::uint64_t index_size(std::uint64_t words) { return std::bit_ceil(std::max<std::uint64_t>(4, words + words / 2)); }

bool WordIndex::same(std::uint32_t number, Bytes word) const {
    const std::uint64_t from = once(offsets_[number]), to = once(offsets_[number + 1]);
    return from <= to && to <= text_size_ && to - from == word.size &&
           std::memcmp(text_ + from, word.data, word.size) == 0;
}

std::uint32_t WordIndex::probe(Bytes word, const WordKey& key) const {
    const std::size_t last = slots_.size() - 1;
    for (std::size_t tried = 0, i = key.hash & last; tried <= last; ++tried, i = (i + 1) & last) {
        const WordSlot& slot = slots_[i];
        const std::uint32_t number = once(slot.number);
        if (slot.head == key.head && slot.tail == key.tail && number < words_) {
            if (number == 0 || key.tail < long_word || same(number, word)) return number;
        } else if (number == 0) {
            return 0;
        }
    }
    return 0;
}

void WordIndex::fill(std::uint32_t first) const {
    std::fill(slots_.begin(), slots_.end(), WordSlot{});
    const std::size_t last = slots_.size() - 1;
    for (std::uint32_t number = first; number < words_; ++number) {
        const Bytes word{text_ + offsets_[number], static_cast<std::size_t>(offsets_[number + 1] - offsets_[number])};
        const WordKey key = word_key(word, text_ + text_size_);
        std::size_t i = key.hash & last;
        while (slots_[i].number) i = (i + 1) & last;
        slots_[i] = {key.head, key.tail, number};
    }
}

}  // namespace bitmeter
