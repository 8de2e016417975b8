#include "text/tokens/merges.hpp"

#include <algorithm>
#include <bit>

namespace bitmeter {

MergeTable::MergeTable(const std::vector<TokenizerFile::Merge>& merges) {
    const std::size_t size = std::bit_ceil(std::max<std::size_t>(16, 2 * merges.size()));
    slots_.resize(size);
    mask_ = size - 1;
    shift_ = 64 - std::bit_width(mask_);
    for (std::size_t i = 0; i < merges.size(); ++i) {
        const std::uint64_t key = key_of(merges[i].left, merges[i].right);
        std::size_t slot = place(key);
        while (slots_[slot].key != none && slots_[slot].key != key) slot = (slot + 1) & mask_;
        slots_[slot] = {key, {static_cast<std::uint32_t>(i), merges[i].made}};  // of two entries the last is taken
    }
}

void MergeTable::merge(std::vector<Symbol>& symbols, Room& room) const {
    constexpr std::size_t longest = 48;
    if (symbols.size() < 2) return;
    if (symbols.size() <= longest)
        merge_short(symbols, room);
    else
        merge_long(symbols, room);
}

/// Looks through all pairs each time: there are few.
void MergeTable::merge_short(std::vector<Symbol>& symbols, Room& room) const {
    auto& pairs = room.pairs;
    pairs.resize(symbols.size());
    std::size_t size = symbols.size();
    for (std::size_t i = 0; i + 1 < size; ++i) pairs[i] = find(symbols[i].id, symbols[i + 1].id);
    while (size > 1) {
        std::size_t best = 0;
        for (std::size_t i = 1; i + 1 < size; ++i)
            if (pairs[i].rank < pairs[best].rank) best = i;
        if (pairs[best].rank == never) break;
        symbols[best] = {pairs[best].id, symbols[best].size + symbols[best + 1].size};
        for (std::size_t i = best + 1; i + 1 < size; ++i) {
            symbols[i] = symbols[i + 1];
            pairs[i] = pairs[i + 1];
        }
        --size;
        if (best > 0) pairs[best - 1] = find(symbols[best - 1].id, symbols[best].id);
        if (best + 1 < size) pairs[best] = find(symbols[best].id, symbols[best + 1].id);
    }
    symbols.resize(size);
}

void MergeTable::merge_long(std::vector<Symbol>& symbols, Room& room) const {
    auto &previous = room.previous, &next = room.next;
    auto& agenda = room.agenda;
    const auto size = static_cast<std::int32_t>(symbols.size());
    previous.resize(symbols.size());
    next.resize(symbols.size());
    agenda.clear();
    const auto later = [](const Room::Pair& a, const Room::Pair& b) {
        return a.rank > b.rank || (a.rank == b.rank && a.left > b.left);
    };
    const auto offer = [&](std::int32_t left, std::int32_t right) {
        const Made made = find(symbols[static_cast<std::size_t>(left)].id, symbols[static_cast<std::size_t>(right)].id);
        if (made.rank == never) return;
        agenda.push_back({made.rank, static_cast<std::uint32_t>(left), made.id});
        std::push_heap(agenda.begin(), agenda.end(), later);
    };
    for (std::int32_t i = 0; i < size; ++i) {
        previous[static_cast<std::size_t>(i)] = i - 1;
        next[static_cast<std::size_t>(i)] = i + 1 < size ? i + 1 : -1;
        if (i > 0) offer(i - 1, i);
    }
    while (!agenda.empty()) {
        const Room::Pair top = agenda.front();
        std::pop_heap(agenda.begin(), agenda.end(), later);
        agenda.pop_back();
        const std::size_t left = top.left;
        if (symbols[left].size == 0 || next[left] < 0) continue;
        const auto right = static_cast<std::size_t>(next[left]);
        if (find(symbols[left].id, symbols[right].id).id != top.made) continue;  // one of the two has changed since
        symbols[left] = {top.made, symbols[left].size + symbols[right].size};
        symbols[right].size = 0;
        next[left] = next[right];
        if (next[left] >= 0) {
            previous[static_cast<std::size_t>(next[left])] = static_cast<std::int32_t>(left);
            offer(static_cast<std::int32_t>(left), next[left]);
        }
        if (previous[left] >= 0) offer(previous[left], static_cast<std::int32_t>(left));
    }
    std::erase_if(symbols, [](const Symbol& symbol) { return symbol.size == 0; });
}

}  // namespace bitmeter
