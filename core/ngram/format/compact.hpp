// The compact form of an n-gram model: for each n-gram the bits of its last word, codebook indices of its probability and
// back-off, and the Elias-Fano coded start of its children. It is the trie of model.hpp with the same indices, but without
// links to suffixes: the caller keeps the positions of all suffixes. Unigrams keep their exact values.
//
// The file is mapped and untrusted: its header is checked when it is opened, and everything else where it is used.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ngram/format/model.hpp"
#include "ngram/follow/follow.hpp"
#include "ngram/query/query.hpp"
#include "util/packed.hpp"

namespace bitmeter {

constexpr char compact_magic[16] = "bitmeter.small\n";
/// The least and the most bits of a quantised figure.
constexpr unsigned least_figure_bits = 2, most_figure_bits = 16;

/// A single word: its figures, and where its children begin among the n-grams of order 2.
struct CompactWord {
    float logprob, backoff;
    std::uint32_t child;
};

/// What decides where each part of the block lies.
struct CompactShape : NgramShape {
    std::uint32_t logprob_bits = 8, backoff_bits = 10;
};

/// The n-grams of one order above 1. A record is the code of the last word, the number of the probability and, below the
/// highest order, that of the back-off and the low bits of the place where the children begin.
struct CompactLevel {
    std::uint8_t* records = nullptr;
    std::uint64_t count = 0;
    unsigned width = 0, code_bits = 0, logprob_bits = 0, backoff_bits = 0;
    float *logprobs = nullptr, *backoffs = nullptr;  // the tables
    std::uint64_t* high = nullptr;
    std::uint32_t* samples = nullptr;
    AscendingShape shape;
    Ascending children;

    std::uint32_t code(std::uint64_t place) const {
        return static_cast<std::uint32_t>(packed_at(records, place * width, code_bits));
    }
    float logprob(std::uint64_t place) const {
        return logprobs[packed_at(records, place * width + code_bits, logprob_bits)];
    }
    float backoff(std::uint64_t place) const {
        return backoffs[packed_at(records, place * width + code_bits + logprob_bits, backoff_bits)];
    }
    void ask(std::uint64_t place) const { __builtin_prefetch(records + place * width / 8); }
};

class CompactNgram {
public:
    /// An empty model to be filled in through the levels. Throws std::length_error where it is too large.
    explicit CompactNgram(const CompactShape& shape);
    CompactNgram(const CompactShape& shape, PageStore& store);
    /// The bytes of a model of this shape, without a section. Throws std::length_error where it is too large.
    static std::size_t size_of(const CompactShape& shape);
    /// A model in a file. Throws NgramFormatError.
    explicit CompactNgram(PageBlock block);

    /// A file, all of which is read and held against its checksums. Throws NgramFormatError and std::system_error.
    static std::unique_ptr<CompactNgram> open(const std::string& path);
    /// To be called after figures were computed and before they are used: throws NgramChanged where the file was cut or
    /// changed meanwhile. `rarely`: see os::InputFile.
    void confirm(bool rarely = false) const { block_.confirm(rarely); }

    const CompactShape& shape() const { return shape_; }
    int order() const { return static_cast<int>(shape_.order); }
    std::uint32_t words() const { return static_cast<std::uint32_t>(shape_.words); }
    const WordCodes& codes() const { return codes_; }
    Bytes bytes() const { return block_.bytes(); }
    Bytes section() const { return block_.section(); }
    /// A mapped file becomes a copy in memory.
    void attach(std::vector<std::uint8_t> section);
    std::string_view metadata() const { return {reinterpret_cast<const char*>(metadata_), shape_.metadata_bytes}; }
    void set_metadata(std::string_view metadata);

    CompactWord* singles() const { return singles_; }
    /// Orders from 2 on.
    const CompactLevel& level(int order) const { return levels_[order - 1]; }
    std::uint8_t* word_text() const { return word_text_; }
    /// To write where words begin: each of them, and where the last one ends.
    AscendingWriter word_places();

    Bytes word(std::uint32_t number) const;
    /// The words by their bytes; made once, when they are first asked for.
    WordIndex index() const;

    /// Where the children of an n-gram lie among those longer by one. Throws NgramFormatError.
    Between children(int length, std::uint64_t place) const;
    /// The place of an n-gram's child with this code; no_child if there is none.
    std::uint64_t find(int length, Between among, std::uint32_t code) const;
    float logprob(int length, std::uint64_t place) const {
        return length == 1 ? singles_[place].logprob : level(length).logprob(place);
    }
    float backoff(int length, std::uint64_t place) const {
        return length == 1 ? singles_[place].backoff : level(length).backoff(place);
    }
    /// The n-gram shorter by one whose child this is.
    std::uint64_t parent(int length, std::uint64_t place) const;

    void save(const std::string& path) const { block_.save(path); }
    std::uint64_t fingerprint() const { return block_.header().body_checksum; }
    std::uint64_t content_checksum() const { return block_.header().content_checksum; }
    void seal();
    /// Reads all of it: checksums, figures, and that every n-gram's suffix is one. Throws NgramFormatError.
    void verify() const;
    /// The same model in the fast form, sealed, with the section. Throws NgramFormatError.
    std::unique_ptr<NgramModel> expanded(unsigned threads) const;

private:
    struct Index {
        std::mutex guard;
        std::atomic<bool> made{false};
        std::vector<WordSlot> slots;
        std::vector<std::uint64_t> offsets;
    };
    void place();
    NgramBlock::Span metadata_span() const;
    void fill_offsets(std::uint64_t* offsets) const;

    CompactShape shape_;
    NgramBlock block_;
    WordCodes codes_;
    std::uint8_t *word_text_ = nullptr, *metadata_ = nullptr, *word_low_ = nullptr;
    std::uint64_t* word_high_ = nullptr;
    std::uint32_t* word_samples_ = nullptr;
    AscendingShape word_shape_;
    Ascending word_places_;
    CompactWord* singles_ = nullptr;
    CompactLevel levels_[max_order];
    std::unique_ptr<Index> index_ = std::make_unique<Index>();
};

/// The known suffixes of the history: places[i] is that of its last i + 1 words.
struct CompactCursor {
    int length = 1;
    std::uint32_t places[max_order] = {word_begin};
};
inline CompactCursor ngram_cursor(const CompactNgram&) { return {}; }

/// As for the fast form (see ngram/query/query.hpp), with the same states. A state must search for its shorter suffixes,
/// which takes microseconds; a cursor has them.
CompactCursor ngram_resume(const CompactNgram& model, const NgramState& state);
double ngram_step(const CompactNgram& model, CompactCursor& cursor, std::uint32_t word);
double ngram_step(const CompactNgram& model, NgramState& state, std::uint32_t word);
void ngram_follow(const CompactNgram& model, const std::uint32_t* words, const NgramSpan* from, const NgramSpan* to,
                  bool class_of_unknown, double* out);
void ngram_predict(const CompactNgram& model, const std::int64_t* history, std::size_t size, double* out);
void ngram_contexts(const CompactNgram& model, const NgramDocuments& text, std::int64_t* lengths, double* backoffs);

}  // namespace bitmeter
