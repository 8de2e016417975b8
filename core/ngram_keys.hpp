// All n-grams of a text packed into integers and sorted: by their first word, then by the codes of the words after it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ngram_model.hpp"

namespace bitmeter {

/// An n-gram is the words from one place of the text on, cut where its sentence ends.
class NgramKeys {
public:
    virtual ~NgramKeys() = default;
    /// How many different n-grams of this order begin with this word; order 2 and up.
    virtual std::uint64_t kinds(std::uint32_t first, int order) const = 0;
    /// Visits the different n-grams that begin with this word, in order: their codes after the first word, how many
    /// there are (sentences end), how many of the leading ones are those of the visit before, and how often it
    /// occurred.
    using Visit = std::function<void(const std::uint32_t* codes, int length, int shared, std::uint64_t count)>;
    virtual void visit(std::uint32_t first, const Visit& visit) const = 0;
};

/// `ids` are sentences closed by word_end; `words` is how many different numbers there may be.
std::unique_ptr<NgramKeys> sorted_ngrams(const std::vector<std::uint32_t>& ids, std::uint64_t words, int order,
                                         unsigned threads);

}  // namespace bitmeter
