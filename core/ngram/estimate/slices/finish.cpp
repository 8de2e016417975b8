// The n-grams of a slice as they are in the model's file.
#include <algorithm>
#include <stdexcept>

#include "ngram/estimate/slices/trie.hpp"
#include "ngram/estimate/walk.hpp"

namespace bitmeter {
namespace {

using Numbers = SliceArray<std::uint32_t>;

class Finishing {
public:
    Finishing(const SlicePlan& plan, std::size_t slice, const std::vector<std::vector<std::uint64_t>>& kept)
        : plan_(plan), slice_(slice), kept_(kept), trie_(plan, slice) {
        for (const auto& row : kept)
            if (row.size() != static_cast<std::size_t>(plan.order)) throw std::invalid_argument("kept: by slice and order");
        if (kept.size() != plan.slices()) throw std::invalid_argument("kept: by slice and order");
        trie_.read_children(1, plan.order - 1);
        trie_.read_second_words();
        trie_.read_keys(3, plan.order);
    }

    void run(const std::string& path) {
        SliceWriter out(path, plan_.name(SliceStage::finished, slice_));
        Numbers stays = moved(1);
        for (int o = 1; o <= plan_.order; ++o) {
            Numbers below = o < plan_.order ? moved(o + 1) : Numbers();
            if (o > 1) put_keys(out, o, stays);
            if (o < plan_.order)
                put_nodes(out, o, stays, below);
            else
                put_leaves(out, stays);
            stays = std::move(below);
        }
        out.close();
    }

private:
    /// Where the n-grams of this order of a slice begin in the file.
    std::uint64_t start(int order, std::size_t slice) const {
        std::uint64_t sum = 0;
        for (std::size_t other = 0; other < slice; ++other) sum += kept_[other][static_cast<std::size_t>(order - 1)];
        return sum;
    }

    /// How many before each place stay, and all that do.
    Numbers moved(int order) const {
        const std::uint64_t size = trie_.size(order);
        Numbers result(size + 1);
        const std::uint32_t limit = plan_.smoothing.prune[order - 1];
        const Numbers raw = limit ? trie_.array<std::uint32_t>(trie_.file(), SliceArrayKind::raw, order) : Numbers();
        std::uint32_t next = 0;
        for (std::uint64_t i = 0; i < size; ++i) {
            result[i] = next;
            next += !limit || raw[i] > limit;
        }
        result[size] = next;
        if (next != kept_[slice_][static_cast<std::size_t>(order - 1)]) trie_.file().damaged("has other n-grams than it had");
        return result;
    }

    template <class Put>
    static void each(const Numbers& stays, Put&& put) {
        for (std::size_t i = 0; i + 1 < stays.size(); ++i)
            if (stays[i + 1] != stays[i]) put(stays[i], i);
    }

    void put_keys(SliceWriter& out, int order, const Numbers& stays) const {
        Numbers keys(stays.back());
        each(stays, [&](std::uint32_t to, std::size_t from) { keys[to] = trie_.keys(order)[from]; });
        out.put(SliceArrayKind::key, order, keys);
    }

    /// By places in the file.
    Numbers suffixes(int order) const {
        if (order < 3) {
            Numbers words(order == 2 ? trie_.size(2) : 0);
            for (std::size_t i = 0; i < words.size(); ++i) words[i] = trie_.codes().word(trie_.keys(2)[i]);
            return words;
        }
        const auto kind = plan_.pruning() ? SliceArrayKind::moved : SliceArrayKind::route;
        std::vector<std::uint64_t> starts, sizes;
        for (std::size_t other = 0; other < plan_.slices(); ++other) {
            starts.push_back(other ? starts.back() + sizes.back() : 0);
            sizes.push_back(kept_[other][static_cast<std::size_t>(order - 2)]);
        }
        return trie_.gathered<std::uint32_t>(
            order, [&](std::size_t other) { return plan_.linked(other).read<std::uint32_t>(kind, order, slice_); },
            [&](std::size_t other, std::uint32_t place) {
                return place < sizes[other] ? static_cast<std::uint32_t>(starts[other] + place) : no_place;
            });
    }
    std::uint32_t checked(std::uint32_t suffix) const {
        if (suffix == no_place) trie_.file().damaged("has an n-gram that stays where its suffix does not");
        return suffix;
    }

    void put_nodes(SliceWriter& out, int order, const Numbers& stays, const Numbers& below) const {
        const Numbers found = suffixes(order);
        SliceArray<float> logprobs;
        if (order > 1) logprobs = trie_.array<float>(plan_.weighed(order, slice_), SliceArrayKind::logprob, order);
        const auto backoffs = trie_.array<float>(plan_.weighed(order + 1, slice_), SliceArrayKind::backoff, order);
        const std::uint32_t* child = trie_.child(order);
        const std::uint64_t first = start(order + 1, slice_);
        const auto nodes = SliceArray<NgramNode>::zeros(stays.back());
        for (std::size_t i = 0; i + 1 < stays.size(); ++i) {
            if (stays[i + 1] == stays[i]) {
                if (below[child[i]] != below[child[i + 1]])
                    trie_.file().damaged("has an n-gram that stays where its history does not");
                continue;
            }
            nodes[stays[i]] = {order > 1 ? logprobs[i] : 0.0f, backoffs[i], order > 1 ? checked(found[i]) : 0,
                               static_cast<std::uint32_t>(first + below[child[i]])};
        }
        out.put(SliceArrayKind::node, order, nodes);
    }

    void put_leaves(SliceWriter& out, const Numbers& stays) const {
        const int order = plan_.order;
        const Numbers found = suffixes(order);
        const auto logprobs = trie_.array<float>(plan_.weighed(order, slice_), SliceArrayKind::logprob, order);
        const SliceArray<NgramLeaf> leaves(stays.back());
        each(stays, [&](std::uint32_t to, std::size_t from) { leaves[to] = {logprobs[from], checked(found[from])}; });
        out.put(SliceArrayKind::leaf, order, leaves);
    }

    const SlicePlan& plan_;
    std::size_t slice_;
    const std::vector<std::vector<std::uint64_t>>& kept_;
    SliceTrie trie_;
};

}  // namespace

void finish_slice(const SlicePlan& plan, std::size_t slice, const std::vector<std::vector<std::uint64_t>>& kept,
                  const std::string& path) {
    Finishing(plan, slice, kept).run(path);
}

}  // namespace bitmeter
