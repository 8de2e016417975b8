// Strings of a vocabulary as a trie, byte by byte. Its edges are in one hash table, so that the memory is proportional to the
// bytes of the strings, whatever they are.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace bitmeter {

class PieceTrie {
public:
    static constexpr std::uint32_t root = 0, none = ~std::uint32_t{0};

    PieceTrie() : values_(1, -1) { rehash(256); }

    /// Gives a string a value of at least 0.
    void add(std::string_view text, std::int32_t value) {
        std::uint32_t node = root;
        for (char c : text) node = make(node, static_cast<std::uint8_t>(c));
        values_[node] = value;
    }
    /// The node after one more byte, or none.
    std::uint32_t next(std::uint32_t node, std::uint8_t byte) const {
        if (node == root) return first_[byte];
        const std::uint32_t key = node << 8 | byte;
        for (std::size_t slot = place(key);; slot = (slot + 1) & mask_) {
            if (edges_[slot].key == key) return edges_[slot].node;
            if (edges_[slot].key == 0) return none;
        }
    }
    /// -1 where no string ends.
    std::int32_t value(std::uint32_t node) const { return values_[node]; }
    /// The value of a whole string, -1 if it has none.
    std::int32_t find(std::string_view text) const {
        std::uint32_t node = root;
        for (char c : text)
            if ((node = next(node, static_cast<std::uint8_t>(c))) == none) return -1;
        return values_[node];
    }
    /// The length of the longest string at the beginning of a text; 0 if there is none.
    std::size_t longest(const std::uint8_t* p, const std::uint8_t* end) const {
        std::size_t found = 0;
        std::uint32_t node = root;
        for (const std::uint8_t* q = p; q < end && (node = next(node, *q)) != none; ++q)
            if (values_[node] >= 0) found = static_cast<std::size_t>(q - p) + 1;
        return found;
    }
    bool empty() const { return values_.size() == 1; }
    std::size_t nodes() const { return values_.size(); }

private:
    struct Edge {
        std::uint32_t key = 0, node = none;  // 0 is no key: the children of the root have a table of their own
    };

    std::size_t place(std::uint32_t key) const { return (key * std::uint64_t{0x9E3779B97F4A7C15}) >> shift_; }

    std::uint32_t make(std::uint32_t node, std::uint8_t byte) {
        const std::uint32_t found = next(node, byte);
        if (found != none) return found;
        const auto made = static_cast<std::uint32_t>(values_.size());
        if (made >= 1u << 24) throw std::length_error("a vocabulary has more bytes than a trie holds");
        values_.push_back(-1);
        if (node == root) return first_[byte] = made;
        if (2 * ++used_ > edges_.size()) rehash(2 * edges_.size());
        put({node << 8 | byte, made});
        return made;
    }
    void put(Edge edge) {
        std::size_t slot = place(edge.key);
        while (edges_[slot].key) slot = (slot + 1) & mask_;
        edges_[slot] = edge;
    }
    void rehash(std::size_t size) {
        std::vector<Edge> old(size);
        old.swap(edges_);
        mask_ = size - 1;
        shift_ = 64 - std::bit_width(mask_);
        for (const Edge& edge : old)
            if (edge.key) put(edge);
        if (first_.empty()) first_.assign(256, none);
    }

    std::vector<std::int32_t> values_;
    std::vector<std::uint32_t> first_;
    std::vector<Edge> edges_;
    std::size_t mask_ = 0, used_ = 0;
    int shift_ = 0;
};

}  // namespace bitmeter
