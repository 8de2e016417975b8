// Classes of characters that pre-tokenizers ask for, by code point.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "text/split.hpp"

namespace bitmeter {

enum CharacterClass : std::uint8_t {
    class_letter = 1,      // \p{L}
    class_number = 2,      // \p{N}
    class_white = 4,       // \s
    class_upper = 8,       // may stand before small letters: Lu, Lt, Lm, Lo, M
    class_lower = 16,      // may be a small letter: Ll, Lm, Lo, M
    class_digit = 32,      // what the pre-tokenizer Digits sets apart
    class_extends = 64,    // belongs to the character before it
    class_unsettled = 128  // normal form C may move or change it
};

class CharacterClasses {
public:
    CharacterClasses();
    std::uint8_t operator[](std::int32_t c) const {
        return pages_[(std::size_t{index_[static_cast<std::uint32_t>(c) >> 8]} << 8) | (static_cast<std::uint32_t>(c) & 255)];
    }

private:
    std::array<std::uint16_t, 0x1100> index_{};
    std::vector<std::uint8_t> pages_;
};

/// Made when it is first asked for.
const CharacterClasses& character_classes();

/// Whether normal form C certainly leaves a text of UTF-8 as it is.
bool is_settled(Bytes text);

}  // namespace bitmeter
