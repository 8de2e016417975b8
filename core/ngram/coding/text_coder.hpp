// Coding of a text with an open-vocabulary word model: words by NgramCoder, unknown ones and white space by Spelling, at
// the cost that scoring gives them.
//
// What comes next is coded first (a word, or the end of the line), then the white space before it, then the bytes of an
// unknown word. The end of the text is not coded, for its length is known; only white space at the very end, with no
// newline after it, is coded as the end of a line that has none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "coding/coded_bits.hpp"
#include "coding/range_coder.hpp"
#include "ngram/coding/coder.hpp"
#include "ngram/openvocab/spelling.hpp"

namespace bitmeter {

/// One text in one direction; model and spelling must live as long. Throws NgramFormatError where they are damaged.
class NgramTextCoder {
public:
    NgramTextCoder(const NgramModel& model, const Spelling& spelling);

    /// Codes the beginning of `data` up to the end of a word or line, or with `final` all of it; how much that was. Throws
    /// CodeError at what is impossible.
    std::size_t encode(Bytes data, bool final, RangeEncoder& out, CodedBits& bits);
    /// The next `size` bytes. Throws CodeError.
    std::vector<std::uint8_t> decode(RangeDecoder& in, std::size_t size);
    /// Where in the data encode() stopped: the beginning of an impossible word, or of the white space before it.
    std::size_t reached() const { return reached_; }

private:
    struct GapTable {
        std::vector<std::uint64_t> sums;  // the escape, then each run of white space
        std::unordered_map<std::string, std::size_t> places;
    };
    using Sums = std::array<std::uint64_t, Spelling::symbols + 1>;

    GapPlace gap_before_word() const { return worded_ ? GapPlace::between : GapPlace::lead; }
    GapPlace gap_before_end() const { return worded_ ? GapPlace::tail : GapPlace::blank; }
    void put_word(Bytes word, Bytes gap, RangeEncoder& out, CodedBits& bits);
    void put_end(Bytes gap, bool newline, RangeEncoder& out, CodedBits& bits);
    void put_gap(GapPlace place, Bytes gap, RangeEncoder& out, CodedBits& bits);
    void put_spelling(Bytes word, RangeEncoder& out, CodedBits& bits);
    void get_gap(GapPlace place, RangeDecoder& in, std::vector<std::uint8_t>& text, std::size_t size);
    void get_spelling(RangeDecoder& in, std::vector<std::uint8_t>& text, std::size_t size);
    bool get_newline(RangeDecoder& in);
    void next_byte(const Spelling::Place& place);
    void next_gap_byte(int last);

    const NgramModel* model_;
    const Spelling* spelling_;
    NgramCoder words_;
    WordTable table_;
    std::array<GapTable, gap_places> gaps_;
    std::uint64_t newline_, no_newline_;
    Sums sums_{};
    std::array<double, Spelling::symbols> shares_{};
    bool worded_ = false;
    std::size_t reached_ = 0;
};

}  // namespace bitmeter
