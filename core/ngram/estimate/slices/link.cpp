// The suffixes, which stand in this slice, of what all slices sent to it; with them its adjusted counts.
#include <algorithm>

#include "ngram/estimate/smoothing/shares.hpp"
#include "ngram/estimate/slices/trie.hpp"
#include "ngram/estimate/trie.hpp"
#include "ngram/estimate/walk.hpp"

namespace bitmeter {
namespace {

using Numbers = SliceArray<std::uint32_t>;

/// For link_histories: what was sent, and where its suffixes are.
struct Sent {
    const std::uint32_t *children, *suffixes, *own;
    std::uint64_t child(std::size_t h) const { return children[h]; }
    std::uint64_t suffix(std::size_t h) const { return suffixes[h]; }
    const std::uint32_t* keys() const { return own; }
};
struct Here {
    const std::uint32_t *children, *own, *extended;
    std::uint64_t child(std::uint64_t place) const { return children[place]; }
    const std::uint32_t* keys() const { return own; }
    void fetch_node(std::uint64_t place) const { __builtin_prefetch(children + place); }
    void fetch_key(std::uint64_t place) const {
        __builtin_prefetch(own + place);
        __builtin_prefetch(extended + place, 1);
    }
};

class Linking {
public:
    Linking(const SlicePlan& plan, std::size_t slice, Watch& watch)
        : plan_(plan), slice_(slice), watch_(watch), trie_(plan, slice) {
        const int order = plan.order;
        trie_.read_children(1, order - 1);
        trie_.read_keys(2, order);
        const bool adjusts = plan.smoothing.adjusted();
        for (int o = 1; o <= order; ++o) {
            if (o > 1 && (!adjusts || plan.pruning() || trie_.has_begin() || o == order))
                raw_[o] = trie_.array<std::uint32_t>(trie_.file(), SliceArrayKind::raw, o);
            if (o < order) adjusted_[o] = Numbers::zeros(trie_.size(o));
        }
        // What begins a sentence has nothing before it: it keeps its occurrences.
        for (int o = 2; o < order; ++o) {
            const auto [from, to] = trie_.begins(o);
            if (from < to) std::copy(raw_[o].begin() + from, raw_[o].begin() + to, adjusted_[o].begin() + from);
        }
    }

    LinkedSlice run(const std::vector<std::uint32_t>& chain, const std::string& path) {
        SliceWriter out(path, plan_.name(SliceStage::linked, slice_));
        for (std::size_t other = 0; other < plan_.slices(); ++other) {
            take(plan_.grown(other), other, out);
            watch_.add(0);
        }
        LinkedSlice result;
        const bool adjusts = plan_.smoothing.adjusted();
        for (int o = 1; adjusts && o < plan_.order; ++o) out.put(SliceArrayKind::adjusted, o, adjusted_[o]);
        for (int o = 2; o <= plan_.order; ++o) {
            OrderStatistics found;
            const Numbers& counts = adjusts && o < plan_.order ? adjusted_[o] : raw_[o];
            if (counts_kinds(plan_.smoothing.method)) add_kinds(counts.data(), counts.size(), found);
            result.kinds.push_back(found.kinds);
        }
        for (int o = 2; o < plan_.order; ++o) result.last.push_back(adjusts ? last_count(chain, o) : 0);
        out.close();
        return result;
    }

private:
    /// What one slice sent.
    void take(const SliceFile& from, std::size_t other, SliceWriter& out) {
        Numbers suffixes = from.read<std::uint32_t>(SliceArrayKind::sent_word, 2, slice_);
        const std::uint32_t first = plan_.cuts[slice_], words = plan_.cuts[slice_ + 1] - first;
        for (std::uint32_t& word : suffixes) {
            word -= first;
            if (word >= words) from.damaged("has a word of another slice");
            ++adjusted_[1][word];
        }
        for (int o = 3; o <= plan_.order; ++o) {
            const Numbers child = from.read<std::uint32_t>(SliceArrayKind::sent_child, o - 1, slice_);
            const Numbers keys = from.read<std::uint32_t>(SliceArrayKind::sent_key, o, slice_);
            if (suffixes.size() == 0 && child.size() == 0 && keys.size() == 0) continue;
            if (!children_fit(child, suffixes.size(), keys.size())) from.damaged("has n-grams outside of it");
            // A search begins where a code stands among all that there are.
            if (keys.size() && *std::max_element(keys.begin(), keys.end()) > trie_.codes().mask())
                from.damaged("has a word that there is not");
            Numbers found(keys.size());
            Numbers& extended = adjusted_[o - 1];
            const Sent longer{child.data(), suffixes.data(), keys.data()};
            const Here shorter{trie_.child(o - 2), trie_.keys(o - 1), extended.data()};
            link_histories(longer, shorter, trie_.codes().bits(), 0, suffixes.size(), watch_,
                           [&](std::uint64_t place, std::uint64_t at) {
                               if (at == no_child) from.damaged("has an n-gram without its suffix");
                               found[place] = static_cast<std::uint32_t>(at);
                               ++extended[at];
                           });
            out.put(SliceArrayKind::route, o, found, other);
            if (plan_.pruning()) out.put(SliceArrayKind::moved, o, moved(o - 1, found), other);
            suffixes = std::move(found);
        }
    }

    /// Places of an order after some were dropped.
    Numbers moved(int order, const Numbers& places) {
        const std::uint32_t limit = plan_.smoothing.prune[order - 1];
        Numbers& row = moved_[order];
        if (row.size() != raw_[order].size()) {
            row = Numbers(raw_[order].size());
            std::uint32_t next = 0;
            for (std::size_t i = 0; i < row.size(); ++i) row[i] = raw_[order][i] > limit || limit == 0 ? next++ : no_place;
        }
        Numbers result(places.size());
        for (std::size_t i = 0; i < places.size(); ++i) result[i] = row[places[i]];
        return result;
    }

    /// The adjusted count of the last n-gram of the text of this order; 0 if another slice has it.
    std::uint32_t last_count(const std::vector<std::uint32_t>& chain, int order) const {
        if (chain.size() < static_cast<std::size_t>(order)) return 0;
        const std::uint32_t first = chain[static_cast<std::size_t>(order - 1)];
        if (first >= plan_.words || plan_.slice_of(first) != slice_) return 0;
        std::uint64_t place = first - plan_.cuts[slice_];
        for (int length = 2; length <= order; ++length) {
            const std::uint32_t* child = trie_.child(length - 1);
            place = find_child(trie_.keys(length), child[place], child[place + 1],
                               trie_.codes().code(chain[static_cast<std::size_t>(order - length)]), trie_.codes().bits());
            if (place == no_child) return 0;  // a chain that begins a sentence is padded
        }
        return adjusted_[order][place];
    }

    const SlicePlan& plan_;
    std::size_t slice_;
    Watch& watch_;
    SliceTrie trie_;
    std::array<Numbers, max_order + 1> raw_, adjusted_, moved_;
};

}  // namespace

LinkedSlice link_slice(const SlicePlan& plan, std::size_t slice, const std::vector<std::uint32_t>& chain,
                       const std::string& path, Watch& watch) {
    SlicePool pool;
    return Linking(plan, slice, watch).run(chain, path);
}

}  // namespace bitmeter
