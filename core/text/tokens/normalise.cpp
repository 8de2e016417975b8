// What a tokenizer makes of a text before its model sees it, and where each byte comes from.
#include <algorithm>

#include "text/tokens/split/classes.hpp"
#include "text/tokens/metaspace.hpp"
#include "util/utf8.hpp"

namespace bitmeter {
namespace {

constexpr std::string_view meta = "\xE2\x96\x81";
std::size_t length_of(std::uint8_t lead) { return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }
/// Rules look at what a reader sees as one character only where that has fewer bytes than this.
constexpr std::size_t short_cluster = 6;

/// Characters of two bytes that what follows them belongs to. Longer ones leave no room for another in a short cluster.
bool prepends(std::int32_t c) { return (c >= 0x600 && c <= 0x605) || c == 0x6DD || c == 0x70F; }
/// Characters that nothing is joined to, of those that leave room.
bool is_control(std::int32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x61C || c == 0x180E || c == 0x200B || c == 0x200E ||
           c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
           (c >= 0xFFF0 && c <= 0xFFFB);
}

}  // namespace

void MetaspaceEncoder::normalise(Bytes text, PieceSession& session) const {
    if (rules_.empty()) {
        session.text.assign(text.data, text.data + text.size);
        session.origin.resize(text.size);
        for (std::size_t i = 0; i < text.size;) {
            const std::size_t size = length_of(text.data[i]);
            for (std::size_t j = 0; j < size; ++j) session.origin[i + j] = static_cast<std::uint32_t>(i);
            i += size;
        }
    } else {
        apply_rules(text, session);
    }
    if (strips_right_) {
        auto& out = session.text;
        const CharacterClasses& classes = character_classes();
        for (std::size_t end = out.size(); end > 0; out.resize(end), session.origin.resize(end)) {
            std::size_t last = end - 1;
            while ((out[last] & 0xC0) == 0x80) --last;
            if (!(classes[utf8::code_point(out.data() + last, static_cast<int>(end - last))] & class_white)) break;
            end = last;
        }
    }
    if (single_spaces_) single_spaces(session);
}

/// The normaliser's rules, cluster by cluster: of what fits at the beginning of a cluster the shortest rule.
void MetaspaceEncoder::apply_rules(Bytes text, PieceSession& session) const {
    const CharacterClasses& classes = character_classes();
    auto& changes = session.changes;
    auto& out = session.text;
    changes.clear();
    out.clear();
    session.drops = false;
    const std::uint8_t *p = text.data, *const end = text.data + text.size;
    const auto put = [&](const std::uint8_t* from, std::size_t size) {
        out.insert(out.end(), from, from + size);
        changes.push_back({static_cast<std::uint32_t>(size), 0});
    };
    // How the library follows offsets: what is added comes from the character before it, what is dropped goes with the last
    // character that is left.
    const auto replace = [&](const std::uint8_t* from, const std::uint8_t* to, std::string_view by) {
        std::ptrdiff_t difference = 0;
        for (const std::uint8_t* q = from; q < to; ++q) difference -= (*q & 0xC0) != 0x80;
        const auto* q = reinterpret_cast<const std::uint8_t*>(by.data());
        for (const auto* const stop = q + by.size(); q < stop; q += length_of(*q)) {
            put(q, length_of(*q));
            ++difference;
        }
        for (std::ptrdiff_t i = 0; i < difference; ++i) changes[changes.size() - 1 - static_cast<std::size_t>(i)].change = 1;
        if (difference < 0) {
            if (changes.empty())
                session.drops = true;
            else
                changes.back().change += static_cast<std::int32_t>(difference);
        }
    };
    while (p < end) {
        if (*p < 0x80 && !rules_.begins(*p) && (p + 1 == end || p[1] < 0x80)) {
            put(p, 1);
            ++p;
            continue;
        }
        // The cluster at p, as long as it is short.
        const std::uint8_t* stop = p;
        std::int32_t c = utf8::code_point(p, static_cast<int>(length_of(*p)));
        stop += length_of(*p);
        if (c == '\r' && stop < end && *stop == '\n') {
            ++stop;
        } else if (!is_control(c)) {
            bool leads = prepends(c);
            while (stop < end && static_cast<std::size_t>(stop - p) < short_cluster) {
                c = utf8::code_point(stop, static_cast<int>(length_of(*stop)));
                if (!(classes[c] & class_extends) && !(leads && !is_control(c))) break;
                leads = prepends(c);
                stop += length_of(*stop);
            }
        }
        const auto size = static_cast<std::size_t>(stop - p);
        if (size < short_cluster) {
            const PieceRules::Match whole = rules_.shortest(p, stop);
            if (whole.length) {
                replace(p, stop, whole.text);
                p = stop;
                continue;
            }
        }
        // A longer one goes on beyond what was looked at, but its characters stand for themselves all the same.
        for (const std::uint8_t* q = p; q < stop; q += length_of(*q)) {
            const PieceRules::Match one = rules_.shortest(q, q + length_of(*q));
            if (one.length)
                replace(q, q + length_of(*q), one.text);
            else
                put(q, length_of(*q));
        }
        p = stop;
        if (size >= short_cluster)
            while (p < end) {
                c = utf8::code_point(p, static_cast<int>(length_of(*p)));
                if (!(classes[c] & class_extends)) break;
                const PieceRules::Match one = rules_.shortest(p, p + length_of(*p));
                if (one.length)
                    replace(p, p + length_of(*p), one.text);
                else
                    put(p, length_of(*p));
                p += length_of(*p);
            }
    }
    // Offsets, from the changes in turn.
    auto& origin = session.origin;
    origin.clear();
    const std::uint8_t *at = text.data, *before = text.data;
    for (const PieceSession::Change& change : changes) {
        const std::uint8_t* const from = change.change > 0 ? before : at;
        origin.resize(origin.size() + change.size, static_cast<std::uint32_t>(from - text.data));
        for (std::int32_t i = change.change; i <= 0 && at < end; ++i) {
            before = at;
            at += length_of(*at);
        }
    }
}

/// Spaces in a row become one, which comes from the last of them.
void MetaspaceEncoder::single_spaces(PieceSession& session) const {
    auto& text = session.text;
    auto& origin = session.origin;
    std::size_t to = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ' ' && to > 0 && i > 0 && text[i - 1] == ' ') {
            origin[to - 1] = origin[i];
            continue;
        }
        origin[to] = origin[i];
        text[to++] = text[i];
    }
    text.resize(to);
    origin.resize(to);
}

/// Spaces become U+2581, words are set apart, and each is segmented.
void MetaspaceEncoder::pre_tokens(bool opens, bool begins, PieceSession& session) const {
    const CharacterClasses& classes = character_classes();
    // Rebuilt with the spaces replaced; `starts` are the first bytes of words.
    auto& out = session.raw;
    auto& from = session.from;
    auto& starts = session.starts;
    out.clear();
    from.clear();
    starts.clear();
    const auto& text = session.text;
    const auto& origin = session.origin;
    const auto put_meta = [&](std::uint32_t place) {
        out.insert(out.end(), meta.begin(), meta.end());
        from.resize(out.size(), place);
    };
    bool fresh = true, any = false;  // at the beginning of a word by white space, or of the text
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t size = length_of(text[i]);
        const std::int32_t c = utf8::code_point(text.data() + i, static_cast<int>(size));
        if (white_split_ && (classes[c] & class_white)) {
            fresh = true;
            i += size;
            continue;
        }
        const bool is_mark = c == ' ' || c == 0x2581;
        if (fresh && (white_split_ || !any)) {
            const bool adds = replaces_ ? opens && prefix_ == PrefixSpace::always
                                        : !is_mark && (prefix_ == PrefixSpace::always || (prefix_ == PrefixSpace::first && begins));
            if (adds || !is_mark || !splits_) starts.push_back(static_cast<std::uint32_t>(out.size()));
            if (adds) put_meta(origin[i]);
        }
        fresh = false;
        any = true;
        if (is_mark && splits_) starts.push_back(static_cast<std::uint32_t>(out.size()));
        if (c == ' ') {
            put_meta(origin[i]);
        } else {
            for (std::size_t j = 0; j < size; ++j) {
                out.push_back(text[i + j]);
                from.push_back(origin[i + j]);
            }
        }
        i += size;
    }
    starts.push_back(static_cast<std::uint32_t>(out.size()));
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
        if (starts[i] < starts[i + 1]) segment(starts[i], starts[i + 1], session);
}

}  // namespace bitmeter
