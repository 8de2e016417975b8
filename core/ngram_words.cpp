#include "ngram_words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace bitmeter {
namespace {

constexpr std::size_t short_word = 11;  // bytes that fit into a slot beside the length
constexpr std::uint32_t long_word = 0xFF000000u;

/// Keeps the first n bytes of eight.
constexpr auto first_bytes = [] {
    std::array<std::uint64_t, 9> result{};
    for (unsigned n = 1; n < 9; ++n) {
        const std::uint64_t low = n == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * n)) - 1;
        result[n] = std::endian::native == std::endian::little ? low : n == 8 ? low : ~(~std::uint64_t{0} >> (8 * n));
    }
    return result;
}();

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t load(const std::uint8_t* p) {
    std::uint64_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

}  // namespace

WordKey word_key(Bytes word, const std::uint8_t* limit) {
    WordKey key;
    if (word.size > short_word) [[unlikely]] {
        key.head = static_cast<std::uint64_t>(hash_word(word));
        key.tail = long_word | (static_cast<std::uint32_t>(word.size) & 0xFFFFFFu);
        key.hash = key.head;
        return key;
    }
    std::uint8_t copy[16] = {};
    const std::uint8_t* p = word.data;
    if (limit - p < static_cast<std::ptrdiff_t>(sizeof copy)) [[unlikely]] {
        if (word.size) std::memcpy(copy, p, word.size);
        p = copy;
    }
    const std::size_t more = word.size > 8 ? word.size - 8 : 0;
    key.head = load(p) & first_bytes[std::min<std::size_t>(word.size, 8)];
    const std::uint64_t rest = load(p + 8) & first_bytes[more];
    const std::uint64_t three = std::endian::native == std::endian::little ? rest : rest >> 40;
    key.tail = static_cast<std::uint32_t>(three) | static_cast<std::uint32_t>(word.size) << 24;
    const std::uint64_t h = mix(key.head ^ 0x6A09E667F3BCC909ULL, key.tail ^ 0x9E3779B97F4A7C15ULL);
    key.hash = h ^ (h >> 32);
    return key;
}

std::uint64_t index_size(std::uint64_t words) { return std::bit_ceil(std::max<std::uint64_t>(4, words + words / 2)); }

bool WordIndex::same(std::uint32_t number, Bytes word) const {
    const std::uint64_t from = offsets_[number], to = offsets_[number + 1];
    return from <= to && to <= text_size_ && to - from == word.size &&
           std::memcmp(text_ + from, word.data, word.size) == 0;
}

std::uint32_t WordIndex::find(Bytes word, const WordKey& key) const {
    const std::size_t last = slots_.size() - 1;
    for (std::size_t tried = 0, i = key.hash & last; tried <= last; ++tried, i = (i + 1) & last) {
        const WordSlot& slot = slots_[i];
        if (slot.head == key.head && slot.tail == key.tail && slot.number < words_) {
            if (slot.number == 0 || key.tail < long_word || same(slot.number, word)) return slot.number;
        } else if (slot.number == 0) {
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
