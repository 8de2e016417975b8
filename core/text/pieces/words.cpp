// Texts whose words are separated by single spaces: each word is split once and kept.
#include <bit>
#include <cmath>
#include <limits>

#include "text/pieces/emitter.hpp"
#include "util/utf8.hpp"

namespace bitmeter {

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

/// The characters of an unknown piece that begins here: all unknown ones in a row.
Bytes PieceEncoder::unknown_at(Bytes text, std::uint32_t begin, const PieceSession& session) const {
    std::uint32_t end = begin;
    for (const Found& one : session.found)
        if (one.begin == end && one.id == unknown_) end = one.end;
    return {text.data + begin, end - begin};
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
    for (const Found& one : session.found) {
        // Symbols of the user do not add up as an entry says.
        kept = kept && pieces_[static_cast<std::size_t>(one.id)].type != PieceType::user;
        entry.scores.push_back(sum_with(0.0f, one.id));
    }
    Emitter emit{*this};
    emit.same[1] = false;
    emit(session.found, text, whole, [&](std::int32_t id, std::uint32_t begin) {
        const bool asked = session.lookup && id == unknown_;
        entry.ids.push_back(asked ? looked_up(unknown_at(text, begin, session), session) : id);
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
                if (joins(slot->flags)) [[unlikely]] return false;
                sum_ = after;
                take_short(*slot, origin);
                return true;
            }
        }
        return take_other(word, key, origin, slot != nullptr);
    }

private:
    /// Whether a word begins with unknown characters that belong to a piece which is numbered already.
    bool joins(std::uint8_t flags) const { return was_unknown_ && (flags & word_first_unknown) && session_.lookup; }

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
            for (std::size_t i = 0; i < known->nodes; ++i) after += known->scores[i];
            if (std::fabs(after) < known->limit) {
                if (joins(known->flags)) return false;
                sum_ = after;
                add(known->count, known->ids, known->offsets, known->flags, origin);
                return true;
            }
        }
        if (!encoder_.split_word(word, key.bare, sum_, session_)) return false;
        const PieceEntry& entry = session_.entry;
        if (joins(entry.flags)) return false;
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
    // The space that is added has no byte: what is made of it, perhaps several pieces, begins with the document.
    for (std::size_t i = first; i < run.size && run.cuts[i] < offset; ++i) run.cuts[i] = offset;
    run.cuts[first] = offset;
    return true;
}

}  // namespace bitmeter
