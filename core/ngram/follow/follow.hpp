// Scores many texts at once, interleaved to hide memory latency.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ngram/query/query.hpp"
#include "util/cpu.hpp"

namespace bitmeter {

/// Words of one document to be scored: words[begin, end). The state before words[read_from] is `state`; those from there
/// to `begin` are read but not scored.
template <class State>
struct SpanFrom {
    std::size_t begin, end, read_from;
    State state;
};
using NgramSpan = SpanFrom<NgramState>;

/// The most words of a span, so that threads can share the work.
constexpr std::size_t longest_span = 512;

/// ln p of each word of the spans [from, to), into out at its place. Every word is below model.words(). An unknown
/// word costs that of the class of unknown words, or is impossible. Throws NgramFormatError. The figures are the same on
/// every processor.
void ngram_follow(const NgramModel& model, const std::uint32_t* words, const NgramSpan* from, const NgramSpan* to,
                  bool class_of_unknown, double* out, const Cpu& processor = cpu());

}  // namespace bitmeter
