// The trie of a slice from its sorted n-grams, and what other slices need of it.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "ngram/estimate/slices/trie.hpp"
#include "ngram/estimate/trie.hpp"
#include "ngram/sort/runs.hpp"

namespace bitmeter {
namespace {

using Numbers = SliceArray<std::uint32_t>;

struct Growing {
    std::uint32_t first;  // word of the slice
    int order;
    std::array<Numbers, max_order + 1> child, key, raw;

    void begin_children(std::uint32_t word, std::uint32_t place) { child[1][word - first] = place; }
    void add(int o, std::uint64_t place, std::uint32_t code, std::uint32_t below) {
        key[o][place] = code;
        if (o < order) child[o][place] = below;
    }
    void count(int o, std::uint64_t place, std::uint32_t, std::uint32_t times) { raw[o][place] += times; }
};

/// Memory that is used again for each slice.
struct Sending {
    std::vector<std::uint32_t> found, below;
    std::vector<std::array<std::uint32_t, 2>> ranges;  // of the bigrams, then of what is below each
};

/// The n-grams below bigrams of one slice of second words.
void send(SliceWriter& out, const Growing& trie, const WordCodes& codes, const std::uint32_t* bigrams, std::size_t size,
          std::size_t other, Sending& memory) {
    auto& [found, below, ranges] = memory;
    found.resize(size);
    ranges.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        found[i] = codes.word(trie.key[2][bigrams[i]]);
        ranges[i] = {bigrams[i], bigrams[i] + 1};
    }
    out.put(SliceArrayKind::sent_word, 2, found, other);
    for (int o = 2; o < trie.order; ++o) {
        const Numbers& child = trie.child[o];
        below.assign(1, 0);
        found.clear();
        for (auto& [from, to] : ranges) {
            const auto base = static_cast<std::uint32_t>(found.size() - child[from]);  // modulo 2^32, and back again
            for (std::uint32_t i = from; i < to; ++i) below.push_back(base + child[i + 1]);
            from = child[from];
            to = child[to];
            found.insert(found.end(), trie.key[o + 1].begin() + from, trie.key[o + 1].begin() + to);
        }
        out.put(SliceArrayKind::sent_child, o, below, other);
        out.put(SliceArrayKind::sent_key, o + 1, found, other);
    }
}

}  // namespace

GrownSlice grow_slice(const SlicePlan& plan, std::size_t slice, const std::string& merged, const std::string& path,
                      Watch& watch) {
    const std::uint32_t first = plan.cuts[slice], end = plan.cuts[slice + 1];
    const auto keys = merged_partition(merged, plan.words, plan.order, first, end, watch);
    GrownSlice result{{end - first}, {end - first}};
    Growing trie{first, plan.order, {}, {}, {}};
    for (int o = 2; o <= plan.order; ++o) {
        const std::uint64_t size = keys->kinds(0, o);
        if (size >= ~std::uint32_t{0}) throw std::length_error("more than 2^32 n-grams of one order");
        result.ngrams.push_back(size);
        trie.key[o] = Numbers(size);
        trie.raw[o] = Numbers::zeros(size);
    }
    for (int o = 1; o < plan.order; ++o) {
        trie.child[o] = Numbers(result.ngrams[o - 1] + 1);
        trie.child[o].back() = static_cast<std::uint32_t>(result.ngrams[o]);
    }
    grow_bundle(*keys, 0, end, plan.order, {}, trie);
    keys->forget(0);
    SliceWriter out(path, plan.name(SliceStage::grown, slice));
    for (int o = 2; o <= plan.order; ++o) {
        out.put(SliceArrayKind::child, o - 1, trie.child[o - 1]);
        out.put(SliceArrayKind::key, o, trie.key[o]);
        out.put(SliceArrayKind::raw, o, trie.raw[o]);
        const std::uint32_t limit = plan.smoothing.prune[o - 1];
        result.kept.push_back(limit == 0 ? trie.raw[o].size()
                                         : static_cast<std::uint64_t>(std::count_if(
                                               trie.raw[o].begin(), trie.raw[o].end(),
                                               [&](std::uint32_t times) { return times > limit; })));
        watch.add(0);
    }
    // The bigrams by the slice of their second word, in order.
    const WordCodes codes(plan.words);
    std::vector<std::uint32_t> slices(trie.key[2].size()), sorted(trie.key[2].size());
    std::vector<std::size_t> starts(plan.slices() + 1, 0);
    for (std::size_t b = 0; b < slices.size(); ++b) {
        slices[b] = static_cast<std::uint32_t>(plan.slice_of(codes.word(trie.key[2][b])));
        ++starts[slices[b] + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t b = 0; b < slices.size(); ++b) sorted[next[slices[b]]++] = static_cast<std::uint32_t>(b);
    Sending memory;
    for (std::size_t other = 0; other < plan.slices(); ++other) {
        if (const std::size_t size = starts[other + 1] - starts[other])
            send(out, trie, codes, sorted.data() + starts[other], size, other, memory);
        watch.add(0);
    }
    out.close();
    return result;
}

}  // namespace bitmeter
