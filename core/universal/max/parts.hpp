// The memory of `universal:max`. All that a text has not reached is zero and means the initial value: a new model costs
// no writing, and the tables grow with the text, so that a short one takes and copies little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "universal/state.hpp"

namespace bitmeter::universal::maximal {

constexpr int contexts = 79;         // whose bit histories are kept: those of any data, then those of a text or of machine code
constexpr int orders = 8;            // the first contexts: the last bytes
constexpr int inputs_of_context = 3;
constexpr int direct_contexts = 16;  // whose bits' probabilities are kept as such: orders 0 and 1, and
constexpr int hashed_direct = 14;    // others that are hashed
constexpr int pairs = 8;             // of contexts whose histories predict together
constexpr int candidates = 3;        // matches that are followed at once,
constexpr int predictors = 5;        // and repeats of nucleotides, or the target of a branch
constexpr int inputs_of_predictor = 3;
constexpr int used_inputs = contexts * inputs_of_context + direct_contexts * 2 + pairs * 2 + predictors * inputs_of_predictor + 1;
constexpr int inputs = (used_inputs + 1 + 15) / 16 * 16;  // of the mixers; the last place of a row counts its bits
constexpr int mixers = 18;
constexpr int maps_of_context = 7 * 256;
constexpr std::uint32_t most_count = 65535;
constexpr int finals = 4;            // mixers of the mixers
constexpr int refinements = 8;       // adaptive probability maps

/// A bucket of the hash table: the binary trees of a nibble for three contexts, and the last bytes that followed them.
struct alignas(64) Line {
    std::uint16_t check[3];
    std::uint8_t nodes[3][15];
    std::uint8_t last[3];    // the byte that came last,
    std::uint8_t times[3];   // how often in a row, and
    std::uint8_t before[3];  // the one before it
    std::uint8_t unused[4];
};
static_assert(sizeof(Line) == 64);

/// A row of a mixer's weights, as differences to their initial values: 1 is 2^29. Sums need the upper halves alone, so these
/// lie together. The last place counts the bits that the row has learned.
struct alignas(32) Weights {
    std::int16_t upper[inputs];
    std::uint16_t lower[inputs];
    std::uint16_t& count() { return lower[inputs - 1]; }
};
inline std::int32_t weight_of(const Weights& row, int i) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(row.upper[i]) << 16 | row.lower[i]);
}

constexpr std::uint32_t near_size = 1024;

/// An instruction of x86-64 so far, and those before it.
struct Instruction {
    std::uint32_t field = 0;       // that the next byte belongs to
    std::uint32_t left = 0;        // bytes that it still has
    std::uint32_t opcode = 0;      // with 0x100 after 0F, 0x200 after 0F 38 and 0F 3A
    std::uint32_t modes = 0;       // the byte of operands (ModRM),
    std::uint32_t index = 0;       // and the one after it (SIB)
    std::uint32_t extension = 0;   // a REX prefix
    std::uint32_t narrow = 0;      // whether a prefix of 66 came
    std::uint32_t number = 0;      // the displacement or immediate so far
    std::uint32_t immediate = 0;   // bytes of the immediate
    std::uint32_t base = 0;        // the register that a displacement is added to
    std::uint32_t count = 0;       // bytes so far,
    std::uint32_t bytes = 0;       // and their hash
    std::uint32_t before[6] = {};  // opcodes and operands of those before, the latest first
    std::uint32_t whole[2] = {};   // the hashes of all their bytes
    std::uint32_t displacement[16] = {};  // that was added last to each register
};

constexpr std::uint32_t tokens_of_line = 32, depths = 16;

/// Source code, as its contexts need it.
struct Code {
    std::uint64_t kinds = 0, kinds_before = 0;  // of the last sixteen bytes, each as often as it changed, the latest lowest
    std::uint32_t again = 0;                    // whether the last byte was of the kind of the one before
    std::uint32_t name = 0, names[2] = {};      // this name so far, and those before it
    std::uint32_t mark = 0, mark_before = 0;    // of what is between this name and the one before, without spaces
    std::uint32_t marks = 0;                    // of this line
    std::uint32_t first = 0;                    // the first name or mark of this line
    std::uint32_t token = 0, lines = 0;         // names and marks of this line, and lines so far
    std::uint32_t tokens[2][tokens_of_line] = {};  // those of this line and of the one above
    std::uint32_t depth = 0;                    // brackets that are open,
    std::uint32_t openers[depths] = {};         // and each with the name before it
};

/// The text so far, as the contexts need it.
struct alignas(64) Reading {
    std::uint64_t last8 = 0, before8 = 0;  // the last sixteen bytes, the latest lowest
    std::uint64_t folded = 0;              // the last eight letters in lower case, one space between words
    std::uint64_t bases = 0;               // the last 32 nucleotides
    std::uint32_t word = 0;                // of the letters of this word so far
    std::uint32_t words[5] = {};           // of the words before it, the latest first
    std::uint32_t stem = 0, stems[2] = {}; // of the first four letters of this word and of those before it
    std::uint32_t letters = 0;             // of this word so far
    std::uint32_t gap = 0, gap_before = 0; // of what is between this word and the one before, and of what was before that one
    std::uint32_t token = 0;               // of the word or gap so far
    std::uint32_t shape = 0;               // kinds of this word's letters, four bits each; else the kind of the last byte
    std::uint32_t last_letters = 0;        // the last four of this word
    std::uint32_t opened = 0;              // the bracket or quotation mark that was opened last
    std::uint64_t nested = 0;              // the brackets that are open, the innermost lowest
    std::uint32_t since_capital = 255;     // bytes since a capital letter
    std::uint64_t alphanumeric = 0;        // the last five letters and digits
    std::uint32_t tail = 0, tails[2] = {}; // the last three letters of this word and of those before it
    std::uint32_t firsts = 0;              // the first letters of the last four words
    std::uint32_t classes = 0;             // of the last ten bytes, three bits each
    std::uint32_t column = 0;              // bytes since the line began
    std::uint32_t above = 0;               // where the line before it began, in `seen`
    std::uint32_t line = 0;                // where this line began
    std::uint32_t indent = 0;              // the spaces that the line began with
    std::uint32_t line_word = 0, above_word = 0;  // the first words of this line and of the one above,
    std::uint32_t line_kind = 0;           // and the kind of its first byte
    std::uint32_t character = 0;           // the bytes of a UTF-8 character so far
    std::uint32_t left = 0;                // and how many more it has
    std::uint32_t characters[3] = {};      // the characters before it
    std::uint32_t base_run = 0;            // bytes since one that is no nucleotide
    std::uint32_t plain = 1u << 15;        // the part of bytes that are of a text, in 1/65536
    std::uint32_t seen = 0;                // bytes of this document
    Instruction instruction;
    Code code;
    std::uint8_t near[near_size] = {};
};

/// A match that is followed.
struct Match {
    std::uint32_t at = 0;      // the byte after it, in the history
    std::uint32_t length = 0;  // how many bytes agreed; 0 for none
    std::uint32_t misses = 0;  // of the last eight predictions, a bit each
    std::uint32_t followed = 0;
};

/// The distance to a target, in machine code.
struct Branch {
    std::uint32_t kind = 0;       // 0 for none
    std::uint32_t bytes = 0;      // of it so far
    std::uint32_t distance = 0;   // these bytes
    std::uint32_t base = 0;       // where it is counted from
    std::uint32_t key = 0;        // of the bytes before it
    std::uint32_t misses = 0;     // of the last eight predictions, a bit each
    std::int32_t expected = -1;   // the next byte of it, or -1
    std::uint32_t source = 0;     // which of the tables that is from
};

/// Where branches went, or data was read.
constexpr std::uint32_t most_targets = 2048, fields = 8;
struct alignas(64) Targets {
    std::uint32_t count = 0, hand = 0;        // how many there are, and which is looked at next when one must go
    std::uint32_t place[most_targets] = {};
    std::uint32_t weight[most_targets] = {};  // how often, halved when another looks for room
};

struct alignas(64) Following {
    Match match[candidates];
    Match repeat[2];  // of nucleotides: forwards, and as a reverse complement
    Branch branch;
};

struct Parts {
    const Tables* tables;
    Place* place;
    Reading* reading;
    Following* following;
    std::uint32_t* maps;           // contexts × maps_of_context: p(1) by a history and the bits of the last two bytes; here
                                   // and below 22 bits and a count of 10
    std::uint32_t* runs;           // contexts × 256: that the last byte, or the one before it, comes again
    std::uint32_t* match_maps;     // predictors × 2048: that the match is right, by its length and its misses
    std::uint32_t* match_bytes;    // predictors × 8192: the same, by the predicted byte
    std::uint32_t* followers1;     // 256: the last bytes after each byte
    std::uint32_t* followers2;     // 65536: those after each pair
    std::uint32_t* followers3;     // 65536: those after three bytes
    std::uint32_t* name_followers; // 65536: those after a name, or the marks after one
    std::uint32_t* word_ends;      // 65536 × 2: a word, and where it ended last
    std::uint32_t* token_followers;  // 65536: the last bytes after a word or gap
    Targets* known;                // of branches, and of data
    std::uint32_t* chances;        // 5 × 8 × 32: p(1) by the part of the targets' weight that predicts it
    std::uint32_t* targets[3];     // of branches: by the bytes before, by the lowest byte, and by the lowest two
    // These hold the difference to their initial values:
    Weights* weights[mixers];
    std::int32_t* final_weights[finals];  // 1 is 65536
    std::uint32_t* pair_maps;      // pairs × 65536: p(1) predicted by two histories
    std::uint32_t* refined[refinements];  // rows of cells
    std::uint32_t* direct0;        // 256
    std::uint32_t* direct1;        // 65536
    // These grow:
    std::uint32_t* direct[hashed_direct];  // lines of 16, of which the first entry is a check value
    std::uint32_t* matches[candidates + 1];  // last position of a string; the last table is of nucleotides
    std::uint8_t* history;
    Line* lines;
};

constexpr int mixer_rows[mixers] = {2048, 256, 256, 256,  34 * 3, 576,  1028, 512,  216,
                                    2048, 256, 256, 2048, 2048,   2048, 2048, 2048, 2048};
constexpr int final_rows[finals] = {256, 34 * 8, 2048, 512};
constexpr int refined_rows = 65536;
constexpr int target_rows[3] = {4096, 512, 65536};
constexpr std::uint32_t most_target_weight = 4095, new_target_weight = 8;
constexpr std::uint32_t chance_bins = 32, chance_cells = 5 * 8 * chance_bins;  // by the byte, the weight and its part
constexpr int cells_of_row = 16;  // a nat apart
constexpr std::int32_t most_excess = 32 * 256;  // of the bits that the last bytes cost beyond 8 each, in 1/256
constexpr std::int32_t most_weight = 0x70000000, most_final_weight = 1 << 21;

/// Bits that first guesses count for.
constexpr std::uint32_t map_start = 30, pair_start = 6, run_start = 6, match_start = 6, refined_start = 6;

/// How far the tables have grown after so many bytes; each level has four times the room of the one before.
constexpr int levels = 5;
constexpr int level_of(std::uint64_t position) {
    int level = 0;
    for (std::uint64_t end = 1u << 11; level < levels - 1 && position >= end; end *= 4) ++level;
    return level;
}
/// Powers of two at each level.
constexpr unsigned lines_of(int level) { return 16 + 2 * static_cast<unsigned>(level); }
constexpr unsigned matches_of(int level) { return 14 + 2 * static_cast<unsigned>(level); }
constexpr unsigned direct_of(int level) { return 10 + 2 * static_cast<unsigned>(level); }
constexpr unsigned history_power = 24;

Parts parts_of(std::uint8_t* memory, std::size_t& bytes);
/// The parts that a text of this length may have reached, in ascending order; the rest is zero.
std::vector<Span> used(const Parts& parts, std::uint64_t position);
void fill(const Parts& parts);
/// To the beginning of a text, with what was learned.
void rewind(const Parts& parts);
/// Makes room, after the text has reached this level.
void grow(const Parts& parts, int level);
/// Throws std::invalid_argument if it holds values that no model reaches.
void check(const Parts& parts);

}  // namespace bitmeter::universal::maximal
