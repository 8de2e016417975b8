// The file of a tokenizer as the library `tokenizers` writes it (tokenizer.json), of the kinds that are encoded here.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "text/pieces/file.hpp"
#include "text/split.hpp"
#include "text/tokens/split/split.hpp"

namespace bitmeter {

/// A token that is looked for in the text before anything else.
struct AddedToken {
    std::string text;
    std::int32_t id = 0;
    bool special = false;     // only where the user asks for it
    bool normalised = false;  // looked for after normalisation
    bool plain = true;        // takes no white space beside it, and need not be a word
};

enum class DigitSplit : std::uint8_t { none, each, runs };
enum class PrefixSpace : std::uint8_t { never, first, always };

struct TokenizerFile {
    struct Merge {
        std::int32_t left, right, made;
    };

    PieceAlgorithm algorithm = PieceAlgorithm::bpe;
    bool byte_level = false;  // tokens are written in an alphabet of 256 characters, one for each byte
    std::vector<std::string> texts;  // by id, as they are written; empty where there is none
    std::vector<double> scores;      // of a unigram model
    std::vector<Merge> merges;       // the first goes first
    std::size_t model_size = 0;      // ids of the model, without added tokens
    std::vector<AddedToken> added;
    std::string unknown_token;       // of BPE
    std::int32_t unknown = -1;       // of a unigram model
    bool ignore_merges = false, byte_fallback = false, fuse_unknown = false;

    bool nfc = false;       // the text is normalised
    std::string rules;      // of a normaliser, compiled
    bool single_spaces = false, strips_right = false;  // after it
    bool white_split = false;  // words are separated by any white space, which is dropped
    bool splits = true;        // words are separated at spaces
    bool replaces = false;     // spaces are replaced and a space is prepended by the normaliser
    PrefixSpace prefix = PrefixSpace::never;
    SplitPattern pattern = SplitPattern::gpt2;
    DigitSplit digits = DigitSplit::none;
    bool trims = false;  // offsets leave out spaces
    bool meta = false;   // in tokens, U+2581 stands for a space
};

/// Throws PieceFormatError where the bytes are no JSON, and PieceUnsupported for what only the library can judge.
TokenizerFile read_tokenizer(Bytes data);

/// The byte that a character of that alphabet stands for; -1 if none.
int byte_of_character(std::int32_t c);

}  // namespace bitmeter
