// Scores the bytes of a text with either form of a model: splitting, word look-up and scoring in one pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ngram/format/compact.hpp"
#include "ngram/format/model.hpp"
#include "text/split.hpp"
#include "util/array.hpp"

namespace bitmeter {

/// Which finished documents get their end as one more unit: none, all (a document without words is its end alone), or
/// those that are not blank (a document of separators alone stays one unit that is no word).
enum class NgramEnds { none, all, nonblank };

/// Bytes to be scored: documents that end at `ends` (the last one at the size of the text), of which the first `finished`
/// are whole. `before` are words of the first document that came earlier, as in NgramDocuments.
struct NgramBytes {
    Bytes text;
    Ends ends;
    std::size_t finished;
    const std::int64_t* before;
    std::size_t before_size;
};

/// As split_words gives them, with the ends of documents, and ln p of each. `blank` marks documents without words.
struct NgramScored {
    Array<double> logprobs;
    Array<std::int64_t> ids, cuts, bounds;
    Array<std::uint8_t> blank;
};

/// Throws NgramFormatError where the model is damaged.
template <class Model>
NgramScored ngram_score(const Model& model, const NgramBytes& text, const Separators& separators, NgramEnds ends,
                      bool class_of_unknown, unsigned threads);

/// The same without the log-probabilities, which are left empty.
template <class Model>
NgramScored ngram_split(const Model& model, const NgramBytes& text, const Separators& separators, NgramEnds ends,
                       unsigned threads);

/// ln p of one sentence, with its end or without.
template <class Model>
double ngram_sentence(const Model& model, Bytes sentence, const Separators& separators, bool ended,
                      bool class_of_unknown);

}  // namespace bitmeter
