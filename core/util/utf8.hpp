// Well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace bitmeter::utf8 {

/// `length` of a character that more bytes could complete.
constexpr int cut_off = -1;

/// The bytes of the character that begins at p; 0 if none does; cut_off if the text ends inside of it.
inline int length(const std::uint8_t* p, const std::uint8_t* end) {
    const std::uint8_t lead = p[0];
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    const int wanted = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const std::ptrdiff_t here = end - p;
    if (here < 2) return cut_off;
    const std::uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const std::uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high) return 0;
    for (int i = 2; i < wanted; ++i) {
        if (here <= i) return cut_off;
        if ((p[i] & 0xC0) != 0x80) return 0;
    }
    return wanted;
}

/// The code point of a well-formed character of `length` bytes.
inline std::int32_t code_point(const std::uint8_t* p, int length) {
    switch (length) {
        case 1: return p[0];
        case 2: return (p[0] & 0x1F) << 6 | (p[1] & 0x3F);
        case 3: return (p[0] & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F);
        default: return (p[0] & 0x07) << 18 | (p[1] & 0x3F) << 12 | (p[2] & 0x3F) << 6 | (p[3] & 0x3F);
    }
}

inline std::uint64_t load(const std::uint8_t* p) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
}

constexpr std::uint64_t high_bits = 0x8080808080808080ULL;

/// Calls one(p, length, valid) for each character that is not ASCII (length 1 and not valid for a byte that belongs to
/// none) and ascii(p, n) for runs of ASCII.
template <class One, class Ascii>
void each(const std::uint8_t* p, const std::uint8_t* end, One&& one, Ascii&& ascii) {
    while (p < end) {
        const std::uint8_t* start = p;
        while (end - p >= 8 && !(load(p) & high_bits)) p += 8;
        while (p < end && *p < 0x80) ++p;
        if (p > start) ascii(start, static_cast<std::size_t>(p - start));
        while (p < end && *p >= 0x80) {
            const int found = length(p, end);
            one(p, found > 0 ? found : 1, found > 0);
            p += found > 0 ? found : 1;
        }
    }
}

/// Characters, and how many of them are bytes that belong to none.
inline std::pair<std::int64_t, std::int64_t> count(const std::uint8_t* p, const std::uint8_t* end) {
    std::int64_t chars = 0, invalid = 0;
    each(
        p, end,
        [&](const std::uint8_t*, int, bool valid) {
            ++chars;
            invalid += !valid;
        },
        [&](const std::uint8_t*, std::size_t n) { chars += static_cast<std::int64_t>(n); });
    return {chars, invalid};
}

}  // namespace bitmeter::utf8
