// The two algorithms: the most likely segmentation under a unigram model, and merges of byte-pair encoding.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "text/pieces/encoder.hpp"

namespace bitmeter {
namespace {

/// The library starts sums again that are below this, so that they stay precise: since 0.2.2, found by trying.
constexpr float least_sum = -100000.0f;

}  // namespace

/// The best path as the library finds it: single precision, the first of equals. Returns the sum after it.
float PieceEncoder::unigram(Bytes text, float sum, PieceSession& session) const {
    constexpr std::uint32_t nowhere = ~std::uint32_t{0};
    auto& best = session.best;
    best.assign(text.size + 1, {0.0f, -1, nowhere});
    best[0].score = sum;
    const std::uint8_t* const end = text.data + text.size;
    for (std::size_t start = 0; start < text.size;) {
        if (best[start].score < least_sum) start_again(start, session);
        const float here = best[start].score;
        const std::size_t character = one_character(text.data + start, end);
        bool single = false;
        std::uint32_t node = PieceTrie::root;
        for (std::size_t at = start; at < text.size;) {
            node = trie_.next(node, text.data[at++]);
            if (node == PieceTrie::none) break;
            const std::int32_t id = trie_.value(node);
            if (id < 0 || (has_unused_ && pieces_[static_cast<std::size_t>(id)].type == PieceType::unused)) continue;
            const auto score = static_cast<float>(scores_[static_cast<std::size_t>(id)] + here);
            auto& target = best[at];
            if (target.start == nowhere || score > target.score) target = {score, id, static_cast<std::uint32_t>(start)};
            single = single || at - start == character;
        }
        if (!single) {
            const float score = unknown_score_ + here;
            auto& target = best[start + character];
            if (target.start == nowhere || score > target.score)
                target = {score, unknown_, static_cast<std::uint32_t>(start)};
        }
        start += character;
    }
    auto& found = session.found;
    found.clear();
    for (std::size_t at = text.size; at > 0; at = best[at].start)
        found.push_back({best[at].start, static_cast<std::uint32_t>(at), best[at].id});
    std::reverse(found.begin(), found.end());
    return best[text.size].score;
}

/// Sums are from here on relative to the best at this place.
void PieceEncoder::start_again(std::size_t at, PieceSession& session) const {
    auto& best = session.best;
    const float sum = best[at].score;
    const std::size_t last = std::min(best.size() - 1, at + longest_);
    for (std::size_t i = at; i <= last; ++i)
        if (i == at || best[i].id >= 0) best[i].score -= sum;
}

/// The best path, and the largest sum after it for which the library takes this path: where the second is worse by more than
/// what rounding can make of it, and where no sum on the way is started again.
float PieceEncoder::kept_limit(Bytes text, PieceSession& session) const {
    constexpr double impossible = -std::numeric_limits<double>::infinity();
    auto& two = session.two;
    two.assign(text.size + 1, {impossible, impossible, -1, 0});
    two[0].best = 0.0;
    const std::uint8_t* const end = text.data + text.size;
    double low = 0.0, characters = 0.0;
    const auto offer = [&](std::size_t start, std::size_t at, double score, std::int32_t id) {
        const double first = two[start].best + score, second = two[start].second + score;
        auto& target = two[at];
        if (first > target.best) {
            target.second = std::max(target.best, second);
            target.best = first;
            target.id = id;
            target.start = static_cast<std::uint32_t>(start);
        } else {
            target.second = std::max(target.second, first);
        }
    };
    for (std::size_t start = 0; start < text.size;) {
        const std::size_t character = one_character(text.data + start, end);
        bool single = false;
        std::uint32_t node = PieceTrie::root;
        for (std::size_t at = start; at < text.size;) {
            node = trie_.next(node, text.data[at++]);
            if (node == PieceTrie::none) break;
            const std::int32_t id = trie_.value(node);
            if (id < 0 || (has_unused_ && pieces_[static_cast<std::size_t>(id)].type == PieceType::unused)) continue;
            offer(start, at, scores_[static_cast<std::size_t>(id)], id);
            single = single || at - start == character;
        }
        if (!single) offer(start, start + character, unknown_score_, unknown_);
        low = std::min(low, two[start].best);
        characters += 1.0;
        start += character;
    }
    auto& found = session.found;
    found.clear();
    for (std::size_t at = text.size; at > 0; at = two[at].start)
        found.push_back({two[at].start, static_cast<std::uint32_t>(at), two[at].id});
    std::reverse(found.begin(), found.end());
    // Each step along a path rounds the sum by at most half a unit in its last place, and another path has no more steps than
    // there are characters; half of what is safe is taken.
    const double total = two[text.size].best, margin = total - two[text.size].second;
    const double steps = static_cast<double>(found.size()) + characters + 2.0;
    const double rounding = 0.5 * margin * 0x1p24 / steps, started = -least_sum + std::min(0.0, low - total) - 1.0;
    return static_cast<float>(std::max(0.0, std::min(rounding, started)));
}

/// Merges neighbours, the best pair first, and of equals the leftmost.
void PieceEncoder::merge(Bytes text, PieceSession& session) const {
    auto& symbols = session.symbols;
    auto& agenda = session.agenda;
    symbols.clear();
    agenda.clear();
    session.found.clear();
    const std::uint8_t* const end = text.data + text.size;
    for (const std::uint8_t* p = text.data; p < end;) {
        std::size_t size = user_.empty() ? 0 : user_.longest(p, end);
        const bool frozen = size > 0;
        if (!frozen) size = one_character(p, end);
        const auto index = static_cast<std::int32_t>(symbols.size());
        symbols.push_back({index - 1, p + size < end ? index + 1 : -1, static_cast<std::uint32_t>(p - text.data),
                           static_cast<std::uint32_t>(size), frozen});
        p += size;
    }
    const auto view = [&](std::uint32_t begin, std::uint32_t size) {
        return std::string_view(reinterpret_cast<const char*>(text.data) + begin, size);
    };
    const auto later = [](const PieceSession::Pair& a, const PieceSession::Pair& b) {
        return a.score < b.score || (a.score == b.score && a.left > b.left);
    };
    std::unordered_map<std::string_view, std::pair<std::string_view, std::string_view>> merged;
    const auto offer = [&](std::int32_t left, std::int32_t right) {
        if (left < 0 || right < 0) return;
        const auto &a = symbols[static_cast<std::size_t>(left)], &b = symbols[static_cast<std::size_t>(right)];
        if (a.frozen || b.frozen) return;
        const std::int32_t id = trie_.find(view(a.begin, a.size + b.size));
        if (id < 0) return;
        agenda.push_back({pieces_[static_cast<std::size_t>(id)].score, left, right, a.size + b.size});
        std::push_heap(agenda.begin(), agenda.end(), later);
        if (has_unused_ && pieces_[static_cast<std::size_t>(id)].type == PieceType::unused)
            merged[view(a.begin, a.size + b.size)] = {view(a.begin, a.size), view(b.begin, b.size)};
    };
    for (std::size_t i = 1; i < symbols.size(); ++i) offer(static_cast<std::int32_t>(i) - 1, static_cast<std::int32_t>(i));
    while (!agenda.empty()) {
        const PieceSession::Pair top = agenda.front();
        std::pop_heap(agenda.begin(), agenda.end(), later);
        agenda.pop_back();
        auto &left = symbols[static_cast<std::size_t>(top.left)], &right = symbols[static_cast<std::size_t>(top.right)];
        if (left.size == 0 || right.size == 0 || left.size + right.size != top.size) continue;
        left.size += right.size;
        left.next = right.next;
        if (right.next >= 0) symbols[static_cast<std::size_t>(right.next)].previous = top.left;
        right.size = 0;
        offer(left.previous, top.left);
        offer(top.left, left.next);
    }
    // A piece that is not to be used is taken apart into what it was merged from.
    std::vector<std::string_view> open;
    for (std::int32_t i = symbols.empty() ? -1 : 0; i >= 0; i = symbols[static_cast<std::size_t>(i)].next) {
        const auto& symbol = symbols[static_cast<std::size_t>(i)];
        open.push_back(view(symbol.begin, symbol.size));
        std::uint32_t at = symbol.begin;
        while (!open.empty()) {
            const std::string_view piece = open.back();
            open.pop_back();
            const std::int32_t id = reserved_or_plain(piece);
            const auto parts = has_unused_ && pieces_[static_cast<std::size_t>(id)].type == PieceType::unused
                                   ? merged.find(piece)
                                   : merged.end();
            if (parts != merged.end()) {
                open.push_back(parts->second.second);
                open.push_back(parts->second.first);
                continue;
            }
            const auto size = static_cast<std::uint32_t>(piece.size());
            session.found.push_back({at, at + size, id});
            at += size;
        }
    }
}

}  // namespace bitmeter
