// Any form of an n-gram model, asked as the Python module of KenLM is: words by their bytes, `<s>` and `</s>` among them,
// log10 in single precision added in KenLM's order, with or without the beginning and the end of a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ngram/format/compact.hpp"
#include "ngram/kenlm/query.hpp"

namespace bitmeter {

/// One word of a sentence.
struct ModuleScore {
    float logprob;
    unsigned length;
    bool unknown;
};
/// log10 p of a sentence, and how many words it has.
struct ModuleTotal {
    double logprob;
    std::size_t words;
};
/// Whether <s> comes before a sentence, and </s> after it.
struct ModuleEdges {
    bool begun, ended;
};

// A state is KenLM's own where the model is; of our own forms it holds the indices of n-grams.

/// The number of a word, 0 if it has none; that of KenLM's file where the model is one.
template <class Model>
std::uint32_t module_word(const Model& model, Bytes text);
template <class Model>
KenlmState module_begin(const Model& model);
/// Whether the model has this state; only such may be asked for.
template <class Model>
bool module_holds(const Model& model, const KenlmState& state);
/// One word; `after` may be the same object as `before`.
template <class Model>
NgramFloat module_step(const Model& model, const KenlmState& before, std::uint32_t word, KenlmState& after);

/// Words are separated by white space of ASCII.
template <class Model>
ModuleTotal module_total(const Model& model, Bytes sentence, ModuleEdges edges);
template <class Model>
std::vector<ModuleScore> module_scores(const Model& model, Bytes sentence, ModuleEdges edges);
/// Many sentences. Sums of our own forms are in double precision.
template <class Model>
void module_totals(const Model& model, const Bytes* sentences, std::size_t size, ModuleEdges edges, ModuleTotal* out);

}  // namespace bitmeter
