// Splits the bytes of a text into pieces for threads, and looks up the words of a piece in a model's index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ngram/format/words.hpp"
#include "ngram/query/score.hpp"
#include "text/split.hpp"

namespace bitmeter {

/// A span of the text that ends with a document or before a word. It begins in the document `first`, and those before
/// `last` end in it.
struct NgramPiece {
    std::size_t begin, end, first, last;
};

/// Pieces of about `size` bytes.
std::vector<NgramPiece> ngram_pieces(Bytes text, Ends ends, const Separators& separators, std::size_t size);

/// The units of one piece; kept for the next one, so that memory is asked for once.
class NgramUnits {
public:
    /// Splits a piece and numbers its words. All words and ends have their number, and 0 stands for what is unknown.
    template <class Index>
    void split(const Index& index, const NgramBytes& text, const NgramPiece& piece, const Separators& separators,
               NgramEnds ends);

    std::size_t size() const { return used_; }
    /// The numbers, behind the last words of the text before them (see `lead`).
    std::uint32_t* numbers() { return numbers_.data() + most_lead; }
    const std::uint32_t* numbers() const { return numbers_.data() + most_lead; }
    const std::int64_t* cuts() const { return cuts_.data(); }
    /// For each document that ends here, how many units have come.
    const std::vector<std::int64_t>& bounds() const { return bounds_; }
    /// Units that are no words: documents of white space alone.
    const std::vector<std::size_t>& blanks() const { return blanks_; }
    /// Words that stand before the first unit.
    static constexpr std::size_t most_lead = 16;

private:
    void take(const std::int64_t* edges, std::size_t many);
    void word(std::size_t start, std::size_t stop);
    void special(std::uint32_t number, std::size_t cut);
    void end_document();
    template <class Index>
    void look_up(const Index& index, Bytes text);
    void make_room(std::size_t units);
    std::size_t end_of(std::size_t document) const;

    std::vector<std::uint32_t> numbers_;
    std::vector<std::int64_t> cuts_, bounds_, edges_;
    std::vector<std::size_t> blanks_;
    std::size_t used_ = 0, room_ = 0;

    struct Span {
        std::size_t start, size, unit;
    };
    std::vector<Span> spans_;  // words of a part of the piece
    std::vector<WordKey> keys_;
    std::size_t words_ = 0;

    // Where the splitting stands.
    const NgramBytes* text_ = nullptr;
    NgramEnds ends_ = NgramEnds::none;
    std::size_t document_ = 0, open_ = 0, close_ = 0;
    bool worded_ = false;
};

}  // namespace bitmeter
