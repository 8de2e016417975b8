#include "text/normalise/normalise.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

#include "text/normalise/unicode.hpp"
#include "util/utf8.hpp"

namespace bitmeter::normalise {

namespace {

/// No character becomes more than three times as long, and copies may write so much behind what they add.
constexpr std::size_t longest_growth = 3, overhang = 16;
constexpr std::size_t slice = std::size_t{1} << 16, block = 16;

/// Punctuation, by the list that all of these tools share.
struct Punctuation {
    std::int32_t from;
    const char* to;
};
constexpr Punctuation punctuation[] = {
    {0xFF0C, ","}, {0x3002, "."},  {0x3001, ","},  {0x201E, "\""}, {0x201D, "\""}, {0x201C, "\""}, {0xAB, "\""},
    {0xBB, "\""},  {0xFF11, "\""}, {0x300D, "\""}, {0x300C, "\""}, {0x300A, "\""}, {0x300B, "\""}, {0xB4, "'"},
    {0x2236, ":"}, {0xFF1A, ":"},  {0xFF1F, "?"},  {0xFF01, "!"},  {0xFF08, "("},  {0xFF09, ")"},  {0xFF1B, ";"},
    {0x2013, "-"}, {0x2014, " - "}, {0xFF0E, ". "}, {0xFF5E, "~"}, {0x2019, "'"},  {0x2026, "..."}, {0x2501, "-"},
    {0x3008, "<"}, {0x3009, ">"},  {0x3010, "["},  {0x3011, "]"},  {0xFF05, "%"},  {0x25BA, "-"},
};

/// ROOTS' white space; its U+0084 never gets so far, since control characters are deleted before.
constexpr std::int32_t roots_white[] = {0x20,   0x2009, 0x200A, 0x202F, 0x2005, 0x3000,
                                        0x2002, 0xA0,   0x2008, 0x2003, 0xFFFC, 0x84};

/// What may stand between the two parts of a number.
constexpr std::int32_t decimal_marks[] = {'.', ',', 0x60C, 0x66B, 0x2396, 0x2397, 0x2398};

bool is_control(std::int32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

template <class List>
bool is_one_of(const List& list, std::int32_t c) {
    return std::find(std::begin(list), std::end(list), c) != std::end(list);
}

struct Character {
    std::int32_t point;  // -1: a byte that belongs to none
    int length;
};

Character character(const std::uint8_t* p, const std::uint8_t* end) {
    const int length = utf8::length(p, end);
    return length > 0 ? Character{utf8::code_point(p, length), length} : Character{-1, 1};
}

/// The character that ends at p.
Character character_before(const std::uint8_t* first, const std::uint8_t* p) {
    for (int back = 1; back <= 4 && p - back >= first; ++back) {
        if ((p[-back] & 0xC0) == 0x80) continue;
        const Character found = character(p - back, p);
        return found.length == back ? found : Character{-1, 1};
    }
    return {-1, 1};
}

/// Whether a capital sigma at [p, after) becomes a final one: behind a letter, before none.
bool is_final(const std::uint8_t* first, const std::uint8_t* p, const std::uint8_t* after, const std::uint8_t* last) {
    Character before{-1, 1};
    while (p > first) {
        before = character_before(first, p);
        p -= before.length;
        if (before.point < 0 || !is_ignorable(before.point)) break;
        before.point = -1;
    }
    if (before.point < 0 || !is_cased(before.point)) return false;
    while (after < last) {
        const Character next = character(after, last);
        if (next.point < 0 || !is_ignorable(next.point)) return next.point < 0 || !is_cased(next.point);
        after += next.length;
    }
    return true;
}

/// Sixteen bytes of plain ASCII without control characters (and without digits, for numbers): changed, if they are that.
template <bool lower, bool numbers>
bool plain_block(const std::uint8_t* p, std::uint8_t* out) {
    std::uint8_t other = 0;
    for (std::size_t i = 0; i < block; ++i) {
        const std::uint8_t c = p[i];
        const bool digit = static_cast<std::uint8_t>(c - '0') < 10;
        other |= static_cast<std::uint8_t>(static_cast<std::uint8_t>(c - 0x20) >= 0x5F);
        if constexpr (numbers) other |= static_cast<std::uint8_t>(digit);
        std::uint8_t to = c;
        if constexpr (lower) to |= static_cast<std::uint8_t>(c - 'A') < 26 ? 0x20 : 0;
        out[i] = digit ? '0' : to;
    }
    return other == 0;
}

using PlainBlock = bool (*)(const std::uint8_t*, std::uint8_t*);

}  // namespace

std::uint8_t* Output::room(std::size_t n) {
    if (data_.bytes.size() - size_ < n) data_.bytes.resize(std::max(size_ + n, data_.bytes.size() * 2));
    return data_.data() + size_;
}

void Output::append(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(room(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
}

Normaliser Normaliser::named(std::string_view name) {
    using Strip = Rules::Strip;
    if (name == "ccnet") return Normaliser({.lower = true, .unaccent = true});
    if (name == "edugp") return Normaliser({});
    if (name == "roots") return Normaliser({.white = true, .strip = Strip::after_controls});
    if (name == "datatrove")
        return Normaliser({.lower = true, .unaccent = true, .numbers = true, .strip = Strip::after_accents});
    throw std::invalid_argument("there is no normaliser " + std::string(name));
}

Normaliser::Normaliser(const Rules& rules) : rules_(rules) { fill(); }

bool Normaliser::is_special(std::int32_t c) const {
    if (rules_.lower && c == capital_sigma) return true;
    if (rules_.numbers && is_digit(c)) return true;
    if (!rules_.unaccent) return false;
    const Several split = unaccented(c);
    return split.size > 0 && late_class(split.points[static_cast<std::size_t>(split.size) - 1]) > 0;
}

bool Normaliser::is_stripped(std::int32_t c) const {
    switch (rules_.strip) {
        case Rules::Strip::first: return is_white(c);
        case Rules::Strip::after_controls: return is_white(c) || is_control(c);
        default: return is_white(c) || is_moving_mark(c) || is_fixed_mark(c);
    }
}

/// All rules that look at one character.
std::string Normaliser::changed(std::int32_t c) const {
    Several points{{c}, 1};
    // The accent of a lower-case U+0130 is a mark, so that without accents only its letter is left.
    if (rules_.lower) points = c == dotted_i ? Several{{'i', 0x307}, 2} : Several{{lower(c)}, 1};
    std::string result;
    for (int i = 0; i < points.size; ++i) {
        const std::int32_t point = points.points[static_cast<std::size_t>(i)];
        const Several split = rules_.unaccent ? unaccented(point) : Several{{point}, 1};
        for (int j = 0; j < split.size; ++j) {
            std::int32_t x = split.points[static_cast<std::size_t>(j)];
            if (is_control(x)) continue;
            if (rules_.white && is_one_of(roots_white, x)) x = ' ';
            if (is_digit(x)) x = '0';
            const auto* mapped = std::find_if(std::begin(punctuation), std::end(punctuation),
                                              [&](const Punctuation& p) { return p.from == x; });
            if (mapped != std::end(punctuation)) {
                result += mapped->to;
            } else {
                append(result, x);
            }
        }
    }
    return result;
}

void Normaliser::fill() {
    std::map<std::vector<std::uint32_t>, std::uint16_t> known;
    std::unordered_map<std::string, std::size_t> strings;
    std::vector<bool> pages = listed_pages();
    for (const Punctuation& one : punctuation) pages[static_cast<std::size_t>(one.from >> 6)] = true;
    for (const std::int32_t one : roots_white) pages[static_cast<std::size_t>(one >> 6)] = true;
    pages[0] = pages[0x7F >> 6] = pages[0x9F >> 6] = true;  // ASCII and control characters
    stripped_.resize(0x110000);
    for (std::size_t number = 0; number < pages.size(); ++number) {
        std::vector<std::uint32_t> page(64, same);
        for (std::int32_t i = 0; pages[number] && i < 64; ++i)
            page[static_cast<std::size_t>(i)] = made_entry(static_cast<std::int32_t>(number << 6) | i, strings);
        const auto [at, is_new] = known.try_emplace(page, static_cast<std::uint16_t>(known.size()));
        if (is_new) pages_.insert(pages_.end(), page.begin(), page.end());
        page_[number] = at->second;
    }
    pool_.resize(pool_.size() + overhang);
}

std::uint32_t Normaliser::made_entry(std::int32_t c, std::unordered_map<std::string, std::size_t>& strings) {
    if (c >= 0xD800 && c < 0xE000) return same;  // surrogates are no characters of UTF-8
    stripped_[static_cast<std::size_t>(c)] = is_stripped(c);
    if (is_special(c)) return special;
    std::string itself;
    append(itself, c);
    const std::string result = changed(c);
    if (c < 0x80 && result.size() == 1) ascii_[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(result[0]);
    if (result == itself) return same;
    const auto [at, is_new] = strings.try_emplace(result, pool_.size());
    if (is_new) pool_.insert(pool_.end(), result.begin(), result.end());
    return entry_of(replaced, at->second, result.size());
}

const std::uint8_t* Normaliser::stripped_begin(const std::uint8_t* p, const std::uint8_t* end) const {
    while (p < end) {
        const Character c = character(p, end);
        if (c.point < 0 || !stripped_[static_cast<std::size_t>(c.point)]) break;
        p += c.length;
    }
    return p;
}

const std::uint8_t* Normaliser::stripped_end(const std::uint8_t* p, const std::uint8_t* end) const {
    while (end > p) {
        const Character c = character_before(p, end);
        if (c.point < 0 || !stripped_[static_cast<std::size_t>(c.point)]) break;
        end -= c.length;
    }
    return end;
}

/// Where a number ends that begins at p with a digit.
const std::uint8_t* Normaliser::run_number(const std::uint8_t* p, const std::uint8_t* end) const {
    const auto digits_from = [&](const std::uint8_t* q) {
        while (q < end) {
            const Character c = character(q, end);
            if (c.point < 0 || !is_digit(c.point)) break;
            q += c.length;
        }
        return q;
    };
    p = digits_from(p);
    if (p == end) return p;
    const Character mark = character(p, end);
    if (!is_one_of(decimal_marks, mark.point)) return p;
    const std::uint8_t* fraction = p + mark.length;
    const std::uint8_t* after = digits_from(fraction);
    return after > fraction ? after : p;
}

/// Characters that canonical ordering moves: all of a run are sorted by their class. Accents take part and are dropped; any
/// other character, also an accent that stays in its place, ends the run.
const std::uint8_t* Normaliser::run_late(std::int32_t c, const std::uint8_t* p, const std::uint8_t* end, Output& out) const {
    std::vector<std::pair<int, std::int32_t>> run;
    std::string bytes;
    const auto take = [&](std::int32_t point) {
        if (const int order = late_class(point)) {
            run.emplace_back(order, point);
        } else {
            append(bytes, point);  // the base of a decomposition
        }
    };
    const auto split = [&](std::int32_t point) {
        const Several parts = unaccented(point);
        for (int i = 0; i < parts.size; ++i) take(parts.points[static_cast<std::size_t>(i)]);
    };
    split(c);
    while (p < end) {
        const Character next = character(p, end);
        if (next.point < 0 || !(is_moving_mark(next.point) || late_class(next.point))) break;
        if (late_class(next.point)) take(next.point);
        p += next.length;
    }
    std::stable_sort(run.begin(), run.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [order, point] : run) append(bytes, point);
    out.append(bytes);
    return p;
}

const std::uint8_t* Normaliser::run_special(std::int32_t c, const std::uint8_t* first, const std::uint8_t* p, int length,
                                            const std::uint8_t* end, const std::uint8_t* last, Output& out) const {
    if (rules_.lower && c == capital_sigma) {
        out.append(is_final(first, p, p + length, last) ? "\xCF\x82" : "\xCF\x83");
        return p + length;
    }
    if (rules_.numbers && is_digit(c)) {
        out.append("0");
        return run_number(p, end);
    }
    return run_late(c, p + length, end, out);
}

void Normaliser::change(const std::uint8_t* first, const std::uint8_t* p, const std::uint8_t* end, const std::uint8_t* last,
                        Output& out) const {
    const PlainBlock plain = rules_.numbers ? (rules_.lower ? plain_block<true, true> : plain_block<false, true>)
                                            : (rules_.lower ? plain_block<true, false> : plain_block<false, false>);
    while (p < end) {
        const std::size_t here = std::min(slice, static_cast<std::size_t>(end - p));
        const std::uint8_t* const slice_end = p + here;
        std::uint8_t* to = out.room(here * longest_growth + 4 * longest_growth + overhang);
        const std::uint8_t* stop = p;
        bool is_special = false;
        while (p < slice_end && !is_special) {
            while (slice_end - p >= static_cast<std::ptrdiff_t>(block) && plain(p, to)) {
                p += block;
                to += block;
            }
            stop = slice_end - p > static_cast<std::ptrdiff_t>(block) ? p + block : slice_end;
            while (p < stop) {
                if (*p < 0x80 && ascii_[*p]) {
                    *to++ = ascii_[*p++];
                    continue;
                }
                const int length = utf8::length(p, end);
                if (length <= 0) {
                    *to++ = *p++;
                    continue;
                }
                const std::int32_t c = utf8::code_point(p, length);
                const std::uint32_t what = entry(c);
                if (what == same) {
                    for (int i = 0; i < length; ++i) to[i] = p[i];
                    to += length;
                } else if ((what & 3) == replaced) {
                    std::memcpy(to, pool_.data() + (what >> 8), overhang);
                    to += what >> 2 & 63;
                } else {
                    out.use_until(to);
                    p = run_special(c, first, p, length, end, last, out);
                    is_special = true;
                    break;
                }
                p += length;
            }
        }
        if (!is_special) out.use_until(to);
    }
}

void Stream::part(const std::uint8_t* p, const std::uint8_t* end, bool finished, Output& out) {
    const std::uint8_t* from = begun_ ? p : normaliser_.stripped_begin(p, end);
    const std::uint8_t* until = normaliser_.stripped_end(from, end);
    if (until > from) {
        out.append(white_.view());
        white_.clear();
        normaliser_.change(p, from, until, end, out);
        begun_ = true;
    }
    if (finished) {
        white_.clear();
        begun_ = false;
    } else if (begun_) {
        normaliser_.change(p, until, end, end, white_);
    }
}

void Stream::feed(Bytes text, Ends ends, Output& out, std::vector<std::int64_t>& changed_ends) {
    const std::uint8_t* p = text.data;
    const std::uint8_t* const end = text.data + text.size;
    for (std::size_t i = 0; i < ends.size; ++i) {
        const std::uint8_t* until = text.data + ends.data[i];
        if (held_.empty()) {
            part(p, until, true, out);
        } else {
            held_.insert(held_.end(), p, until);
            part(held_.data(), held_.data() + held_.size(), true, out);
            held_.clear();
        }
        changed_ends.push_back(static_cast<std::int64_t>(out.size()));
        p = until;
    }
    // What precedes a space or a newline is changed in the same way whatever follows it: no rule looks across them.
    const std::uint8_t* cut = end;
    while (cut > p && cut[-1] != ' ' && cut[-1] != '\n') --cut;
    if (cut > p) {
        --cut;
        if (held_.empty()) {
            part(p, cut, false, out);
        } else {
            held_.insert(held_.end(), p, cut);
            part(held_.data(), held_.data() + held_.size(), false, out);
            held_.clear();
        }
        p = cut;
    }
    held_.insert(held_.end(), p, end);
}

}  // namespace bitmeter::normalise
