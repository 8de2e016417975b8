// A SentencePiece model: read, and texts of any bytes split by it. Pieces cover the text, whatever the file says.
#include <cstdlib>
#include <string>
#include <vector>

#include "text/pieces/encoder.hpp"

namespace {

/// Any number, which depends on the piece alone.
struct Numbers : bitmeter::PieceLookup {
    std::uint32_t number(bitmeter::Bytes piece) const override {
        if (piece.size == 0) __builtin_trap();
        return static_cast<std::uint32_t>(piece.size + piece.data[0]);
    }
};

/// Unknown pieces are numbered as they are written, and nothing else changes.
void look_up(const bitmeter::PieceEncoder& encoder, bitmeter::Bytes text) {
    using namespace bitmeter;
    const std::int64_t end = static_cast<std::int64_t>(text.size);
    const PieceSplit plain = split_pieces(encoder, text, {&end, 1}, 1);
    const std::vector<std::string> written = encoder.written(text);
    const Numbers numbers;
    PieceSessions sessions;
    for (int round = 0; round < 2; ++round) {
        const PieceSplit found = split_pieces(encoder, text, {&end, 1}, 1, &numbers, sessions);
        if (found.cuts != plain.cuts || found.lossy != plain.lossy || found.ids.size() != plain.ids.size()) __builtin_trap();
        for (std::size_t i = 0; i < found.ids.size(); ++i) {
            if (found.ids[i] == plain.ids[i]) continue;
            const Bytes piece{reinterpret_cast<const std::uint8_t*>(written[i].data()), written[i].size()};
            if (found.ids[i] != static_cast<std::int64_t>(encoder.size() + numbers.number(piece))) __builtin_trap();
        }
    }
}

void split(const bitmeter::PieceEncoder& encoder, bitmeter::Bytes text) {
    using namespace bitmeter;
    const auto half = static_cast<std::int64_t>(text.size / 2), all = static_cast<std::int64_t>(text.size);
    const std::vector<std::int64_t> ends{half, half, all};
    std::vector<std::int64_t> first;
    for (int round = 0; round < 2; ++round) {  // the second time from what is kept
        const PieceSplit found = split_pieces(encoder, text, {ends.data(), ends.size()}, 1);
        if (found.cuts.size() != found.ids.size() + 1 || found.bounds.size() != ends.size() + 1) __builtin_trap();
        if (found.cuts.front() != 0 || found.cuts.back() != all || found.lossy > text.size) __builtin_trap();
        for (std::size_t i = 1; i < found.cuts.size(); ++i)
            if (found.cuts[i] < found.cuts[i - 1]) __builtin_trap();
        for (std::int64_t id : found.ids)
            if (id != blank_document && (id < 0 || id >= static_cast<std::int64_t>(encoder.size()))) __builtin_trap();
        if (round == 0) first = found.ids;
        if (found.ids != first) __builtin_trap();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace bitmeter;
    if (size < 2) return 0;
    // The last bytes are a text, as many as the first byte says.
    const std::size_t text = std::min<std::size_t>(data[0], size - 1);
    const std::string sample = "the ing  a\tb \xE2\x96\x81 e\xCC\x81 \xEF\xAC\x81 \xC2\xBD<sep>\xE3\x80\x80\xFF aab ba ";
    try {
        const PieceEncoder encoder(read_pieces({data + 1, size - 1 - text}));
        split(encoder, {data + size - text, text});
        look_up(encoder, {data + size - text, text});
        look_up(encoder, {reinterpret_cast<const std::uint8_t*>(sample.data()), sample.size()});
        split(encoder, {reinterpret_cast<const std::uint8_t*>(sample.data()), sample.size()});
    } catch (const PieceFormatError&) {
    } catch (const PieceUnsupported&) {
    }
    return 0;
}
