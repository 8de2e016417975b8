#include "text/pieces/file.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "util/utf8.hpp"

namespace bitmeter {
namespace {

/// More pieces than any vocabulary has, and longer ones.
constexpr std::size_t most_pieces = std::size_t{1} << 24, longest_piece = std::size_t{1} << 16;

/// A field of a message: its number, and the value as its wire type says.
struct Field {
    std::uint64_t number = 0;
    unsigned wire = 0;
    std::uint64_t value = 0;  // of varints and fixed widths
    Bytes bytes{nullptr, 0};  // of strings and messages

    bool is_text() const { return wire == 2; }
    bool is_integer() const { return wire == 0; }
    bool is_float() const { return wire == 5; }
    std::string text() const { return {reinterpret_cast<const char*>(bytes.data), bytes.size}; }
};

class Message {
public:
    explicit Message(Bytes data) : at_(data.data), end_(data.data + data.size) {}

    /// The next field, if there is one.
    bool next(Field& field) {
        if (at_ == end_) return false;
        const std::uint64_t tag = varint();
        field.number = tag >> 3;
        field.wire = static_cast<unsigned>(tag & 7);
        if (field.number == 0) throw PieceFormatError("a field has the number 0");
        switch (field.wire) {
            case 0: field.value = varint(); break;
            case 1: field.value = fixed(8); break;
            case 2: {
                const std::uint64_t size = varint();
                if (size > static_cast<std::uint64_t>(end_ - at_))
                    throw PieceFormatError("a field is longer than what is left of the file");
                field.bytes = {at_, static_cast<std::size_t>(size)};
                at_ += size;
                break;
            }
            case 5: field.value = fixed(4); break;
            default: throw PieceFormatError("a field has a type that these files do not use");
        }
        return true;
    }

private:
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == end_) throw PieceFormatError("the file ends inside of a number");
            const std::uint8_t byte = *at_++;
            value |= std::uint64_t{byte & 0x7Fu} << shift;
            if (byte < 0x80) return value;
        }
        throw PieceFormatError("a number has more than ten bytes");
    }

    std::uint64_t fixed(int width) {
        if (end_ - at_ < width) throw PieceFormatError("the file ends inside of a number");
        std::uint64_t value = 0;
        for (int i = 0; i < width; ++i) value |= std::uint64_t{at_[i]} << (8 * i);
        at_ += width;
        return value;
    }

    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

bool is_utf8(const std::string& text) {
    const auto* p = reinterpret_cast<const std::uint8_t*>(text.data());
    return utf8::count(p, p + text.size()).second == 0;
}

Piece read_piece(Bytes data) {
    Piece piece;
    Message message(data);
    for (Field field; message.next(field);) {
        if (field.number == 1 && field.is_text()) {
            if (field.bytes.size > longest_piece) throw PieceFormatError("a piece has more bytes than any piece has");
            piece.text = field.text();
        } else if (field.number == 2 && field.is_float()) {
            piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
        } else if (field.number == 3 && field.is_integer() && field.value >= 1 && field.value <= 6) {
            piece.type = static_cast<PieceType>(field.value);
        }
    }
    return piece;
}

void read_training(Bytes data, PieceFile& file) {
    Message message(data);
    for (Field field; message.next(field);) {
        if (field.number == 3 && field.is_integer() && field.value >= 1 && field.value <= 4)
            file.algorithm = static_cast<PieceAlgorithm>(field.value);
        else if (field.number == 24 && field.is_integer())
            file.suffix_spaces = field.value != 0;
        else if (field.number == 35 && field.is_integer())
            file.byte_fallback = field.value != 0;
        else if (field.number == 46 && field.is_text() && field.bytes.size)
            file.begin = field.text();
        else if (field.number == 47 && field.is_text() && field.bytes.size)
            file.end = field.text();
    }
}

void read_normaliser(Bytes data, PieceFile& file) {
    Message message(data);
    for (Field field; message.next(field);) {
        if (field.number == 2 && field.is_text())
            file.rules = field.text();
        else if (field.number == 3 && field.is_integer())
            file.dummy_prefix = field.value != 0;
        else if (field.number == 4 && field.is_integer())
            file.single_spaces = field.value != 0;
        else if (field.number == 5 && field.is_integer())
            file.escaped_spaces = field.value != 0;
    }
}

/// What the pieces must fulfil together.
void check(PieceFile& file) {
    std::unordered_set<std::string> plain, reserved;
    std::array<bool, 256> bytes{};
    for (std::size_t i = 0; i < file.pieces.size(); ++i) {
        const Piece& piece = file.pieces[i];
        const std::string where = "piece " + std::to_string(i);
        if (piece.text.empty()) throw PieceFormatError(where + " is empty");
        if (!is_utf8(piece.text)) throw PieceFormatError(where + " is not UTF-8");
        if (!std::isfinite(piece.score)) throw PieceFormatError(where + " has no finite score");
        const bool is_plain =
            piece.type == PieceType::normal || piece.type == PieceType::user || piece.type == PieceType::unused;
        if (!(is_plain ? plain : reserved).insert(piece.text).second)
            throw PieceFormatError(where + " is there twice");
        if (piece.type == PieceType::unknown) {
            if (file.unknown >= 0) throw PieceFormatError("it has two pieces for unknown characters");
            file.unknown = static_cast<std::int32_t>(i);
        }
        if (piece.type == PieceType::byte) {
            const int byte = byte_of_piece(piece.text);
            if (byte < 0 || !file.byte_fallback) throw PieceFormatError(where + " is no byte");
            bytes[static_cast<std::size_t>(byte)] = true;
        }
    }
    if (file.unknown < 0) throw PieceFormatError("it has no piece for unknown characters");
    if (plain.empty()) throw PieceFormatError("it has no pieces");
    for (bool there : bytes)
        if (file.byte_fallback && !there) throw PieceFormatError("it has not a piece for each byte");
}

}  // namespace

int byte_of_piece(const std::string& text) {
    if (text.size() != 6 || text.compare(0, 3, "<0x") != 0 || text[5] != '>') return -1;
    int value = 0;
    for (int i = 3; i < 5; ++i) {
        const char c = text[static_cast<std::size_t>(i)];
        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'))) return -1;
        value = 16 * value + (c <= '9' ? c - '0' : c - 'A' + 10);
    }
    return value;
}

PieceFile read_pieces(Bytes data) {
    PieceFile file;
    Message message(data);
    for (Field field; message.next(field);) {
        if (!field.is_text()) continue;
        if (field.number == 1) {
            if (file.pieces.size() == most_pieces) throw PieceFormatError("it has more pieces than any model has");
            file.pieces.push_back(read_piece(field.bytes));
        } else if (field.number == 2) {
            read_training(field.bytes, file);
        } else if (field.number == 3) {
            read_normaliser(field.bytes, file);
        }
    }
    check(file);
    return file;
}

}  // namespace bitmeter
