// Any text: normalised whole, and split wherever no piece can cross.
#include <algorithm>

#include "text/pieces/emitter.hpp"
#include "util/utf8.hpp"

namespace bitmeter {

/// Splits a document after bytes that are no characters were replaced, one by one.
void PieceEncoder::by_segments(Bytes document, std::int64_t offset, PieceSession& session, PieceRun& run) const {
    const std::uint8_t* const end = document.data + document.size;
    if (utf8::count(document.data, end).second == 0) {
        session.places.clear();
        by_segments(document, document, offset, session, run);
    } else {
        session.repair(document);
        by_segments({session.repaired.data(), session.repaired.size()}, document, offset, session, run);
    }
}

/// Adds the pieces of a text that was split as they are written; unknown characters in a row are one piece.
void PieceEncoder::write(Bytes text, bool after_unknown, PieceSession& session) const {
    for (const auto& one : session.found) {
        const bool unknown = one.id == unknown_;
        const std::string_view surface{reinterpret_cast<const char*>(text.data) + one.begin, one.end - one.begin};
        if (!unknown)
            session.written->push_back(pieces_[static_cast<std::size_t>(one.id)].text);
        else if (fallback_)
            for (const char byte : surface)
                session.written->push_back(pieces_[static_cast<std::size_t>(byte_ids_[static_cast<std::uint8_t>(byte)])].text);
        else if (after_unknown)
            session.written->back() += surface;
        else
            session.written->emplace_back(surface);
        after_unknown = unknown;
    }
}

/// Normalises a document and splits it wherever no piece can cross. `original` is the document before bytes were replaced.
void PieceEncoder::by_segments(Bytes document, Bytes original, std::int64_t offset, PieceSession& session,
                               PieceRun& run) const {
    auto& text = session.text;
    auto& origin = session.origin;
    text.clear();
    origin.clear();
    const std::size_t first = run.size;
    const std::uint8_t *p = document.data, *const end = p + document.size;
    Emitter emit{*this};
    float sum = 0.0f;
    bool was_space = false;
    const auto flush = [&] {
        const Bytes whole{text.data(), text.size()};
        sum = segment(whole, sum, session);
        if (session.written) write(whole, emit.previous_unknown, session);
        emit(session.found, whole, original, [&](std::int32_t id, std::uint32_t begin) {
            const std::uint32_t at = origin[begin];
            run.push(id, offset + (session.places.empty() ? at : session.places[at]));
        });
        text.clear();
        origin.clear();
    };
    const auto begin_character = [&](bool space) {
        if (!text.empty() && ((border_before_ && space && !was_space) || (border_after_ && !space && was_space))) flush();
        was_space = space;
    };
    const auto add_space = [&](std::uint32_t at) {
        begin_character(true);
        text.insert(text.end(), space_.begin(), space_.end());
        origin.resize(text.size(), at);
    };
    const auto place = [&] { return static_cast<std::uint32_t>(p - document.data); };
    const auto is_one_space = [](const Prefix& found) { return found.size == 1 && found.data[0] == ' '; };
    while (single_spaces_ && p < end) {
        const Prefix found = prefix(p, end);
        if (!is_one_space(found)) break;
        p += found.consumed;
    }
    if (p == end) return;
    if (!suffix_ && dummy_prefix_) add_space(place());
    bool after_space = single_spaces_;
    while (p < end) {
        const Prefix found = prefix(p, end);
        const std::uint8_t *q = found.data, *const stop = q + found.size;
        while (after_space && q < stop && *q == ' ') ++q;
        if (q < stop) {
            after_space = single_spaces_ && stop[-1] == ' ';
            while (q < stop) {
                if (escaped_ && *q == ' ') {
                    add_space(place());
                    ++q;
                    continue;
                }
                begin_character(is_space(q, stop));
                const std::size_t size = one_character(q, stop);
                text.insert(text.end(), q, q + size);
                origin.resize(text.size(), place());
                q += size;
            }
        }
        p += found.consumed;
    }
    std::uint32_t last = place();
    while (single_spaces_ && text.size() >= space_.size() &&
           is_space(text.data() + text.size() - space_.size(), text.data() + text.size())) {
        last = origin[text.size() - space_.size()];
        text.resize(text.size() - space_.size());
        origin.resize(text.size());
    }
    if (suffix_ && dummy_prefix_) {
        was_space = was_space && !single_spaces_;  // spaces at the end are gone
        add_space(last);
    }
    if (!text.empty()) flush();
    if (run.size == first) return;
    const bool spaced = emit.same[1] && emit.joined == original.size + 1, same = emit.same[0] && emit.joined == original.size;
    if (!spaced && !same) {
        run.lossy += original.size;
        std::int64_t least = offset;
        for (std::size_t i = first; i < run.size; ++i) run.cuts[i] = least = std::max(least, run.cuts[i]);
    } else {
        set_cuts(run, first, offset, spaced);
    }
    run.cuts[first] = offset;
}

float PieceEncoder::segment(Bytes text, float sum, PieceSession& session) const {
    if (algorithm_ == PieceAlgorithm::unigram) return unigram(text, sum, session);
    merge(text, session);
    return 0.0f;
}

}  // namespace bitmeter
