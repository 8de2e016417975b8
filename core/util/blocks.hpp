// Long blocks of memory that are kept after use: the page faults of fresh memory cost as much as the work that fills it.
#pragma once

#include <cstddef>

namespace bitmeter {

/// Uninitialised memory for give_block; nullptr if there is none. Only for blocks of at least `least_block` bytes are those
/// that were given back used again.
void* take_block(std::size_t size) noexcept;
void give_block(void* block) noexcept;

constexpr std::size_t least_block = std::size_t{1} << 17;
/// No more bytes than these are kept.
constexpr std::size_t most_kept = std::size_t{1} << 25;
/// The bytes that are kept now.
std::size_t kept_bytes() noexcept;
/// Returns them to the system.
void drop_blocks() noexcept;

}  // namespace bitmeter
