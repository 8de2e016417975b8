// Many texts followed through an n-gram model at once, so that one waits for memory while the others go on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ngram/query/query.hpp"
#include "util/cpu.hpp"

namespace bitmeter {

/// Words of one document to be rated: words[begin, end). The state before words[read_from] is `state`; those from there
/// to `begin` are read but not rated.
struct NgramStretch {
    std::size_t begin, end, read_from;
    NgramState state;
};

/// Words that one stretch should have at most, so that the work can be shared.
constexpr std::size_t longest_stretch = 512;

/// ln p of each word of the stretches [from, to), into out at its place. Every word is below model.words(). An unknown
/// word costs that of the class of unknown words, or is impossible. Throws NgramFormatError. The figures are the same on
/// every processor.
void ngram_follow(const NgramModel& model, const std::uint32_t* words, const NgramStretch* from, const NgramStretch* to,
                  bool class_of_unknown, double* out, const Cpu& processor = cpu());

}  // namespace bitmeter
