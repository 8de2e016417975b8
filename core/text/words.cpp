// Hashing words and numbering them.
#include <bit>
#include <cstring>

#include "text/split.hpp"

namespace bitmeter {
namespace {

// Odd constants without pattern: the fractional digits of the golden ratio and of the roots of 2 and 3.
constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL, root2 = 0x6A09E667F3BCC909ULL, root3 = 0xBB67AE8584CAA73BULL;

/// Both halves of a 128-bit product, folded into one.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Int>
std::uint64_t load(const std::uint8_t* p) {
    Int value;
    std::memcpy(&value, p, sizeof value);
    if constexpr (std::endian::native == std::endian::big)
        value = sizeof(Int) == 8 ? static_cast<Int>(__builtin_bswap64(value)) : static_cast<Int>(__builtin_bswap32(value));
    return value;
}

/// One to eight bytes as one number; loads may overlap, since the length is mixed in too.
std::uint64_t load_tail(const std::uint8_t* p, std::size_t n) {
    if (n >= 4) return load<std::uint32_t>(p) | load<std::uint32_t>(p + n - 4) << 32;
    if (n == 0) return 0;
    return std::uint64_t{p[0]} | std::uint64_t{p[n / 2]} << 8 | std::uint64_t{p[n - 1]} << 16;
}

std::uint64_t full_hash(Bytes word) {
    const std::uint8_t* p = word.data;
    std::size_t n = word.size;
    std::uint64_t h = mix(static_cast<std::uint64_t>(n) ^ root2, golden);
    for (; n > 8; p += 8, n -= 8) h = mix(h ^ load<std::uint64_t>(p), root3);
    h = mix(h ^ load_tail(p, n), golden);
    h ^= h >> 32;
    h *= root3;
    return h ^ (h >> 29);
}

constexpr std::size_t first_slots = 1024;  // a power of two

}  // namespace

std::int64_t hash_word(Bytes word) { return static_cast<std::int64_t>(full_hash(word) >> 1); }

WordTable::WordTable() : slots_(first_slots, Slot{0, -1}), offsets_{0} {}

std::size_t WordTable::slot(Bytes word, std::uint64_t hash) const {
    const std::size_t last = slots_.size() - 1;
    for (std::size_t i = hash & last;; i = (i + 1) & last) {
        const Slot& s = slots_[i];
        if (s.number < 0) return i;
        if (s.hash != hash) continue;
        const std::size_t from = offsets_[static_cast<std::size_t>(s.number)];
        const std::size_t size = offsets_[static_cast<std::size_t>(s.number) + 1] - from;
        if (size == word.size && (size == 0 || std::memcmp(bytes_.data() + from, word.data, size) == 0)) return i;
    }
}

std::int64_t WordTable::find(Bytes word) const { return slots_[slot(word, full_hash(word))].number; }

std::int64_t WordTable::add(Bytes word) {
    const std::uint64_t hash = full_hash(word);
    std::size_t i = slot(word, hash);
    if (slots_[i].number >= 0) return slots_[i].number;
    if ((size() + 1) * 2 > slots_.size()) {
        grow();
        i = slot(word, hash);
    }
    const auto number = static_cast<std::int64_t>(size());
    bytes_.insert(bytes_.end(), word.data, word.data + word.size);
    offsets_.push_back(bytes_.size());
    slots_[i] = {hash, number};
    return number;
}

void WordTable::grow() {
    std::vector<Slot> old(slots_.size() * 2, Slot{0, -1});
    old.swap(slots_);
    const std::size_t last = slots_.size() - 1;
    for (const Slot& s : old) {
        if (s.number < 0) continue;
        std::size_t i = s.hash & last;
        while (slots_[i].number >= 0) i = (i + 1) & last;
        slots_[i] = s;
    }
}

}  // namespace bitmeter
