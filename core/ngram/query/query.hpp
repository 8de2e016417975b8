// Queries of an n-gram model. Templates are for both forms of a model, the fast and the compact one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ngram/format/model.hpp"

namespace bitmeter {

/// Documents of word numbers: document d is ids[bounds[d], bounds[d + 1]). A number that no word has is unknown.
struct NgramDocuments {
    const std::int64_t* ids;
    const std::int64_t* bounds;
    std::size_t documents;
    // Words of the first document that came before; empty where it begins here. Its last order - 1 words will do.
    const std::int64_t* before;
    std::size_t before_size;
};

/// A number as the model takes it: one that no word of a text has is that of the class of unknown words.
template <class Model>
std::uint32_t ngram_word(const Model& model, std::int64_t id) {
    return id < 0 || id >= model.words() || id == word_begin ? word_unknown : static_cast<std::uint32_t>(id);
}

/// ln p of each word given those before it in its document, into out. An unknown word costs that of the class of
/// unknown words, or is impossible. Throws NgramFormatError where the model is damaged.
template <class Model>
void ngram_logprobs(const Model& model, const NgramDocuments& text, bool class_of_unknown, double* out,
                    unsigned threads);

/// ln p of every word after this history of one document, into out[0, words); that of word_begin is -inf.
void ngram_predict(const NgramModel& model, const std::int64_t* history, std::size_t size, double* out);

/// A state of the automaton: the longest known suffix of the history. One of length 0 has no history, not even the
/// beginning of a sentence.
struct NgramState {
    int length = 1;
    std::uint32_t place = word_begin;
};
/// The states of a form of model: from what a span of text goes on.
template <class Model>
struct NgramStates {
    using State = NgramState;
    static State begin(const Model&) { return {}; }
};
/// A state at the beginning of a sentence.
inline NgramState ngram_cursor(const NgramModel&) { return {}; }

/// log10 p of the next word, and on to the state after it.
double ngram_step(const NgramModel& model, NgramState& state, std::uint32_t word);

/// log10 p in single precision, as KenLM adds it, and the length of the n-gram that it comes from.
struct NgramFloat {
    float logprob;
    unsigned length;
};
/// KenLM has no logarithm of zero: ARPA files write -99 for it, and an <unk> that a file lacks costs -100.
inline float ngram_kenlm_float(float logprob, std::uint32_t word) {
    return logprob >= -3.0e38f ? logprob : word == word_unknown ? -100.0f : -99.0f;
}
/// The same step in that precision. A state of length 0 has no history at all; the state after it is the least that
/// predicts the same: histories that no n-gram goes on from, and that cost nothing, are left out.
NgramFloat ngram_float_step(const NgramModel& model, NgramState& state, std::uint32_t word);
/// The same for the words of a sentence, into out. A long one is cut into parts that are followed side by side: while one
/// waits for memory, the others go on. Words of the model only, `before` a state that it holds.
void ngram_float_steps(const NgramModel& model, const NgramState& before, const std::uint32_t* words, std::size_t size,
                       NgramFloat* out);

/// Whether the model has this place among its histories.
template <class Model>
bool ngram_holds(const Model& model, const NgramState& state);

/// ln p of words[i] at states[i], for many decoders at once; states[i] becomes the state after it. An unknown word costs
/// that of its class, or is impossible. Every state must be one that the model holds.
template <class Model>
void ngram_extend(const Model& model, NgramState* states, const std::int64_t* words, std::size_t size,
                  bool class_of_unknown, double* out, unsigned threads);

}  // namespace bitmeter
