#include "ngram/estimate/last_chain.hpp"

#include <algorithm>
#include <utility>

namespace bitmeter {

LastChain last_chain(std::span<const std::uint32_t> ids, int order) {
    LastChain found;
    if (ids.empty()) return found;
    const std::uint32_t last = *std::max_element(ids.begin(), ids.end());  // of the words that come
    // The word k places before place i; word_begin before the sentence.
    auto before = [&](std::size_t i, int k) {
        for (int back = 1; back <= k; ++back)
            if (i < static_cast<std::size_t>(back) || ids[i - static_cast<std::size_t>(back)] == word_end) return word_begin;
        return ids[i - static_cast<std::size_t>(k)];
    };
    const auto length = static_cast<std::size_t>(order);
    bool any = false;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] != last) continue;
        std::size_t same = 1;
        bool better = !any;
        for (; !better && same < length; ++same) {
            const std::uint32_t ours = before(i, static_cast<int>(same)), theirs = found.words[same];
            if (ours == theirs) continue;
            better = ours > theirs;
            break;
        }
        if (better) {
            for (std::size_t k = 0; k < length; ++k) found.words[k] = before(i, static_cast<int>(k));
            std::fill(found.times.begin() + static_cast<std::ptrdiff_t>(any ? same : 0), found.times.end(), 0u);
            any = true;
            same = length;
        }
        for (std::size_t o = 0; o < same; ++o) ++found.times[o];
    }
    return found;
}

void LastChain::add(const LastChain& other, int order) {
    if (other.empty()) return;
    if (empty()) {
        *this = other;
        return;
    }
    const auto length = static_cast<std::size_t>(order);
    std::size_t same = 0;
    while (same < length && words[same] == other.words[same]) ++same;
    const LastChain lesser = same < length && words[same] < other.words[same] ? std::exchange(*this, other) : other;
    for (std::size_t o = 0; o < same; ++o) times[o] += lesser.times[o];
}

}  // namespace bitmeter
