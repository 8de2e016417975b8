// What the normalisers know of characters, by code point: Python's `str` and `unicodedata`, in tables of one version.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace bitmeter::normalise {

/// The version of Unicode that the tables were made from.
const char* unicode_version();

constexpr std::int32_t dotted_i = 0x130, capital_sigma = 0x3A3, final_sigma = 0x3C2;
constexpr std::int32_t first_hangul = 0xAC00, last_hangul = 0xD7A3;

/// Up to three code points; a syllable of Hangul has no more, and neither has anything else.
struct Several {
    std::array<std::int32_t, 3> points{};
    int size = 0;
};

/// For each 64 code points whether the tables say anything of one of them; of all others nothing is special.
std::vector<bool> listed_pages();

/// The lower case of a character by itself; U+0130 has two characters, of which the second is an accent.
std::int32_t lower(std::int32_t c);

/// The canonical decomposition without accents, that is without characters of the category Mn.
Several unaccented(std::int32_t c);

/// An accent (Mn): one that canonical ordering moves, or one that stays in its place.
bool is_moving_mark(std::int32_t c);
bool is_fixed_mark(std::int32_t c);

/// The combining class of a character that ordering moves and that is no accent; 0 for all others.
int late_class(std::int32_t c);

bool is_digit(std::int32_t c);
bool is_white(std::int32_t c);

/// What the rule for a final sigma sees: letters with case, and what it looks past.
bool is_cased(std::int32_t c);
bool is_ignorable(std::int32_t c);

/// Adds a character in UTF-8.
void append(std::string& out, std::int32_t c);

}  // namespace bitmeter::normalise
