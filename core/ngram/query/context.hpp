// The length of the known history before each word, and its back-off: features for the weights of mixtures.
#pragma once

#include "ngram/query/query.hpp"

namespace bitmeter {

/// For each word: how many words of its history the model finds (0 to order - 1), and log10 of what it leaves to shorter
/// histories there, which is near 0 where it has seen little and low where it has seen much.
void ngram_contexts(const NgramModel& model, const NgramDocuments& text, std::int64_t* lengths, double* backoffs);

}  // namespace bitmeter
