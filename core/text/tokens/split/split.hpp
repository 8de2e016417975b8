// The pre-tokenizers of byte-level vocabularies: known regular expressions, each by hand.
#pragma once

#include <cstdint>
#include <string_view>

#include "text/tokens/split/classes.hpp"
#include "util/utf8.hpp"

namespace bitmeter {

enum class SplitPattern : std::uint8_t {
    gpt2,    // contractions, then runs of letters, numbers and others, each with a space before it
    cl100k,  // a letter run takes any character before it; numbers of at most three digits; newlines end a run
    qwen2,   // the same, each digit by itself
    o200k,   // words end where small letters are followed by capital ones; contractions belong to the word
    tekken   // the same without contractions, each digit by itself
};

/// The pattern that a file writes out; false for one that is not known.
bool find_pattern(std::string_view regex, SplitPattern& pattern);

/// Where texts are split, from one place to the next. The text must be UTF-8.
class TextSplitter {
public:
    explicit TextSplitter(const std::uint8_t* end) : classes_(character_classes()), end_(end) {}

    /// The end of the pre-token that begins at p, which is before the end of the text.
    template <SplitPattern pattern>
    const std::uint8_t* next(const std::uint8_t* p) const;

    /// The same where digits are set apart first, each by itself or in runs; `stop` must be null before the first call.
    const std::uint8_t* next_digits(const std::uint8_t* p, bool each, const std::uint8_t*& stop) const;

private:
    struct Character {
        std::uint8_t bits = 0;
        const std::uint8_t* after = nullptr;
    };
    Character at(const std::uint8_t* p) const {
        if (*p < 0x80) return {classes_[*p], p + 1};
        const int length = *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : 4;
        return {classes_[utf8::code_point(p, length)], p + length};
    }
    template <class Holds>
    const std::uint8_t* run(const std::uint8_t* p, Holds&& holds) const {
        while (p < end_) {
            const Character c = at(p);
            if (!holds(c.bits)) break;
            p = c.after;
        }
        return p;
    }
    const std::uint8_t* letters(const std::uint8_t* p) const {
        return run(p, [](std::uint8_t bits) { return bits & class_letter; });
    }
    const std::uint8_t* others(const std::uint8_t* p) const {
        return run(p, [](std::uint8_t bits) { return !(bits & (class_letter | class_number | class_white)); });
    }
    const std::uint8_t* white(const std::uint8_t* p, bool newlines) const;
    const std::uint8_t* contraction(const std::uint8_t* p, bool any_case) const;
    const std::uint8_t* cased(const std::uint8_t* p, bool& small) const;
    template <bool contractions>
    const std::uint8_t* cased_word(const std::uint8_t* p, const Character& first) const;

    const CharacterClasses& classes_;
    const std::uint8_t* end_;
};

}  // namespace bitmeter
