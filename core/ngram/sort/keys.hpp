// All n-grams of a text, packed into integers and sorted by their first word, then by the codes of the words after it.
//
// If memory cannot hold them all, this is an external sort: blocks of the text are sorted one by one, each is written to a
// temporary file as a run of distinct n-grams and counts, and the runs are merged when they are visited.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ngram/format/model.hpp"
#include "util/pages.hpp"
#include "util/watch.hpp"

namespace bitmeter {

/// An n-gram is the words from one place of the text on, cut where its sentence ends. The words that n-grams begin with
/// are bundled into tasks of about equal size.
class NgramKeys {
public:
    virtual ~NgramKeys() = default;
    std::size_t bundles() const { return cuts_.size() - 1; }
    /// A bundle holds the first words from this one up to that of the next bundle.
    std::uint32_t bundle_begin(std::size_t bundle) const { return cuts_[bundle]; }
    /// How many different n-grams of this order the bundle has; order 2 and up.
    std::uint64_t kinds(std::size_t bundle, int order) const {
        return kinds_[bundle * static_cast<std::size_t>(length_) + static_cast<std::size_t>(order) - 2];
    }
    /// Visits the different n-grams of a bundle in order: the first word, the codes after it, how many there are
    /// (sentences end), how many of the leading ones are those of the visit before with the same first word, and how
    /// often it occurred.
    using Visit =
        std::function<void(std::uint32_t first, const std::uint32_t* codes, int length, int shared, std::uint64_t count)>;
    virtual void visit(std::size_t bundle, const Visit& visit) const = 0;
    /// Frees a bundle's n-grams.
    virtual void forget(std::size_t bundle) const = 0;
    virtual std::size_t runs() const = 0;

protected:
    std::vector<std::uint32_t> cuts_;
    int length_ = 0;  // words after the first
    std::vector<std::uint64_t> kinds_;
};

struct SortPlan {
    std::span<const std::uint32_t> ids;     // sentences closed by word_end
    std::span<const std::uint32_t> counts;  // how often each word comes, word_begin not counted
    int order = 2;
    unsigned threads = 0;
    std::uint64_t most_keys = 0;  // of one run; 0: all at once, in memory
};

/// Bytes that one key takes.
std::size_t ngram_key_bytes(std::uint64_t words, int order);

std::unique_ptr<NgramKeys> sorted_ngrams(const SortPlan& plan, PageStore& store, Watch& watch);

}  // namespace bitmeter
