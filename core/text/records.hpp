// Records of JSON lines: which lines are sound objects, and the texts that they hold.
//
// Only what is certain is decided here. A line that is not JSON, or holds something about which parsers differ (a lone
// surrogate, bytes that are no UTF-8, an integer of many hundred digits, deep nesting), is doubtful: the caller asks a whole
// parser, which also says what is wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/split.hpp"

namespace bitmeter {

/// Names of members of a record's object, as UTF-8.
struct RecordFields {
    std::string text;
    std::optional<std::string> language;
    std::vector<std::string> refused{};  // a record that has one of these is doubtful
    std::vector<std::string> others{};   // any values
};

/// The lines of a block that hold more than white space.
struct RecordScan {
    std::vector<std::int64_t> starts, stops;  // of each line, without its newline
    std::vector<std::int64_t> numbers;        // which line of the block it is, from 0
    std::vector<std::uint8_t> sound;          // 0: doubtful
    std::vector<std::uint8_t> texts, languages;              // of the sound ones, one after the other, without escapes
    std::vector<std::int64_t> text_ends, language_ends;      // where each ends
    std::vector<std::uint8_t> others;         // of each sound one its other values, as they are written
    std::vector<std::int64_t> other_ends;     // where each ends; one that is not there is empty
    std::int64_t lines = 0;                   // all of them
};

/// Objects within objects; deeper ones are doubtful.
constexpr int most_record_depth = 64;
/// Digits of an integer; longer ones are doubtful.
constexpr std::size_t most_record_digits = 512;

/// As Python's json reads them: the last of equal names counts, NaN and Infinity are numbers. A sound record has a text, and
/// a language if one is asked for, both of them strings.
RecordScan scan_records(Bytes block, const RecordFields& fields);

}  // namespace bitmeter
