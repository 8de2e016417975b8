// The text normalisers of perplexity filters (CCNet, edugp, ROOTS, datatrove), by name.
//
// Each is a chain of rules over the characters of a document. Nearly all of them look at one character, so the chain is
// applied once to every code point when a normaliser is made, and the text goes through one table. What needs more
// than a character is left to code: a final sigma, the order of combining characters, numbers, and white space at the ends
// of a document. A byte that belongs to no character stays as it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/split.hpp"

namespace bitmeter::normalise {

/// Which rules a normaliser has, in the order in which their tools apply them.
struct Rules {
    bool lower = false;        // Python's str.lower
    bool unaccent = false;     // canonical decomposition, then no characters of the category Mn
    bool white = false;        // ROOTS' list of white space becomes a space
    bool numbers = false;      // a number becomes one 0, instead of each digit
    /// White space at the ends of a document: before all other rules, behind the removal of control characters, or behind
    /// the removal of accents.
    enum class Strip { first, after_controls, after_accents } strip = Strip::first;
};

/// Room that grows, without setting what it has to zero.
class Output {
public:
    /// Room for so many bytes behind those that are used.
    std::uint8_t* room(std::size_t n);
    void use_until(const std::uint8_t* end) { size_ = static_cast<std::size_t>(end - data_.data()); }
    void append(std::string_view bytes);
    std::string_view view() const { return {reinterpret_cast<const char*>(data_.data()), size_}; }
    std::size_t size() const { return size_; }
    void clear() { size_ = 0; }

private:
    struct Raw {
        std::uint8_t byte;
        Raw() {}  // a vector leaves such bytes as they are
        operator std::uint8_t() const { return byte; }
    };
    static_assert(sizeof(Raw) == 1);
    struct Store {
        std::vector<Raw> bytes;
        std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(bytes.data()); }
        const std::uint8_t* data() const { return reinterpret_cast<const std::uint8_t*>(bytes.data()); }
    };
    Store data_;
    std::size_t size_ = 0;
};

class Normaliser {
public:
    explicit Normaliser(const Rules& rules);
    /// By name; throws std::invalid_argument for an unknown one.
    static Normaliser named(std::string_view name);

    /// Adds the changed bytes of [p, end), which lie in a document or part of one that begins at `first` and ends at `last`.
    /// Nothing is stripped.
    void change(const std::uint8_t* first, const std::uint8_t* p, const std::uint8_t* end, const std::uint8_t* last,
                Output& out) const;
    /// Where a text begins and ends without what is stripped.
    const std::uint8_t* stripped_begin(const std::uint8_t* p, const std::uint8_t* end) const;
    const std::uint8_t* stripped_end(const std::uint8_t* p, const std::uint8_t* end) const;

private:
    /// What becomes of a character: it stays; a string of the pool; or more than the character decides.
    enum Kind : std::uint32_t { same, replaced, special };
    static constexpr std::uint32_t entry_of(Kind kind, std::size_t offset, std::size_t size) {
        return static_cast<std::uint32_t>(offset << 8 | size << 2 | kind);
    }
    std::uint32_t entry(std::int32_t c) const { return pages_[static_cast<std::size_t>(page_[c >> 6]) << 6 | (c & 63)]; }

    bool is_special(std::int32_t c) const;
    bool is_stripped(std::int32_t c) const;
    std::string changed(std::int32_t c) const;
    void fill();
    std::uint32_t made_entry(std::int32_t c, std::unordered_map<std::string, std::size_t>& strings);
    const std::uint8_t* run_special(std::int32_t c, const std::uint8_t* first, const std::uint8_t* p, int length,
                                    const std::uint8_t* end, const std::uint8_t* last, Output& out) const;
    const std::uint8_t* run_number(const std::uint8_t* p, const std::uint8_t* end) const;
    const std::uint8_t* run_late(std::int32_t c, const std::uint8_t* p, const std::uint8_t* end, Output& out) const;

    Rules rules_;
    std::array<std::uint16_t, (0x110000 >> 6)> page_{};
    std::vector<std::uint32_t> pages_;
    std::vector<char> pool_;  // with room behind it, so that a fixed number of bytes can be copied
    std::array<std::uint8_t, 128> ascii_{};  // 0: more than a byte decides
    std::vector<bool> stripped_;             // by code point
};

/// Documents that arrive in blocks, which may cut them anywhere.
class Stream {
public:
    explicit Stream(const Normaliser& normaliser) : normaliser_(normaliser) {}
    /// Adds the changed documents, and as much of the last one, which goes on, as is decided. `ends` ascend within the
    /// block; those of the changed documents are added to `changed_ends`.
    void feed(Bytes block, Ends ends, Output& out, std::vector<std::int64_t>& changed_ends);

private:
    void part(const std::uint8_t* p, const std::uint8_t* end, bool finished, Output& out);

    const Normaliser& normaliser_;
    std::vector<std::uint8_t> held_;  // the beginning of a part that has not ended
    Output white_;                    // changed white space, which may be at the end of the document
    bool begun_ = false;              // something but white space has come
};

}  // namespace bitmeter::normalise
