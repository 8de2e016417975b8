// The normaliser's rules of a SentencePiece model: strings and what replaces them, found by the longest match.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bitmeter {

class PieceRules {
public:
    /// None: characters stay as they are.
    PieceRules() = default;
    /// From the compiled form: the size of a double-array trie, the trie, and strings that end in zero bytes. Throws
    /// PieceFormatError.
    explicit PieceRules(std::string_view compiled);

    struct Match {
        std::size_t length = 0;  // of what is replaced; 0 where no rule fits
        std::string_view text;
    };
    /// The longest rule that fits at p.
    Match longest(const std::uint8_t* p, const std::uint8_t* end) const;

    /// The shortest rule that fits at p.
    Match shortest(const std::uint8_t* p, const std::uint8_t* end) const;

    bool empty() const { return units_.empty(); }
    /// Whether some rule begins with this byte.
    bool begins(std::uint8_t byte) const { return !empty() && child(base(0), byte) != nowhere; }
    /// Whether some rule has this byte after its first.
    bool inside(std::uint8_t byte) const { return inside_[byte]; }
    /// Whether some rule begins with a space and this byte.
    bool after_space(std::uint8_t byte) const { return after_space_[byte]; }

private:
    static constexpr std::size_t nowhere = ~std::size_t{0};
    std::size_t base(std::size_t unit) const;
    std::size_t child(std::size_t base, std::uint8_t byte) const;
    void check();

    std::vector<std::uint32_t> units_;
    std::string texts_;
    std::array<bool, 256> inside_{}, after_space_{};
};

}  // namespace bitmeter
