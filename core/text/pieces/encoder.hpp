// Splits texts into the pieces of a SentencePiece model, equal to those of the library of that name.
//
// The library adds scores in single precision from the beginning of a document on, and starts again from zero where the sum
// has become large, so that which of two nearly equal segmentations it takes depends on all that came before. Where no piece
// crosses the beginning of a word, all segmentations meet there, and the sum so far is all that a word needs to know: a
// word is split once and kept, together with the largest sum up to which rounding cannot change its pieces. Beyond that it
// is split again from the sum itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/pieces/base.hpp"
#include "text/pieces/file.hpp"
#include "text/pieces/rules.hpp"
#include "text/pieces/trie.hpp"
#include "text/split.hpp"

namespace bitmeter {

class PieceEncoder : public TextEncoder {
public:
    /// Throws PieceUnsupported where the pieces could differ from those of the library.
    explicit PieceEncoder(PieceFile file);

    std::size_t size() const override { return pieces_.size(); }
    const Piece& piece(std::size_t id) const { return pieces_[id]; }
    /// The ids of the marks around a text; -1 for none.
    std::int32_t begin_mark() const { return begin_mark_; }
    std::int32_t end_mark() const { return end_mark_; }

    void encode(Bytes document, std::int64_t offset, const std::uint8_t* limit, PieceSession& session,
                PieceRun& run) const override;

    /// The pieces of a document as they are written: what the model does not know is a piece in its own characters.
    std::vector<std::string> written(Bytes document) const;

private:
    using Found = PieceSession::Found;
    struct Emitter;
    class WordLoop;

    void look_up(Bytes document, std::int64_t offset, std::size_t first, PieceSession& session, PieceRun& run) const;
    std::int32_t looked_up(Bytes piece, const PieceSession& session) const {
        return static_cast<std::int32_t>(size() + session.lookup->number(piece));
    }

    void set_tables(const PieceFile& file);
    void set_borders();
    bool is_space(const std::uint8_t* p, const std::uint8_t* end) const;
    struct Prefix {
        const std::uint8_t* data;
        std::size_t size, consumed;
    };
    Prefix prefix(const std::uint8_t* p, const std::uint8_t* end) const;

    bool by_words(Bytes document, std::int64_t offset, const std::uint8_t* limit, PieceSession& session,
                  PieceRun& run) const;
    void by_segments(Bytes document, std::int64_t offset, PieceSession& session, PieceRun& run) const;
    void by_segments(Bytes document, Bytes original, std::int64_t offset, PieceSession& session, PieceRun& run) const;
    void write(Bytes text, bool after_unknown, PieceSession& session) const;
    Bytes unknown_at(Bytes text, std::uint32_t begin, const PieceSession& session) const;
    bool split_word(Bytes body, bool bare, float sum, PieceSession& session) const;
    void normalise_word(Bytes raw, bool bare, PieceSession& session) const;
    float segment(Bytes text, float sum, PieceSession& session) const;
    float sum_with(float sum, std::int32_t id) const;
    float sum_after(float sum, const PieceSession& session) const;
    void start_again(std::size_t at, PieceSession& session) const;

    float unigram(Bytes text, float sum, PieceSession& session) const;
    float kept_limit(Bytes text, PieceSession& session) const;
    void merge(Bytes text, PieceSession& session) const;
    std::int32_t reserved_or_plain(std::string_view text) const;
    std::size_t one_character(const std::uint8_t* p, const std::uint8_t* end) const;

    std::vector<Piece> pieces_;
    std::vector<double> scores_;  // as a segmentation adds them up
    std::array<std::int32_t, 256> byte_ids_{};
    PieceTrie trie_, user_, reserved_;
    PieceRules rules_;
    PieceAlgorithm algorithm_;
    std::string space_;
    bool dummy_prefix_, single_spaces_, escaped_, suffix_, fallback_;
    bool border_before_ = false, border_after_ = false;  // of a space, where no piece crosses it
    bool words_ = false;                                 // whether texts can be split at single spaces
    bool has_unused_ = false;
    std::size_t longest_ = 0;  // piece
    std::array<bool, 256> plain_{}, white_{}, solid_{}, opens_{};
    std::int32_t unknown_, begin_mark_ = -1, end_mark_ = -1;
    float unknown_score_ = 0.0f;
};

}  // namespace bitmeter
