// Removal of n-grams from a model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "ngram/format/model.hpp"

namespace bitmeter {

/// The n-grams of which stays(order, place) holds, with the same words, probabilities and back-offs; words stay always.
/// Where an n-gram stays, its history and its suffix must stay. The result is not sealed;
/// its arrays are in the store, if there is one.
std::unique_ptr<NgramModel> ngram_pruned(const NgramModel& model,
                                         const std::function<bool(int order, std::uint64_t place)>& stays,
                                         PageStore* store = nullptr);

}  // namespace bitmeter
