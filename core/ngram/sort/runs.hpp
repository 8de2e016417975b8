// Sorted n-grams in files, for texts that several processes count: each writes the n-grams of its part as sorted runs, cut
// into partitions by their first word, and whoever merges a partition reads it alone from every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ngram/sort/keys.hpp"
#include "util/watch.hpp"

namespace bitmeter {

struct RunPlan {
    std::span<const std::uint32_t> ids;  // of a part, numbered as in the whole text; sentences closed by word_end
    std::uint64_t words = 0;             // of the whole text
    int order = 2;
    std::vector<std::uint32_t> cuts;     // the first word of each partition, then `words`
    unsigned threads = 1;
    std::uint64_t most_keys = 0;         // of one run; 0: all at once
};

/// Writes the different n-grams with their counts to the files path.0, path.1, ...; returns how many. Throws
/// std::system_error.
std::size_t write_runs(const RunPlan& plan, const std::string& path, Watch& watch);

/// What the merge of a partition has: different n-grams, and bytes of the file.
struct MergedRun {
    std::uint64_t ngrams = 0, bytes = 0;
};

/// Merges a partition of several runs into a file. Throws NgramFormatError where a file is damaged or is about something
/// else, and std::system_error.
MergedRun merge_runs(const std::vector<std::string>& runs, std::uint64_t words, int order, std::size_t partition,
                     const std::string& path, Watch& watch);

/// All n-grams, from the merged partitions in their order, each a bundle. Throws NgramFormatError.
std::unique_ptr<NgramKeys> merged_ngrams(const std::vector<std::string>& files, std::uint64_t words, int order,
                                         unsigned threads, Watch& watch);

/// The n-grams of one merged partition, those whose first words are [from, to), as one bundle. Throws NgramFormatError.
std::unique_ptr<NgramKeys> merged_partition(const std::string& file, std::uint64_t words, int order, std::uint32_t from,
                                            std::uint32_t to, Watch& watch);

}  // namespace bitmeter
