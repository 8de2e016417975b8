#include "text/pieces/base.hpp"

#include "util/parallel.hpp"
#include "util/utf8.hpp"

namespace bitmeter {

void PieceSession::repair(Bytes document) {
    repaired.clear();
    places.clear();
    const std::uint8_t* const end = document.data + document.size;
    for (const std::uint8_t* p = document.data; p < end;) {
        const int size = utf8::length(p, end);
        const auto at = static_cast<std::uint32_t>(p - document.data);
        const auto n = static_cast<std::size_t>(size > 0 ? size : 1);
        if (size > 0)
            repaired.insert(repaired.end(), p, p + n);
        else
            repaired.insert(repaired.end(), piece_replacement.begin(), piece_replacement.end());
        places.resize(repaired.size(), at);
        p += n;
    }
    places.push_back(static_cast<std::uint32_t>(document.size));
}

void TextEncoder::set_cuts(PieceRun& run, std::size_t first, std::int64_t offset, bool spaced) const {
    std::size_t at = 0;
    for (std::size_t i = first; i < run.size; ++i) {
        run.cuts[i] = offset + static_cast<std::int64_t>(at > 0 && spaced ? at - 1 : at);
        at += token_sizes_[static_cast<std::size_t>(run.ids[i])];
    }
}

PieceSplit split_pieces(const TextEncoder& encoder, Bytes text, Ends ends, unsigned threads) {
    return split_pieces(encoder, text, ends, threads, nullptr, encoder.sessions());
}

PieceSplit split_pieces(const TextEncoder& encoder, Bytes text, Ends ends, unsigned threads, const PieceLookup* lookup,
                        PieceSessions& sessions) {
    // Documents in groups of about this many bytes.
    constexpr std::size_t group_bytes = std::size_t{1} << 20;
    std::vector<std::size_t> groups{0};
    std::size_t begin = 0;
    for (std::size_t d = 0; d < ends.size; ++d) {
        const auto end = static_cast<std::size_t>(ends.data[d]);
        if (end - begin >= group_bytes || d + 1 == ends.size) {
            groups.push_back(d + 1);
            begin = end;
        }
    }
    std::vector<PieceRun> runs(groups.size() - 1);
    parallel_for(runs.size(), threads, [&](std::size_t i) {
        auto session = sessions.take(lookup);
        for (std::size_t d = groups[i]; d < groups[i + 1]; ++d) {
            const std::int64_t from = d ? ends.data[d - 1] : 0;
            encoder.encode({text.data + from, static_cast<std::size_t>(ends.data[d] - from)}, from,
                           text.data + text.size, *session, runs[i]);
        }
        sessions.give(std::move(session));
    });
    PieceSplit result;
    std::size_t size = 0;
    for (const PieceRun& run : runs) size += run.size;
    result.ids.reserve(size);
    result.cuts.reserve(size + 1);
    result.bounds.reserve(ends.size + 1);
    result.bounds.push_back(0);
    for (PieceRun& run : runs) {
        const auto base = static_cast<std::int64_t>(result.ids.size());
        result.ids.insert(result.ids.end(), run.ids.begin(), run.ids.begin() + static_cast<std::ptrdiff_t>(run.size));
        result.cuts.insert(result.cuts.end(), run.cuts.begin(), run.cuts.begin() + static_cast<std::ptrdiff_t>(run.size));
        for (std::int64_t bound : run.bounds) result.bounds.push_back(base + bound);
        result.lossy += run.lossy;
        run = {};
    }
    result.cuts.push_back(static_cast<std::int64_t>(text.size));
    return result;
}

}  // namespace bitmeter
