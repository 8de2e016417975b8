// The universal model's state: all that it has learned and its position in the text, in one block of memory that can be
// copied, compared, fingerprinted and saved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bitmeter::universal {

constexpr int contexts = 14;       // whose bit histories are kept
constexpr int hashed_contexts = contexts - 1;  // all but the first, which has a table of its own
constexpr int direct_contexts = 3;  // whose bits' probabilities are kept as such
constexpr int inputs = 32;         // of the mixers
constexpr int mixers = 4;
constexpr int finals = 2;          // mixers of the mixers

struct Tables;

/// A slot of the hash table: the binary trees of a nibble for four contexts, in one cache line.
struct alignas(64) Line {
    std::uint8_t check[4];
    std::uint8_t nodes[4][15];
};
static_assert(sizeof(Line) == 64);

/// The recent text.
struct Text {
    std::uint32_t last4 = 0;    // the last four bytes, the latest lowest
    std::uint32_t before4 = 0;  // the four before them
    std::uint32_t word = 0;     // of the letters of this word so far
    std::uint32_t word1 = 0;    // of the word before
    std::uint32_t word2 = 0;    // of the one before that
    std::uint32_t classes = 0;  // of the last ten bytes, three bits each
    std::uint32_t column = 0;   // bytes since the line began
};

/// The position in the text.
struct alignas(64) Place {
    std::uint64_t position = 0;      // bytes learned
    Text text;
    std::uint32_t match_at = 0;      // the byte after the match, in the history
    std::uint32_t match_length = 0;  // 0 for no match
    std::uint32_t rate = 0;          // learning rate of the mixers
    std::uint8_t recent[32] = {};    // the last bytes, the latest first found at (seen - 1) % 32
    std::uint32_t seen = 0;          // bytes of this document
    std::int32_t excess = 0;         // what the last bytes cost beyond 8 bits each, in 1/256 bit; the first three designs
};                                   // do not use it
static_assert(sizeof(Place) == 128);

/// Sizes as powers of two.
struct Size {
    unsigned lines;    // of bit histories
    unsigned history;  // bytes of text remembered for matches
    unsigned matches;  // entries that say where a string was last
    unsigned direct;   // lines of the direct probabilities of order 2
};

/// The arithmetic of a model: how bits are predicted, and so the layout of its memory.
enum class Design { mixed, fast, max };

/// small, medium, large, fast, max: 0 to 4. The numbers are those of files.
constexpr int sizes = 5;
Size size_of(int number);
Design design_of(int number);

namespace fast {
struct Parts;
}
namespace maximal {
struct Parts;
}

/// Bytes of the block, from an offset on.
struct Span {
    std::size_t start, size;
};

/// Pointers to the parts of the block. Those of `fast` and `max` have the place and the history alone, and of `fast` the
/// matches.
struct Parts {
    const Tables* tables;
    Place* place;
    std::uint32_t* maps;           // contexts × 256: p(1) predicted by a history, in 1/2^32
    // These are p(1) of 22 bits and a count of 10:
    std::uint32_t* match_maps;     // 64 lengths × 2, then 4096 by the predicted byte
    std::uint32_t* direct0;        // 256
    std::uint32_t* direct1;        // 65536
    std::uint32_t* direct2;        // lines of 16
    std::int16_t* weights[mixers];  // 1 is 8192
    std::int32_t* final_weights[finals];  // 1 is 65536
    std::uint16_t* refined[2];     // adaptive probability maps of orders 1 and 3: rows of cells
    std::uint8_t* order1;          // 65536 histories
    Line* lines;
    std::uint8_t* history;
    std::uint32_t* matches;        // last position of eight bytes; above it, check bits
};

constexpr int mixer_rows[mixers] = {256 * 8, 7 * 256, 512 * 4, 128 * 16};
constexpr int final_rows[finals] = {33 * 8, 256};
constexpr int refined_rows = 65536;
constexpr int refined_cells = 32;  // a nat apart: one line of the processor's cache

class State {
public:
    explicit State(int size);
    State(const State& other);
    State(State&&) = default;
    State& operator=(const State&) = delete;
    State& operator=(State&&) = default;

    int size() const { return size_; }
    Design design() const { return design_of(size_); }
    const Parts& parts() const { return parts_; }
    /// Of the design `fast` alone.
    const fast::Parts& fast_parts() const { return *fast_; }
    /// Of the design `max` alone.
    const maximal::Parts& max_parts() const { return *max_; }
    const Size& powers() const { return powers_; }
    std::size_t bytes() const { return bytes_; }
    /// Bytes of a state of this size.
    static std::size_t bytes_of(int size);
    const std::uint8_t* data() const { return start_; }
    std::uint8_t* data() { return start_; }

    /// As a state that was just made, or as another of the same size, in the memory that it has: pages that the system
    /// must clear at first use cost many times what writing to them does.
    void reset();
    void assign(const State& other);
    /// All zeros, as a file is read into.
    void clear();
    /// The bytes that may be other than zero, in ascending order; offsets and sizes are multiples of 64.
    std::vector<Span> used() const;
    /// Goes to the beginning of a text and keeps what was learned.
    void rewind();
    /// A checksum of the block.
    std::uint64_t checksum() const;
    /// Throws std::invalid_argument if the block holds values that no model reaches.
    void check() const;

private:
    struct Free {
        void operator()(std::uint8_t* p) const;
    };
    void lay_out();
    void fill_all();

    int size_;
    Size powers_;
    std::size_t bytes_ = 0;
    std::unique_ptr<std::uint8_t, Free> memory_;  // as the system gave it
    std::uint8_t* start_ = nullptr;                // at the beginning of a page
    Parts parts_{};
    std::shared_ptr<const fast::Parts> fast_;
    std::shared_ptr<const maximal::Parts> max_;
};

}  // namespace bitmeter::universal
