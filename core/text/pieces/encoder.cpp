#include "text/pieces/encoder.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

#include "util/parallel.hpp"
#include "util/utf8.hpp"

namespace bitmeter {
namespace {

constexpr std::string_view meta = "\xE2\x96\x81";  // stands for a space in pieces
constexpr std::string_view replacement = "\xEF\xBF\xBD";
/// By how much an unknown character costs more than the least likely piece.
constexpr float unknown_penalty = 10.0f;

const std::uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

bool is_plain(PieceType type) {
    return type == PieceType::normal || type == PieceType::user || type == PieceType::unused;
}

std::string with_spaces(std::string text) {
    for (std::size_t at = 0; (at = text.find(meta, at)) != std::string::npos; ++at) text.replace(at, meta.size(), " ");
    return text;
}

}  // namespace

PieceEncoder::PieceEncoder(PieceFile file)
    : pieces_(std::move(file.pieces)), rules_(file.rules), algorithm_(file.algorithm),
      space_(file.escaped_spaces ? meta : std::string_view(" ")), dummy_prefix_(file.dummy_prefix),
      single_spaces_(file.single_spaces), escaped_(file.escaped_spaces), suffix_(file.suffix_spaces),
      fallback_(file.byte_fallback), unknown_(file.unknown) {
    if (algorithm_ != PieceAlgorithm::unigram && algorithm_ != PieceAlgorithm::bpe)
        throw PieceUnsupported("its pieces are whole words or single characters");
    set_tables(file);
    set_borders();
}

void PieceEncoder::set_tables(const PieceFile& file) {
    float least = FLT_MAX, most = FLT_MIN;  // as the library begins
    for (const Piece& piece : pieces_)
        if (piece.type == PieceType::normal) {
            least = std::min(least, piece.score);
            most = std::max(most, piece.score);
        }
    unknown_score_ = least - unknown_penalty;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const Piece& piece = pieces_[i];
        const auto id = static_cast<std::int32_t>(i);
        if (piece.text.find('\0') != std::string::npos) throw PieceUnsupported("a piece holds the zero byte");
        if (is_plain(piece.type)) {
            trie_.add(piece.text, id);
            longest_ = std::max(longest_, piece.text.size());
            if (piece.type == PieceType::user) user_.add(piece.text, id);
            if (piece.type == PieceType::unused) has_unused_ = true;
        } else {
            reserved_.add(piece.text, id);
        }
        if (piece.type == PieceType::byte) byte_ids_[static_cast<std::size_t>(byte_of_piece(piece.text))] = id;
        const bool has = piece.type != PieceType::unknown && piece.type != PieceType::control;
        has_token_.push_back(has);
        tokens_.push_back(!has                               ? std::string()
                          : piece.type == PieceType::byte ? std::string(1, static_cast<char>(byte_of_piece(piece.text)))
                                                          : with_spaces(piece.text));
        token_sizes_.push_back(static_cast<std::uint32_t>(tokens_.back().size()));
        // A symbol of the user is to be taken always, so it costs nearly nothing.
        scores_.push_back(piece.type == PieceType::user
                              ? static_cast<float>(static_cast<float>(piece.text.size()) * most - 0.1)
                              : piece.score);
    }
    if (algorithm_ == PieceAlgorithm::bpe)
        for (const Piece& piece : pieces_)
            if (!is_plain(piece.type) && (trie_.find(piece.text) >= 0 ||
                                          one_character(bytes_of(piece.text), bytes_of(piece.text) + piece.text.size()) ==
                                              piece.text.size()))
                throw PieceUnsupported("a mark could be found in a text");
    const auto mark = [&](const std::string& text) {
        const std::int32_t id = reserved_or_plain(text);
        return pieces_[static_cast<std::size_t>(id)].type == PieceType::control ? id : -1;
    };
    std::array<bool, 256> user_bytes{};
    for (const Piece& piece : pieces_)
        if (piece.type == PieceType::user)
            for (char c : piece.text) user_bytes[static_cast<std::uint8_t>(c)] = true;
    begin_mark_ = mark(file.begin);
    end_mark_ = mark(file.end);
    for (unsigned byte = 0; byte < 256; ++byte) {
        const auto b = static_cast<std::uint8_t>(byte);
        const std::uint8_t text[1] = {b};
        const bool user = user_.next(PieceTrie::root, b) != PieceTrie::none;
        const auto rule = rules_.longest(text, text + 1);
        plain_[byte] = byte < 0x80 && byte != ' ' && !user && !rules_.begins(b);
        // A space by itself, whatever stands beside it at the end of a text.
        white_[byte] = byte < 0x80 && !user && !rules_.inside(b) && !user_bytes[byte] &&
                       (rule.length ? rule.text == " " : byte == ' ');
        // What certainly does not become a space at the end of a word.
        solid_[byte] = byte >= 0x80 || (byte > ' ' && (!rule.length || (!rule.text.empty() && rule.text.back() != ' ')));
        opens_[byte] = byte != ' ' && !rules_.after_space(b);
    }
}

/// Where pieces never cross the border of a space, texts can be split there.
void PieceEncoder::set_borders() {
    bool before = true, after = true, user_space = false, positive = unknown_score_ > 0.0f;
    for (const Piece& piece : pieces_) {
        if (!is_plain(piece.type)) continue;
        const auto* end = bytes_of(piece.text) + piece.text.size();
        bool was_space = false, first = true;
        for (const auto* p = bytes_of(piece.text); p < end;) {
            const bool here = is_space(p, end);
            if (!first && here && !was_space) before = false;
            if (!first && !here && was_space) after = false;
            was_space = here;
            first = false;
            p += here ? space_.size() : one_character(p, end);
        }
        user_space = user_space || (piece.type == PieceType::user && piece.text.find(' ') != std::string::npos);
        positive = positive || (piece.type == PieceType::normal && piece.score > 0.0f);
    }
    // Merges that are undone depend on the whole text.
    const bool whole = algorithm_ == PieceAlgorithm::bpe && has_unused_;
    border_before_ = before && !whole;
    border_after_ = after && !before && !whole;
    const std::uint8_t space[1] = {' '};
    const auto rule = rules_.longest(space, space + 1);
    words_ = border_before_ && !suffix_ && escaped_ && !user_space && !rules_.inside(' ') &&
             (!rule.length || rule.text == " ") && !(algorithm_ == PieceAlgorithm::unigram && positive);
}

bool PieceEncoder::is_space(const std::uint8_t* p, const std::uint8_t* end) const {
    return *p == static_cast<std::uint8_t>(space_[0]) && static_cast<std::size_t>(end - p) >= space_.size() &&
           std::equal(space_.begin(), space_.end(), reinterpret_cast<const char*>(p));
}

std::size_t PieceEncoder::one_character(const std::uint8_t* p, const std::uint8_t* end) const {
    const std::size_t size = *p < 0xC0 ? 1 : *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : 4;
    return std::min(size, static_cast<std::size_t>(end - p));
}

std::int32_t PieceEncoder::reserved_or_plain(std::string_view text) const {
    std::int32_t id = reserved_.find(text);
    if (id < 0) id = trie_.find(text);
    return id < 0 ? unknown_ : id;
}

/// What the text at p becomes, and how much of it.
PieceEncoder::Prefix PieceEncoder::prefix(const std::uint8_t* p, const std::uint8_t* end) const {
    if (plain_[*p]) return {p, 1, 1};
    if (!user_.empty())
        if (const std::size_t size = user_.longest(p, end)) return {p, size, size};
    const auto rule = rules_.longest(p, end);
    if (rule.length) return {bytes_of(rule.text), rule.text.size(), rule.length};
    const int size = utf8::length(p, end);
    if (size <= 0) return {bytes_of(replacement), replacement.size(), 1};
    return {p, static_cast<std::size_t>(size), static_cast<std::size_t>(size)};
}

/// Gives pieces their ids and places, and follows whether they give the text back.
struct PieceEncoder::Emitter {
    const PieceEncoder& encoder;
    bool previous_unknown = false, bytes = false;
    bool same[2] = {true, true};  // as the document; as the document after a space
    std::size_t joined = 0;

    /// Calls put(id, begin) for each piece, the first of a lattice node with `true`.
    template <class Put>
    void operator()(const std::vector<Found>& found, Bytes text, Bytes document, Put&& put) {
        for (const Found& one : found) {
            const bool unknown = one.id == encoder.unknown_;
            const std::uint8_t* from = text.data + one.begin;
            const std::size_t size = one.end - one.begin;
            if (unknown && encoder.fallback_) {
                bytes = true;
                for (std::size_t i = 0; i < size; ++i) put(encoder.byte_ids_[from[i]], one.begin, i == 0);
                compare({from, size}, document);
            } else if (!unknown || !previous_unknown) {
                put(one.id, one.begin, true);
                const auto id = static_cast<std::size_t>(one.id);
                if (unknown || !encoder.has_token_[id])
                    same[0] = same[1] = false;
                else
                    compare({bytes_of(encoder.tokens_[id]), encoder.tokens_[id].size()}, document);
            }
            previous_unknown = unknown;
        }
    }
    void compare(Bytes token, Bytes document) {
        for (std::size_t extra = 0; extra < 2; ++extra) {
            if (!same[extra]) continue;
            Bytes rest = token;
            std::size_t at = joined - extra;
            if (extra && joined == 0 && rest.size) {
                if (rest.data[0] != ' ') {
                    same[1] = false;
                    continue;
                }
                rest = {rest.data + 1, rest.size - 1};
                at = 0;
            }
            same[extra] = rest.size <= document.size && at <= document.size - rest.size &&
                          std::equal(rest.data, rest.data + rest.size, document.data + at);
        }
        joined += token.size;
    }
};

void PieceEncoder::encode(Bytes document, std::int64_t offset, const std::uint8_t* limit, PieceSession& session,
                          PieceRun& run) const {
    if (document.size > std::numeric_limits<std::uint32_t>::max() / 4)
        throw std::length_error("a document has more than a gigabyte");
    const std::size_t first = run.size, lossy = run.lossy;
    if (!words_ || !by_words(document, offset, limit, session, run)) {
        run.size = first;
        run.lossy = lossy;
        by_segments(document, offset, session, run);
    }
    if (run.size == first && document.size) {
        run.push(static_cast<std::int32_t>(blank_document), offset);
        run.lossy += document.size;
    }
    run.bounds.push_back(static_cast<std::int64_t>(run.size));
}

std::vector<std::string> PieceEncoder::written(Bytes document) const {
    std::vector<std::string> result;
    auto session = take();
    session->written = &result;
    PieceRun run;
    by_segments(document, 0, *session, run);
    session->written = nullptr;
    give(std::move(session));
    return result;
}

// ---- any text --------------------------------------------------------------------------------------------------------

/// Splits a document after bytes that are no characters were replaced, one by one.
void PieceEncoder::by_segments(Bytes document, std::int64_t offset, PieceSession& session, PieceRun& run) const {
    const std::uint8_t* const end = document.data + document.size;
    if (utf8::count(document.data, end).second == 0) {
        session.places.clear();
        by_segments(document, document, offset, session, run);
    } else {  // bytes that are no characters are replaced, one by one
        session.repaired.clear();
        session.places.clear();
        for (const std::uint8_t* p = document.data; p < end;) {
            const int size = utf8::length(p, end);
            const auto at = static_cast<std::uint32_t>(p - document.data);
            const auto n = static_cast<std::size_t>(size > 0 ? size : 1);
            if (size > 0)
                session.repaired.insert(session.repaired.end(), p, p + n);
            else
                session.repaired.insert(session.repaired.end(), replacement.begin(), replacement.end());
            session.places.resize(session.repaired.size(), at);
            p += n;
        }
        session.places.push_back(static_cast<std::uint32_t>(document.size));
        by_segments({session.repaired.data(), session.repaired.size()}, document, offset, session, run);
    }
}

/// Adds the pieces of a text that was split as they are written; unknown characters in a row are one piece.
void PieceEncoder::write(Bytes text, bool after_unknown, PieceSession& session) const {
    for (const auto& one : session.found) {
        const bool unknown = one.id == unknown_;
        const std::string_view surface{reinterpret_cast<const char*>(text.data) + one.begin, one.end - one.begin};
        if (!unknown)
            session.written->push_back(pieces_[static_cast<std::size_t>(one.id)].text);
        else if (fallback_)
            for (const char byte : surface)
                session.written->push_back(pieces_[static_cast<std::size_t>(byte_ids_[static_cast<std::uint8_t>(byte)])].text);
        else if (after_unknown)
            session.written->back() += surface;
        else
            session.written->emplace_back(surface);
        after_unknown = unknown;
    }
}

/// Normalises a document and splits it wherever no piece can cross. `original` is the document before bytes were replaced.
void PieceEncoder::by_segments(Bytes document, Bytes original, std::int64_t offset, PieceSession& session,
                               PieceRun& run) const {
    auto& text = session.text;
    auto& origin = session.origin;
    text.clear();
    origin.clear();
    const std::size_t first = run.size;
    const std::uint8_t *p = document.data, *const end = p + document.size;
    Emitter emit{*this};
    float sum = 0.0f;
    bool was_space = false;
    const auto flush = [&] {
        const Bytes whole{text.data(), text.size()};
        sum = segment(whole, sum, session);
        if (session.written) write(whole, emit.previous_unknown, session);
        emit(session.found, whole, original, [&](std::int32_t id, std::uint32_t begin, bool) {
            const std::uint32_t at = origin[begin];
            run.push(id, offset + (session.places.empty() ? at : session.places[at]));
        });
        text.clear();
        origin.clear();
    };
    const auto begin_character = [&](bool space) {
        if (!text.empty() && ((border_before_ && space && !was_space) || (border_after_ && !space && was_space))) flush();
        was_space = space;
    };
    const auto add_space = [&](std::uint32_t at) {
        begin_character(true);
        text.insert(text.end(), space_.begin(), space_.end());
        origin.resize(text.size(), at);
    };
    const auto place = [&] { return static_cast<std::uint32_t>(p - document.data); };
    const auto is_one_space = [](const Prefix& found) { return found.size == 1 && found.data[0] == ' '; };
    while (single_spaces_ && p < end) {
        const Prefix found = prefix(p, end);
        if (!is_one_space(found)) break;
        p += found.consumed;
    }
    if (p == end) return;
    if (!suffix_ && dummy_prefix_) add_space(place());
    bool after_space = single_spaces_;
    while (p < end) {
        const Prefix found = prefix(p, end);
        const std::uint8_t *q = found.data, *const stop = q + found.size;
        while (after_space && q < stop && *q == ' ') ++q;
        if (q < stop) {
            after_space = single_spaces_ && stop[-1] == ' ';
            while (q < stop) {
                if (escaped_ && *q == ' ') {
                    add_space(place());
                    ++q;
                    continue;
                }
                begin_character(is_space(q, stop));
                const std::size_t size = one_character(q, stop);
                text.insert(text.end(), q, q + size);
                origin.resize(text.size(), place());
                q += size;
            }
        }
        p += found.consumed;
    }
    std::uint32_t last = place();
    while (single_spaces_ && text.size() >= space_.size() &&
           is_space(text.data() + text.size() - space_.size(), text.data() + text.size())) {
        last = origin[text.size() - space_.size()];
        text.resize(text.size() - space_.size());
        origin.resize(text.size());
    }
    if (suffix_ && dummy_prefix_) {
        was_space = was_space && !single_spaces_;  // spaces at the end are gone
        add_space(last);
    }
    if (!text.empty()) flush();
    if (run.size == first) return;
    const bool spaced = emit.same[1] && emit.joined == original.size + 1, same = emit.same[0] && emit.joined == original.size;
    if (!spaced && !same) {
        run.lossy += original.size;
        std::int64_t least = offset;
        for (std::size_t i = first; i < run.size; ++i) run.cuts[i] = least = std::max(least, run.cuts[i]);
    } else {
        set_cuts(run, first, offset, spaced);
    }
    run.cuts[first] = offset;
}

float PieceEncoder::segment(Bytes text, float sum, PieceSession& session) const {
    if (algorithm_ == PieceAlgorithm::unigram) return unigram(text, sum, session);
    merge(text, session);
    return 0.0f;
}

// ---- texts whose words are separated by single spaces ------------------------------------------------------------------

/// Normalises a word, with its space unless it is bare.
void PieceEncoder::normalise_word(Bytes raw, bool bare, PieceSession& session) const {
    auto& text = session.text;
    auto& origin = session.origin;
    text.clear();
    origin.clear();
    bool after_space = bare && single_spaces_;
    const std::uint8_t *p = raw.data, *const end = p + raw.size;
    while (p < end) {
        const Prefix found = prefix(p, end);
        const std::uint8_t *q = found.data, *const stop = q + found.size;
        while (after_space && q < stop && *q == ' ') ++q;
        if (q < stop) {
            after_space = single_spaces_ && stop[-1] == ' ';
            for (; q < stop; ++q) {
                if (*q == ' ')
                    text.insert(text.end(), space_.begin(), space_.end());
                else
                    text.push_back(*q);
                origin.resize(text.size(), static_cast<std::uint32_t>(p - raw.data));
            }
        }
        p += found.consumed;
    }
}

/// The sum after one more piece; merges need none.
float PieceEncoder::sum_with(float sum, std::int32_t id) const {
    if (algorithm_ == PieceAlgorithm::bpe) return 0.0f;
    return id == unknown_ ? sum + unknown_score_ : static_cast<float>(sum + scores_[static_cast<std::size_t>(id)]);
}

float PieceEncoder::sum_after(float sum, const PieceSession& session) const {
    for (const Found& one : session.found) sum = sum_with(sum, one.id);
    return sum;
}

/// The pieces of a word after this sum, into session.entry. False where the word is not UTF-8.
bool PieceEncoder::split_word(Bytes body, bool bare, float sum, PieceSession& session) const {
    if (utf8::count(body.data, body.data + body.size).second) return false;
    auto& raw = session.raw;
    raw.clear();
    if (!bare) raw.push_back(' ');
    raw.insert(raw.end(), body.data, body.data + body.size);
    const Bytes whole{raw.data(), raw.size()};
    normalise_word(whole, bare, session);
    const Bytes text{session.text.data(), session.text.size()};
    PieceEntry& entry = session.entry;
    entry.ids.clear();
    entry.scores.clear();
    entry.offsets.clear();
    entry.flags = static_cast<std::uint8_t>(bare ? word_bare : 0);
    entry.limit = std::numeric_limits<float>::infinity();
    const bool keeps = body.size <= PieceMemo::longest;
    if (algorithm_ == PieceAlgorithm::bpe) {
        merge(text, session);
    } else if (keeps) {
        entry.limit = kept_limit(text, session);
    } else {
        entry.limit = 0.0f;
    }
    session.after = 0.0f;
    bool again = algorithm_ == PieceAlgorithm::unigram;
    if (again && keeps) {
        session.after = sum_after(sum, session);
        again = !(std::fabs(session.after) < entry.limit);
    }
    if (again) session.after = unigram(text, sum, session);
    bool kept = keeps && !again;  // what was split for one sum is so for that sum alone
    bool was_unknown = false;
    for (const Found& one : session.found) {
        const bool unknown = one.id == unknown_;
        // Unknown characters that are joined, and symbols of the user, do not add up as an entry says.
        kept = kept && !(unknown && was_unknown && !fallback_) &&
               pieces_[static_cast<std::size_t>(one.id)].type != PieceType::user;
        was_unknown = unknown;
    }
    Emitter emit{*this};
    emit.same[1] = false;
    std::size_t node = 0;
    emit(session.found, text, whole, [&](std::int32_t id, std::uint32_t begin, bool opens) {
        entry.ids.push_back(id);
        while (session.found[node].begin < begin) ++node;
        entry.scores.push_back(opens ? sum_with(0.0f, session.found[node].id) : 0.0f);
        entry.offsets.push_back(session.origin[begin]);
    });
    if (!session.found.empty() && !fallback_) {
        if (session.found.front().id == unknown_) entry.flags |= word_first_unknown;
        if (session.found.back().id == unknown_) entry.flags |= word_last_unknown;
    }
    if (emit.same[0] && emit.joined == whole.size) entry.flags |= word_exact;
    if (emit.bytes) entry.flags |= word_has_bytes;
    if (kept) entry.flags |= word_kept;
    // Where nothing is left of the first word, what follows stands at the beginning.
    if (text.size == 0 || (text.size >= space_.size() &&
                           is_space(text.data + text.size - space_.size(), text.data + text.size)))
        entry.flags |= word_ends_space;
    return true;
}

namespace {

constexpr std::uint64_t each_byte = 0x0101010101010101u, high_bits = 0x8080808080808080u;

const std::uint8_t* find_space(const std::uint8_t* p, const std::uint8_t* end) {
    for (; end - p >= 8; p += 8) {
        const std::uint64_t x = utf8::load(p) ^ (each_byte * ' ');
        if (const std::uint64_t zero = (x - each_byte) & ~x & high_bits) return p + (std::countr_zero(zero) >> 3);
    }
    while (p < end && *p != ' ') ++p;
    return p;
}

}  // namespace

/// Goes through a text word by word.
class PieceEncoder::WordLoop {
public:
    WordLoop(const PieceEncoder& encoder, PieceSession& session, PieceRun& run) : encoder_(encoder), session_(session), run_(run) {}

    bool exact = true, bytes = false, ends_space = false;

    /// Adds the pieces of a word that begins at `origin`. False where the text has something that only `by_segments` can do.
    bool take(const Bytes& word, const PieceMemo::Key& key, std::int64_t origin) {
        if (ends_space) return false;
        const PieceMemo::Slot* const slot = word.size <= PieceMemo::most_inline ? session_.memo.find_short(key) : nullptr;
        if (slot) {
            const float after = sum_ + slot->scores[0] + slot->scores[1] + slot->scores[2] + slot->scores[3];
            if (std::fabs(after) < slot->limit) [[likely]] {
                sum_ = after;
                take_short(*slot, origin);
                return true;
            }
        }
        return take_other(word, key, origin, slot != nullptr);
    }

private:
    void take_short(const PieceMemo::Slot& slot, std::int64_t origin) {
        const std::size_t skip = was_unknown_ && (slot.flags & word_first_unknown);
        run_.reserve(PieceMemo::most_pieces);
        std::int32_t* const ids = run_.ids.data() + run_.size;
        std::int64_t* const cuts = run_.cuts.data() + run_.size;
        if (skip) [[unlikely]] {
            for (std::size_t i = 1; i < slot.count; ++i) {
                ids[i - 1] = slot.ids[i];
                cuts[i - 1] = origin + slot.offsets[i];
            }
        } else {  // always as many as there can be: a loop of another length costs more than the copies
            for (std::size_t i = 0; i < PieceMemo::most_pieces; ++i) {
                ids[i] = slot.ids[i];
                cuts[i] = origin + slot.offsets[i];
            }
        }
        run_.size += slot.count - skip;
        note(slot.flags);
    }

    bool take_other(const Bytes& word, const PieceMemo::Key& key, std::int64_t origin, bool is_kept) {
        const PieceMemo::Long* const known = is_kept ? nullptr : session_.memo.find_long(key, word);
        if (known) {
            float after = sum_;
            for (std::size_t i = 0; i < known->count; ++i) after += known->scores[i];
            if (std::fabs(after) < known->limit) {
                sum_ = after;
                add(known->count, known->ids, known->offsets, known->flags, origin);
                return true;
            }
        }
        if (!encoder_.split_word(word, key.bare, sum_, session_)) return false;
        const PieceEntry& entry = session_.entry;
        sum_ = session_.after;
        if (!is_kept && !known && (entry.flags & word_kept)) session_.memo.keep(key, word, entry);
        add(entry.ids.size(), entry.ids.data(), entry.offsets.data(), entry.flags, origin);
        return true;
    }

    template <class Offset>
    void add(std::size_t count, const std::int32_t* ids, const Offset* offsets, std::uint8_t flags, std::int64_t origin) {
        for (std::size_t i = was_unknown_ && (flags & word_first_unknown) ? 1 : 0; i < count; ++i)
            run_.push(ids[i], origin + static_cast<std::int64_t>(offsets[i]));
        note(flags);
    }

    void note(std::uint8_t flags) {
        exact = exact && (flags & word_exact);
        bytes = bytes || (flags & word_has_bytes);
        was_unknown_ = flags & word_last_unknown;
        ends_space = flags & word_ends_space;
    }

    const PieceEncoder& encoder_;
    PieceSession& session_;
    PieceRun& run_;
    float sum_ = 0.0f;
    bool was_unknown_ = false;
};

/// Word by word. False where the text has something that only `by_segments` can do.
bool PieceEncoder::by_words(Bytes document, std::int64_t offset, const std::uint8_t* limit, PieceSession& session,
                            PieceRun& run) const {
    const std::uint8_t *begin = document.data, *end = begin + document.size;
    const std::size_t first = run.size;
    if (single_spaces_) {
        while (end > begin && white_[end[-1]]) --end;
        for (; begin < end && white_[*begin]; ++begin)
            if (rules_.longest(begin, end).length > 1) return false;
    }
    if (begin == end) return true;
    const auto word_end = [&](const std::uint8_t* body) {
        const std::uint8_t* stop = find_space(body, end);
        while (stop < end && !(stop > body && solid_[stop[-1]] && stop + 1 < end && opens_[stop[1]]))
            stop = find_space(stop + 1, end);
        return stop;
    };
    const std::uint8_t* p = begin;
    WordLoop loop(*this, session, run);
    {  // The first word has its own space or none, and the one that is added.
        const bool has_space = *p == ' ', doubled = has_space && dummy_prefix_, bare = doubled || (!has_space && !dummy_prefix_);
        const std::uint8_t* const body = has_space ? p + 1 : p;
        p = word_end(body);
        Bytes word{body, static_cast<std::size_t>(p - body)};
        const std::uint8_t* readable = limit;
        if (doubled) {
            session.opening.assign(2, ' ');
            session.opening.insert(session.opening.end(), body, p);
            word = {session.opening.data(), session.opening.size()};
            readable = word.data + word.size;
        }
        const std::int64_t origin = offset + (body - document.data) - (doubled ? 2 : bare ? 0 : 1);
        if (!loop.take(word, PieceMemo::key(word, bare, readable), origin)) return false;
    }
    // Some words are asked for before the first of them is needed.
    constexpr std::size_t ahead = 16;
    Bytes words[ahead];
    PieceMemo::Key keys[ahead];
    while (p < end) {
        std::size_t many = 0;
        for (; many < ahead && p < end; ++many) {
            const std::uint8_t* const stop = word_end(p + 1);
            words[many] = {p + 1, static_cast<std::size_t>(stop - p) - 1};
            keys[many] = PieceMemo::key(words[many], false, limit);
            session.memo.prefetch(keys[many]);
            p = stop;
        }
        for (std::size_t i = 0; i < many; ++i)
            if (!loop.take(words[i], keys[i], offset + (words[i].data - document.data) - 1)) return false;
    }
    if (loop.ends_space && single_spaces_) return false;
    if (run.size == first) return true;
    const bool spaced = dummy_prefix_ && begin == document.data;
    const bool exact = loop.exact && end == document.data + document.size &&
                       (spaced || begin == document.data ||
                        (begin == document.data + 1 && dummy_prefix_ && document.data[0] == ' '));
    if (!exact) {
        run.lossy += document.size;
    } else if (loop.bytes) {
        set_cuts(run, first, offset, spaced);
    }
    run.cuts[first] = offset;
    return true;
}

/// Where pieces that give a document back begin in it, after a space that it does not have if it is `spaced`.
void PieceEncoder::set_cuts(PieceRun& run, std::size_t first, std::int64_t offset, bool spaced) const {
    std::size_t at = 0;
    for (std::size_t i = first; i < run.size; ++i) {
        run.cuts[i] = offset + static_cast<std::int64_t>(at > 0 && spaced ? at - 1 : at);
        at += token_sizes_[static_cast<std::size_t>(run.ids[i])];
    }
}

// ---- sessions and whole texts ----------------------------------------------------------------------------------------

std::unique_ptr<PieceSession> PieceEncoder::take() const {
    {
        const std::lock_guard lock(guard_);
        if (!idle_.empty()) {
            auto session = std::move(idle_.back());
            idle_.pop_back();
            return session;
        }
    }
    return std::make_unique<PieceSession>();
}

void PieceEncoder::give(std::unique_ptr<PieceSession> session) const {
    constexpr std::size_t most = 64;
    const std::lock_guard lock(guard_);
    if (idle_.size() < most) idle_.push_back(std::move(session));
}

PieceSplit split_pieces(const PieceEncoder& encoder, Bytes text, Ends ends, unsigned threads) {
    // Documents in groups of about this many bytes.
    constexpr std::size_t group_bytes = std::size_t{1} << 20;
    std::vector<std::size_t> groups{0};
    std::size_t begin = 0;
    for (std::size_t d = 0; d < ends.size; ++d) {
        const auto end = static_cast<std::size_t>(ends.data[d]);
        if (end - begin >= group_bytes || d + 1 == ends.size) {
            groups.push_back(d + 1);
            begin = end;
        }
    }
    std::vector<PieceRun> runs(groups.size() - 1);
    parallel_for(runs.size(), threads, [&](std::size_t i) {
        auto session = encoder.take();
        for (std::size_t d = groups[i]; d < groups[i + 1]; ++d) {
            const std::int64_t from = d ? ends.data[d - 1] : 0;
            encoder.encode({text.data + from, static_cast<std::size_t>(ends.data[d] - from)}, from,
                           text.data + text.size, *session, runs[i]);
        }
        encoder.give(std::move(session));
    });
    PieceSplit result;
    std::size_t size = 0;
    for (const PieceRun& run : runs) size += run.size;
    result.ids.reserve(size);
    result.cuts.reserve(size + 1);
    result.bounds.reserve(ends.size + 1);
    result.bounds.push_back(0);
    for (PieceRun& run : runs) {
        const auto base = static_cast<std::int64_t>(result.ids.size());
        result.ids.insert(result.ids.end(), run.ids.begin(), run.ids.begin() + static_cast<std::ptrdiff_t>(run.size));
        result.cuts.insert(result.cuts.end(), run.cuts.begin(), run.cuts.begin() + static_cast<std::ptrdiff_t>(run.size));
        for (std::int64_t bound : run.bounds) result.bounds.push_back(base + bound);
        result.lossy += run.lossy;
        run = {};
    }
    result.cuts.push_back(static_cast<std::int64_t>(text.size));
    return result;
}

}  // namespace bitmeter
