// From the bytes of a word to its number: an index that is part of a model's file, so that nothing is built when the
// file is opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "split.hpp"

namespace bitmeter {

/// A place of the index. A short word stands in it whole (zeros behind it, its length in the highest byte of `tail`); a
/// long one by its hash, with 255 for the length, and its bytes are compared with those of the list of words.
struct WordSlot {
    std::uint64_t head;
    std::uint32_t tail;
    std::uint32_t number;  // 0: nothing here
};

/// What a word is found by.
struct WordKey {
    std::uint64_t head, hash;
    std::uint32_t tail;
};
/// Memory up to `limit` may be read, so that most words are loaded at once.
WordKey word_key(Bytes word, const std::uint8_t* limit);

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

    void prefetch(const WordKey& key) const { __builtin_prefetch(slots_.data() + (key.hash & (slots_.size() - 1))); }
    /// The number of a word; 0 if it has none. `word` are the bytes that the key was made of.
    std::uint32_t find(Bytes word, const WordKey& key) const;
    std::uint32_t find(Bytes word) const { return find(word, word_key(word, word.data + word.size)); }

private:
    bool same(std::uint32_t number, Bytes word) const;

    std::span<WordSlot> slots_;
    const std::uint64_t* offsets_;
    const std::uint8_t* text_;
    std::uint64_t text_size_;
    std::uint32_t words_;
};

}  // namespace bitmeter
