// Splitting bytes into characters and words, counting them, and finding where lines and paragraphs end.
// A character is a whole code point of well-formed UTF-8; a byte that belongs to none is a character by itself.
// A word is a longest run of bytes that are not separators. Neither ever crosses the end of a document.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bitmeter {

/// The id of an invalid byte b is first_invalid + b: above every code point, so that ids give the bytes back.
constexpr std::int32_t first_invalid = 0x110000;
/// The ids of a word that a table does not hold, and of a document that is separators alone.
constexpr std::int64_t unknown_word = -1, blank_document = -2;

/// The set of bytes that separate words.
class Separators {
public:
    explicit Separators(std::string_view bytes);
    bool operator[](std::uint8_t byte) const { return table_[byte]; }
    /// Bit i is set if p[i] separates. `p` must have 64 readable bytes.
    std::uint64_t mask(const std::uint8_t* p) const;
    /// The same by the table alone, for processors without vector instructions.
    std::uint64_t plain_mask(const std::uint8_t* p) const;

private:
    static constexpr std::size_t most_listed = 16;  // as many comparisons cost no more than the table
    std::array<bool, 256> table_{};
    std::size_t listed_ = 0;
    alignas(16) std::uint8_t list_[most_listed][16] = {};  // each as often as a vector holds it
};

struct Bytes {
    const std::uint8_t* data;
    std::size_t size;
};

/// Where documents end in a block, ascending; the last one is the block's size.
struct Ends {
    const std::int64_t* data;
    std::size_t size;
};

/// Whether the ends ascend within [0, size] and the last one is `size`.
bool ends_fit(Ends ends, std::size_t size);

struct CharSplit {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> cuts, bounds;
};
CharSplit split_chars(Bytes text, Ends ends);

/// How many bytes of an unfinished document are whole characters, whatever follows.
std::size_t chars_cut(Bytes text);

/// Words numbered from zero. Equal bytes have equal numbers.
class WordTable {
public:
    WordTable();
    /// The number of a word, unknown_word if it has none.
    std::int64_t find(Bytes word) const;
    /// The number of a word, a new one if it has none.
    std::int64_t add(Bytes word);
    std::size_t size() const { return offsets_.size() - 1; }
    /// Bytes of memory that it takes.
    std::size_t bytes() const {
        return slots_.capacity() * sizeof(Slot) + bytes_.capacity() + offsets_.capacity() * sizeof(std::size_t);
    }
    /// The bytes of a word; valid until the next one is added.
    Bytes word(std::size_t number) const {
        return {bytes_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]};
    }

private:
    std::size_t slot(Bytes word, std::uint64_t hash) const;
    void grow();

    struct Slot {
        std::uint64_t hash;
        std::int64_t number;  // -1: empty
    };
    std::vector<Slot> slots_;
    std::vector<std::uint8_t> bytes_;    // all words, one after the other
    std::vector<std::size_t> offsets_;   // where each begins, and where the last one ends
};

/// 63 bits that depend on all bytes of a word, equal on every machine.
std::int64_t hash_word(Bytes word);

struct WordSplit {
    std::vector<std::int64_t> ids, cuts, bounds;
};
/// A unit is a word and the separators that follow it; the separators before the first word of a document belong to that
/// word; a document of separators alone is one unit. Ids are hashes without a table, numbers with one.
WordSplit split_words(Bytes text, Ends ends, const Separators& separators, const WordTable* table);

/// Where words begin and end in turn (start, stop, start, stop...), added to `edges` as places from `offset` on.
void word_edges(Bytes text, std::int64_t offset, const Separators& separators, std::vector<std::int64_t>& edges);

/// The same into memory with room for one more than there are bytes; how many there are.
std::size_t word_edges(Bytes text, std::int64_t offset, const Separators& separators, std::int64_t* edges);

/// How many bytes of an unfinished document are whole units, whatever follows.
std::size_t words_cut(Bytes text, const Separators& separators);

/// Each unit's own bytes, without the separators around them.
struct Spans {
    std::vector<std::int64_t> starts, stops;
};
Spans trim(Bytes text, const std::int64_t* cuts, std::size_t units, const Separators& separators);

/// The offset after each newline.
std::vector<std::int64_t> line_ends(Bytes text);

/// Finds paragraphs in a text that comes block by block. A paragraph begins where a line with text follows a blank line (one
/// of spaces, tabs and carriage returns alone), so that blank lines belong to the paragraph before them, and those at the
/// very beginning to the first one. A line that opens with more than `longest_indent` bytes of white space is text.
class Paragraphs {
public:
    static constexpr std::int64_t longest_indent = 1 << 16;
    /// The ends that this block decides, as offsets into the whole text.
    std::vector<std::int64_t> feed(Bytes block);
    /// No end before this offset is still to come.
    std::int64_t decided() const { return line_open_ && after_blank_ ? line_start_ : position_; }

private:
    std::int64_t position_ = 0, line_start_ = 0;
    bool line_open_ = true;     // only white space has come in this line so far
    bool after_blank_ = false;  // a blank line came after text
    bool text_ = false;         // this paragraph has a line with text
};

/// Counts characters and words of a text that comes block by block: what a border cuts is counted once.
class TextCounts {
public:
    explicit TextCounts(std::string_view separators) : separators_(separators) {}

    struct Counts {
        std::vector<std::int64_t> chars, invalid, words;
    };
    /// One row for each end, and one for what follows the last end and goes on in the next block. `ends` ascend within the
    /// block; the last one need not be its size.
    Counts feed(Bytes block, Ends ends);
    /// Ends the document that is still open; the invalid bytes that it ended in.
    std::int64_t finish();

    std::int64_t bytes = 0, chars = 0, invalid = 0, words = 0;

private:
    void count_part(Bytes text);
    void count_chars(Bytes text);
    void count_words(Bytes text);
    void settle();
    void close();

    Separators separators_;
    std::array<std::uint8_t, 4> pending_{};  // the beginning of a character that the border cut
    int pending_size_ = 0;
    bool in_word_ = false;
};

}  // namespace bitmeter
