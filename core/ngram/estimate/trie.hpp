// Two passes over the trie of n-grams that are the same for all of it and for a slice: growing it from sorted n-grams, and
// finding suffixes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "ngram/format/search.hpp"
#include "ngram/sort/keys.hpp"
#include "util/watch.hpp"

namespace bitmeter {

/// Where the next n-gram of each order goes.
using TriePlaces = std::array<std::uint64_t, max_order + 1>;

/// The n-grams of a bundle, the first of each order at `next`; `end` is the word after the bundle's last first word. Of
/// the trie, begin_children(word, place) is called for each of its first words, add(order, place, code, child) for each
/// n-gram, and count(order, place, first, times) for each occurrence of one.
template <class Trie>
void grow_bundle(const NgramKeys& keys, std::size_t bundle, std::uint32_t end, int order, TriePlaces next, Trie& trie) {
    std::uint32_t word = keys.bundle_begin(bundle);  // the next one whose children are not set
    auto reach = [&](std::uint32_t first) {
        while (word < first) trie.begin_children(word++, static_cast<std::uint32_t>(next[2]));
    };
    keys.visit(bundle, [&](std::uint32_t first, const std::uint32_t* codes, int length, int shared, std::uint64_t count) {
        reach(first + 1);
        for (int o = shared + 2; o <= length + 1; ++o) {
            const std::uint64_t place = next[o]++;
            trie.add(o, place, codes[o - 2], o < order ? static_cast<std::uint32_t>(next[o + 1]) : 0);
        }
        for (int o = 2; o <= std::min(length + 1, order); ++o)
            trie.count(o, next[o] - 1, first, static_cast<std::uint32_t>(count));
    });
    reach(end);
}

/// Of each child of the histories [from, to), where its suffix stands: set(child, place), with no_child where it is not
/// there. What follows a history follows its suffix too, so it is looked for among the children of that. `longer` has the
/// children, keys and suffixes of histories; `shorter` the children of what those lead to, and their keys.
template <class Longer, class Shorter, class Set>
void link_histories(const Longer& longer, const Shorter& shorter, unsigned bits, std::size_t from, std::size_t to,
                    Watch& watch, Set&& set) {
    constexpr std::size_t look = 256;        // histories between two progress reports
    constexpr std::size_t ahead = 12;        // histories to prefetch
    constexpr std::uint64_t next_child = 6;  // and children of one that has many
    const std::uint32_t* const keys = longer.keys();
    // Prefetches where a code is expected if those of [begin, end) are evenly spread.
    auto fetch = [&](std::uint64_t begin, std::uint64_t end, std::uint32_t code) {
        shorter.fetch_key(begin + ((std::uint64_t{code} * (end - begin)) >> bits));
    };
    for (std::size_t h = from; h < to; ++h) {
        if (h % look == 0) watch.add(0);
        if (h + 2 * ahead < to) shorter.fetch_node(longer.suffix(h + 2 * ahead));
        if (h + ahead < to && longer.child(h + ahead) < longer.child(h + ahead + 1)) {
            const std::uint64_t coming = longer.suffix(h + ahead);
            fetch(shorter.child(coming), shorter.child(coming + 1), keys[longer.child(h + ahead)]);
        }
        const std::uint64_t first = longer.child(h), stop = longer.child(h + 1);
        if (first == stop) continue;
        const std::uint64_t suffix = longer.suffix(h), begin = shorter.child(suffix), end = shorter.child(suffix + 1);
        for (std::uint64_t c = first; c < stop; ++c) {
            if (c + next_child < stop) fetch(begin, end, keys[c + next_child]);
            set(c, find_child(shorter.keys(), begin, end, keys[c], bits));
        }
    }
    watch.add(longer.child(to) - longer.child(from));
}

}  // namespace bitmeter
