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
    }

    void run(const std::string& path) {
        SliceWriter out(path, plan_.name(SliceStage::finished, slice_));
        Moved own = moved(1);
        for (int o = 1; o <= plan_.order; ++o) {
            Moved below = o < plan_.order ? moved(o + 1) : Moved{};
            if (o > 1) put_keys(out, o, own);
            if (o < plan_.order)
                put_nodes(out, o, own, below);
            else
                put_leaves(out, own);
            own = std::move(below);
        }
        out.close();
    }

private:
    /// Where the n-grams of an order go; those that are dropped go nowhere.
    struct Moved {
        Numbers row;  // how many before each place stay, and all that do; none where all do
        std::uint64_t size = 0;

        std::uint32_t to(std::uint64_t place) const {
            return row.size() ? row[place] : static_cast<std::uint32_t>(place);
        }
        bool stays(std::uint64_t place) const { return to(place + 1) != to(place); }
        std::uint32_t kept() const { return to(size); }
    };

    /// Where the n-grams of this order of a slice begin in the file.
    std::uint64_t start(int order, std::size_t slice) const {
        std::uint64_t sum = 0;
        for (std::size_t other = 0; other < slice; ++other) sum += kept_[other][static_cast<std::size_t>(order - 1)];
        return sum;
    }

    Moved moved(int order) const {
        Moved result{{}, trie_.size(order)};
        if (const std::uint32_t limit = plan_.smoothing.prune[order - 1]) {
            const Numbers raw = trie_.array<std::uint32_t>(trie_.file(), SliceArrayKind::raw, order);
            result.row = Numbers(result.size + 1);
            std::uint32_t next = 0;
            for (std::uint64_t i = 0; i < result.size; ++i) {
                result.row[i] = next;
                next += raw[i] > limit;
            }
            result.row[result.size] = next;
        }
        if (result.kept() != kept_[slice_][static_cast<std::size_t>(order - 1)])
            trie_.file().damaged("has other n-grams than it had");
        return result;
    }

    void put_keys(SliceWriter& out, int order, const Moved& own) const {
        const Numbers keys = trie_.array<std::uint32_t>(trie_.file(), SliceArrayKind::key, order);
        if (own.row.size() == 0) return out.put(SliceArrayKind::key, order, keys);
        SliceWriter::Entries<std::uint32_t> entries(out, SliceArrayKind::key, order, own.kept());
        for (std::uint64_t i = 0; i < own.size; ++i)
            if (own.stays(i)) entries.add(keys[i]);
        entries.end();
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

    void put_nodes(SliceWriter& out, int order, const Moved& own, const Moved& below) const {
        const Numbers found = suffixes(order);
        SliceArray<float> logprobs;
        if (order > 1) logprobs = trie_.array<float>(plan_.weighed(order, slice_), SliceArrayKind::logprob, order);
        const auto backoffs = trie_.array<float>(plan_.weighed(order + 1, slice_), SliceArrayKind::backoff, order);
        const std::uint32_t* child = trie_.child(order);
        const std::uint64_t first = start(order + 1, slice_);
        SliceWriter::Entries<NgramNode> entries(out, SliceArrayKind::node, order, own.kept());
        for (std::uint64_t i = 0; i < own.size; ++i) {
            if (own.stays(i))
                entries.add({order > 1 ? logprobs[i] : 0.0f, backoffs[i], order > 1 ? checked(found[i]) : 0,
                             static_cast<std::uint32_t>(first + below.to(child[i]))});
            else if (below.to(child[i]) != below.to(child[i + 1]))
                trie_.file().damaged("has an n-gram that stays where its history does not");
        }
        entries.end();
    }

    void put_leaves(SliceWriter& out, const Moved& own) const {
        const int order = plan_.order;
        const Numbers found = suffixes(order);
        const auto logprobs = trie_.array<float>(plan_.weighed(order, slice_), SliceArrayKind::logprob, order);
        SliceWriter::Entries<NgramLeaf> entries(out, SliceArrayKind::leaf, order, own.kept());
        for (std::uint64_t i = 0; i < own.size; ++i)
            if (own.stays(i)) entries.add({logprobs[i], checked(found[i])});
        entries.end();
    }

    const SlicePlan& plan_;
    std::size_t slice_;
    const std::vector<std::vector<std::uint64_t>>& kept_;
    SliceTrie trie_;
};

}  // namespace

void finish_slice(const SlicePlan& plan, std::size_t slice, const std::vector<std::vector<std::uint64_t>>& kept,
                  const std::string& path) {
    SlicePool pool;
    Finishing(plan, slice, kept).run(path);
}

}  // namespace bitmeter
