// Finding one child of a node.
#pragma once

#include <cstdint>

namespace bitmeter {

constexpr std::uint64_t no_child = ~std::uint64_t{0};

/// The place of `code` in keys[begin, end), which ascend; no_child if it is not there. Codes are spread evenly over
/// `bits` bits, so a guess by proportion is near.
inline std::uint64_t find_child(const std::uint32_t* keys, std::uint64_t begin, std::uint64_t end, std::uint32_t code,
                                unsigned bits) {
    std::uint64_t low = 0, high = std::uint64_t{1} << bits;  // the codes of [begin, end) lie in [low, high)
    for (int step = 0; end - begin > 12 && step < 4; ++step) {
        const std::uint64_t place = begin + ((code - low) * (end - begin)) / (high - low);
        const std::uint32_t found = keys[place];
        if (found == code) return place;
        if (found < code) {
            begin = place + 1;
            low = std::uint64_t{found} + 1;
        } else {
            end = place;
            high = found;
        }
        if (code < low || code >= high) return no_child;
    }
    while (end - begin > 12) {
        const std::uint64_t middle = begin + (end - begin) / 2;
        if (keys[middle] <= code)
            begin = middle;
        else
            end = middle;
    }
    for (; begin < end; ++begin)
        if (keys[begin] >= code) return keys[begin] == code ? begin : no_child;
    return no_child;
}

}  // namespace bitmeter
