// The file of a SentencePiece model: a message of Protocol Buffers, read without that library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "text/split.hpp"

namespace bitmeter {

/// The bytes are no sound SentencePiece model.
class PieceFormatError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A sound model of a kind that is not encoded here.
class PieceUnsupported : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class PieceAlgorithm { unigram = 1, bpe = 2, words = 3, characters = 4 };

/// As the files number them.
enum class PieceType : std::uint8_t { normal = 1, unknown = 2, control = 3, user = 4, unused = 5, byte = 6 };

struct Piece {
    std::string text;
    float score = 0.0f;
    PieceType type = PieceType::normal;
};

struct PieceFile {
    PieceAlgorithm algorithm = PieceAlgorithm::unigram;
    std::vector<Piece> pieces;
    std::string rules;  // of the normaliser, compiled; empty where characters stay as they are
    std::string begin = "<s>", end = "</s>";
    bool dummy_prefix = true, single_spaces = true, escaped_spaces = true, suffix_spaces = false, byte_fallback = false;
    std::int32_t unknown = -1;  // the piece for characters that no piece has
};

/// Reads the bytes of a file, of which every length and index is checked.
PieceFile read_pieces(Bytes data);

/// The byte that a piece such as <0x0A> stands for; -1 if none.
int byte_of_piece(const std::string& text);

}  // namespace bitmeter
