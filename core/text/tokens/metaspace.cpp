#include "text/tokens/metaspace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "text/tokens/split/classes.hpp"
#include "util/utf8.hpp"

namespace bitmeter {
namespace {

constexpr std::string_view meta = "\xE2\x96\x81";
constexpr double unknown_penalty = 10.0;

bool is_meta(const std::uint8_t* p, const std::uint8_t* end) {
    return end - p >= 3 && p[0] == 0xE2 && p[1] == 0x96 && p[2] == 0x81;
}
std::size_t length_of(std::uint8_t lead) { return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }

}  // namespace

/// Whether the tokens of a document give it back.
struct MetaspaceEncoder::Follow {
    bool exact = true, spaced = false, ends_space = false, begins = true;

    void note(std::uint8_t flags) {
        exact = exact && (flags & word_exact);
        spaced = spaced || (flags & word_has_bytes);
        ends_space = flags & word_ends_space;
    }
};

MetaspaceEncoder::MetaspaceEncoder(const TokenizerFile& file, bool special)
    : rules_(file.rules), merges_(file.merges), added_(file.added, special), algorithm_(file.algorithm), scores_(file.scores),
      unknown_(file.unknown), ignore_merges_(file.ignore_merges), fuse_unknown_(file.fuse_unknown),
      single_spaces_(file.single_spaces), strips_right_(file.strips_right), white_split_(file.white_split), splits_(file.splits),
      replaces_(file.replaces), prefix_(file.prefix) {
    for (const AddedToken& token : file.added)
        if (token.normalised && (special || !token.special)) throw PieceUnsupported("an added token is normalised");
    set_tokens(file);
}

void MetaspaceEncoder::set_tokens(const TokenizerFile& file) {
    std::vector<bool> is_added(file.texts.size());
    for (const AddedToken& token : file.added) is_added[static_cast<std::size_t>(token.id)] = true;
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::int32_t> bytes(256, -1);
    bool crosses = false;
    for (std::size_t i = 0; i < file.texts.size(); ++i) {
        const std::string& text = file.texts[i];
        const int byte = file.byte_fallback ? byte_of_piece(text) : -1;
        const bool has = !text.empty() && (file.unknown_token.empty() || text != file.unknown_token);
        std::string token = text;
        if (byte >= 0) {
            token = std::string(1, static_cast<char>(byte));
        } else if (!is_added[i] && file.meta) {
            for (std::size_t at = 0; (at = token.find(meta, at)) != std::string::npos; ++at) token.replace(at, meta.size(), " ");
        }
        add_token(has, has ? std::move(token) : std::string());
        if (text.empty() || (i >= file.model_size && is_added[i])) continue;
        if (text.find('\0') != std::string::npos) throw PieceUnsupported("a token holds the zero byte");
        trie_.add(text, static_cast<std::int32_t>(i));
        if (byte >= 0) bytes[static_cast<std::size_t>(byte)] = static_cast<std::int32_t>(i);
        for (std::size_t at = 1; (at = text.find(meta, at)) != std::string::npos; at += meta.size())
            crosses = crosses || at < meta.size() || text.compare(at - meta.size(), meta.size(), meta) != 0;
        if (text == file.unknown_token) unknown_ = static_cast<std::int32_t>(i);
        if (algorithm_ == PieceAlgorithm::unigram) {
            if (!std::isfinite(scores_[i])) throw PieceUnsupported("a token has no finite score");
            least = std::min(least, scores_[i]);
        }
    }
    unknown_score_ = least - unknown_penalty;
    if (file.byte_fallback) {
        if (std::find(bytes.begin(), bytes.end(), -1) != bytes.end()) throw PieceUnsupported("it has not a token for each byte");
        byte_ids_ = std::move(bytes);
    }
    if (!file.unknown_token.empty() && unknown_ < 0) throw PieceUnsupported("it has no unknown token");
    const bool spaces_stay = rules_.empty() || (!rules_.begins(' ') && !rules_.inside(' '));
    // Where words are not set apart, unknown characters of two words could be one token.
    words_ = spaces_stay && !strips_right_ &&
             (splits_ || (algorithm_ == PieceAlgorithm::bpe && !crosses && !byte_ids_.empty() && !ignore_merges_));
}

void MetaspaceEncoder::encode(Bytes document, std::int64_t offset, const std::uint8_t* limit, PieceSession& session,
                              PieceRun& run) const {
    if (document.size > std::numeric_limits<std::uint32_t>::max() / 4)
        throw std::length_error("a document has more than a gigabyte");
    const std::size_t first = run.size;
    Bytes all = document;
    const bool repaired = utf8::count(document.data, document.data + document.size).second != 0;
    if (repaired) {
        session.repair(document);
        all = {session.repaired.data(), session.repaired.size()};
        limit = all.data + all.size;
    }
    Follow follow;
    const std::uint8_t *p = all.data, *const end = all.data + all.size;
    while (p < end) {
        const AddedTokens::Match match = added_.empty() ? AddedTokens::Match{end, end, -1} : added_.next(p, end);
        const Bytes text{p, static_cast<std::size_t>(match.begin - p)};
        if (text.size) {
            const std::size_t before = run.size;
            const Follow was = follow;
            if (!words_ || !by_words(text, p - all.data, limit, session, run, follow)) {
                run.size = before;
                follow = was;
                split_text(text, true, follow.begins, session);
                put(p - all.data, session, run, follow);
            }
        }
        if (match.id >= 0) {
            follow.exact = follow.exact && has_token_[static_cast<std::size_t>(match.id)];
            run.push(match.id, match.begin - all.data);
        }
        follow.begins = false;
        p = match.end;
    }
    if (run.size == first) {
        if (document.size) {
            run.push(static_cast<std::int32_t>(blank_document), offset);
            run.lossy += document.size;
        }
    } else if (!repaired && (follow.exact || (follow.spaced = gives_back(run, first, document, true)) ||
                             gives_back(run, first, document, false))) {
        set_cuts(run, first, offset, follow.spaced);
    } else {
        run.lossy += document.size;
        std::int64_t least = offset;
        for (std::size_t i = first; i < run.size; ++i) {
            const auto at = static_cast<std::size_t>(run.cuts[i]);
            run.cuts[i] = least = std::max(least, offset + std::int64_t(repaired ? session.places[at] : at));
        }
        run.cuts[first] = offset;
    }
    run.bounds.push_back(static_cast<std::int64_t>(run.size));
}

/// Whether tokens join to a document, or to one with a space before it: words that do not may do so together.
bool MetaspaceEncoder::gives_back(const PieceRun& run, std::size_t first, Bytes document, bool spaced) const {
    const std::string_view text{reinterpret_cast<const char*>(document.data), document.size};
    std::size_t at = 0;
    for (std::size_t i = first; i < run.size; ++i) {
        const auto id = static_cast<std::size_t>(run.ids[i]);
        std::string_view token = tokens_[id];
        if (!has_token_[id]) return false;
        if (spaced && !token.empty()) {
            if (token[0] != ' ') return false;
            token.remove_prefix(1);
            spaced = false;
        }
        if (text.substr(at, token.size()) != token) return false;
        at += token.size();
    }
    return at == text.size() && !spaced;
}

/// Word by word. False where the text has something that depends on more than a word.
bool MetaspaceEncoder::by_words(Bytes text, std::int64_t base, const std::uint8_t* limit, PieceSession& session, PieceRun& run,
                                Follow& follow) const {
    const std::uint8_t *p = text.data, *const end = text.data + text.size;
    const CharacterClasses& classes = character_classes();
    follow.ends_space = false;
    for (bool first = true; p < end; first = false) {
        const std::uint8_t* stop = p;
        const bool spaced = *p == ' ';
        if (!splits_)  // spaces in a row can be one token
            while (stop < end && *stop == ' ') ++stop;
        else if (spaced)
            ++stop;
        const std::uint8_t* const body = stop;
        while (stop < end && *stop != ' ') ++stop;
        if (spaced && body < stop && !rules_.empty() && *body >= 0x80 &&
            (classes[utf8::code_point(body, static_cast<int>(length_of(*body)))] & class_extends))
            return false;  // it is normalised together with the space
        if (follow.ends_space && single_spaces_) return false;
        if (single_spaces_ && spaced && body == stop) return false;
        if (!splits_ && stop < end && is_meta(stop - std::min<std::ptrdiff_t>(3, stop - p), stop)) return false;
        const Bytes word{p, static_cast<std::size_t>(stop - p)};
        if (!take(word, first, base + (p - text.data), limit, session, run, follow)) return false;
        p = stop;
    }
    return true;
}

/// Adds the tokens of a word.
bool MetaspaceEncoder::take(Bytes word, bool opens, std::int64_t at, const std::uint8_t* limit, PieceSession& session,
                            PieceRun& run, Follow& follow) const {
    const bool begins = opens && follow.begins;
    if (opens && !begins) {  // what stands behind an added token is rare
        split_text(word, opens, begins, session);
        if (session.drops) return false;
        put(at, session, run, follow);
        return true;
    }
    const PieceMemo::Key key = PieceMemo::key(word, begins, limit);
    const PieceMemo::Slot* const slot = word.size <= PieceMemo::most_inline ? session.memo.find_short(key) : nullptr;
    if (slot) [[likely]] {
        run.reserve(PieceMemo::most_pieces);
        for (std::size_t i = 0; i < PieceMemo::most_pieces; ++i) {
            run.ids[run.size + i] = slot->ids[i];
            run.cuts[run.size + i] = at + slot->offsets[i];
        }
        run.size += slot->count;
        follow.note(slot->flags);
    } else if (const PieceMemo::Long* const known = session.memo.find_long(key, word)) {
        for (std::size_t i = 0; i < known->count; ++i) run.push(known->ids[i], at + known->offsets[i]);
        follow.note(known->flags);
    } else {
        split_text(word, opens, begins, session);
        if (session.drops) return false;  // what is left out at the beginning moves all offsets behind it
        session.memo.keep(key, word, session.entry);
        put(at, session, run, follow);
    }
    return true;
}

/// Adds what split_text has found.
void MetaspaceEncoder::put(std::int64_t at, PieceSession& session, PieceRun& run, Follow& follow) const {
    const PieceEntry& entry = session.entry;
    for (std::size_t i = 0; i < entry.ids.size(); ++i) run.push(entry.ids[i], at + entry.offsets[i]);
    follow.note(entry.flags);
}

void MetaspaceEncoder::split_text(Bytes text, bool opens, bool begins, PieceSession& session) const {
    PieceEntry& entry = session.entry;
    entry = {};
    if (begins) entry.flags |= word_bare;
    session.drops = false;
    normalise(text, session);
    if (!session.text.empty() && session.text.back() == ' ') entry.flags |= word_ends_space;
    pre_tokens(opens, begins, session);
    std::string joined;
    bool exact = true;
    for (const std::int32_t id : entry.ids) {
        exact = exact && has_token_[static_cast<std::size_t>(id)];
        joined += tokens_[static_cast<std::size_t>(id)];
    }
    const std::string_view original{reinterpret_cast<const char*>(text.data), text.size};
    const bool spaced = begins && joined.size() == text.size + 1 && joined[0] == ' ' && joined.compare(1, text.size, original) == 0;
    if (exact && (spaced || joined == original)) entry.flags |= word_exact;
    if (spaced) entry.flags |= word_has_bytes;
}

}  // namespace bitmeter
