// Finding one child of a node.
#pragma once

#include <cstdint>

namespace bitmeter {

constexpr std::uint64_t no_child = ~std::uint64_t{0};

/// The place of `code` in keys[begin, end), which ascend; no_child if it is not there. Codes are spread evenly over
/// `bits` bits, so a guess by proportion is near.
inline std::uint64_t find_child(const std::uint32_t* keys, std::uint64_t begin, std::uint64_t end, std::uint32_t code,
                                unsigned bits) {
    constexpr std::uint64_t few = 8;
    if (end - begin > few) {
        // The first guess needs no division, since the codes lie in all of [0, 2^bits).
        std::uint64_t low = 0, high = std::uint64_t{1} << bits;
        std::uint64_t place = begin + ((std::uint64_t{code} * (end - begin)) >> bits);
        for (int step = 0;; ++step) {
            const std::uint32_t found = keys[place];
            if (found == code) return place;
            if (found < code) {
                begin = place + 1;
                low = std::uint64_t{found} + 1;
            } else {
                end = place;
                high = found;
            }
            if (end - begin <= few) break;
            if (code < low || code >= high) return no_child;
            // Proportion first; halves where the codes are not as even as they should be.
            place = step < 4 ? begin + ((code - low) * (end - begin)) / (high - low) : begin + (end - begin) / 2;
        }
    }
    if (begin == end) return no_child;
    // Without a branch a key: which of a few it is cannot be foreseen.
    std::uint64_t found = no_child;
    for (std::uint64_t i = 0; i < few; ++i) {
        const std::uint64_t place = begin + i < end ? begin + i : end - 1;
        found = keys[place] == code ? place : found;
    }
    return found;
}

}  // namespace bitmeter
