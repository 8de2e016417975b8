// How a state's block of memory is divided among its parts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bitmeter::universal {

constexpr std::uint32_t first_rate = 197u << 16;  // learning rate of the mixers: 0.012 · 2^14, as 16.16

/// The next `count` of the block, from a cache line on. Without memory, only the place is counted on.
template <class T>
T* take(std::uint8_t* memory, std::size_t& at, std::size_t count) {
    auto* found = memory ? reinterpret_cast<T*>(memory + at) : nullptr;
    at += (count * sizeof(T) + 63) / 64 * 64;
    return found;
}

}  // namespace bitmeter::universal
