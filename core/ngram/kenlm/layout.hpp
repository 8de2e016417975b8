// The head of a binary of KenLM (format version 5), and where its parts lie. Everything follows from the head, and is held
// against the length of the file before any part is read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ngram/format/block.hpp"

namespace bitmeter {

/// How every binary of KenLM begins, whatever its version.
constexpr char kenlm_magic[] = "mmap lm http://kheafield.com/code";

/// The data structures, by their numbers in the head.
enum class KenlmKind : std::uint32_t { probing, rest_probing, trie, quantised_trie, array_trie, quantised_array_trie };

constexpr bool is_probing(KenlmKind kind) { return kind <= KenlmKind::rest_probing; }
constexpr bool is_quantised(KenlmKind kind) {
    return kind == KenlmKind::quantised_trie || kind == KenlmKind::quantised_array_trie;
}
constexpr bool has_arrays(KenlmKind kind) {
    return kind == KenlmKind::array_trie || kind == KenlmKind::quantised_array_trie;
}
const char* kenlm_kind_name(KenlmKind kind);

/// The n-grams of one order above 1.
struct KenlmPart {
    std::uint64_t offset = 0;   // of its entries
    std::uint64_t buckets = 0;  // of a hash table
    std::uint64_t entries = 0;  // of a trie, without the one at the end
    // Of a trie: bits of an entry, of its parts, and of a child's index that lie in the entry.
    unsigned total_bits = 0, word_bits = 0, value_bits = 0, inline_bits = 0;
    std::uint64_t array = 0, array_size = 0;  // the high bits of children's indices: where each value begins
    std::uint64_t logprobs = 0, backoffs = 0;  // tables of quantised figures
};

struct KenlmLayout {
    KenlmKind kind = KenlmKind::probing;
    unsigned order = 0;
    bool has_words = false;
    std::uint64_t counts[max_order] = {};
    std::uint64_t vocabulary = 0, vocabulary_buckets = 0;  // its entries, behind its own head
    std::uint64_t vocabulary_head = 0;
    std::uint64_t unigrams = 0;
    unsigned unigram_width = 0, entry_width = 0, longest_width = 0;  // bytes
    unsigned logprob_bits = 0, backoff_bits = 0;                     // of a quantised trie
    KenlmPart parts[max_order];                                      // by order - 1
    std::uint64_t end = 0;  // of all that is scored by: the words follow, if there are any

    /// Throws NgramFormatError where the file is none of KenLM's, of another version or machine, or shorter than it says.
    static KenlmLayout of(Bytes file);
};

}  // namespace bitmeter
