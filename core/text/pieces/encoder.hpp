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
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "text/pieces/file.hpp"
#include "text/pieces/memo.hpp"
#include "text/pieces/rules.hpp"
#include "text/pieces/trie.hpp"
#include "text/split.hpp"

namespace bitmeter {

/// Stands for a byte that belongs to no character.
constexpr std::string_view piece_replacement = "\xEF\xBF\xBD";

/// What a model of words knows of pieces that a vocabulary does not have.
class PieceLookup {
public:
    virtual ~PieceLookup() = default;
    /// The number of a piece by its characters.
    virtual std::uint32_t number(Bytes piece) const = 0;
};

/// Memory of one thread: words that were split before, and room to work in.
struct PieceSession {
    PieceMemo memo;
    std::vector<std::uint8_t> text;     // what is normalised
    std::vector<std::uint32_t> origin;  // where each of its bytes comes from
    std::vector<std::uint8_t> raw, repaired, opening;
    std::vector<std::uint32_t> places;
    PieceEntry entry;

    struct Best {
        float score;
        std::int32_t id;
        std::uint32_t start;
    };
    struct TwoBest {
        double best, second;
        std::int32_t id;
        std::uint32_t start;
    };
    struct Symbol {
        std::int32_t previous, next;
        std::uint32_t begin, size;
        bool frozen;
    };
    struct Pair {
        float score;
        std::int32_t left, right;
        std::uint32_t size;
    };
    struct Found {
        std::uint32_t begin, end;
        std::int32_t id;
    };
    std::vector<Best> best;
    std::vector<TwoBest> two;
    std::vector<Symbol> symbols;
    std::vector<Pair> agenda;
    std::vector<Found> found;
    std::vector<std::string>* written = nullptr;  // takes the pieces as they are written, if anybody asks
    /// Gives unknown pieces their numbers: such a piece has the id PieceEncoder::size() + number. What is kept depends on it,
    /// so that it stays the same for the life of a session.
    const PieceLookup* lookup = nullptr;
    float after = 0.0f;                           // the sum after a word
};

/// Sessions that are not in use, which keep their words for the next call.
class PieceSessions {
public:
    std::unique_ptr<PieceSession> take(const PieceLookup* lookup = nullptr) {
        {
            const std::lock_guard lock(guard_);
            if (!idle_.empty()) {
                auto session = std::move(idle_.back());
                idle_.pop_back();
                return session;
            }
        }
        auto made = std::make_unique<PieceSession>();
        made->lookup = lookup;
        return made;
    }
    void give(std::unique_ptr<PieceSession> session) {
        constexpr std::size_t most = 64;
        const std::lock_guard lock(guard_);
        if (idle_.size() < most) idle_.push_back(std::move(session));
    }

private:
    std::mutex guard_;
    std::vector<std::unique_ptr<PieceSession>> idle_;
};

class PieceEncoder {
public:
    /// Throws PieceUnsupported where the pieces could differ from those of the library.
    explicit PieceEncoder(PieceFile file);

    std::size_t size() const { return pieces_.size(); }
    const Piece& piece(std::size_t id) const { return pieces_[id]; }
    /// The bytes that a piece stands for; none for unknown characters and marks.
    const std::string& token(std::size_t id) const { return tokens_[id]; }
    bool has_token(std::size_t id) const { return has_token_[id]; }
    /// The ids of the marks around a text; -1 for none.
    std::int32_t begin_mark() const { return begin_mark_; }
    std::int32_t end_mark() const { return end_mark_; }

    /// Adds the pieces of a document that begins at `offset` of the text; one of which nothing is kept is one unit with the
    /// id blank_document. `limit` is where the readable bytes end.
    void encode(Bytes document, std::int64_t offset, const std::uint8_t* limit, PieceSession& session,
                PieceRun& run) const;

    /// The pieces of a document as they are written: what the model does not know is a piece in its own characters.
    std::vector<std::string> written(Bytes document) const;

    /// Sessions without a lookup.
    PieceSessions& sessions() const { return sessions_; }

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
    void set_cuts(PieceRun& run, std::size_t first, std::int64_t offset, bool spaced) const;
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
    std::vector<std::string> tokens_;
    std::vector<bool> has_token_;
    std::vector<double> scores_;  // as a segmentation adds them up
    std::vector<std::uint32_t> token_sizes_;
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

    mutable PieceSessions sessions_;
};

/// The pieces of all documents of a text.
struct PieceSplit {
    std::vector<std::int64_t> ids, cuts, bounds;
    std::size_t lossy = 0;  // bytes of documents that the ids do not give back
};
PieceSplit split_pieces(const PieceEncoder& encoder, Bytes text, Ends ends, unsigned threads);
/// The same with unknown pieces numbered, by sessions of that lookup.
PieceSplit split_pieces(const PieceEncoder& encoder, Bytes text, Ends ends, unsigned threads, const PieceLookup* lookup,
                        PieceSessions& sessions);

}  // namespace bitmeter
