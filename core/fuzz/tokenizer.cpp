// A tokenizer.json, and what its tokens make of a text.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "text/tokens/encoder.hpp"

namespace {

using namespace bitmeter;

/// Spans partition the text and ids are of the vocabulary; the second time, from memory, as the first.
void split(const TextEncoder& encoder, Bytes text) {
    const auto all = static_cast<std::int64_t>(text.size);
    const std::vector<std::int64_t> ends{all / 3, all / 3, all};
    std::vector<std::int64_t> first;
    for (int round = 0; round < 2; ++round) {
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
    if (size < 2) return 0;
    // The last bytes are a text, as many as the first byte says.
    const std::size_t text = std::min<std::size_t>(data[0], size - 1);
    const std::string sample = "the ing  a\tb 's 12345 \xE2\x96\x81 e\xCC\x81 \xEF\xAC\x81 \xC2\xBD<s>\xE3\x80\x80\xFF aab \n\n ba ";
    try {
        const TokenizerFile file = read_tokenizer({data + 1, size - 1 - text});
        for (const bool special : {false, true}) {
            try {
                const auto encoder = make_encoder(file, special);
                split(*encoder, {data + size - text, text});
                split(*encoder, {reinterpret_cast<const std::uint8_t*>(sample.data()), sample.size()});
            } catch (const PieceUnsupported&) {
            }
        }
    } catch (const PieceFormatError&) {
    } catch (const PieceUnsupported&) {
    }
    return 0;
}
