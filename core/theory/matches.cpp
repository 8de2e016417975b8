#include "theory/matches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "util/parallel.hpp"
#include "util/sum.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t share_length = 1 << 16;  // places that are worth handing to another thread
constexpr std::size_t ahead = 16;              // places whose memory is asked for before it is needed

/// The bounds of contiguous parts of [0, n), one per thread.
std::vector<std::size_t> shares(std::size_t n, unsigned allowed) {
    const std::size_t count = thread_count(allowed, n / share_length);
    std::vector<std::size_t> cuts;
    for (std::size_t i = 0; i <= count; ++i) cuts.push_back(n * i / count);
    return cuts;
}

template <class Index>
void check_places(const Index* suffixes, std::size_t n) {
    if (n > static_cast<std::size_t>(std::numeric_limits<Index>::max())) throw std::invalid_argument("matches: text too long");
    bool inside = true;
    for (std::size_t i = 0; i < n; ++i) inside &= suffixes[i] >= 0 && static_cast<std::size_t>(suffixes[i]) < n;
    if (!inside) throw std::invalid_argument("matches: the suffix array points outside of the text");
}

/// For one place of the text: the nearest suffixes, before and after it in sorted order, that start earlier in the text.
template <class Index>
struct Neighbours {
    Index smaller = -1, larger = -1;
};

/// One pass with a stack of places that still wait for a larger neighbour (Crochemore and Ilie 2008).
template <class Index>
std::vector<Neighbours<Index>> earlier_neighbours(const Index* suffixes, std::size_t n) {
    std::vector<Neighbours<Index>> near(n);
    std::vector<Index> waiting;
    waiting.reserve(1024);
    for (std::size_t i = 0; i < n; ++i) {
        if (i + ahead < n) __builtin_prefetch(&near[static_cast<std::size_t>(suffixes[i + ahead])], 1);
        const Index place = suffixes[i];
        while (!waiting.empty() && waiting.back() > place) {
            near[static_cast<std::size_t>(waiting.back())].larger = place;
            waiting.pop_back();
        }
        if (!waiting.empty()) near[static_cast<std::size_t>(place)].smaller = waiting.back();
        waiting.push_back(place);
    }
    return near;
}

/// The common prefix of the suffixes at `place` and at `other`, known to be at least `known` long.
template <class Symbol>
std::size_t extend(const Symbol* text, std::size_t n, std::size_t place, std::size_t other, std::size_t known) {
    const std::size_t most = n - std::max(place, other);
    std::size_t length = std::min(known, most);
    while (length < most && text[place + length] == text[other + length]) ++length;
    return length;
}

}  // namespace

template <class Symbol, class Index>
std::vector<Index> longest_previous(const Symbol* text, const Index* suffixes, std::size_t n, unsigned threads) {
    check_places(suffixes, n);
    const auto near = earlier_neighbours(suffixes, n);
    std::vector<Index> longest(n);
    const auto cuts = shares(n, threads);
    parallel_for(cuts.size() - 1, threads, [&](std::size_t share) {
        // The match with either neighbour is at most one shorter than at the place before: so the sum of all steps is
        // linear. Each share starts from nothing known.
        std::size_t smaller = 0, larger = 0;
        for (std::size_t i = cuts[share]; i < cuts[share + 1]; ++i) {
            if (i + ahead < n) {
                const auto& next = near[i + ahead];
                if (next.smaller >= 0) __builtin_prefetch(text + next.smaller + smaller);
                if (next.larger >= 0) __builtin_prefetch(text + next.larger + larger);
            }
            auto step = [&](Index other, std::size_t last) -> std::size_t {
                return other < 0 ? 0 : extend(text, n, i, static_cast<std::size_t>(other), last > 0 ? last - 1 : 0);
            };
            smaller = step(near[i].smaller, smaller);
            larger = step(near[i].larger, larger);
            longest[i] = static_cast<Index>(std::max(smaller, larger));
        }
    });
    return longest;
}

template <class Index>
std::size_t lz76_phrases(const Index* longest, std::size_t n) {
    std::size_t phrases = 0;
    for (std::size_t i = 0; i < n; i += 1 + static_cast<std::size_t>(std::max<Index>(longest[i], 0))) ++phrases;
    return phrases;
}

template <class Index>
MatchMeans match_means(const Index* longest, std::size_t n, unsigned threads) {
    if (n < 2) return {};
    // Fixed blocks, added up in order: the same bits for any number of threads.
    const std::size_t blocks = (n + share_length - 1) / share_length;
    std::vector<std::pair<Compensated, Compensated>> sums(blocks);
    parallel_for(blocks, threads, [&](std::size_t block) {
        auto& [over_log, over_length] = sums[block];
        const std::size_t end = std::min(n, (block + 1) * share_length);
        for (std::size_t i = std::max<std::size_t>(1, block * share_length); i < end; ++i) {
            const double ratio = (1.0 + static_cast<double>(longest[i])) / std::log2(static_cast<double>(i) + 1.0);
            over_log.add(ratio);
            over_length.add(1.0 / ratio);
        }
    });
    Compensated over_log, over_length;
    for (const auto& sum : sums) {
        over_log.add(sum.first);
        over_length.add(sum.second);
    }
    const double places = static_cast<double>(n - 1);
    return {over_log.value() / places, over_length.value() / places};
}

namespace {

/// A dictionary of phrases as a trie: (phrase, symbol) -> longer phrase, by open addressing, grown at half full.
class Phrases {
public:
    /// The number of the phrase that is `phrase` followed by `symbol`; 0 if it was not there, and is now.
    std::uint32_t follow_or_add(std::uint32_t phrase, std::uint32_t symbol) {
        const std::uint64_t key = (static_cast<std::uint64_t>(phrase) << 32 | symbol) + 1;  // 0 marks a free slot
        std::size_t i = slot(key);
        if (slots_[i].key == key) return slots_[i].number;
        slots_[i] = {key, ++used_};
        if (std::size_t{used_} * 2 > slots_.size()) grow();
        return 0;
    }

    std::size_t size() const { return used_; }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t number = 0;
    };

    std::size_t slot(std::uint64_t key) const {
        const std::uint64_t h = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15ULL;
        std::size_t i = (h ^ (h >> 31)) & (slots_.size() - 1);
        while (slots_[i].key != 0 && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
        return i;
    }

    void grow() {
        auto old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
        for (const auto& entry : old)
            if (entry.key != 0) slots_[slot(entry.key)] = entry;
    }

    std::uint32_t used_ = 0;
    std::vector<Slot> slots_ = std::vector<Slot>(1 << 12);
};

}  // namespace

template <class Symbol>
std::size_t lz78_phrases(const Symbol* text, std::size_t n) {
    if (n >= std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("lz78: text too long");
    Phrases phrases;
    std::uint32_t current = 0;
    for (std::size_t i = 0; i < n; ++i) current = phrases.follow_or_add(current, static_cast<std::uint32_t>(text[i]));
    return phrases.size() + (current != 0);
}

template <class Symbol, class Index>
std::vector<Index> common_prefixes(const Symbol* text, const Index* suffixes, std::size_t n, unsigned threads) {
    check_places(suffixes, n);
    // In the order of the text first, where each match is at most one shorter than the one before (Kärkkäinen,
    // Manzini and Puglisi 2009), then brought into sorted order.
    std::vector<Index> before(n, -1), length(n);
    for (std::size_t i = 1; i < n; ++i) before[static_cast<std::size_t>(suffixes[i])] = suffixes[i - 1];
    const auto cuts = shares(n, threads);
    parallel_for(cuts.size() - 1, threads, [&](std::size_t share) {
        std::size_t last = 0;
        for (std::size_t i = cuts[share]; i < cuts[share + 1]; ++i) {
            if (i + ahead < n && before[i + ahead] >= 0) __builtin_prefetch(text + before[i + ahead] + last);
            last = before[i] < 0 ? 0 : extend(text, n, i, static_cast<std::size_t>(before[i]), last > 0 ? last - 1 : 0);
            length[i] = static_cast<Index>(last);
        }
    });
    std::vector<Index> common(n);
    parallel_for(cuts.size() - 1, threads, [&](std::size_t share) {
        for (std::size_t i = cuts[share]; i < cuts[share + 1]; ++i) common[i] = length[static_cast<std::size_t>(suffixes[i])];
    });
    return common;
}

template <class Index>
Blocks count_blocks(const Index* suffixes, const Index* common, std::size_t n, std::size_t length) {
    if (length < 1 || length > n) throw std::invalid_argument("blocks: the length must be from 1 to that of the text");
    constexpr std::size_t small = 1 << 12;
    std::vector<std::int64_t> kinds(small, 0);
    std::vector<std::int64_t> large;
    Blocks blocks;
    bool holds_last = false;
    auto end_run = [&](std::size_t run) {
        if (std::exchange(holds_last, false)) blocks.last = static_cast<std::int64_t>(run);
        if (run < small)
            ++kinds[run];
        else
            large.push_back(static_cast<std::int64_t>(run));
    };
    std::size_t run = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && static_cast<std::size_t>(common[i]) < length) end_run(std::exchange(run, 0));
        ++run;
        holds_last |= static_cast<std::size_t>(suffixes[i]) == n - length;
    }
    end_run(run);
    kinds[1] -= static_cast<std::int64_t>(length) - 1;  // suffixes too short to hold a block stand alone, once each
    for (std::size_t count = 1; count < small; ++count)
        if (kinds[count] > 0) {
            blocks.counts.push_back(static_cast<std::int64_t>(count));
            blocks.kinds.push_back(kinds[count]);
        }
    std::sort(large.begin(), large.end());
    for (std::int64_t count : large) {
        if (blocks.counts.empty() || blocks.counts.back() != count) {
            blocks.counts.push_back(count);
            blocks.kinds.push_back(0);
        }
        ++blocks.kinds.back();
    }
    return blocks;
}

#define BITMETER_MATCHES_TEXT(Symbol, Index)                                                          \
    template std::vector<Index> longest_previous(const Symbol*, const Index*, std::size_t, unsigned); \
    template std::vector<Index> common_prefixes(const Symbol*, const Index*, std::size_t, unsigned);
#define BITMETER_MATCHES_INDEX(Index)                                        \
    BITMETER_MATCHES_TEXT(std::uint8_t, Index)                               \
    BITMETER_MATCHES_TEXT(std::uint16_t, Index)                              \
    BITMETER_MATCHES_TEXT(std::uint32_t, Index)                              \
    template std::size_t lz76_phrases(const Index*, std::size_t);            \
    template MatchMeans match_means(const Index*, std::size_t, unsigned);    \
    template Blocks count_blocks(const Index*, const Index*, std::size_t, std::size_t);
BITMETER_MATCHES_INDEX(std::int32_t)
BITMETER_MATCHES_INDEX(std::int64_t)

template std::size_t lz78_phrases(const std::uint8_t*, std::size_t);
template std::size_t lz78_phrases(const std::uint16_t*, std::size_t);
template std::size_t lz78_phrases(const std::uint32_t*, std::size_t);

}  // namespace bitmeter
