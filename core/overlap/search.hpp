// Matching statistics: for each byte of a text the longest match in an indexed corpus, and where a match stands in it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overlap/index.hpp"

namespace bitmeter {

/// No byte of the text is one of the corpus itself.
constexpr std::uint64_t overlap_foreign = ~std::uint64_t{0};

/// A text: documents with `overlap_separator` between them. If it is a part of the corpus, `own` is the place in the corpus
/// where it begins, and a byte does not match itself.
struct OverlapText {
    Bytes bytes;
    std::uint64_t own = overlap_foreign;
};

/// The length of the longest match that starts at each place of [from, to), into out; at most the index's `longest`.
void overlap_lengths(const OverlapIndex& index, const OverlapText& text, std::size_t from, std::size_t to, unsigned threads,
                     std::uint32_t* out);

/// The first place in the corpus where text[at, at + size) stands; overlap_foreign if there is none.
std::uint64_t overlap_first(const OverlapIndex& index, const OverlapText& text, std::size_t at, std::size_t size);

}  // namespace bitmeter
