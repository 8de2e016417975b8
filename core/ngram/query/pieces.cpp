#include "ngram/query/pieces.hpp"

#include <algorithm>

#include "ngram/format/model.hpp"
#include "ngram/kenlm/model.hpp"

namespace bitmeter {
namespace {

// What is known of the words of so much text, and the places of the index where they are looked for, stays in the nearest
// cache.
constexpr std::size_t part_bytes = 1 << 11;

std::int64_t as_int(std::size_t n) { return static_cast<std::int64_t>(n); }

/// Separators before a document's first word belong to that word, so a piece never ends before it.
std::size_t word_start(Bytes text, std::size_t from, std::size_t to, std::size_t end, const Separators& separators) {
    while (from < end && separators[text.data[from]]) ++from;
    for (to = std::max(to, from + 1); to < end; ++to)
        if (separators[text.data[to - 1]] && !separators[text.data[to]]) return to;
    return end;
}

}  // namespace

std::vector<NgramPiece> ngram_pieces(Bytes text, Ends ends, const Separators& separators, std::size_t size) {
    std::vector<NgramPiece> result;
    std::size_t begin = 0, from = 0, first = 0;
    for (std::size_t d = 0; d < ends.size; ++d) {
        const auto end = static_cast<std::size_t>(ends.data[d]);
        while (end - begin >= 2 * size) {  // a long document
            const std::size_t to = word_start(text, from, begin + size, end, separators);
            if (to >= end) break;
            result.push_back({begin, to, first, d});
            begin = from = to;
            first = d;
        }
        if (end - begin >= size) {
            result.push_back({begin, end, first, d + 1});
            begin = end;
            first = d + 1;
        }
        from = end;
    }
    if (first < ends.size) result.push_back({begin, text.size, first, ends.size});
    return result;
}

template <class Index>
void NgramUnits::split(const Index& index, const NgramBytes& text, const NgramPiece& piece,
                       const Separators& separators, NgramEnds ends) {
    text_ = &text;
    ends_ = ends;
    document_ = piece.first;
    open_ = piece.begin;
    close_ = end_of(document_);
    // A piece within a document begins with a word, and so does not open it.
    worded_ = piece.begin > (document_ ? static_cast<std::size_t>(text.ends.data[document_ - 1]) : 0);
    used_ = words_ = room_ = 0;
    make_room(0);  // a piece may have no units at all
    bounds_.clear();
    blanks_.clear();
    const std::uint8_t* const bytes = text.text.data;
    for (std::size_t begin = piece.begin, end; begin < piece.end; begin = end) {
        end = std::min(piece.end, begin + part_bytes);
        if (edges_.size() <= end - begin) edges_.resize(end - begin + 64);
        const std::size_t many = word_edges({bytes + begin, end - begin}, as_int(begin), separators, edges_.data());
        // Words stay whole. Only the last edge moves, so that a long word does not need as many edges as it has bytes.
        if (!separators[bytes[end - 1]]) {
            while (end < piece.end && !separators[bytes[end]]) ++end;
            edges_[many - 1] = as_int(end);
        }
        take(edges_.data(), many);
        look_up(index, text.text);
    }
    words_ = 0;
    while (document_ < piece.last) end_document();
}

std::size_t NgramUnits::end_of(std::size_t document) const {
    return document < text_->ends.size ? static_cast<std::size_t>(text_->ends.data[document]) : text_->text.size + 1;
}

/// There is room for so many units more, and for one word each.
void NgramUnits::make_room(std::size_t units) {
    const std::size_t needed = used_ + units + 1;
    if (needed > cuts_.size()) {
        cuts_.resize(std::max(needed, 2 * cuts_.size()));
        numbers_.resize(cuts_.size() + most_lead);
    }
    if (words_ + units + 1 > spans_.size()) spans_.resize(std::max(words_ + units + 1, 2 * spans_.size()));
}

/// Takes words from their edges (start, stop, start, stop…).
void NgramUnits::take(const std::int64_t* edges, std::size_t many) {
    words_ = 0;
    room_ = many / 2;
    make_room(room_);
    for (std::size_t i = 0; i < many;) {
        // Words within one document; what changes on the way is kept at hand.
        std::int64_t* cuts = cuts_.data() + used_;
        Span* spans = spans_.data() + words_;
        const std::size_t first = used_, most = worded_ ? (many - i) / 2 : 0;
        const auto close = as_int(close_);
        std::size_t k = 0;
        for (; k < most && edges[i + 1] <= close; ++k, i += 2) {
            cuts[k] = edges[i];
            spans[k] = {static_cast<std::size_t>(edges[i]), static_cast<std::size_t>(edges[i + 1] - edges[i]), first + k};
        }
        used_ += k;
        words_ += k;
        room_ -= k;
        if (i < many) {
            word(static_cast<std::size_t>(edges[i]), static_cast<std::size_t>(edges[i + 1]));
            i += 2;
            --room_;
        }
    }
}

/// A word that opens a document, or has documents end before or in it.
void NgramUnits::word(std::size_t start, std::size_t stop) {
    while (start < stop) {
        while (start >= close_) end_document();
        const std::size_t until = std::min(stop, close_);  // a document may end within what looks like a word
        make_room(room_);
        cuts_[used_] = as_int(worded_ ? start : open_);
        spans_[words_++] = {start, until - start, used_++};
        worded_ = true;
        start = until;
    }
}

void NgramUnits::special(std::uint32_t number, std::size_t cut) {
    make_room(room_);
    cuts_[used_] = as_int(cut);
    numbers()[used_++] = number;
}

void NgramUnits::end_document() {
    const bool blank = !worded_ && open_ < close_, finished = document_ < text_->finished;
    if (blank && ends_ == NgramEnds::all) {
        special(word_end, open_);
    } else if (blank) {
        blanks_.push_back(used_);
        special(word_unknown, open_);
    } else if (finished && ends_ != NgramEnds::none) {
        special(word_end, close_);
    }
    bounds_.push_back(as_int(used_));
    open_ = close_;
    worded_ = false;
    close_ = end_of(++document_);
}

/// Looks up the words that were split off, after prefetching for all of them.
template <class Index>
void NgramUnits::look_up(const Index& index, Bytes text) {
    const std::uint8_t* const limit = text.data + text.size;
    if (keys_.size() < words_) keys_.resize(spans_.size());
    WordKey* const keys = keys_.data();
    const Span* const spans = spans_.data();
    std::uint32_t* const found = numbers();
    for (std::size_t i = 0; i < words_; ++i) {
        keys[i] = index.key({text.data + spans[i].start, spans[i].size}, limit);
        index.prefetch(keys[i]);
    }
    for (std::size_t i = 0; i < words_; ++i)
        found[spans[i].unit] = index.find({text.data + spans[i].start, spans[i].size}, keys[i]);
}

template void NgramUnits::split(const WordIndex&, const NgramBytes&, const NgramPiece&, const Separators&, NgramEnds);
template void NgramUnits::split(const KenlmIndex&, const NgramBytes&, const NgramPiece&, const Separators&, NgramEnds);

}  // namespace bitmeter
