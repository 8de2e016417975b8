#include "ngram_keys.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "parallel.hpp"

namespace bitmeter {
namespace {

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
void radix_sort(Wide<W>* keys, Wide<W>* scratch, std::size_t size, unsigned top) {
    constexpr std::size_t small = 128;
    if (size <= small || top == 0) {
        std::sort(keys, keys + size);
        return;
    }
    const unsigned shift = top > 8 ? top - 8 : 0;
    std::array<std::size_t, 257> starts{};
    for (std::size_t i = 0; i < size; ++i) ++starts[keys[i].bits(shift, 255) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    if (*std::max_element(starts.begin(), starts.end()) == size &&
        starts[keys[0].bits(shift, 255) + 1] - starts[keys[0].bits(shift, 255)] == size) {
        radix_sort(keys, scratch, size, shift);
        return;
    }
    auto places = starts;
    for (std::size_t i = 0; i < size; ++i) scratch[places[keys[i].bits(shift, 255)]++] = keys[i];
    std::copy(scratch, scratch + size, keys);
    for (int digit = 0; digit < 256; ++digit) {
        const std::size_t from = starts[digit], to = starts[digit + 1];
        if (to - from > 1) radix_sort(keys + from, scratch + from, to - from, shift);
    }
}

template <int W>
class Keys final : public NgramKeys {
public:
    Keys(const std::vector<std::uint32_t>& ids, std::uint64_t words, int order, unsigned threads)
        : codes_(words), length_(order - 1), bits_(codes_.bits()), total_(bits_ * static_cast<unsigned>(length_)) {
        scatter(ids, words, threads);
        kinds_.assign(words * static_cast<std::size_t>(length_), 0);
        std::vector<std::uint32_t> biggest(words);
        std::iota(biggest.begin(), biggest.end(), 0u);
        auto size = [&](std::uint32_t w) { return starts_[w + 1] - starts_[w]; };
        std::stable_sort(biggest.begin(), biggest.end(), [&](auto a, auto b) { return size(a) > size(b); });
        // Few large buckets first, each a task; then the many small ones in bundles.
        const std::size_t single = std::min<std::size_t>(words, 1024), bundle = 512;
        parallel_for(single + (words - single + bundle - 1) / bundle, threads, [&](std::size_t task) {
            const std::size_t from = task < single ? task : single + (task - single) * bundle;
            const std::size_t to = task < single ? task + 1 : std::min<std::size_t>(words, from + bundle);
            std::vector<Wide<W>> scratch(size(biggest[from]));
            for (std::size_t i = from; i < to; ++i) {
                const std::uint32_t word = biggest[i];
                radix_sort(keys_.data() + starts_[word], scratch.data(), size(word), total_);
                count(word);
            }
        });
    }

    std::uint64_t kinds(std::uint32_t first, int order) const override {
        return kinds_[first * static_cast<std::size_t>(length_) + order - 2];
    }

    void visit(std::uint32_t first, const Visit& visit) const override {
        std::uint32_t codes[max_order];
        const Wide<W>* before = nullptr;
        for (std::size_t i = starts_[first]; i < starts_[first + 1];) {
            std::size_t next = i + 1;
            while (next < starts_[first + 1] && keys_[next] == keys_[i]) ++next;
            const int shared = before ? shared_words(*before, keys_[i]) : 0, length = length_of(keys_[i]);
            for (int j = shared; j < length; ++j) codes[j] = keys_[i].bits((length_ - 1 - j) * bits_, mask());
            visit(codes, length, shared, next - i);
            before = &keys_[i];
            i = next;
        }
    }

private:
    std::uint32_t mask() const { return bits_ >= 32 ? ~0u : (1u << bits_) - 1; }
    /// A sentence that ends within the key ends in word_end, and zeros follow; zeros after another word are word_unknown.
    int length_of(const Wide<W>& key) const {
        const int length = static_cast<int>((total_ - 1 - key.lowest_bit()) / bits_) + 1;
        const std::uint32_t last = key.bits(static_cast<unsigned>(length_ - length) * bits_, mask());
        return last == codes_.code(word_end) ? length : length_;
    }
    int shared_words(const Wide<W>& a, const Wide<W>& b) const {
        return static_cast<int>((total_ - 1 - Wide<W>::highest_difference(a, b)) / bits_);
    }

    void count(std::uint32_t word) {
        std::uint64_t* kinds = kinds_.data() + word * static_cast<std::size_t>(length_);
        for (std::size_t i = starts_[word]; i < starts_[word + 1]; ++i) {
            if (i > starts_[word] && keys_[i] == keys_[i - 1]) continue;
            const int shared = i > starts_[word] ? shared_words(keys_[i - 1], keys_[i]) : 0;
            for (int j = shared, length = length_of(keys_[i]); j < length; ++j) ++kinds[j];
        }
    }

    /// One key for each place of the text where an n-gram begins, by its first word.
    void scatter(const std::vector<std::uint32_t>& ids, std::uint64_t words, unsigned threads) {
        const std::size_t parts = thread_count(threads, std::max<std::size_t>(1, ids.size() >> 16));
        std::vector<std::size_t> cuts{0};
        for (std::size_t part = 1; part < parts; ++part) {
            std::size_t at = std::max(cuts.back(), ids.size() * part / parts);
            while (at > cuts.back() && at < ids.size() && ids[at - 1] != word_end) ++at;
            cuts.push_back(at);
        }
        cuts.push_back(ids.size());
        std::vector<std::vector<std::uint64_t>> places(parts, std::vector<std::uint64_t>(words, 0));
        parallel_for(parts, threads, [&](std::size_t part) {
            auto& own = places[part];
            for (std::size_t i = cuts[part]; i < cuts[part + 1]; ++i) ++own[ids[i] == word_end ? word_begin : ids[i]];
        });
        starts_.assign(words + 1, 0);
        std::uint64_t total = 0;
        for (std::uint64_t word = 0; word < words; ++word) {
            starts_[word] = total;
            for (auto& own : places) total += std::exchange(own[word], total);
        }
        starts_[words] = total;
        keys_.resize(total);
        const unsigned top = total_ - bits_;
        parallel_for(parts, threads, [&](std::size_t part) {
            auto& own = places[part];
            Wide<W> key;
            // Backwards, so that each key is the one after it, moved down by a word.
            for (std::size_t i = cuts[part + 1]; i > cuts[part]; --i) {
                const std::uint32_t word = ids[i - 1];
                if (word == word_end) {
                    key = {};
                } else {
                    keys_[own[word]++] = key;
                    if (bits_ < 64) key.shift_down(bits_);
                }
                key.set(top, codes_.code(word));
                if (i - 1 == cuts[part] || ids[i - 2] == word_end) keys_[own[word_begin]++] = key;
            }
        });
    }

    WordCodes codes_;
    int length_;  // words after the first
    unsigned bits_, total_;
    std::vector<std::uint64_t> starts_;
    std::vector<Wide<W>> keys_;
    std::vector<std::uint64_t> kinds_;
};

}  // namespace

std::unique_ptr<NgramKeys> sorted_ngrams(const std::vector<std::uint32_t>& ids, std::uint64_t words, int order,
                                         unsigned threads) {
    const unsigned total = WordCodes(words).bits() * static_cast<unsigned>(order - 1);
    switch ((total + 63) / 64) {
        case 0:
        case 1:
            return std::make_unique<Keys<1>>(ids, words, order, threads);
        case 2:
            return std::make_unique<Keys<2>>(ids, words, order, threads);
        case 3:
            return std::make_unique<Keys<3>>(ids, words, order, threads);
        case 4:
            return std::make_unique<Keys<4>>(ids, words, order, threads);
        case 5:
            return std::make_unique<Keys<5>>(ids, words, order, threads);
        case 6:
            return std::make_unique<Keys<6>>(ids, words, order, threads);
        case 7:
        case 8:
            return std::make_unique<Keys<8>>(ids, words, order, threads);
        default:
            throw std::length_error("an order this high with a vocabulary this large");
    }
}

}  // namespace bitmeter
