#include "text/pieces/encoder.hpp"

#include <algorithm>
#include <cfloat>
#include <limits>
#include <stdexcept>

#include "util/utf8.hpp"

namespace bitmeter {
namespace {

constexpr std::string_view meta = "\xE2\x96\x81";  // stands for a space in pieces
/// By how much an unknown character costs more than the least likely piece.
constexpr float unknown_penalty = 10.0f;

const std::uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

bool is_plain(PieceType type) {
    return type == PieceType::normal || type == PieceType::user || type == PieceType::unused;
}

std::string with_spaces(std::string text) {
    for (std::size_t at = 0; (at = text.find(meta, at)) != std::string::npos; ++at) text.replace(at, meta.size(), " ");
    return text;
}

}  // namespace

PieceEncoder::PieceEncoder(PieceFile file)
    : pieces_(std::move(file.pieces)), rules_(file.rules), algorithm_(file.algorithm),
      space_(file.escaped_spaces ? meta : std::string_view(" ")), dummy_prefix_(file.dummy_prefix),
      single_spaces_(file.single_spaces), escaped_(file.escaped_spaces), suffix_(file.suffix_spaces),
      fallback_(file.byte_fallback), unknown_(file.unknown) {
    if (algorithm_ != PieceAlgorithm::unigram && algorithm_ != PieceAlgorithm::bpe)
        throw PieceUnsupported("its pieces are whole words or single characters");
    set_tables(file);
    set_borders();
}

void PieceEncoder::set_tables(const PieceFile& file) {
    float least = FLT_MAX, most = FLT_MIN;  // as the library begins
    for (const Piece& piece : pieces_)
        if (piece.type == PieceType::normal) {
            least = std::min(least, piece.score);
            most = std::max(most, piece.score);
        }
    unknown_score_ = least - unknown_penalty;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const Piece& piece = pieces_[i];
        const auto id = static_cast<std::int32_t>(i);
        if (piece.text.find('\0') != std::string::npos) throw PieceUnsupported("a piece holds the zero byte");
        if (is_plain(piece.type)) {
            trie_.add(piece.text, id);
            longest_ = std::max(longest_, piece.text.size());
            if (piece.type == PieceType::user) user_.add(piece.text, id);
            if (piece.type == PieceType::unused) has_unused_ = true;
        } else {
            reserved_.add(piece.text, id);
        }
        if (piece.type == PieceType::byte) byte_ids_[static_cast<std::size_t>(byte_of_piece(piece.text))] = id;
        const bool has = piece.type != PieceType::unknown && piece.type != PieceType::control;
        add_token(has, !has                             ? std::string()
                       : piece.type == PieceType::byte ? std::string(1, static_cast<char>(byte_of_piece(piece.text)))
                                                       : with_spaces(piece.text));
        // A symbol of the user is to be taken always, so it costs nearly nothing.
        scores_.push_back(piece.type == PieceType::user
                              ? static_cast<float>(static_cast<float>(piece.text.size()) * most - 0.1)
                              : piece.score);
    }
    if (algorithm_ == PieceAlgorithm::bpe)
        for (const Piece& piece : pieces_)
            if (!is_plain(piece.type) && (trie_.find(piece.text) >= 0 ||
                                          one_character(bytes_of(piece.text), bytes_of(piece.text) + piece.text.size()) ==
                                              piece.text.size()))
                throw PieceUnsupported("a mark could be found in a text");
    const auto mark = [&](const std::string& text) {
        const std::int32_t id = reserved_or_plain(text);
        return pieces_[static_cast<std::size_t>(id)].type == PieceType::control ? id : -1;
    };
    std::array<bool, 256> user_bytes{};
    for (const Piece& piece : pieces_)
        if (piece.type == PieceType::user)
            for (char c : piece.text) user_bytes[static_cast<std::uint8_t>(c)] = true;
    begin_mark_ = mark(file.begin);
    end_mark_ = mark(file.end);
    for (unsigned byte = 0; byte < 256; ++byte) {
        const auto b = static_cast<std::uint8_t>(byte);
        const std::uint8_t text[1] = {b};
        const bool user = user_.next(PieceTrie::root, b) != PieceTrie::none;
        const auto rule = rules_.longest(text, text + 1);
        plain_[byte] = byte < 0x80 && byte != ' ' && !user && !rules_.begins(b);
        // A space by itself, whatever stands beside it at the end of a text.
        white_[byte] = byte < 0x80 && !user && !rules_.inside(b) && !user_bytes[byte] &&
                       (rule.length ? rule.text == " " : byte == ' ');
        // What certainly does not become a space at the end of a word.
        solid_[byte] = byte >= 0x80 || (byte > ' ' && (!rule.length || (!rule.text.empty() && rule.text.back() != ' ')));
        opens_[byte] = byte != ' ' && !rules_.after_space(b);
    }
}

/// Where pieces never cross the border of a space, texts can be split there.
void PieceEncoder::set_borders() {
    bool before = true, after = true, user_space = false, positive = unknown_score_ > 0.0f;
    for (const Piece& piece : pieces_) {
        if (!is_plain(piece.type)) continue;
        const auto* end = bytes_of(piece.text) + piece.text.size();
        bool was_space = false, first = true;
        for (const auto* p = bytes_of(piece.text); p < end;) {
            const bool here = is_space(p, end);
            if (!first && here && !was_space) before = false;
            if (!first && !here && was_space) after = false;
            was_space = here;
            first = false;
            p += here ? space_.size() : one_character(p, end);
        }
        user_space = user_space || (piece.type == PieceType::user && piece.text.find(' ') != std::string::npos);
        positive = positive || (piece.type == PieceType::normal && piece.score > 0.0f);
    }
    // Merges that are undone depend on the whole text.
    const bool whole = algorithm_ == PieceAlgorithm::bpe && has_unused_;
    border_before_ = before && !whole;
    border_after_ = after && !before && !whole;
    const std::uint8_t space[1] = {' '};
    const auto rule = rules_.longest(space, space + 1);
    words_ = border_before_ && !suffix_ && escaped_ && !user_space && !rules_.inside(' ') &&
             (!rule.length || rule.text == " ") && !(algorithm_ == PieceAlgorithm::unigram && positive);
}

bool PieceEncoder::is_space(const std::uint8_t* p, const std::uint8_t* end) const {
    return *p == static_cast<std::uint8_t>(space_[0]) && static_cast<std::size_t>(end - p) >= space_.size() &&
           std::equal(space_.begin(), space_.end(), reinterpret_cast<const char*>(p));
}

std::size_t PieceEncoder::one_character(const std::uint8_t* p, const std::uint8_t* end) const {
    const std::size_t size = *p < 0xC0 ? 1 : *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : 4;
    return std::min(size, static_cast<std::size_t>(end - p));
}

std::int32_t PieceEncoder::reserved_or_plain(std::string_view text) const {
    std::int32_t id = reserved_.find(text);
    if (id < 0) id = trie_.find(text);
    return id < 0 ? unknown_ : id;
}

/// What the text at p becomes, and how much of it.
PieceEncoder::Prefix PieceEncoder::prefix(const std::uint8_t* p, const std::uint8_t* end) const {
    if (plain_[*p]) return {p, 1, 1};
    if (!user_.empty())
        if (const std::size_t size = user_.longest(p, end)) return {p, size, size};
    const auto rule = rules_.longest(p, end);
    if (rule.length) return {bytes_of(rule.text), rule.text.size(), rule.length};
    const int size = utf8::length(p, end);
    if (size <= 0) return {bytes_of(piece_replacement), piece_replacement.size(), 1};
    return {p, static_cast<std::size_t>(size), static_cast<std::size_t>(size)};
}

void PieceEncoder::encode(Bytes document, std::int64_t offset, const std::uint8_t* limit, PieceSession& session,
                          PieceRun& run) const {
    if (document.size > std::numeric_limits<std::uint32_t>::max() / 4)
        throw std::length_error("a document has more than a gigabyte");
    const std::size_t first = run.size, lossy = run.lossy;
    if (!words_ || !by_words(document, offset, limit, session, run)) {
        run.size = first;
        run.lossy = lossy;
        by_segments(document, offset, session, run);
        if (session.lookup) look_up(document, offset, first, session, run);
    }
    if (run.size == first && document.size) {
        run.push(static_cast<std::int32_t>(blank_document), offset);
        run.lossy += document.size;
    }
    run.bounds.push_back(static_cast<std::int64_t>(run.size));
}

/// Numbers the unknown pieces of a document that was split whole.
void PieceEncoder::look_up(Bytes document, std::int64_t offset, std::size_t first, PieceSession& session,
                           PieceRun& run) const {
    const auto begin = run.ids.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::find(begin, run.ids.begin() + static_cast<std::ptrdiff_t>(run.size), unknown_) ==
        run.ids.begin() + static_cast<std::ptrdiff_t>(run.size))
        return;
    std::vector<std::string> pieces;
    session.written = &pieces;
    PieceRun again;
    by_segments(document, offset, session, again);
    session.written = nullptr;
    for (std::size_t i = 0; i < pieces.size(); ++i)
        if (run.ids[first + i] == unknown_) run.ids[first + i] = looked_up({bytes_of(pieces[i]), pieces[i].size()}, session);
}

std::vector<std::string> PieceEncoder::written(Bytes document) const {
    std::vector<std::string> result;
    auto session = sessions().take();
    session->written = &result;
    PieceRun run;
    by_segments(document, 0, *session, run);
    session->written = nullptr;
    sessions().give(std::move(session));
    return result;
}

}  // namespace bitmeter
