// What all encoders of pieces share: sessions, which keep what was split before, and splitting of many documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "text/pieces/memo.hpp"
#include "text/split.hpp"
#include "text/tokens/merges.hpp"

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
    std::vector<MergeTable::Symbol> merged;
    /// A character of `text`: its bytes, and 1 if it was added, 0 if it stands for one, or -n if n more are dropped behind it.
    struct Change {
        std::uint32_t size;
        std::int32_t change;
    };
    std::vector<Change> changes;
    std::vector<std::uint32_t> from, starts;
    std::size_t word = 0;
    bool drops = false;  // something was dropped before the first character that is left
    MergeTable::Room room;

    /// Replaces bytes that are no characters, one by one; `places` says where each byte, and the end, comes from.
    void repair(Bytes document);
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

/// Splits texts into the ids of a vocabulary.
class TextEncoder {
public:
    virtual ~TextEncoder() = default;

    /// How many ids there are.
    virtual std::size_t size() const = 0;
    /// The bytes that an id stands for; none for unknown characters and marks.
    const std::string& token(std::size_t id) const { return tokens_[id]; }
    bool has_token(std::size_t id) const { return has_token_[id]; }

    /// Adds the pieces of a document that begins at `offset` of the text; one of which nothing is kept is one unit with the
    /// id blank_document. `limit` is where the readable bytes end. Throws PieceUnsupported for a document that only the
    /// library can split.
    virtual void encode(Bytes document, std::int64_t offset, const std::uint8_t* limit, PieceSession& session,
                        PieceRun& run) const = 0;

    /// Sessions without a lookup.
    PieceSessions& sessions() const { return sessions_; }

protected:
    TextEncoder() = default;
    TextEncoder(TextEncoder&&) = delete;

    void add_token(bool has, std::string bytes) {
        has_token_.push_back(has);
        token_sizes_.push_back(static_cast<std::uint32_t>(bytes.size()));
        tokens_.push_back(std::move(bytes));
    }
    /// Where pieces that give a document back begin in it, after a space that it does not have if it is `spaced`.
    void set_cuts(PieceRun& run, std::size_t first, std::int64_t offset, bool spaced) const;

    std::vector<std::string> tokens_;
    std::vector<bool> has_token_;
    std::vector<std::uint32_t> token_sizes_;

private:
    mutable PieceSessions sessions_;
};

/// The pieces of all documents of a text.
struct PieceSplit {
    std::vector<std::int64_t> ids, cuts, bounds;
    std::size_t lossy = 0;  // bytes of documents that the ids do not give back
};
PieceSplit split_pieces(const TextEncoder& encoder, Bytes text, Ends ends, unsigned threads);
/// The same with unknown pieces numbered, by sessions of that lookup.
PieceSplit split_pieces(const TextEncoder& encoder, Bytes text, Ends ends, unsigned threads, const PieceLookup* lookup,
                        PieceSessions& sessions);

}  // namespace bitmeter
