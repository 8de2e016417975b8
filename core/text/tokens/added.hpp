// Added tokens in a text: from left to right the longest.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "text/pieces/trie.hpp"
#include "text/tokens/file.hpp"

namespace bitmeter {

class AddedTokens {
public:
    /// Those that are looked for in the text as it is. A special one counts only if `special`; it hides what lies within it
    /// all the same.
    AddedTokens(const std::vector<AddedToken>& added, bool special);

    bool empty() const { return !active_; }

    struct Match {
        const std::uint8_t* begin;
        const std::uint8_t* end;
        std::int32_t id;
    };
    /// The next token in [p, end); one with the id -1 if there is none.
    Match next(const std::uint8_t* p, const std::uint8_t* end) const {
        while (p < end) {
            if (opens_[*p]) {
                std::uint32_t node = PieceTrie::root;
                std::int32_t found = -1;
                const std::uint8_t* stop = p;
                for (const std::uint8_t* q = p; q < end && (node = trie_.next(node, *q)) != PieceTrie::none; ++q)
                    if (trie_.value(node) >= 0) {
                        found = trie_.value(node);
                        stop = q + 1;
                    }
                if (found >= 0) {
                    if (found & counts) return {p, stop, found >> 1};
                    p = stop;
                    continue;
                }
            }
            ++p;
        }
        return {end, end, -1};
    }

private:
    static constexpr std::int32_t counts = 1;
    PieceTrie trie_;
    std::array<bool, 256> opens_{};
    bool active_ = false;
};

}  // namespace bitmeter
