// Scores the bytes of a text with a model of a tokenizer's pieces: splitting and scoring in one pass.
#pragma once

#include <cstdint>

#include "ngram/query/score.hpp"
#include "text/pieces/encoder.hpp"

namespace bitmeter {

/// From the ids of pieces to the words of a model: `words[id]`, and `words[size]` for the end of a document, whose id is
/// `size`.
struct TokenWords {
    const std::uint32_t* words;
    std::size_t size;
};

struct TokensScored {
    NgramScored units;
    std::size_t lossy = 0;  // bytes of documents that the ids do not give back
};

/// As ngram_score, of pieces. Every word must be below model.words().
template <class Model>
TokensScored ngram_score_tokens(const Model& model, const PieceEncoder& encoder, const TokenWords& words,
                                const NgramBytes& text, NgramEnds ends, bool class_of_unknown, unsigned threads);

}  // namespace bitmeter
