// The very last n-gram of a text in the order from its last word to its first, which lmplz counts in its own way.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ngram/format/block.hpp"

namespace bitmeter {

/// The words of that n-gram, the last one first, and how often the last 1, 2, ... of them come together. Those of parts of
/// a text add up to that of the whole.
struct LastChain {
    std::array<std::uint32_t, max_order> words{};
    std::array<std::uint64_t, max_order> times{};  // all zero of a text without words

    bool empty() const { return times[0] == 0; }
    void add(const LastChain& other, int order);
};

LastChain last_chain(std::span<const std::uint32_t> ids, int order);

}  // namespace bitmeter
