#include "text/tokens/split/split.hpp"

namespace bitmeter {
namespace {

bool is_newline(std::uint8_t byte) { return byte == '\r' || byte == '\n'; }

struct Known {
    std::string_view regex;
    SplitPattern pattern;
};
constexpr Known known[] = {
    {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", SplitPattern::gpt2},
    {R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", SplitPattern::gpt2},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     SplitPattern::cl100k},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     SplitPattern::qwen2},
    {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     SplitPattern::o200k},
    {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     SplitPattern::tekken},
};

}  // namespace

bool find_pattern(std::string_view regex, SplitPattern& pattern) {
    for (const Known& one : known)
        if (one.regex == regex) {
            pattern = one.pattern;
            return true;
        }
    return false;
}

/// White space up to its last newline where newlines end it; else all of it but the last character, which belongs to the word
/// behind it.
const std::uint8_t* TextSplitter::white(const std::uint8_t* p, bool newlines) const {
    const std::uint8_t *last = p, *line = nullptr, *q = p;
    while (q < end_) {
        const Character c = at(q);
        if (!(c.bits & class_white)) break;
        last = q;
        if (is_newline(*q)) line = c.after;
        q = c.after;
    }
    if (newlines && line) return line;
    return q == end_ || last == p ? q : last;
}

/// The end of 's, 't, 're, 've, 'm, 'll or 'd at p, or p.
const std::uint8_t* TextSplitter::contraction(const std::uint8_t* p, bool any_case) const {
    if (end_ - p < 2 || *p != '\'') return p;
    const auto letter = [&](std::ptrdiff_t i) {
        const std::uint8_t c = p[i];
        return any_case && c >= 'A' && c <= 'Z' ? static_cast<std::uint8_t>(c | 0x20) : c;
    };
    const std::uint8_t first = letter(1);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return p + 2;
    if (end_ - p < 3) return p;
    // The long s is a small form of S.
    if (any_case && p[1] == 0xC5 && p[2] == 0xBF) return p + 3;
    const std::uint8_t second = letter(2);
    if ((first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l')) return p + 3;
    return p;
}

/// Capital letters and then small ones; without a small one at the end, what `small` says of it is wrong.
const std::uint8_t* TextSplitter::cased(const std::uint8_t* p, bool& small) const {
    const std::uint8_t *q = p, *both = nullptr;  // behind the last that can be small
    while (q < end_) {
        const Character c = at(q);
        if (!(c.bits & class_upper)) break;
        q = c.after;
        if (c.bits & class_lower) both = q;
    }
    const std::uint8_t* const lower = run(q, [](std::uint8_t bits) { return bits & class_lower; });
    small = lower > q || both;
    return lower > q ? lower : both ? both : q;
}

template <bool contractions>
const std::uint8_t* TextSplitter::cased_word(const std::uint8_t* p, const Character& first) const {
    const bool leads = !(first.bits & (class_letter | class_number)) && !is_newline(*p);
    bool small = false, small_led = false;
    const std::uint8_t* const led = leads ? cased(first.after, small_led) : p;
    const std::uint8_t* found = p;
    if (leads && small_led) {
        found = led;
    } else {
        const std::uint8_t* const plain = cased(p, small);
        if (small)
            found = plain;
        else if (leads && led > first.after)
            found = led;
        else
            found = plain;
    }
    return contractions && found > p ? contraction(found, true) : found;
}

template <SplitPattern pattern>
const std::uint8_t* TextSplitter::next(const std::uint8_t* p) const {
    constexpr bool is_gpt2 = pattern == SplitPattern::gpt2;
    constexpr bool is_cased = pattern == SplitPattern::o200k || pattern == SplitPattern::tekken;
    const Character first = at(p);
    if constexpr (!is_cased) {
        if (*p == '\'') {
            const std::uint8_t* const found = contraction(p, !is_gpt2);
            if (found > p) return found;
        }
        if (first.bits & class_letter) return letters(first.after);
    }
    if constexpr (is_cased) {
        const std::uint8_t* const found = cased_word<pattern == SplitPattern::o200k>(p, first);
        if (found > p) return found;
    } else if constexpr (!is_gpt2) {
        if (!(first.bits & class_number) && !is_newline(*p)) {
            const std::uint8_t* const found = letters(first.after);
            if (found > first.after) return found;
        }
    }
    if (first.bits & class_number) {
        if constexpr (is_gpt2) return run(first.after, [](std::uint8_t bits) { return bits & class_number; });
        if constexpr (pattern == SplitPattern::cl100k || pattern == SplitPattern::o200k) {
            const std::uint8_t* q = first.after;
            for (int i = 1; i < 3 && q < end_; ++i) {
                const Character c = at(q);
                if (!(c.bits & class_number)) break;
                q = c.after;
            }
            return q;
        }
        return first.after;
    }
    if (!(first.bits & class_white) || *p == ' ') {
        const bool is_space = *p == ' ';
        const std::uint8_t* q = first.after;
        if constexpr (is_gpt2) {
            if (is_space && q < end_) {
                const Character second = at(q);
                if (second.bits & class_letter) return letters(second.after);
                if (second.bits & class_number)
                    return run(second.after, [](std::uint8_t bits) { return bits & class_number; });
            }
        }
        const std::uint8_t* const from = q;
        q = others(q);
        if (!is_space || q > from) {
            if constexpr (!is_gpt2)
                while (q < end_ && (is_newline(*q) || (is_cased && *q == '/'))) ++q;
            return q;
        }
    }
    return white(p, !is_gpt2);
}

const std::uint8_t* TextSplitter::next_digits(const std::uint8_t* p, bool each, const std::uint8_t*& stop) const {
    if (p >= stop || !stop) {
        const Character first = at(p);
        if (first.bits & class_digit) {
            if (each) return stop = first.after;
            stop = run(first.after, [](std::uint8_t bits) { return bits & class_digit; });
        } else {
            stop = run(first.after, [](std::uint8_t bits) { return !(bits & class_digit); });
        }
    }
    TextSplitter inner(*this);
    inner.end_ = stop;
    return inner.next<SplitPattern::gpt2>(p);
}

template const std::uint8_t* TextSplitter::next<SplitPattern::gpt2>(const std::uint8_t*) const;
template const std::uint8_t* TextSplitter::next<SplitPattern::cl100k>(const std::uint8_t*) const;
template const std::uint8_t* TextSplitter::next<SplitPattern::qwen2>(const std::uint8_t*) const;
template const std::uint8_t* TextSplitter::next<SplitPattern::o200k>(const std::uint8_t*) const;
template const std::uint8_t* TextSplitter::next<SplitPattern::tekken>(const std::uint8_t*) const;

}  // namespace bitmeter
