#include "theory/ctw.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "util/parallel.hpp"
#include "util/sum.hpp"

// Why a batch is enough: the KT probability of a node depends on nothing but its two counts, so the weighted probability
// of the whole text needs the counts of each node and no order of arrival. Sorting the (context, symbol) pairs brings the
// occurrences of each context together; one walk over the sorted pairs meets the nodes of the tree in depth-first order.
//
// Two facts keep the walk short:
//  - Below the depth where a context stops branching, node and child have equal counts, so that P_w = P_KT all the way:
//    the walk only visits contexts at which the text branches (the intervals of a suffix tree cut off at `depth`).
//  - On a path of m nodes with equal counts whose lowest one branches,
//    P_w(top) = (1 - 2^-m) P_KT + 2^-m (product of the lowest one's children).
namespace bitmeter {
namespace {

constexpr double ln_half = -std::numbers::ln2;
constexpr double ln_pi = 1.1447298858494001741;
constexpr std::size_t table_size = 2048;

/// ln Gamma(x) for x >= 1000 by Stirling's series: std::lgamma writes a global, which threads must not.
double ln_gamma_large(double x) {
    const double inverse = 1.0 / x, square = inverse * inverse;
    return (x - 0.5) * std::log(x) - x + 0.5 * (ln_pi - ln_half) +
           inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260)));
}

/// The logarithms that small counts need, made once for each run.
class KtTable {
public:
    KtTable() {
        Compensated halves, wholes;
        for (std::size_t i = 0; i < table_size; ++i) {
            rising_[i] = halves.value();
            factorial_[i] = wholes.value();
            pure_[i] = halves.value() - wholes.value();
            halves.add(std::log(static_cast<double>(i) + 0.5));
            wholes.add(std::log(static_cast<double>(i) + 1.0));
        }
    }

    double operator()(std::uint64_t a, std::uint64_t b) const {
        if (a == 0) return pure(b);
        if (b == 0) return pure(a);
        if (a + b < table_size) return rising_[a] + rising_[b] - factorial_[a + b];
        return rising(a) + rising(b) - ln_gamma_large(static_cast<double>(a + b) + 1.0);
    }

    /// All n alike: Gamma(n + 1/2) / (sqrt(pi) n!), without the cancellation of two large logarithms.
    double pure(std::uint64_t n) const {
        if (n < table_size) return pure_[n];
        const double inverse = 1.0 / static_cast<double>(n);
        return -0.5 * (ln_pi + std::log(static_cast<double>(n))) - inverse * (1.0 / 8 - inverse * inverse / 192);
    }

private:
    double rising(std::uint64_t n) const {
        return n < table_size ? rising_[n] : ln_gamma_large(static_cast<double>(n) + 0.5) - 0.5 * ln_pi;
    }

    std::array<double, table_size> rising_, factorial_, pure_;
};

/// ln(e^a + e^b)
double log_add(double a, double b) {
    if (a < b) std::swap(a, b);
    const double gap = b - a;
    return gap < -40.0 ? a : a + std::log1p(std::exp(gap));  // e^-40 is below a double's last bit
}

/// One bit's place in the symbol, in one context: how often it was 0 and 1, and what the deeper contexts make of it.
struct Node {
    std::uint32_t zeros = 0, ones = 0;
    double children = 0.0, carry = 0.0;  // sum of ln P_w, and its rounding error

    bool empty() const { return zeros == 0 && ones == 0; }
    void add(std::uint32_t more_zeros, std::uint32_t more_ones, double log_weighted) {
        zeros += more_zeros;
        ones += more_ones;
        const double total = children + log_weighted, back = total - children;
        carry += (children - (total - back)) + (log_weighted - back);
        children = total;
    }
    double sum() const { return children + carry; }
};

/// A context that is being walked: its nodes, indexed as a heap (1 is the first bit, 2i and 2i + 1 follow i).
class Frame {
public:
    explicit Frame(std::size_t size) : nodes_(size) {}

    void add(std::uint32_t node, std::uint32_t zeros, std::uint32_t ones, double log_weighted) {
        if (nodes_[node].empty()) touched_.push_back(node);
        nodes_[node].add(zeros, ones, log_weighted);
    }

    /// Visits every node that was added to, and forgets it.
    template <class Visit>
    void drain(Visit&& visit) {
        for (std::uint32_t node : touched_) {
            visit(node, nodes_[node]);
            nodes_[node] = Node{};
        }
        touched_.clear();
    }

private:
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> touched_;
};

/// What one subtree hands to the root.
struct Summary {
    std::uint32_t node, zeros, ones;
    double log_weighted;
};

using Key = std::uint64_t;

void radix_sort(Key* keys, std::size_t n, Key* spare, unsigned width) {
    if (n < 1024) {
        std::sort(keys, keys + n);
        return;
    }
    const unsigned digits = (width + 7) / 8;
    std::array<std::array<std::uint32_t, 256>, 8> counts{};
    for (std::size_t i = 0; i < n; ++i)
        for (unsigned d = 0; d < digits; ++d) ++counts[d][(keys[i] >> (8 * d)) & 255];
    Key *from = keys, *to = spare;
    for (unsigned d = 0; d < digits; ++d) {
        auto& places = counts[d];
        if (places[(from[0] >> (8 * d)) & 255] == n) continue;  // one value only: nothing to move
        std::uint32_t place = 0;
        for (auto& entry : places) place += std::exchange(entry, place);
        for (std::size_t i = 0; i < n; ++i) to[places[(from[i] >> (8 * d)) & 255]++] = from[i];
        std::swap(from, to);
    }
    if (from != keys) std::copy(from, from + n, keys);
}

/// Walks the contexts that share their most recent symbol. Depths count from there: depth 0 is that one symbol, and what
/// the root receives stands at depth -1.
class Walk {
public:
    Walk(unsigned bits, unsigned depth, const KtTable& kt)
        : bits_(bits), length_(depth == 0 ? 0 : depth - 1), kt_(kt), leaf_(std::size_t{1} << bits) {
        frames_.reserve(length_ + 1);
        for (unsigned i = 0; i <= length_; ++i) frames_.emplace_back(std::size_t{1} << bits);
        for (unsigned m = 0; m < stay_.size(); ++m) stay_[m] = m == 0 ? 0.0 : std::log1p(-std::ldexp(1.0, -static_cast<int>(m)));
    }

    std::vector<Summary> run(const Key* keys, std::size_t n) {
        result_.clear();
        open_.clear();
        int before = -1;  // the depth shared with the previous context
        for (std::size_t begin = 0, end; begin < n; begin = end) {
            end = begin + 1;
            while (end < n && (keys[end] >> bits_) == (keys[begin] >> bits_)) ++end;
            const int after = end < n ? shared(keys[begin] >> bits_, keys[end] >> bits_) : -1;
            const int parent = std::max(before, after);
            if (after > before) open_.push_back(after);
            add_leaf(parent, keys + begin, keys + end);
            while (!open_.empty() && open_.back() > after) close(after);
            before = after;
        }
        return std::move(result_);
    }

private:
    /// How many symbols two different contexts share, most recent first.
    int shared(Key a, Key b) const {
        const unsigned low = 63u - static_cast<unsigned>(__builtin_clzll(a ^ b));  // the highest bit that differs
        return static_cast<int>(length_ - 1 - low / bits_);
    }

    void give(int parent, std::uint32_t node, std::uint32_t zeros, std::uint32_t ones, double log_weighted) {
        if (parent < 0)
            result_.push_back({node, zeros, ones, log_weighted});
        else
            frames_[static_cast<std::size_t>(parent)].add(node, zeros, ones, log_weighted);
    }

    /// A context at which the text no longer branches: P_w = P_KT in each of its nodes.
    void add_leaf(int parent, const Key* begin, const Key* end) {
        const Key mask = (Key{1} << bits_) - 1;
        if ((*begin & mask) == (end[-1] & mask)) {  // one symbol only, the most common case by far
            const auto times = static_cast<std::uint32_t>(end - begin);
            const double log_weighted = kt_.pure(times);
            each_bit(*begin & mask, [&](std::uint32_t node, bool one) {
                give(parent, node, one ? 0 : times, one ? times : 0, log_weighted);
            });
            return;
        }
        for (const Key *run = begin, *next; run < end; run = next) {
            next = run + 1;
            while (next < end && *next == *run) ++next;
            const auto times = static_cast<std::uint32_t>(next - run);
            each_bit(*run & mask, [&](std::uint32_t node, bool one) {
                leaf_.add(node, one ? 0 : times, one ? times : 0, 0.0);
            });
        }
        leaf_.drain([&](std::uint32_t node, const Node& found) {
            give(parent, node, found.zeros, found.ones, kt_(found.zeros, found.ones));
        });
    }

    template <class Visit>
    void each_bit(Key symbol, Visit&& visit) const {
        std::uint32_t node = 1;
        for (unsigned bit = bits_; bit-- > 0;) {
            const bool one = (symbol >> bit) & 1;
            visit(node, one);
            node = 2 * node + one;
        }
    }

    /// Ends the deepest open context; the next one below it is the deepest of those still open and of `after`.
    void close(int after) {
        const int depth = open_.back();
        open_.pop_back();
        const int parent = open_.empty() ? after : std::max(after, open_.back());
        if (parent > (open_.empty() ? -1 : open_.back())) open_.push_back(parent);
        const auto path = static_cast<unsigned>(depth - parent);
        frames_[static_cast<std::size_t>(depth)].drain([&](std::uint32_t node, const Node& found) {
            double log_weighted = ln_half;  // seen once: every node says one half, and so does any mixture of them
            if (found.zeros + found.ones > 1)
                log_weighted = log_add(stay_[path] + kt_(found.zeros, found.ones), path * ln_half + found.sum());
            give(parent, node, found.zeros, found.ones, log_weighted);
        });
    }

    unsigned bits_, length_;
    const KtTable& kt_;
    std::vector<Frame> frames_;
    Frame leaf_;
    std::vector<int> open_;  // depths, ascending
    std::vector<Summary> result_;
    std::array<double, 66> stay_;  // ln(1 - 2^-m)
};

template <class Symbol>
void check(const Symbol* x, std::size_t n, unsigned bits, unsigned depth) {
    if (bits < 1 || bits > ctw_max_bits) throw std::invalid_argument("ctw: symbols must have from 1 to 20 bits");
    if (depth > 64 / bits) throw std::invalid_argument("ctw: bits times depth must not exceed 64");
    if (n > std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("ctw: too many symbols");
    for (std::size_t i = 0; i < n; ++i)
        if ((static_cast<std::uint64_t>(x[i]) >> bits) != 0) throw std::invalid_argument("ctw: a symbol is out of range");
}

/// The keys (older context, symbol), brought together by their most recent context symbol: bucket s is
/// [places[s], places[s + 1]).
template <class Symbol>
std::vector<Key> bucket_keys(const Symbol* x, std::size_t n, unsigned bits, unsigned depth,
                             std::vector<std::size_t>& places) {
    const std::size_t buckets = depth == 0 ? 1 : std::size_t{1} << bits;
    places.assign(buckets + 1, 0);
    auto bucket = [&](std::size_t t) { return depth == 0 || t == 0 ? 0 : static_cast<std::size_t>(x[t - 1]); };
    for (std::size_t t = 0; t < n; ++t) ++places[bucket(t) + 1];
    for (std::size_t s = 0; s < buckets; ++s) places[s + 1] += places[s];
    std::vector<Key> keys(n);
    std::vector<std::size_t> next(places.begin(), places.end() - 1);
    Key older = 0;  // the depth - 1 symbols before the last one, most recent on top
    for (std::size_t t = 0; t < n; ++t) {
        if (depth > 1) older = (older >> bits) | (t < 2 ? 0 : static_cast<Key>(x[t - 2]) << (bits * (depth - 2)));
        keys[next[bucket(t)]++] = older << bits | static_cast<Key>(x[t]);
    }
    return keys;
}

/// Runs of buckets, about equally many keys in each, for threads to take.
std::vector<std::size_t> shares(const std::vector<std::size_t>& places, unsigned threads) {
    const std::size_t n = places.back(), wanted = n < (1 << 16) ? 1 : std::size_t{4} * thread_count(threads, n);
    std::vector<std::size_t> cuts{0};
    for (std::size_t s = 1; s + 1 < places.size(); ++s)
        if (places[s] - places[cuts.back()] >= n / wanted) cuts.push_back(s);
    cuts.push_back(places.size() - 1);
    return cuts;
}

}  // namespace

template <class Symbol>
double ctw_log_probability(const Symbol* x, std::size_t n, unsigned bits, unsigned depth, unsigned threads) {
    check(x, n, bits, depth);
    std::vector<std::size_t> places;
    std::vector<Key> keys = bucket_keys(x, n, bits, depth, places);
    const auto cuts = shares(places, threads);
    const KtTable kt;
    std::vector<std::vector<Summary>> found(places.size() - 1);
    parallel_for(cuts.size() - 1, threads, [&](std::size_t share) {
        Walk walk(bits, depth, kt);
        std::vector<Key> spare;
        for (std::size_t s = cuts[share]; s < cuts[share + 1]; ++s) {
            const std::size_t size = places[s + 1] - places[s];
            if (size == 0) continue;
            if (spare.size() < size) spare.resize(size);
            radix_sort(keys.data() + places[s], size, spare.data(), bits * std::max(depth, 1u));
            found[s] = walk.run(keys.data() + places[s], size);
        }
    });
    Frame root(std::size_t{1} << bits);
    for (const auto& subtree : found)
        for (const auto& node : subtree) root.add(node.node, node.zeros, node.ones, node.log_weighted);
    Compensated total;
    root.drain([&](std::uint32_t, const Node& node) {
        const double alone = kt(node.zeros, node.ones);
        total.add(depth == 0 ? alone : log_add(ln_half + alone, ln_half + node.sum()));
    });
    return total.value();
}

template double ctw_log_probability(const std::uint8_t*, std::size_t, unsigned, unsigned, unsigned);
template double ctw_log_probability(const std::uint16_t*, std::size_t, unsigned, unsigned, unsigned);
template double ctw_log_probability(const std::uint32_t*, std::size_t, unsigned, unsigned, unsigned);

}  // namespace bitmeter
