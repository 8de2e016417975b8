// Finding n-grams in the two data structures of KenLM's binaries, in place. Both begin with the last word and go on to
// the left: a `Node` is an n-gram under way, and each step puts one word before it.
//
// The bytes are a map of an untrusted file: whatever they are, a search ends and reads nothing outside of its part.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "ngram/kenlm/layout.hpp"
#include "util/once.hpp"
#include "util/packed.hpp"

namespace bitmeter {

/// What the file says of an n-gram. Only those that can be longer to the left are searched further.
struct KenlmEntry {
    float logprob = 0.0f, backoff = 0.0f;
    bool found = false, extends_left = false;
};

namespace kenlm {

template <class T>
T load(const std::uint8_t* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

/// A probability is never above one; the sign bit of a hash table's entries has another meaning.
inline float negative(std::uint32_t bits) { return std::bit_cast<float>(bits | 0x80000000u); }

/// Remainders by a divisor that stays the same: the reciprocal gives a quotient that is one too small at most.
class Remainder {
public:
    explicit Remainder(std::uint64_t divisor = 1)
        : divisor_(divisor), reciprocal_(divisor > 1 ? static_cast<std::uint64_t>((static_cast<unsigned __int128>(1) << 64) / divisor) : 0) {}
    std::uint64_t operator()(std::uint64_t value) const {
        if (divisor_ == 1) return 0;
        const auto quotient = static_cast<std::uint64_t>((static_cast<unsigned __int128>(value) * reciprocal_) >> 64);
        const std::uint64_t rest = value - quotient * divisor_;
        return rest >= divisor_ ? rest - divisor_ : rest;
    }
    std::uint64_t divisor() const { return divisor_; }

private:
    std::uint64_t divisor_, reciprocal_;
};

/// Entries of a fixed width that begin with a key of 64 bits, and no key is 0.
class HashTable {
public:
    HashTable() = default;
    HashTable(const std::uint8_t* base, std::uint64_t buckets, unsigned width)
        : base_(base), bucket_(buckets), width_(width) {}
    const std::uint8_t* ideal(std::uint64_t key) const { return base_ + bucket_(key) * width_; }
    /// Asks for the memory of a bucket, and of the next line where the bucket is near it: a search that fails looks at
    /// five buckets on average.
    static void ask(const std::uint8_t* ideal) {
        __builtin_prefetch(ideal);
        if ((reinterpret_cast<std::uintptr_t>(ideal) & 63) >= 32) __builtin_prefetch(ideal + 64);
    }
    /// The entry of a key, searched from the bucket where it should be; nullptr if there is none.
    const std::uint8_t* find(std::uint64_t key, const std::uint8_t* from) const {
        const std::uint8_t* const end = base_ + bucket_.divisor() * width_;
        const std::uint8_t* at = from;
        for (;;) {
            const std::uint64_t found = load<std::uint64_t>(at);
            if (found == key) return at;
            if (found == 0) return nullptr;
            at += width_;
            if (at == end) at = base_;
            if (at == from) [[unlikely]]
                return nullptr;  // the table has no empty bucket, which no sound one is without
        }
    }
    const std::uint8_t* find(std::uint64_t key) const { return find(key, ideal(key)); }
    const std::uint8_t* base() const { return base_; }
    std::uint64_t buckets() const { return bucket_.divisor(); }
    unsigned width() const { return width_; }

private:
    const std::uint8_t* base_ = nullptr;
    Remainder bucket_;
    unsigned width_ = 0;
};

}  // namespace kenlm

/// Hash tables, one for each order. A key is made of the numbers of the words alone, so that all keys of a text are known
/// before any is looked for.
class KenlmProbing {
public:
    /// `ideal`: where the next longer one should be.
    struct Node {
        std::uint64_t key = 0;
        const std::uint8_t* ideal = nullptr;
    };

    KenlmProbing() = default;
    KenlmProbing(const std::uint8_t* file, const KenlmLayout& layout)
        : unigrams_(file + layout.unigrams), unigram_width_(layout.unigram_width), order_(layout.order) {
        for (unsigned o = 2; o <= layout.order; ++o)
            tables_[o - 1] = {file + layout.parts[o - 1].offset, layout.parts[o - 1].buckets,
                              o < layout.order ? layout.entry_width : layout.longest_width};
    }

    static std::uint64_t longer(std::uint64_t key, std::uint32_t word) {
        return (key * 8978948897894561157ULL) ^ ((1 + std::uint64_t{word}) * 17894857484156487943ULL);
    }

    void ask_unigram(std::uint32_t word) const { __builtin_prefetch(unigrams_ + std::uint64_t{word} * unigram_width_); }
    KenlmEntry unigram(std::uint32_t word, Node& node) const {
        node.key = word;
        return value(unigrams_ + std::uint64_t{word} * unigram_width_);
    }
    /// Asks for the memory of the n-gram of this order that has the word before the node.
    void ask(unsigned order, Node& node, std::uint32_t word) const {
        node.key = longer(node.key, word);
        node.ideal = tables_[order - 1].ideal(node.key);
        tables_[order - 1].ask(node.ideal);
    }
    /// The n-gram that was asked for.
    KenlmEntry entry(unsigned order, Node& node, std::uint32_t) const {
        const std::uint8_t* found = tables_[order - 1].find(node.key, node.ideal);
        if (!found) return {};
        if (order < order_) return value(found + 8);
        return {kenlm::negative(kenlm::load<std::uint32_t>(found + 8)), 0.0f, true, false};
    }

    const kenlm::HashTable& table(unsigned order) const { return tables_[order - 1]; }
    static KenlmEntry value(const std::uint8_t* at) {
        const auto bits = kenlm::load<std::uint32_t>(at);
        return {kenlm::negative(bits), kenlm::load<float>(at + 4), true, (bits & 0x80000000u) == 0};
    }

private:
    const std::uint8_t* unigrams_ = nullptr;
    unsigned unigram_width_ = 0, order_ = 0;
    kenlm::HashTable tables_[max_order];
};

/// A trie of packed bits. The children of a node are those n-grams that have one word more before it, sorted by word.
class KenlmTrie {
public:
    struct Node {
        std::uint64_t begin = 0, end = 0;
    };

    KenlmTrie() = default;
    KenlmTrie(const std::uint8_t* file, const KenlmLayout& layout) : file_(file), layout_(&layout) {}

    void ask_unigram(std::uint32_t word) const { __builtin_prefetch(unigram_at(word)); }
    KenlmEntry unigram(std::uint32_t word, Node& node) const {
        const std::uint8_t* at = unigram_at(word);
        node = checked(2, kenlm::load<std::uint64_t>(at + 8), kenlm::load<std::uint64_t>(at + 24));
        return {kenlm::negative(kenlm::load<std::uint32_t>(at)), kenlm::load<float>(at + 4), true, node.begin < node.end};
    }
    void ask(unsigned order, Node& node, std::uint32_t word) const {
        const KenlmPart& part = layout_->parts[order - 1];
        __builtin_prefetch(file_ + part.offset + guess(node, word) * part.total_bits / 8);
    }
    KenlmEntry entry(unsigned order, Node& node, std::uint32_t word) const {
        const std::uint64_t place = find(order, node, word);
        if (place == none) return {};
        return at(order, place, node);
    }

    /// The n-gram at a place among those of its order, above 1; `node` becomes its children.
    KenlmEntry at(unsigned order, std::uint64_t place, Node& node) const {
        const KenlmPart& part = layout_->parts[order - 1];
        const std::uint8_t* base = file_ + part.offset;
        const std::uint64_t bit = place * part.total_bits + part.word_bits;
        KenlmEntry result;
        result.found = true;
        const bool longest = order == layout_->order;
        if (is_quantised(layout_->kind)) {
            const unsigned before = longest ? 0 : layout_->backoff_bits;
            result.logprob = kenlm::negative(kenlm::load<std::uint32_t>(
                file_ + part.logprobs + 4 * packed_at(base, bit + before, layout_->logprob_bits)));
            if (!longest)
                result.backoff = kenlm::load<float>(file_ + part.backoffs + 4 * packed_at(base, bit, layout_->backoff_bits));
        } else {
            result.logprob = kenlm::negative(static_cast<std::uint32_t>(packed_at(base, bit, 31)));
            if (!longest) result.backoff = std::bit_cast<float>(static_cast<std::uint32_t>(packed_at(base, bit + 31, 32)));
        }
        if (longest) {
            node = {};
        } else {
            node = children(order, place);
            result.extends_left = node.begin < node.end;
        }
        return result;
    }
    /// The word that an n-gram of this order, above 1, begins with.
    std::uint32_t word(unsigned order, std::uint64_t place) const {
        const KenlmPart& part = layout_->parts[order - 1];
        return static_cast<std::uint32_t>(packed_at(file_ + part.offset, place * part.total_bits, part.word_bits));
    }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    const std::uint8_t* unigram_at(std::uint32_t word) const { return file_ + layout_->unigrams + std::uint64_t{word} * 16; }

    /// Children of a node among the n-grams of an order, if they are there.
    Node checked(unsigned order, std::uint64_t begin, std::uint64_t end) const {
        begin = once(begin);
        end = once(end);
        if (begin > end || end > layout_->parts[order - 1].entries) [[unlikely]]
            outside();
        return {begin, end};
    }
    [[noreturn, gnu::cold]] static void outside() {
        throw NgramFormatError("a link in it leads out of the file; fetch it or build it again");
    }

    Node children(unsigned order, std::uint64_t place) const {
        const KenlmPart& part = layout_->parts[order - 1];
        const std::uint8_t* base = file_ + part.offset;
        const std::uint64_t bit = place * part.total_bits + part.word_bits + part.value_bits;
        std::uint64_t begin = packed_at(base, bit, part.inline_bits);
        std::uint64_t end = packed_at(base, bit + part.total_bits, part.inline_bits);
        if (part.array_size) {
            const std::uint64_t high = rows_up_to(part, place);
            std::uint64_t next = high;
            while (next + 1 < part.array_size && row(part, next + 1) <= place + 1) ++next;
            begin |= high << part.inline_bits;
            end |= next << part.inline_bits;
        }
        return checked(order + 1, begin, end);
    }

    std::uint64_t row(const KenlmPart& part, std::uint64_t i) const {
        return kenlm::load<std::uint64_t>(file_ + part.array + 8 * i);
    }
    /// The last row of the array that begins at this place or before it.
    std::uint64_t rows_up_to(const KenlmPart& part, std::uint64_t place) const {
        std::uint64_t low = 0, high = part.array_size;
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            (row(part, middle) <= place ? low : high) = middle;
        }
        return low;
    }

    std::uint64_t guess(const Node& node, std::uint32_t word) const {
        return node.begin + static_cast<std::uint64_t>((static_cast<unsigned __int128>(word) * (node.end - node.begin)) /
                                                       (layout_->counts[0] + 1));
    }

    /// By proportion first, since the words are numbered by their hashes; then by halves.
    std::uint64_t find(unsigned order, const Node& node, std::uint32_t wanted) const {
        std::uint64_t begin = node.begin, end = node.end;
        if (begin >= end) return none;
        std::uint64_t low = 0, high = layout_->counts[0] + 1, place = guess(node, wanted);
        if (place >= end) place = end - 1;
        for (int step = 0;; ++step) {
            const std::uint32_t found = word(order, place);
            if (found == wanted) return place;
            if (found < wanted) {
                begin = place + 1;
                low = std::uint64_t{found} + 1;
            } else {
                end = place;
                high = found;
            }
            if (begin >= end || wanted < low || wanted >= high) return none;
            place = step < 4 ? begin + (wanted - low) * (end - begin) / (high - low) : begin + (end - begin) / 2;
        }
    }

    const std::uint8_t* file_ = nullptr;
    const KenlmLayout* layout_ = nullptr;
};

}  // namespace bitmeter
