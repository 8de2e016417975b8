// From the lattice nodes of a text to pieces.
#pragma once

#include <algorithm>

#include "text/pieces/encoder.hpp"

namespace bitmeter {

/// Gives pieces their ids and places, and follows whether they give the text back.
struct PieceEncoder::Emitter {
    const PieceEncoder& encoder;
    bool previous_unknown = false, bytes = false;
    bool same[2] = {true, true};  // as the document; as the document after a space
    std::size_t joined = 0;

    /// Calls put(id, begin) for each piece.
    template <class Put>
    void operator()(const std::vector<Found>& found, Bytes text, Bytes document, Put&& put) {
        for (const Found& one : found) {
            const bool unknown = one.id == encoder.unknown_;
            const std::uint8_t* from = text.data + one.begin;
            const std::size_t size = one.end - one.begin;
            if (unknown && encoder.fallback_) {
                bytes = true;
                for (std::size_t i = 0; i < size; ++i) put(encoder.byte_ids_[from[i]], one.begin);
                compare({from, size}, document);
            } else if (!unknown || !previous_unknown) {
                put(one.id, one.begin);
                const auto id = static_cast<std::size_t>(one.id);
                if (unknown || !encoder.has_token_[id])
                    same[0] = same[1] = false;
                else
                    compare({reinterpret_cast<const std::uint8_t*>(encoder.tokens_[id].data()), encoder.tokens_[id].size()}, document);
            }
            previous_unknown = unknown;
        }
    }
    void compare(Bytes token, Bytes document) {
        for (std::size_t extra = 0; extra < 2; ++extra) {
            if (!same[extra]) continue;
            Bytes rest = token;
            std::size_t at = joined - extra;
            if (extra && joined == 0 && rest.size) {
                if (rest.data[0] != ' ') {
                    same[1] = false;
                    continue;
                }
                rest = {rest.data + 1, rest.size - 1};
                at = 0;
            }
            same[extra] = rest.size <= document.size && at <= document.size - rest.size &&
                          std::equal(rest.data, rest.data + rest.size, document.data + at);
        }
        joined += token.size;
    }
};

}  // namespace bitmeter
