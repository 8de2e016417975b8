// From the bytes of a text to what each of its words costs where unknown ones are spelled and white space is paid for.
#pragma once

#include <cstdint>
#include <vector>

#include "ngram/openvocab/spelling.hpp"
#include "ngram/query/rate.hpp"

namespace bitmeter {

/// What a piece of text costs, and what is remembered of it: the words to go on from, whether it has nothing to go on
/// from, and whether it ends with the end of a sentence.
struct NgramSpelled {
    NgramRated units;
    std::vector<std::int64_t> after;
    bool empty = true, ended = false;
};

/// `continues` says that the first document goes on from an earlier piece. Throws NgramFormatError where the model is
/// damaged.
template <class Model>
NgramSpelled ngram_rate_spelled(const Model& model, const Spelling& spelling, const NgramBytes& text,
                                const Separators& separators, NgramEnds ends, bool continues, unsigned threads);

/// The nats that a whole document costs, its end left out; NaN where any of its units has no probability.
template <class Model>
double ngram_spelled_nats(const Model& model, const Spelling& spelling, Bytes document, const Separators& separators);

}  // namespace bitmeter
