// Packed n-grams and how they are sorted and merged: what keys.cpp does in memory, and runs.cpp in files.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ngram/sort/keys.hpp"
#include "util/parallel.hpp"

namespace bitmeter::packed {

/// An unsigned integer of W times 64 bits, the highest first.
template <int W>
struct Wide {
    std::array<std::uint64_t, W> part{};

    friend bool operator<(const Wide& a, const Wide& b) { return a.part < b.part; }
    friend bool operator==(const Wide& a, const Wide& b) { return a.part == b.part; }

    /// Up to 32 bits from bit `at` on, counted from the lowest.
    std::uint32_t bits(unsigned at, std::uint32_t mask) const {
        if constexpr (W == 1) return static_cast<std::uint32_t>(part[0] >> at) & mask;
        const unsigned low = W - 1 - at / 64, shift = at % 64;
        std::uint64_t value = part[low] >> shift;
        if (shift > 32 && low > 0) value |= part[low - 1] << (64 - shift);
        return static_cast<std::uint32_t>(value) & mask;
    }
    void set(unsigned at, std::uint64_t value) {
        if constexpr (W == 1) {
            part[0] |= value << at;
            return;
        }
        const unsigned low = W - 1 - at / 64, shift = at % 64;
        part[low] |= value << shift;
        if (shift > 32 && low > 0) part[low - 1] |= value >> (64 - shift);
    }
    void shift_down(unsigned by) {  // 1..63
        for (int i = W - 1; i > 0; --i) part[i] = part[i] >> by | part[i - 1] << (64 - by);
        part[0] >>= by;
    }
    unsigned lowest_bit() const {
        for (int i = W - 1; i >= 0; --i)
            if (part[i]) return static_cast<unsigned>((W - 1 - i) * 64 + std::countr_zero(part[i]));
        return 0;
    }
    static unsigned highest_difference(const Wide& a, const Wide& b) {
        for (int i = 0; i < W; ++i)
            if (const std::uint64_t d = a.part[i] ^ b.part[i])
                return static_cast<unsigned>((W - 1 - i) * 64 + 63 - std::countl_zero(d));
        return 0;
    }
};

/// Sorts by the bits below `top`, from the highest digit down; the bits above are equal in all keys.
template <int W>
void radix_sort(Wide<W>* keys, Wide<W>* scratch, std::size_t size, unsigned top, Watch& watch) {
    constexpr std::size_t small = 128, long_enough = 1 << 16;
    if (size <= small || top == 0) {
        std::sort(keys, keys + size);
        return;
    }
    if (size > long_enough) watch.add(0);
    const unsigned shift = top > 8 ? top - 8 : 0;
    std::array<std::size_t, 257> starts{};
    for (std::size_t i = 0; i < size; ++i) ++starts[keys[i].bits(shift, 255) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    const std::uint32_t first = keys[0].bits(shift, 255);
    if (starts[first + 1] - starts[first] == size) {
        radix_sort(keys, scratch, size, shift, watch);
        return;
    }
    auto places = starts;
    for (std::size_t i = 0; i < size; ++i) scratch[places[keys[i].bits(shift, 255)]++] = keys[i];
    std::copy(scratch, scratch + size, keys);
    for (int digit = 0; digit < 256; ++digit) {
        const std::size_t from = starts[digit], to = starts[digit + 1];
        if (to - from > 1) radix_sort(keys + from, scratch + from, to - from, shift, watch);
    }
}

/// How the words after the first stand in a key.
template <int W>
struct Packing {
    Packing(std::uint64_t words, int order)
        : codes(words), length(order - 1), bits(codes.bits()), total(bits * static_cast<unsigned>(length)) {}

    std::uint32_t mask() const { return bits >= 32 ? ~0u : (1u << bits) - 1; }
    /// A sentence that ends within the key ends in word_end, and zeros follow; zeros after another word are word_unknown.
    int length_of(const Wide<W>& key) const {
        const int found = static_cast<int>((total - 1 - key.lowest_bit()) / bits) + 1;
        const std::uint32_t last = key.bits(static_cast<unsigned>(length - found) * bits, mask());
        return last == codes.code(word_end) ? found : length;
    }
    int shared_words(const Wide<W>& a, const Wide<W>& b) const {
        return static_cast<int>((total - 1 - Wide<W>::highest_difference(a, b)) / bits);
    }

    WordCodes codes;
    int length;
    unsigned bits, total;
};

/// A pool of scratch memory that threads reuse: fresh memory costs more than the copying.
template <int W>
class Scratch {
public:
    std::vector<Wide<W>> take(std::size_t size) {
        std::vector<Wide<W>> result;
        {
            const std::lock_guard lock(guard_);
            if (!free_.empty()) {
                result = std::move(free_.back());
                free_.pop_back();
            }
        }
        if (result.size() < size) {
            result.clear();
            result.resize(size);
        }
        return result;
    }
    void give(std::vector<Wide<W>> used) {
        const std::lock_guard lock(guard_);
        free_.push_back(std::move(used));
    }
    void clear() { free_.clear(); }

private:
    std::mutex guard_;
    std::vector<std::vector<Wide<W>>> free_;
};

/// The keys of a block of text, sorted in memory; a key stands as often as it occurs.
template <int W>
class Slice {
public:
    Slice(const SortPlan& plan, const Packing<W>& packing, std::size_t most)
        : plan_(plan), packing_(packing), keys_(PageBlock::zeros(most * sizeof(Wide<W>)), most) {}

    /// The n-grams that begin at the places [from, to) of the text. Then calls each(bundle) for the bundles of words, as
    /// soon as one is sorted.
    template <class Each>
    void sort(std::size_t from, std::size_t to, const std::vector<std::uint32_t>& cuts, Watch& watch, Each&& each) {
        scatter(from, to, watch);
        parallel_for(cuts.size() - 1, plan_.threads, [&](std::size_t bundle) {
            std::uint64_t largest = 0;
            for (std::uint32_t w = cuts[bundle]; w < cuts[bundle + 1]; ++w) largest = std::max(largest, size(w));
            auto scratch = scratch_.take(largest);
            for (std::uint32_t w = cuts[bundle]; w < cuts[bundle + 1]; ++w)
                radix_sort(keys_.data() + starts_[w], scratch.data(), size(w), packing_.total, watch);
            scratch_.give(std::move(scratch));
            each(bundle);
            watch.add(starts_[cuts[bundle + 1]] - starts_[cuts[bundle]]);
        });
        scratch_.clear();
    }

    std::uint64_t size(std::uint32_t word) const { return starts_[word + 1] - starts_[word]; }
    const Wide<W>* begin(std::uint32_t word) const { return keys_.data() + starts_[word]; }
    const Wide<W>* end(std::uint32_t word) const { return keys_.data() + starts_[word + 1]; }
    /// Frees the keys of the words [from, to).
    void drop(std::uint32_t from, std::uint32_t to) const { keys_.drop(starts_[from], starts_[to]); }

private:
    static constexpr std::size_t stride = 1 << 18;  // words between two progress reports

    bool begins(std::size_t i) const { return i == 0 || plan_.ids[i - 1] == word_end; }

    /// One key for each place of the text where an n-gram begins, by its first word.
    void scatter(std::size_t from, std::size_t to, Watch& watch) {
        const std::size_t words = plan_.counts.size();
        const std::size_t parts = thread_count(plan_.threads, std::max<std::size_t>(1, (to - from) >> 16));
        auto cut = [&](std::size_t part) { return from + (to - from) * part / parts; };
        std::vector<std::vector<std::uint32_t>> places(parts);
        parallel_for(parts, plan_.threads, [&](std::size_t part) {
            auto& own = places[part];
            own.assign(words, 0);
            for (std::size_t i = cut(part); i < cut(part + 1); ++i) {
                if (i % stride == 0) watch.add(0);
                own[word_begin] += begins(i);
                own[plan_.ids[i]] += plan_.ids[i] != word_end;
            }
        });
        starts_.resize(words + 1);
        std::uint64_t total = 0;
        for (std::size_t word = 0; word < words; ++word) {
            starts_[word] = total;
            for (auto& own : places) {  // the place of each part within the word's keys
                const std::uint32_t count = own[word];
                own[word] = static_cast<std::uint32_t>(total - starts_[word]);
                total += count;
            }
        }
        starts_[words] = total;
        parallel_for(parts, plan_.threads, [&](std::size_t part) { fill(cut(part), cut(part + 1), places[part], watch); });
    }

    void fill(std::size_t from, std::size_t to, std::vector<std::uint32_t>& places, Watch& watch) {
        const unsigned top = packing_.total - packing_.bits;
        Wide<W> key;
        auto put = [&](std::uint32_t word) { keys_[starts_[word] + places[word]++] = key; };
        // Backwards, so that each key is the one after it, moved down by a word; the first keys need the words behind.
        for (std::size_t i = std::min(plan_.ids.size(), to + static_cast<std::size_t>(packing_.length)); i > from; --i) {
            if (i % stride == 0) watch.add(0);
            const std::uint32_t word = plan_.ids[i - 1];
            const bool own = i <= to;
            if (word == word_end) {
                key = {};
            } else {
                if (own) put(word);
                key.shift_down(packing_.bits);
            }
            key.set(top, packing_.codes.code(word));
            if (own && begins(i - 1)) put(word_begin);
        }
    }

    const SortPlan plan_;
    const Packing<W>& packing_;
    std::vector<std::uint64_t> starts_;
    PageArray<Wide<W>> keys_;
    Scratch<W> scratch_;
};

/// Goes through several runs at once, in the order of their keys.
template <int W>
class Merge {
public:
    void add(const Wide<W>* from, const Wide<W>* to, const std::uint32_t* counts) {
        heads_.push_back({from, to, counts});
        std::push_heap(heads_.begin(), heads_.end(), later);
    }
    /// Calls take(key, count) for every different key.
    template <class Take>
    void run(Take&& take) {
        while (!heads_.empty()) {
            const Wide<W>& key = *heads_.front().at;
            std::uint64_t count = 0;
            while (!heads_.empty() && *heads_.front().at == key) {
                count += *heads_.front().counts;
                advance();
            }
            take(key, count);
        }
    }

private:
    struct Head {
        const Wide<W>*at, *end;
        const std::uint32_t* counts;
    };
    static bool later(const Head& a, const Head& b) { return *b.at < *a.at; }

    /// Moves the first head on and down to its place.
    void advance() {
        Head head = heads_.front();
        ++head.at;
        ++head.counts;
        if (head.at == head.end) {
            head = heads_.back();
            heads_.pop_back();
            if (heads_.empty()) return;
        }
        std::size_t place = 0;
        for (std::size_t child = 1; child < heads_.size(); child = 2 * place + 1) {
            if (child + 1 < heads_.size() && later(heads_[child], heads_[child + 1])) ++child;
            if (!later(head, heads_[child])) break;
            heads_[place] = heads_[child];
            place = child;
        }
        heads_[place] = head;
    }

    std::vector<Head> heads_;
};

/// Calls make.template operator()<W>() with the width of the keys of so many words.
template <class Make>
auto with_width(std::uint64_t words, int order, Make&& make) {
    switch (ngram_key_bytes(words, order) / 8) {
        case 0:
        case 1:
            return make.template operator()<1>();
        case 2:
            return make.template operator()<2>();
        case 3:
            return make.template operator()<3>();
        case 4:
            return make.template operator()<4>();
        case 8:
            return make.template operator()<8>();
        default:
            throw std::length_error("an order this high with a vocabulary this large");
    }
}

}  // namespace bitmeter::packed
