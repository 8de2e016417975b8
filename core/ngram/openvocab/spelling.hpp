// The open vocabulary: models of the bytes of unknown words and of white space, which make a word model a distribution
// over byte strings.
//
// A line is lead word between word ... word tail newline; a line without words is blank newline. Each run of white
// space costs ln p in the table of its place, or that of an escape and its bytes one by one. A word that the model does
// not know costs the class of unknown words (paid to the n-gram model) and its bytes and their end under an n-gram
// model of bytes, fitted on words that the training text holds once. The end of a line is paid to the n-gram model too:
// it predicts </s>.
//
// A word that the model knows, or white space that a table holds, could be spelled too, and that probability is lost:
// the sum over all texts is a little below one, never above, so that the bits are those of a code.
//
// An encoder follows the same steps symbol by symbol: see Spelling::predict and push, gaps, predict_gap and push_gap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ngram/format/model.hpp"
#include "ngram/query/query.hpp"
#include "text/split.hpp"

namespace bitmeter {

/// Where white space stands: before a line's first word, between words, after its last, in a line without words.
enum class GapPlace : unsigned { lead, between, tail, blank };
constexpr std::size_t gap_places = 4;

/// Counts the white space of a text that comes block by block.
class GapCounts {
public:
    /// With `lines`, a newline ends a sentence wherever it stands; else documents alone do.
    GapCounts(std::string_view separators, bool lines);
    /// Takes the next bytes; documents end at `ends`, ascending within the block.
    void feed(Bytes block, Ends ends);
    /// Ends a document that has begun.
    void finish();
    /// Adds what was counted in another part of the text, which is finished.
    void add(GapPlace place, const std::string& gap, std::uint64_t count) {
        counts_[static_cast<unsigned>(place)][gap] += count;
    }
    void add(GapPlace place, std::uint64_t overlong) { overlong_[static_cast<unsigned>(place)] += overlong; }
    void add_ends(std::uint64_t ended, std::uint64_t unended) {
        ended_ += ended;
        unended_ += unended;
    }

    const std::string& separators() const { return list_; }
    bool lines() const { return lines_; }
    std::uint64_t ended() const { return ended_; }
    std::uint64_t unended() const { return unended_; }
    /// How often each run of white space came; one that is too long to keep is the empty key of `overlong`.
    const std::map<std::string, std::uint64_t>& counts(GapPlace place) const {
        return counts_[static_cast<unsigned>(place)];
    }
    std::uint64_t overlong(GapPlace place) const { return overlong_[static_cast<unsigned>(place)]; }

    static constexpr std::size_t longest = 64;

private:
    void take_part(Bytes text);
    void white(const std::uint8_t* from, const std::uint8_t* to);
    void count(GapPlace place);
    void close();

    std::string list_;
    Separators separators_;
    bool lines_, worded_ = false, in_word_ = false, too_long_ = false, open_ = false;
    std::string pending_;
    std::uint64_t ended_ = 0, unended_ = 0, single_ = 0;
    std::array<std::map<std::string, std::uint64_t>, gap_places> counts_;
    std::array<std::uint64_t, gap_places> overlong_{};
    std::vector<std::int64_t> edges_;
};

/// The rarest words of a text, at least a thousand if there are so many, as lines with two hexadecimal digits per byte: the
/// training text of the byte model. `counts` are indexed by the ids of `table`.
std::string rare_words_in_hex(const WordTable& table, const std::vector<std::uint32_t>& counts);

/// The costs of a text's bytes beside those of the n-gram model.
class Spelling {
public:
    static constexpr unsigned end = 256, symbols = 257;

    /// The bytes that go into a model's file.
    static std::vector<std::uint8_t> section(const GapCounts& gaps, const NgramModel& letters);
    /// Throws NgramFormatError where they do not begin like such bytes, are not as many as they say, or their checksum is
    /// wrong.
    static void check(Bytes section);
    /// From those bytes, which are copied. Throws NgramFormatError where they are damaged.
    explicit Spelling(Bytes section);

    bool lines() const { return lines_; }
    std::uint64_t fingerprint() const { return fingerprint_; }
    const Separators& separators() const { return separators_; }

    // ---- an unknown word, byte by byte
    /// How much of a word has been spelled.
    struct Place {
        NgramState state;
        std::array<std::int64_t, max_order> history{};
        std::size_t size = 0;
    };
    /// The probability of each byte, and of the end at [end]; they sum to one (or, where all bytes but the separators
    /// were seen, to a little less). A word has at least one byte, and no separators.
    void predict(const Place& place, double* out) const;
    /// ln p of a symbol, and on to the place after it; -inf for what no word has.
    double push(Place& place, unsigned symbol) const;
    /// ln p of a word's bytes and of its end.
    double word(Bytes bytes) const;

    // ---- white space
    struct Gap {
        std::string bytes;
        double p;
    };
    /// What the table of a place holds, the likeliest first.
    const std::vector<Gap>& gaps(GapPlace place) const { return tables_[static_cast<unsigned>(place)].gaps; }
    /// The probability that white space is none of these. It is then spelled, one byte at least.
    double escape(GapPlace place) const { return tables_[static_cast<unsigned>(place)].escape; }
    /// ln p of white space at a place.
    double gap(GapPlace place, Bytes bytes) const;
    /// The probability of each byte of spelled white space after `last` (-1: the first), and of its end.
    void predict_gap(int last, double* out) const;
    double push_gap(int last, unsigned symbol) const;

    /// ln p that the end of a sentence is a newline, and that the text ends without one.
    double newline() const { return newline_; }
    double no_newline() const { return no_newline_; }

private:
    struct Table {
        std::vector<Gap> gaps;
        std::map<std::string, double, std::less<>> logs;
        double escape = 1.0, single_space = 0.0, empty = 0.0;
        bool has_single_space = false, has_empty = false;
    };
    bool in_gap(unsigned byte) const { return separators_[static_cast<std::uint8_t>(byte)] && !(lines_ && byte == '\n'); }
    void read_letters(Bytes section);

    Separators separators_{""};
    bool lines_ = false;
    std::uint64_t fingerprint_ = 0;
    double newline_ = 0.0, no_newline_ = 0.0;
    std::array<Table, gap_places> tables_;
    std::unique_ptr<NgramModel> letters_;
    std::array<std::uint32_t, 256> letter_{};  // of each byte, word_unknown if it was not seen
    double rest_ = 0.0;                        // ln of the share of each unseen byte in the class of unknown ones
    double first_ = 0.0;                       // ln of what is left without the empty word
    unsigned gap_bytes_ = 0;
};

/// A piece of text as the n-gram model must score it, and what else its bytes cost.
struct SpelledText {
    std::vector<std::int64_t> ids, bounds;  // words and ends of sentences; each sentence a document
    std::vector<std::int64_t> owner;        // the unit that pays for each of these
    std::vector<double> extra;              // ln p of each unit's unknown word and white space
};

struct SpelledPiece {
    Bytes data;
    const std::int64_t *ids, *cuts, *bounds;
    std::size_t units, documents;
    std::size_t words;     // of the model
    bool continues, open;  // whether the first document goes on, and whether the last one will
};

/// Throws std::invalid_argument where a unit is none of words.
SpelledText spelled_text(const Spelling& spelling, const SpelledPiece& piece);

}  // namespace bitmeter
