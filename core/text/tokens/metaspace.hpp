// Vocabularies in which U+2581 stands for a space: unigram models and BPE, with words apart or in whole texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/pieces/base.hpp"
#include "text/pieces/rules.hpp"
#include "text/pieces/trie.hpp"
#include "text/tokens/added.hpp"
#include "text/tokens/file.hpp"
#include "text/tokens/merges.hpp"

namespace bitmeter {

class MetaspaceEncoder : public TextEncoder {
public:
    MetaspaceEncoder(const TokenizerFile& file, bool special);

    std::size_t size() const override { return tokens_.size(); }
    void encode(Bytes document, std::int64_t offset, const std::uint8_t* limit, PieceSession& session,
                PieceRun& run) const override;

private:
    struct Follow;

    void set_tokens(const TokenizerFile& file);
    bool gives_back(const PieceRun& run, std::size_t first, Bytes document, bool spaced) const;
    bool by_words(Bytes text, std::int64_t base, const std::uint8_t* limit, PieceSession& session, PieceRun& run,
                  Follow& follow) const;
    bool take(Bytes word, bool opens, std::int64_t at, const std::uint8_t* limit, PieceSession& session, PieceRun& run,
              Follow& follow) const;
    void put(std::int64_t at, PieceSession& session, PieceRun& run, Follow& follow) const;
    /// The tokens of a text, into session.entry. It opens what is between added tokens, or even begins the document; else it
    /// begins with a space.
    void split_text(Bytes text, bool opens, bool begins, PieceSession& session) const;
    void normalise(Bytes text, PieceSession& session) const;
    void apply_rules(Bytes text, PieceSession& session) const;
    void single_spaces(PieceSession& session) const;
    void pre_tokens(bool opens, bool begins, PieceSession& session) const;
    void segment(std::size_t begin, std::size_t end, PieceSession& session) const;
    void unigram(Bytes word, PieceSession& session) const;
    void merge(Bytes word, PieceSession& session) const;
    void add(std::int32_t id, std::size_t at, PieceSession& session) const;

    PieceTrie trie_;
    PieceRules rules_;
    MergeTable merges_;
    AddedTokens added_;
    PieceAlgorithm algorithm_;
    std::vector<double> scores_;
    double unknown_score_ = 0.0;
    std::int32_t unknown_ = -1;
    std::vector<std::int32_t> byte_ids_;  // empty where not every byte has a token
    bool ignore_merges_, fuse_unknown_, single_spaces_, strips_right_, white_split_, splits_, replaces_;
    PrefixSpace prefix_;
    bool words_ = false;  // whether texts can be split at single spaces
};

}  // namespace bitmeter
