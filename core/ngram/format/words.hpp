// A hash index from a word's bytes to its id. It is part of a model's file, so that nothing is built when the file is
// opened.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "text/split.hpp"
#include "util/once.hpp"

namespace bitmeter {

/// A slot of the index. A short word is stored in it, padded with zeros, its length in the highest byte of `tail`; a long
/// one is stored as a hash, with 255 for the length, and compared with the word list.
struct WordSlot {
    std::uint64_t head;
    std::uint32_t tail;
    std::uint32_t number;  // 0: nothing here
};

/// The key of a word.
struct WordKey {
    std::uint64_t head, hash;
    std::uint32_t tail;
};
/// Of a word that does not fit into a slot.
WordKey long_word_key(Bytes word);

namespace word_keys {

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

inline std::uint64_t load(const std::uint8_t* p) {
    std::uint64_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

}  // namespace word_keys

/// Memory up to `limit` may be read, so that most words are loaded at once.
inline WordKey word_key(Bytes word, const std::uint8_t* limit) {
    using namespace word_keys;
    if (word.size > short_word) [[unlikely]]
        return long_word_key(word);
    std::uint8_t copy[16] = {};
    const std::uint8_t* p = word.data;
    if (limit - p < static_cast<std::ptrdiff_t>(sizeof copy)) [[unlikely]] {
        if (word.size) std::memcpy(copy, p, word.size);
        p = copy;
    }
    WordKey key;
    const std::size_t more = word.size > 8 ? word.size - 8 : 0;
    key.head = load(p) & first_bytes[word.size - more];
    const std::uint64_t rest = load(p + 8) & first_bytes[more];
    const std::uint64_t three = std::endian::native == std::endian::little ? rest : rest >> 40;
    key.tail = static_cast<std::uint32_t>(three) | static_cast<std::uint32_t>(word.size) << 24;
    const auto product = static_cast<unsigned __int128>(key.head ^ 0x6A09E667F3BCC909ULL) * (key.tail ^ 0x9E3779B97F4A7C15ULL);
    const std::uint64_t h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    key.hash = h ^ (h >> 32);
    return key;
}

/// How many places the index of so many words has: a power of two, at most two thirds of which are taken.
std::uint64_t index_size(std::uint64_t words);

/// The words of a model by their bytes. It may be a map of an untrusted file: whatever the bytes are, a search ends and
/// reads nothing outside of it.
class WordIndex {
public:
    WordIndex(std::span<WordSlot> slots, const std::uint64_t* offsets, const std::uint8_t* text, std::uint64_t text_size,
              std::uint32_t words)
        : slots_(slots), offsets_(offsets), text_(text), text_size_(text_size), words_(words) {}

    /// Numbers all words from `first` on; earlier ones are not found.
    void fill(std::uint32_t first) const;

    static WordKey key(Bytes word, const std::uint8_t* limit) { return word_key(word, limit); }
    void prefetch(const WordKey& key) const { __builtin_prefetch(slots_.data() + (key.hash & (slots_.size() - 1))); }
    /// The number of a word; 0 if it has none. `word` are the bytes that the key was made of.
    std::uint32_t find(Bytes word, const WordKey& key) const {
        const WordSlot& slot = slots_[key.hash & (slots_.size() - 1)];
        const bool here = (slot.head == key.head) & (slot.tail == key.tail) & (key.tail < word_keys::long_word);
        const std::uint32_t number = once(slot.number);
        return here && number < words_ ? number : probe(word, key);
    }
    std::uint32_t find(Bytes word) const { return find(word, word_key(word, word.data + word.size)); }

private:
    std::uint32_t probe(Bytes word, const WordKey& key) const;
    bool same(std::uint32_t number, Bytes word) const;

    std::span<WordSlot> slots_;
    const std::uint64_t* offsets_;
    const std::uint8_t* text_;
    std::uint64_t text_size_;
    std::uint32_t words_;
};

}  // namespace bitmeter
