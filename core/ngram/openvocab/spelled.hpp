// Open-vocabulary scoring: unknown words are spelled and white space has a cost.
#pragma once

#include <cstdint>
#include <vector>

#include "ngram/openvocab/spelling.hpp"
#include "ngram/query/score.hpp"
#include "ngram/query/tokens.hpp"

namespace bitmeter {

/// The cost of a block of text, and the state after it: the last words, whether there are none, and whether it ends with
/// the end of a sentence.
struct NgramSpelled {
    NgramScored units;
    std::vector<std::int64_t> after;
    bool empty = true, ended = false;
};

/// `continues` says that the first document goes on from an earlier piece. Throws NgramFormatError where the model is
/// damaged.
template <class Model>
NgramSpelled ngram_score_spelled(const Model& model, const Spelling& spelling, const NgramBytes& text,
                                const Separators& separators, NgramEnds ends, bool continues, unsigned threads);

/// The nats that a whole document costs, its end left out; NaN where any of its units has no probability.
template <class Model>
double ngram_spelled_nats(const Model& model, const Spelling& spelling, Bytes document, const Separators& separators);

/// The sums of whole documents, each scored by itself: of the same units, which are not kept.
template <class Model>
TokenTotals ngram_spelled_totals(const Model& model, const Spelling& spelling, const NgramBytes& text,
                                 const Separators& separators, NgramEnds ends, unsigned threads);

}  // namespace bitmeter
