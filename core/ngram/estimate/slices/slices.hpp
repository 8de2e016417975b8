// An estimation in slices, each of which is a task for any process. A slice is what a partition of the first words has of
// the trie, which is contiguous in every order. The suffix of an n-gram is in the slice of its second word, so slices
// exchange, by files and always in the order of the sender's trie,
//
//     grown      the trie of the slice, and to each other slice the part of it whose second words are there;
//     linked     the suffixes of what was sent, found by the slice where they stand, and its adjusted counts;
//     weighed    order by order, probabilities and back-offs, and to each other slice the probabilities of the suffixes of
//                what it sent: the order below of its interpolation;
//     finished   the bytes of the model's file.
//
// Between the last two but one, whoever has the whole vocabulary adds up the counts of counts, settles the discounts and
// the probabilities of single words. A task reads its slice, and of the others only what they wrote for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ngram/estimate/slices/file.hpp"
#include "ngram/estimate/smoothing/smooth.hpp"
#include "util/watch.hpp"

namespace bitmeter {

struct SlicePlan {
    std::string folder;
    std::uint64_t job = 0;      // all files carry it
    std::uint64_t settled = 0;  // and those from the probabilities of words on, by which discounts they were made
    std::uint64_t words = 0;
    int order = 2;
    std::vector<std::uint32_t> cuts;  // the first word of each slice, then `words`
    SmoothingPlan smoothing;

    std::size_t slices() const { return cuts.size() - 1; }
    std::size_t slice_of(std::uint32_t word) const;
    bool pruning() const;
    /// The files of the stages; that of an order from 2 on, or of order 1 for the probabilities of words.
    SliceFile grown(std::size_t slice) const;
    SliceFile linked(std::size_t slice) const;
    SliceFile weighed(int order, std::size_t slice) const;
    SliceFile words_file() const;
    SliceFile finished(std::size_t slice) const;
    SliceName name(SliceStage stage, std::size_t slice, int order = 0) const;
    /// Throws std::invalid_argument where there can be no such plan, or it has a smoothing that is not done in slices.
    void check() const;
};

/// Whether all a history needs from others are the probabilities of its words' suffixes.
bool smooths_in_slices(Smoothing method);

/// N-grams of a slice by order - 1: all of them, and those that pruning leaves.
struct GrownSlice {
    std::vector<std::uint64_t> ngrams, kept;
};

/// From the file of a merged partition: see runs.hpp. Each of these throws NgramFormatError where a file is damaged, and
/// std::system_error.
GrownSlice grow_slice(const SlicePlan& plan, std::size_t slice, const std::string& merged, const std::string& path,
                      Watch& watch);

/// How many n-grams have each count, by order - 1 from order 2 on; and the adjusted counts of the last n-grams of the text
/// that the slice has, 0 for others.
struct LinkedSlice {
    std::vector<std::array<std::uint64_t, most_discounted + 2>> kinds;
    std::vector<std::uint32_t> last;
};

/// `chain`: the last n-gram of the text from its last word to its first, see last_chain.hpp.
LinkedSlice link_slice(const SlicePlan& plan, std::size_t slice, const std::vector<std::uint32_t>& chain,
                       const std::string& path, Watch& watch);

/// One order, from 2 on, with the discounts of all.
void weigh_slice(const SlicePlan& plan, int order, std::size_t slice, const std::vector<OrderStatistics>& statistics,
                 const std::string& path, Watch& watch);

/// `kept`: the n-grams of all slices that stay, by slice and order - 1.
void finish_slice(const SlicePlan& plan, std::size_t slice, const std::vector<std::vector<std::uint64_t>>& kept,
                  const std::string& path);

}  // namespace bitmeter
