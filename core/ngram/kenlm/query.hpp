// Queries of a binary of KenLM, as for our own forms (see ngram/query/query.hpp).
#pragma once

#include "ngram/kenlm/model.hpp"
#include "ngram/follow/follow.hpp"
#include "ngram/query/query.hpp"

namespace bitmeter {

/// The words of a history that the model can still need, by their numbers in the file, the last one first; and the
/// back-offs of the histories that they are, the shortest first.
struct KenlmState {
    std::uint32_t length = 0;
    std::uint32_t words[max_order - 1] = {};
    float backoffs[max_order - 1] = {};
};
/// The state before a sentence.
KenlmState kenlm_begin(const KenlmModel& model);

/// One word by its number in the file, as KenLM itself scores it; `after` may be the same object.
NgramFloat kenlm_step(const KenlmModel& model, const KenlmState& before, std::uint32_t code, KenlmState& after);

template <>
struct NgramStates<KenlmModel> {
    using State = KenlmState;
    static State begin(const KenlmModel& model) { return kenlm_begin(model); }
};

double ngram_step(const KenlmModel& model, KenlmState& state, std::uint32_t word);
void ngram_follow(const KenlmModel& model, const std::uint32_t* words, const SpanFrom<KenlmState>* from,
                  const SpanFrom<KenlmState>* to, bool class_of_unknown, double* out);
void ngram_logprobs(const KenlmModel& model, const NgramDocuments& text, bool class_of_unknown, double* out,
                    unsigned threads);
void ngram_predict(const KenlmModel& model, const std::int64_t* history, std::size_t size, double* out);
double ngram_sentence(const KenlmModel& model, Bytes sentence, const Separators& separators, bool ended,
                      bool class_of_unknown);
void ngram_contexts(const KenlmModel& model, const NgramDocuments& text, std::int64_t* lengths, double* backoffs);

}  // namespace bitmeter
