// Scores the bytes of a text with a model of a tokenizer's pieces: splitting and scoring in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "ngram/query/score.hpp"
#include "text/pieces/encoder.hpp"

namespace bitmeter {

/// The pieces of a vocabulary among the words of a model, each as it is written. What the vocabulary does not know is a piece,
/// too, in its own characters: a model that was trained on such pieces may know it. Model and encoder must outlive it.
class PieceWords : public PieceLookup {
public:
    template <class Model>
    PieceWords(const Model& model, const PieceEncoder& encoder);

    std::uint32_t number(Bytes piece) const override { return find_(piece); }
    /// The model that it was made for.
    const void* model() const { return model_; }
    /// By the ids of pieces, and last that of the end.
    const std::vector<std::uint32_t>& words() const { return words_; }
    PieceSessions& sessions() const { return sessions_; }
    /// The pieces of a text, by their numbers.
    PieceSplit split(const PieceEncoder& encoder, Bytes text, Ends ends, unsigned threads) const;
    /// The number of a piece by the id that an encoder gave it.
    std::uint32_t number_of(std::size_t id) const {
        const std::size_t size = words_.size() - 1;
        return id < size ? words_[id] : static_cast<std::uint32_t>(id - size);
    }

private:
    const void* model_;
    std::function<std::uint32_t(Bytes)> find_;
    std::vector<std::uint32_t> words_;
    mutable PieceSessions sessions_;
};

/// From the ids of pieces to the words of a model: `words[id]`, and `words[size]` for the end of a document, whose id is
/// `size`. With `pieces`, units have the ids of words instead.
struct TokenWords {
    const std::uint32_t* words;
    std::size_t size;
    const PieceWords* pieces = nullptr;
};

struct TokensScored {
    NgramScored units;
    std::size_t lossy = 0;  // bytes of documents that the ids do not give back
};

/// As ngram_score, of pieces. Every word must be below model.words().
template <class Model>
TokensScored ngram_score_tokens(const Model& model, const TextEncoder& encoder, const TokenWords& words,
                                const NgramBytes& text, NgramEnds ends, bool class_of_unknown, unsigned threads);

/// Of each document: the sum of its ln p, rounded once, how many units it has, and how many of them are unknown. A document
/// without pieces has no units.
struct TokenTotals {
    std::vector<double> logprobs;
    std::vector<std::int64_t> tokens, unknown;
    double most = -std::numeric_limits<double>::infinity();  // of all ln p; NaN if any is
};

/// The same of whole documents, summed up.
template <class Model>
TokenTotals ngram_token_totals(const Model& model, const TextEncoder& encoder, const TokenWords& words, const NgramBytes& text,
                               NgramEnds ends, bool class_of_unknown, unsigned threads);

}  // namespace bitmeter
