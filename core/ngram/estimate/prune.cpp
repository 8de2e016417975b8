#include "ngram/estimate/prune.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace bitmeter {

std::unique_ptr<NgramModel> ngram_pruned(const NgramModel& m, const std::function<bool(int, std::uint64_t)>& stays,
                                         PageStore* store) {
    PageStore memory;
    if (!store) store = &memory;
    // moved[o - 1][i]: how many n-grams of order o before place i stay, which is where that one goes if it stays.
    std::vector<PageArray<std::uint32_t>> moved(static_cast<std::size_t>(m.order()));
    NgramShape shape = m.shape();
    for (int o = 1; o <= m.order(); ++o) {
        auto& row = moved[o - 1];
        row = store->array<std::uint32_t>(m.shape().counts[o - 1] + 1);
        if (o == 1) {
            std::iota(row.begin(), row.end(), 0u);
            continue;
        }
        for (std::uint64_t i = 0; i + 1 < row.size(); ++i) row[i + 1] = row[i] + stays(o, i);
        shape.counts[o - 1] = row[row.size() - 1];
    }
    auto result = std::make_unique<NgramModel>(shape, *store);
    std::memcpy(result->word_offsets(), m.word_offsets(), (shape.words + 1) * sizeof(std::uint64_t));
    std::memcpy(result->word_text(), m.word_text(), shape.word_bytes);
    result->set_metadata(m.metadata());
    const auto suffix = [&](int order, std::uint32_t old) {
        const auto& row = moved[order - 2];
        if (row[old + 1] == row[old]) throw std::invalid_argument("an n-gram stays where its suffix does not");
        return row[old];
    };
    for (int o = 1; o <= m.order(); ++o) {
        const auto& row = moved[o - 1];
        const bool leaves = o == m.order() && o > 1;
        for (std::uint64_t i = 0; i + 1 < row.size(); ++i) {
            if (row[i + 1] == row[i]) {
                if (!leaves && moved[o][m.nodes(o)[i].child] != moved[o][m.nodes(o)[i + 1].child])
                    throw std::invalid_argument("an n-gram stays where its history does not");
                continue;
            }
            const std::uint32_t place = row[i];
            if (o > 1) result->keys(o)[place] = m.keys(o)[i];
            if (leaves) {
                result->leaves()[place] = {m.leaves()[i].logprob, suffix(o, m.leaves()[i].suffix)};
                continue;
            }
            NgramNode node = m.nodes(o)[i];
            if (o > 1) node.suffix = suffix(o, node.suffix);
            if (o < m.order()) node.child = moved[o][node.child];
            result->nodes(o)[place] = node;
        }
        if (!leaves && o < m.order()) result->nodes(o)[row[row.size() - 1]].child = moved[o][moved[o].size() - 1];
    }
    return result;
}

}  // namespace bitmeter
