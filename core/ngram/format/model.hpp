// The fast form of an n-gram model: one block that is also its file, mapped or made by an estimator.
//
// The n-grams form a trie by their words from left to right. The children of a node are contiguous and sorted by code, a
// hash of the word's id that spreads evenly, so that interpolation search takes two or three steps. Each node has a link to
// its suffix (the n-gram without its first word), which makes the trie an automaton: look up the word after the longest
// known history; if it is not there, add the back-off and continue from the suffix. Since every word lengthens the history
// by at most one, that is fewer than two searches per word on average.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ngram/format/block.hpp"
#include "ngram/format/words.hpp"

namespace bitmeter {

/// An n-gram that can be a history. Logarithms have the base 10 of the ARPA format, so that figures go there and back
/// unchanged.
struct NgramNode {
    float logprob, backoff;
    std::uint32_t suffix;  // its place among the n-grams shorter by one
    std::uint32_t child;   // where its children begin; they end where those of the next node begin
};

/// An n-gram of the highest order.
struct NgramLeaf {
    float logprob;
    std::uint32_t suffix;
};

/// Numbers scattered over the least power of two that holds them all, one to one. Zero stays zero.
class WordCodes {
public:
    explicit WordCodes(std::uint64_t words = 1);
    std::uint32_t code(std::uint32_t word) const { return (word * factor) & mask_; }
    std::uint32_t word(std::uint32_t code) const { return (code * inverse) & mask_; }
    unsigned bits() const { return bits_; }
    std::uint32_t code_factor() const { return factor; }
    std::uint32_t mask() const { return mask_; }

private:
    static constexpr std::uint32_t factor = 0x9E3779B1u;   // odd, near 2^32 divided by the golden ratio
    static constexpr std::uint32_t inverse = 0x0E8B2F51u;  // factor * inverse = 1 modulo 2^32
    std::uint32_t mask_;
    unsigned bits_;
};

class NgramModel {
public:
    /// An empty model of this shape, to be filled in through the pointers below.
    explicit NgramModel(const NgramShape& shape);
    NgramModel(const NgramShape& shape, PageStore& store);
    /// Bytes that a model of this shape takes.
    static std::size_t size_of(const NgramShape& shape);
    /// A model in a file; its header is checked here, everything else where it is used. Throws NgramFormatError.
    explicit NgramModel(PageBlock block);

    /// A file, all of which is read and held against its checksums. Throws NgramFormatError and std::system_error.
    static std::unique_ptr<NgramModel> open(const std::string& path);
    /// To be called after figures were computed and before they are used: throws NgramChanged where the file was cut or
    /// changed meanwhile. `rarely`: see os::InputFile.
    void confirm(bool rarely = false) const { block_.confirm(rarely); }

    /// The same model without its file: for work that reads it several times, and relies on reading the same each time.
    std::unique_ptr<NgramModel> in_memory() const;
    /// See NgramBlock.
    void evict_with(PageStore& store) const { block_.evict_with(store); }
    /// Whether it is a map of a file.
    bool mapped() const { return block_.mapped(); }

    const NgramShape& shape() const { return shape_; }
    int order() const { return static_cast<int>(shape_.order); }
    std::uint32_t words() const { return static_cast<std::uint32_t>(shape_.words); }
    const WordCodes& codes() const { return codes_; }
    Bytes bytes() const { return block_.bytes(); }
    /// What follows the model in its file (see ngram/openvocab/spelling.hpp); empty where nothing does.
    Bytes section() const { return block_.section(); }
    /// A mapped file becomes a copy in memory.
    void attach(std::vector<std::uint8_t> section);

    // Orders count from 1; order 1 has no codes, since the place of a word there is its number.
    NgramNode* nodes(int order) const { return nodes_[order - 1]; }
    std::uint32_t* keys(int order) const { return keys_[order - 1]; }
    NgramLeaf* leaves() const { return leaves_; }
    std::uint64_t* word_offsets() const { return word_offsets_; }
    std::uint8_t* word_text() const { return word_text_; }
    std::string_view metadata() const { return {reinterpret_cast<const char*>(metadata_), shape_.metadata_bytes}; }
    /// Throws std::length_error where it is longer than the place for it.
    void set_metadata(std::string_view metadata);

    /// A word's bytes. Throws NgramFormatError where the file is damaged.
    Bytes word(std::uint32_t number) const;
    /// All words but the three that no text holds, findable by their bytes.
    WordTable table() const;
    /// The same as it stands in the file.
    WordIndex index() const;

    /// Writes the file. Throws std::system_error. The watch counts bytes.
    void save(const std::string& path, Watch* watch = nullptr) const { block_.save(path, watch); }
    /// The checksum of everything but the header, which `open` and `verify` have recomputed.
    std::uint64_t fingerprint() const { return block_.header().body_checksum; }
    /// Of all that can change a probability; 0 in files of earlier versions.
    std::uint64_t content_checksum() const { return block_.header().content_checksum; }
    /// Makes the word index and computes the checksums once the model is filled in. The watch counts bytes.
    void seal(Watch* watch = nullptr);
    /// Reads all of it: checksums, and that every link leads somewhere. Throws NgramFormatError. Pages of a mapped file
    /// leave memory when the store is full.
    void verify(PageStore* store = nullptr) const;

private:
    void place();
    NgramBlock::Span metadata_span() const;

    NgramShape shape_;
    NgramBlock block_;
    WordCodes codes_;
    std::uint64_t* word_offsets_ = nullptr;
    std::uint8_t *word_text_ = nullptr, *metadata_ = nullptr;
    WordSlot* word_slots_ = nullptr;
    NgramNode* nodes_[max_order] = {};
    std::uint32_t* keys_[max_order] = {};
    NgramLeaf* leaves_ = nullptr;
};

}  // namespace bitmeter
