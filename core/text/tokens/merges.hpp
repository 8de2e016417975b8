// Byte-pair encoding by a list of merges: of neighbours the pair that comes first in the list, and of equals the leftmost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/tokens/file.hpp"

namespace bitmeter {

class MergeTable {
public:
    explicit MergeTable(const std::vector<TokenizerFile::Merge>& merges);

    static constexpr std::uint32_t never = ~std::uint32_t{0};
    struct Made {
        std::uint32_t rank = never;
        std::int32_t id = -1;
    };
    Made find(std::int32_t left, std::int32_t right) const {
        const std::uint64_t key = key_of(left, right);
        for (std::size_t slot = place(key);; slot = (slot + 1) & mask_) {
            if (slots_[slot].key == key) return slots_[slot].made;
            if (slots_[slot].key == none) return {};
        }
    }

    struct Symbol {
        std::int32_t id;
        std::uint32_t size;  // bytes; 0 for one that was merged into another
    };
    /// Room for one thread to work in.
    struct Room {
        std::vector<Made> pairs;
        std::vector<std::int32_t> previous, next;
        struct Pair {
            std::uint32_t rank, left;
            std::int32_t made;
        };
        std::vector<Pair> agenda;
    };
    /// Merges all that can be merged. Those that are left keep their order.
    void merge(std::vector<Symbol>& symbols, Room& room) const;

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
        return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
    }
    std::size_t place(std::uint64_t key) const { return ((key ^ key >> 29) * 0x9E3779B97F4A7C15u) >> shift_; }
    void merge_short(std::vector<Symbol>& symbols, Room& room) const;
    void merge_long(std::vector<Symbol>& symbols, Room& room) const;

    struct Slot {
        std::uint64_t key = none;
        Made made;
    };
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    int shift_ = 0;
};

}  // namespace bitmeter
