// Words and their pieces, in a memory that grows up to a bound: four places for each hash, of which a new word takes one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "text/split.hpp"
#include "util/array.hpp"

namespace bitmeter {

/// The pieces of some documents.
struct PieceRun {
    std::vector<std::int32_t> ids;    // [0, size)
    std::vector<std::int64_t> cuts;   // where each begins
    std::vector<std::int64_t> bounds; // how many units there are after each document
    std::size_t size = 0, lossy = 0;

    void clear() {
        size = lossy = 0;
        bounds.clear();
    }
    /// There is room for so many more.
    void reserve(std::size_t more) {
        if (size + more <= ids.size()) return;
        ids.resize(std::max(size + more, 2 * ids.size()));
        cuts.resize(ids.size());
    }
    void push(std::int32_t id, std::int64_t cut) {
        reserve(1);
        ids[size] = id;
        cuts[size++] = cut;
    }
};

/// What is known of a word.
enum PieceFlags : std::uint8_t {
    word_bare = 1,         // it stands at the beginning of a text, without a space before it
    word_exact = 2,        // its pieces give its bytes back
    word_ends_space = 4,   // it is normalised to something that ends in a space
    word_has_bytes = 8,    // some of its pieces are bytes
    word_first_unknown = 16,
    word_last_unknown = 32,
    word_kept = 64,        // it may be kept
};

/// The pieces of a word: ids, and where each begins in the word, its space included; and what is added to the sum, in turn.
/// Unknown characters are added one by one, and may be one piece, or a piece each byte.
struct PieceEntry {
    std::vector<std::int32_t> ids;
    std::vector<float> scores;
    std::vector<std::uint32_t> offsets;
    float limit = 0.0f;  // of the sum: what lies beyond is to be split again
    std::uint8_t flags = 0;
};

class PieceMemo {
public:
    static constexpr std::size_t most_inline = 16, most_pieces = 4;
    static constexpr std::size_t longest = 96, most_long_pieces = 40;

    struct alignas(64) Slot {
        std::uint64_t key[2];     // the bytes of a short word; of a long one, its hash and where it is
        std::uint8_t length;      // 0: empty; 255: long
        std::uint8_t count, flags, unused;
        float limit;
        std::int32_t ids[most_pieces];
        float scores[most_pieces];
        std::uint8_t offsets[most_pieces];
        std::uint32_t age;  // of the long words
    };
    static_assert(sizeof(Slot) == 64);

    /// A long word: its bytes follow the pieces.
    struct Long {
        std::uint32_t length, count, nodes;
        float limit;
        std::uint8_t flags;
        std::int32_t ids[most_long_pieces];
        float scores[most_long_pieces];
        std::uint8_t offsets[most_long_pieces];
        std::uint8_t bytes[longest];
    };

    PieceMemo() { allocate(fewest_sets); }

    struct Key {
        std::uint64_t low, high, hash;
        std::uint32_t length;
        bool bare;
    };

    /// `limit`: how far bytes can be read.
    static Key key(Bytes body, bool bare, const std::uint8_t* limit) {
        Key key{0, 0, 0, static_cast<std::uint32_t>(body.size), bare};
        if (body.size <= most_inline) {
            if (body.data + 16 <= limit) {
                key.low = load(body.data);
                key.high = load(body.data + 8);
                if (body.size <= 8) {
                    key.high = 0;
                    if (body.size < 8) key.low &= (std::uint64_t{1} << (8 * body.size)) - 1;
                } else if (body.size < 16) {
                    key.high &= (std::uint64_t{1} << (8 * (body.size - 8))) - 1;
                }
            } else {
                std::uint8_t padded[16] = {};
                std::memcpy(padded, body.data, body.size);
                key.low = load(padded);
                key.high = load(padded + 8);
            }
            key.hash = short_hash(key.low, key.high, body.size, bare);
        } else {
            std::uint64_t hash = body.size + (bare ? 977 : 0);
            std::size_t i = 0;
            for (; i + 8 <= body.size; i += 8) hash = mix(hash ^ load(body.data + i));
            if (i < body.size) hash = mix(hash ^ load(body.data + body.size - 8));
            key.hash = key.low = mix(hash);
        }
        return key;
    }

    void prefetch(const Key& key) const { __builtin_prefetch(set(key.hash)); }

    /// The place of a short word, if it is kept.
    const Slot* find_short(const Key& key) const {
        const Slot* slot = set(key.hash);
        for (std::size_t i = 0; i < ways; ++i, ++slot)
            if (slot->length == key.length && slot->key[0] == key.low && slot->key[1] == key.high &&
                (slot->flags & word_bare) == (key.bare ? word_bare : 0))
                return slot;
        return nullptr;
    }
    /// A word with many bytes or pieces, if it is kept.
    const Long* find_long(const Key& key, Bytes body) const {
        const Slot* slot = set(key.hash);
        for (std::size_t i = 0; i < ways; ++i, ++slot)
            if (slot->length == 255 && slot->key[0] == key.hash && slot->age == age_) {
                const Long& found = long_[slot->key[1]];
                if (found.length == body.size && (found.flags & word_bare) == (key.bare ? word_bare : 0) &&
                    std::memcmp(found.bytes, body.data, body.size) == 0)
                    return &found;
            }
        return nullptr;
    }

    void keep(const Key& key, Bytes body, const PieceEntry& entry) {
        const std::size_t size = std::max(entry.ids.size(), entry.scores.size());
        if (body.size == 0 || body.size > longest || size > most_long_pieces) return;
        if (2 * ++used_ > sets_ * ways && sets_ < most_sets) grow();
        Slot* slot = empty(key.hash);
        if (!slot) slot = set(key.hash) + (++turn_ & (ways - 1));
        if (body.size <= most_inline && size <= most_pieces) {
            *slot = {};
            slot->key[0] = key.low;
            slot->key[1] = key.high;
            slot->length = static_cast<std::uint8_t>(body.size);
            fill(*slot, entry);
            slot->count = static_cast<std::uint8_t>(entry.ids.size());
            return;
        }
        if (long_.size() == most_long) {
            long_.clear();
            ++age_;
        }
        Long made{};
        made.length = static_cast<std::uint32_t>(body.size);
        made.count = static_cast<std::uint32_t>(entry.ids.size());
        made.nodes = static_cast<std::uint32_t>(entry.scores.size());
        fill(made, entry);
        std::memcpy(made.bytes, body.data, body.size);
        *slot = {};
        slot->length = 255;
        slot->key[0] = key.hash;
        slot->key[1] = long_.size();
        slot->age = age_;
        long_.push_back(made);
    }

private:
    static constexpr std::size_t fewest_sets = std::size_t{1} << 8, most_sets = std::size_t{1} << 16, ways = 4;
    static constexpr std::size_t most_long = std::size_t{1} << 15;

    void allocate(std::size_t sets) {
        sets_ = sets;
        slots_ = Array<Slot>(sets * ways + 1);
        const auto at = reinterpret_cast<std::uintptr_t>(slots_.data());
        first_ = reinterpret_cast<Slot*>((at + 63) & ~std::uintptr_t{63});
        std::memset(static_cast<void*>(first_), 0, sets * ways * sizeof(Slot));
    }
    /// Words that are many fill few pages; few words in a large memory would lie on a page each.
    void grow() {
        const Array<Slot> old = std::move(slots_);
        const Slot *slot = first_, *const end = first_ + sets_ * ways;
        allocate(4 * sets_);
        for (; slot < end; ++slot) {
            if (slot->length == 0 || (slot->length == 255 && slot->age != age_)) continue;
            const std::uint64_t hash = slot->length == 255 ? slot->key[0]
                                                           : short_hash(slot->key[0], slot->key[1], slot->length,
                                                                        slot->flags & word_bare);
            if (Slot* const place = empty(hash)) *place = *slot;
        }
    }
    Slot* empty(std::uint64_t hash) const {
        for (Slot *slot = set(hash), *const end = slot + ways; slot < end; ++slot)
            if (slot->length == 0) return slot;
        return nullptr;
    }
    static std::uint64_t short_hash(std::uint64_t low, std::uint64_t high, std::size_t size, bool bare) {
        return mix(low ^ mix(high + size + (bare ? 977 : 0)));
    }
    static std::uint64_t load(const std::uint8_t* p) {
        std::uint64_t word;
        std::memcpy(&word, p, 8);
        return word;
    }
    static std::uint64_t mix(std::uint64_t x) {
        x *= 0x9E3779B97F4A7C15u;
        return x ^ x >> 32;
    }
    template <class Into>
    static void fill(Into& into, const PieceEntry& entry) {
        into.flags = entry.flags;
        into.limit = entry.limit;
        for (std::size_t i = 0; i < entry.ids.size(); ++i) {
            into.ids[i] = entry.ids[i];
            into.offsets[i] = static_cast<std::uint8_t>(entry.offsets[i]);
        }
        std::copy(entry.scores.begin(), entry.scores.end(), into.scores);
    }
    Slot* set(std::uint64_t hash) const { return first_ + (hash & (sets_ - 1)) * ways; }

    Array<Slot> slots_;
    Slot* first_ = nullptr;
    std::size_t sets_ = 0, used_ = 0;
    std::vector<Long> long_;
    std::uint32_t age_ = 1, turn_ = 0;
};

}  // namespace bitmeter
