#include "text/count.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "util/parallel.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t task_length = 1 << 20;  // symbols that are worth handing to another thread
constexpr std::size_t block_length = 4096;    // counted, then checked
constexpr std::size_t copies = 4;             // tables per thread: a run of equal symbols would wait on one counter
constexpr std::size_t small_table = 4096;     // symbols below this are counted without knowing their range first
constexpr std::size_t dense_limit = 1 << 22;  // largest table that is not justified by the sample itself

struct Piece {
    std::size_t begin, end;
};

/// One contiguous part per thread, of at least task_length symbols.
std::vector<Piece> pieces(std::size_t n, unsigned allowed) {
    unsigned threads = thread_count(allowed, n / task_length);
    std::vector<Piece> result;
    for (unsigned i = 0; i < threads; ++i) result.push_back({n * i / threads, n * (i + 1) / threads});
    return result;
}

/// Counts `key(i, seen)` for i in [begin, end) in `copies` interleaved tables of `size` entries; returns what they have
/// seen.
template <class Key>
std::uint64_t tally(std::uint32_t* tables, std::size_t size, std::size_t begin, std::size_t end, Key&& key) {
    std::uint64_t seen = 0;
    std::size_t i = begin;
    for (; i + copies <= end; i += copies)
        for (std::size_t c = 0; c < copies; ++c) ++tables[c * size + key(i + c, seen)];
    for (; i < end; ++i) ++tables[key(i, seen)];
    return seen;
}

void merge(std::vector<std::int64_t>& total, const std::vector<std::uint32_t>& tables) {
    const std::size_t size = total.size();
    for (std::size_t c = 0; c < tables.size() / size; ++c)
        for (std::size_t s = 0; s < size; ++s) total[s] += tables[c * size + s];
}

// A table's counters have 32 bits: a part is counted in blocks that cannot overflow them.
constexpr std::size_t longest_count = std::size_t{1} << 31;

/// Counts keys below `size`. `key(i, seen)` gives one that is, whatever the symbol, and adds the symbol's bits to `seen`:
/// so a pass over memory both checks and counts. False if any was not below `limit`, a power of two.
template <class Key>
bool count_table(std::size_t n, std::size_t size, unsigned allowed, std::vector<std::int64_t>& total, std::uint64_t limit,
                 Key&& key) {
    const auto parts = pieces(n, allowed);
    std::vector<std::vector<std::int64_t>> totals(parts.size(), std::vector<std::int64_t>(size, 0));
    std::vector<char> fits(parts.size(), 1);
    parallel_for(parts.size(), allowed, [&](std::size_t part) {
        std::vector<std::uint32_t> tables(copies * size);
        std::size_t since = 0;
        for (std::size_t i = parts[part].begin; i < parts[part].end; i += block_length) {
            std::size_t end = std::min(i + block_length, parts[part].end);
            if (tally(tables.data(), size, i, end, key) >= limit) {
                fits[part] = 0;
                return;
            }
            if ((since += end - i) >= longest_count) {
                merge(totals[part], tables);
                std::fill(tables.begin(), tables.end(), 0);
                since = 0;
            }
        }
        merge(totals[part], tables);
    });
    if (std::find(fits.begin(), fits.end(), 0) != fits.end()) return false;
    total.assign(size, 0);
    for (const auto& part : totals)
        for (std::size_t s = 0; s < size; ++s) total[s] += part[s];
    return true;
}

/// A symbol's low bits, below `limit`, a power of two; all of its bits are added to `seen`, where it may have others.
template <class Int>
std::size_t low_bits(Int x, std::uint64_t limit, std::uint64_t& seen) {
    const auto all = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
    if constexpr (sizeof(Int) > 1) seen |= all;
    return static_cast<std::size_t>(all & (limit - 1));
}

/// Bytes come eight at a time: one load of 64 bits is cheaper than eight of 8.
bool count_bytes(const std::uint8_t* x, std::size_t n, unsigned allowed, std::vector<std::int64_t>& total) {
    const auto parts = pieces(n, allowed);
    std::vector<std::array<std::int64_t, 256>> totals(parts.size());
    parallel_for(parts.size(), allowed, [&](std::size_t part) {
        std::uint32_t tables[8][256];
        totals[part].fill(0);
        std::size_t i = parts[part].begin, end = parts[part].end;
        while (i < end) {
            std::fill(&tables[0][0], &tables[0][0] + 8 * 256, 0u);
            std::size_t stop = std::min(end, i + longest_count);
            for (; i + 8 <= stop; i += 8) {
                std::uint64_t word;
                __builtin_memcpy(&word, x + i, 8);
                for (int c = 0; c < 8; ++c) ++tables[c][(word >> (8 * c)) & 255];
            }
            for (; i < stop; ++i) ++tables[0][x[i]];
            for (int c = 0; c < 8; ++c)
                for (int s = 0; s < 256; ++s) totals[part][s] += tables[c][s];
        }
    });
    total.assign(256, 0);
    for (const auto& part : totals)
        for (int s = 0; s < 256; ++s) total[s] += part[s];
    return true;
}

/// Open addressing over 64-bit keys, grown at half full.
class HashCounts {
public:
    void add(std::uint64_t key) {
        std::size_t i = slot(key);
        if (counts_[i] == 0) {
            keys_[i] = key;
            if (++used_ * 2 > keys_.size()) {
                counts_[i] = 1;
                grow();
                return;
            }
        }
        ++counts_[i];
    }

    template <class Visit>
    void each(Visit&& visit) const {
        for (std::size_t i = 0; i < keys_.size(); ++i)
            if (counts_[i]) visit(keys_[i], counts_[i]);
    }

    std::size_t size() const { return used_; }

private:
    std::size_t slot(std::uint64_t key) const {
        std::uint64_t h = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15ULL;
        std::size_t i = (h ^ (h >> 29)) & (keys_.size() - 1);
        while (counts_[i] != 0 && keys_[i] != key) i = (i + 1) & (keys_.size() - 1);
        return i;
    }

    void grow() {
        auto keys = std::move(keys_);
        auto counts = std::move(counts_);
        keys_.assign(keys.size() * 2, 0);
        counts_.assign(keys_.size(), 0);
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (counts[i]) {
                std::size_t j = slot(keys[i]);
                keys_[j] = keys[i];
                counts_[j] = counts[i];
            }
    }

    std::size_t used_ = 0;
    std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(1024);
    std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(1024);
};

/// The table's entries that occur, as a list; `base` is the symbol of entry 0.
SymbolCounts listed(const std::vector<std::int64_t>& total, std::int64_t base) {
    SymbolCounts result;
    for (std::size_t s = 0; s < total.size(); ++s)
        if (total[s]) {
            result.symbols.push_back(base + static_cast<std::int64_t>(s));
            result.counts.push_back(total[s]);
        }
    return result;
}

template <class Int>
SymbolCounts count_hashed(const Int* x, std::size_t n) {
    HashCounts table;
    for (std::size_t i = 0; i < n; ++i) table.add(static_cast<std::uint64_t>(static_cast<std::int64_t>(x[i])));
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    found.reserve(table.size());
    table.each([&](std::uint64_t key, std::int64_t count) { found.emplace_back(static_cast<std::int64_t>(key), count); });
    std::sort(found.begin(), found.end());
    SymbolCounts result;
    for (auto [symbol, count] : found) {
        result.symbols.push_back(symbol);
        result.counts.push_back(count);
    }
    return result;
}

/// Symbols as numbers 0..size-1 where their range is small enough for a table of pairs.
struct Range {
    std::int64_t low = 0;
    std::uint64_t size = 0;  // high - low + 1; 0 stands for 2^64
};

template <class Int>
Range range_of(const Int* x, std::size_t n) {
    Int low = x[0], high = x[0];
    for (std::size_t i = 1; i < n; ++i) {
        low = std::min(low, x[i]);
        high = std::max(high, x[i]);
    }
    return {static_cast<std::int64_t>(low),
            static_cast<std::uint64_t>(static_cast<std::int64_t>(high)) -
                static_cast<std::uint64_t>(static_cast<std::int64_t>(low)) + 1};
}

template <class Int>
std::uint64_t offset(Int x, std::int64_t low) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) - static_cast<std::uint64_t>(low);
}

/// Pairs whose ranges are too wide for a table: sorted by (x, y) through a permutation.
template <class Int>
PairCounts count_pairs_sorted(const Int* x, const Int* y, std::size_t n) {
    std::vector<std::pair<Int, Int>> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = {x[i], y[i]};
    std::sort(all.begin(), all.end());
    PairCounts result;
    for (std::size_t i = 0; i < n;) {
        std::size_t j = i;
        while (j < n && all[j] == all[i]) ++j;
        result.first.push_back(static_cast<std::int64_t>(all[i].first));
        result.second.push_back(static_cast<std::int64_t>(all[i].second));
        result.counts.push_back(static_cast<std::int64_t>(j - i));
        i = j;
    }
    return result;
}

}  // namespace

template <class Int>
SymbolCounts count_symbols(const Int* x, std::size_t n, unsigned threads) {
    std::vector<std::int64_t> total;
    if constexpr (sizeof(Int) == 1) {
        count_bytes(x, n, threads, total);
        return listed(total, 0);
    } else {
        if (n == 0) return {};
        auto key = [&](std::size_t i, std::uint64_t& seen) { return low_bits(x[i], small_table, seen); };
        if (count_table(n, small_table, threads, total, small_table, key)) return listed(total, 0);
        Range range = range_of(x, n);
        if (range.size != 0 && range.size <= std::max<std::uint64_t>(dense_limit, n / 8)) {
            total.assign(range.size, 0);
            for (std::size_t i = 0; i < n; ++i) ++total[offset(x[i], range.low)];
            return listed(total, range.low);
        }
        return count_hashed(x, n);
    }
}

template <class Int>
PairCounts count_pairs(const Int* x, const Int* y, std::size_t n, unsigned threads) {
    if (n == 0) return {};
    constexpr std::uint64_t side_limit = 1024;
    std::vector<std::int64_t> total;
    auto list_pairs = [&](std::uint64_t width, std::int64_t low_x, std::int64_t low_y) {
        PairCounts result;
        for (std::size_t s = 0; s < total.size(); ++s)
            if (total[s]) {
                result.first.push_back(low_x + static_cast<std::int64_t>(s / width));
                result.second.push_back(low_y + static_cast<std::int64_t>(s % width));
                result.counts.push_back(total[s]);
            }
        return result;
    };
    auto small_key = [&](std::size_t i, std::uint64_t& seen) {
        return low_bits(x[i], 256, seen) * 256 + low_bits(y[i], 256, seen);
    };
    if (count_table(n, 256 * 256, threads, total, 256, small_key)) return list_pairs(256, 0, 0);

    Range rx = range_of(x, n), ry = range_of(y, n);
    if (rx.size == 0 || ry.size == 0 || rx.size > side_limit * side_limit || ry.size > side_limit * side_limit ||
        rx.size * ry.size > side_limit * side_limit)
        return count_pairs_sorted(x, y, n);
    auto key = [&](std::size_t i, std::uint64_t&) { return offset(x[i], rx.low) * ry.size + offset(y[i], ry.low); };
    count_table(n, rx.size * ry.size, threads, total, 1, key);
    return list_pairs(ry.size, rx.low, ry.low);
}

#define BITMETER_COUNT(Int)                                                    \
    template SymbolCounts count_symbols(const Int*, std::size_t, unsigned);    \
    template PairCounts count_pairs(const Int*, const Int*, std::size_t, unsigned);
BITMETER_COUNT(std::uint8_t)
BITMETER_COUNT(std::uint16_t)
BITMETER_COUNT(std::int32_t)
BITMETER_COUNT(std::uint32_t)
BITMETER_COUNT(std::int64_t)
#undef BITMETER_COUNT

}  // namespace bitmeter
