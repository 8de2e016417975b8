// The two models: the most likely segmentation in double precision, and merges.
#include <algorithm>

#include "text/tokens/metaspace.hpp"

namespace bitmeter {
namespace {

std::size_t length_of(std::uint8_t lead) { return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }
std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data), bytes.size}; }

}  // namespace

/// Segments a word of what pre_tokens has made.
void MetaspaceEncoder::segment(std::size_t begin, std::size_t end, PieceSession& session) const {
    const Bytes word{session.raw.data() + begin, end - begin};
    session.word = begin;
    if (algorithm_ == PieceAlgorithm::unigram)
        unigram(word, session);
    else
        merge(word, session);
}

void MetaspaceEncoder::add(std::int32_t id, std::size_t at, PieceSession& session) const {
    session.entry.ids.push_back(id);
    session.entry.offsets.push_back(session.from[session.word + at]);
}

/// The best path as the library finds it: the first of equals, unknown characters in a row as one.
void MetaspaceEncoder::unigram(Bytes word, PieceSession& session) const {
    constexpr std::uint32_t nowhere = ~std::uint32_t{0};
    auto& best = session.two;
    best.assign(word.size + 1, {0.0, 0.0, -1, nowhere});
    for (std::size_t start = 0; start < word.size;) {
        const double here = best[start].best;
        const std::size_t character = length_of(word.data[start]);
        bool single = false;
        const auto offer = [&](std::size_t at, double score, std::int32_t id) {
            auto& target = best[at];
            if (target.start == nowhere || score > target.best) {
                target.best = score;
                target.id = id;
                target.start = static_cast<std::uint32_t>(start);
            }
        };
        std::uint32_t node = PieceTrie::root;
        for (std::size_t at = start; at < word.size;) {
            node = trie_.next(node, word.data[at++]);
            if (node == PieceTrie::none) break;
            const std::int32_t id = trie_.value(node);
            if (id < 0) continue;
            offer(at, scores_[static_cast<std::size_t>(id)] + here, id);
            single = single || at - start == character;
        }
        if (!single) offer(start + character, unknown_score_ + here, unknown_);
        start += character;
    }
    auto& found = session.found;
    found.clear();
    for (std::size_t at = word.size; at > 0; at = best[at].start)
        if (best[at].id == unknown_ && !found.empty() && found.back().id == unknown_)
            found.back().begin = best[at].start;
        else
            found.push_back({best[at].start, static_cast<std::uint32_t>(at), best[at].id});
    std::reverse(found.begin(), found.end());
    for (const PieceSession::Found& one : found) {
        const Bytes surface{word.data + one.begin, one.end - one.begin};
        std::int32_t id = one.id;
        if (id == unknown_) {
            id = trie_.find(text_of(surface));
            if (id < 0 && !byte_ids_.empty()) {
                for (std::size_t i = 0; i < surface.size; ++i) add(byte_ids_[surface.data[i]], one.begin, session);
                continue;
            }
            if (id < 0) id = unknown_;
        }
        add(id, one.begin, session);
    }
}

void MetaspaceEncoder::merge(Bytes word, PieceSession& session) const {
    auto& symbols = session.merged;
    symbols.clear();
    if (ignore_merges_)
        if (const std::int32_t id = trie_.find(text_of(word)); id >= 0) return add(id, 0, session);
    std::uint32_t pending = 0;  // bytes of unknown characters that are one token
    const auto flush = [&] {
        if (pending) symbols.push_back({unknown_, pending});
        pending = 0;
    };
    for (std::size_t at = 0; at < word.size;) {
        const std::size_t size = length_of(word.data[at]);
        const std::int32_t id = trie_.find(text_of({word.data + at, size}));
        if (id >= 0) {
            flush();
            symbols.push_back({id, static_cast<std::uint32_t>(size)});
        } else if (!byte_ids_.empty()) {
            for (std::size_t i = 0; i < size; ++i) symbols.push_back({byte_ids_[word.data[at + i]], 1});
        } else if (unknown_ >= 0) {
            if (!fuse_unknown_) flush();
            pending += static_cast<std::uint32_t>(size);
        }
        at += size;
    }
    flush();
    merges_.merge(symbols, session.room);
    std::size_t at = 0;
    for (const MergeTable::Symbol& symbol : symbols) {
        add(symbol.id, at, session);
        at += symbol.size;
    }
}

}  // namespace bitmeter
