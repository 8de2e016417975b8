// Byte-level BPE: pre-tokens by a known pattern, whose bytes are merged.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/pieces/base.hpp"
#include "text/tokens/added.hpp"
#include "text/tokens/file.hpp"
#include "text/tokens/merges.hpp"
#include "text/tokens/split/split.hpp"

namespace bitmeter {

class ByteLevelEncoder : public TextEncoder {
public:
    ByteLevelEncoder(const TokenizerFile& file, bool special);

    std::size_t size() const override { return tokens_.size(); }
    void encode(Bytes document, std::int64_t offset, const std::uint8_t* limit, PieceSession& session,
                PieceRun& run) const override;

private:
    void set_tokens(const TokenizerFile& file);
    void text(Bytes text, std::int64_t base, const std::uint8_t* limit, PieceSession& session, PieceRun& run) const;
    template <class Next>
    void words(Bytes text, std::int64_t base, const std::uint8_t* limit, Next&& next, PieceSession& session,
               PieceRun& run) const;
    void take_other(Bytes word, const PieceMemo::Key& key, std::int64_t at, PieceSession& session, PieceRun& run) const;
    void split_word(Bytes word, PieceSession& session) const;

    MergeTable merges_;
    AddedTokens added_;
    std::array<std::int32_t, 256> byte_ids_{};
    std::unordered_map<std::string, std::int32_t> whole_;  // where whole words are looked for before merges
    SplitPattern pattern_;
    DigitSplit digits_;
    bool ignore_merges_, nfc_, prefix_, trims_;
};

}  // namespace bitmeter
