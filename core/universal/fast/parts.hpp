// The memory of `universal:fast`: what its contexts have seen, one cache line for each context of a byte.
#pragma once

#include <cstddef>
#include <cstdint>

#include "universal/state.hpp"

namespace bitmeter::universal::fast {

constexpr int contexts = 6;  // whose bit histories are kept: orders 1, 2, 3, 4 and 6, and the word
constexpr int inputs = 8;    // of the mixers: the contexts, a zero that fills the vector, and the match
constexpr int mixers = 2;
constexpr int ways = 3;      // second nibbles that a line has room for

/// What follows a context: the binary tree of the first nibble, and those of three second nibbles.
struct alignas(64) Line {
    std::uint16_t check;   // of the context
    std::uint16_t firsts;  // four bits for each tree of a second nibble: the first nibble before it
    std::uint8_t nodes[1 + ways][15];
};
static_assert(sizeof(Line) == 64);

struct Parts {
    const Tables* tables;
    Place* place;
    std::uint32_t* maps;        // contexts × 256: p(1) predicted by a history, in 1/2^32
    std::uint32_t* match_maps;  // 64 lengths × 2: p(1) of 22 bits and a count of 10
    std::int16_t* weights[mixers];  // 1 is 8192
    std::uint16_t* refined;     // an adaptive probability map of order 1: rows of cells
    std::uint8_t* order1;       // 256 × 17 trees: of the first nibble and of the 16 second ones
    Line* lines;
    unsigned line_power;        // there are 2^this
    std::uint8_t* history;
    std::uint32_t* matches;
};

constexpr int cells_of_row = 16;  // of the map, a nat apart
/// What the last bytes may have cost beyond 8 bits each, in 1/256 bit.
constexpr std::int32_t most_excess = 32 * 256;
constexpr int mixer_rows[mixers] = {256, contexts * 4 * 8};

constexpr int tree = 16;  // bytes of a tree of order 1; the last is unused
constexpr int order1_row = 17 * tree;

Parts parts_of(std::uint8_t* memory, const Size& size, std::size_t& bytes);
void fill(const Parts& parts);
/// Throws std::invalid_argument if it holds values that no model reaches.
void check(const Parts& parts);

}  // namespace bitmeter::universal::fast
