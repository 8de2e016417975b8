// Pieces of small models whose best segmentations can be seen by hand.
#include "text/pieces/encoder.hpp"

#include <algorithm>
#include <string>

#include "tests/check.hpp"

namespace {

using namespace bitmeter;

PieceFile model(PieceAlgorithm algorithm, std::vector<Piece> pieces) {
    PieceFile file;
    file.algorithm = algorithm;
    file.pieces = std::move(pieces);
    file.pieces.insert(file.pieces.begin(), {"<unk>", 0.0f, PieceType::unknown});
    file.unknown = 0;
    return file;
}

PieceSplit split(const PieceEncoder& encoder, const std::string& text) {
    const auto size = static_cast<std::int64_t>(text.size());
    return split_pieces(encoder, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, {&size, 1}, 1);
}

using Ids = std::vector<std::int64_t>;

void test_unigram() {
    const PieceEncoder encoder(model(PieceAlgorithm::unigram, {{"\xE2\x96\x81", -2.0f, PieceType::normal},
                                                               {"a", -3.0f, PieceType::normal},
                                                               {"b", -3.0f, PieceType::normal},
                                                               {"ab", -4.0f, PieceType::normal},
                                                               {"\xE2\x96\x81" "ab", -7.5f, PieceType::normal}}));
    auto found = split(encoder, "ab");  // -2 - 4 is better than -7.5
    CHECK(found.ids == (Ids{1, 4}));
    CHECK(found.cuts == (Ids{0, 0, 2}));
    CHECK(found.lossy == 0);
    found = split(encoder, "a  c cb");  // one of the spaces is dropped, and c is unknown
    CHECK(found.ids == (Ids{1, 2, 1, 0, 1, 0, 3}));
    CHECK(found.cuts == (Ids{0, 0, 1, 3, 4, 5, 6, 7}));
    CHECK(found.lossy == 7);
    CHECK(split(encoder, "cccb").ids == (Ids{1, 0, 3}));  // unknown characters are one piece
    CHECK(split(encoder, " \n").ids == (Ids{1, 0}));      // without rules, a newline is a character
    CHECK(split(encoder, "  ").ids == Ids{blank_document});
    CHECK(split(encoder, "").ids.empty());
}

void test_merges() {
    const PieceEncoder encoder(model(PieceAlgorithm::bpe, {{"\xE2\x96\x81", -9.0f, PieceType::normal},
                                                           {"a", -9.0f, PieceType::normal},
                                                           {"b", -9.0f, PieceType::normal},
                                                           {"aa", 0.0f, PieceType::normal},
                                                           {"ab", -1.0f, PieceType::normal},
                                                           {"aab", -2.0f, PieceType::normal}}));
    CHECK(split(encoder, "aab").ids == (Ids{1, 6}));      // aa first, then with b
    CHECK(split(encoder, "aaab").ids == (Ids{1, 4, 5}));  // the leftmost aa, then ab
}

void test_symbols_are_never_split() {
    auto file = model(PieceAlgorithm::unigram,
                      {{"\xE2\x96\x81", -2.0f, PieceType::normal}, {"a", -1.0f, PieceType::normal}, {"aa", -9.0f, PieceType::user}});
    const PieceEncoder encoder(std::move(file));
    CHECK(split(encoder, "aaa aa").ids == (Ids{1, 2, 3, 1, 3}));  // of equals the first
}

/// Numbers pieces by how many bytes they have, and remembers them.
struct Sizes : PieceLookup {
    mutable std::vector<std::string> asked;
    std::uint32_t number(Bytes piece) const override {
        asked.emplace_back(reinterpret_cast<const char*>(piece.data), piece.size);
        return static_cast<std::uint32_t>(piece.size);
    }
};

void test_unknown_pieces_are_looked_up() {
    const std::string space = "\xE2\x96\x81";
    // With a piece for the space unknown characters end with their word; without one they go on in the next.
    for (const bool has_space : {true, false}) {
        std::vector<Piece> pieces{{"a", -3.0f, PieceType::normal}, {"b", -3.0f, PieceType::normal}};
        if (has_space) pieces.push_back({space, -2.0f, PieceType::normal});
        const PieceEncoder encoder(model(PieceAlgorithm::unigram, std::move(pieces)));
        const Sizes lookup;
        PieceSessions sessions;
        const std::string texts[] = {"ab cc", "a ccca xa", "cc dd ee", "c  \xFF d", "ab", ""};
        for (int round = 0; round < 2; ++round)  // the second time from what is kept
            for (const std::string& text : texts) {
                const auto size = static_cast<std::int64_t>(text.size());
                const Bytes bytes{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
                const auto plain = split(encoder, text);
                const auto found = split_pieces(encoder, bytes, {&size, 1}, 1, &lookup, sessions);
                const auto written = encoder.written(bytes);
                CHECK(found.cuts == plain.cuts && found.bounds == plain.bounds && found.lossy == plain.lossy);
                bool same = found.ids.size() == written.size();
                for (std::size_t i = 0; same && i < written.size(); ++i)
                    same = found.ids[i] == (plain.ids[i] != 0 ? plain.ids[i] : static_cast<std::int64_t>(encoder.size() + written[i].size()));
                CHECK(same);
            }
        const auto asked = [&](const std::string& piece) {
            return std::find(lookup.asked.begin(), lookup.asked.end(), piece) != lookup.asked.end();
        };
        CHECK(asked(has_space ? "ccc" : space + "ccc") && asked(has_space ? "cc" : space + "cc" + space + "dd" + space + "ee"));
    }
}

void test_many_words_are_kept() {
    const PieceEncoder encoder(model(PieceAlgorithm::unigram, {{"\xE2\x96\x81", -2.0f, PieceType::normal},
                                                               {"a", -3.0f, PieceType::normal},
                                                               {"b", -3.5f, PieceType::normal},
                                                               {"ab", -6.0f, PieceType::normal}}));
    std::string text;
    for (unsigned i = 0; i < 5000; ++i) {  // words of 1 to 20 letters, so that the memory grows and holds long ones
        for (unsigned j = 0; j <= i % 20; ++j) text += (i * 2654435761u >> (j + 3)) & 1 ? 'a' : j % 7 == 6 ? 'c' : 'b';
        text += ' ';
    }
    const auto first = split(encoder, text);
    for (int round = 0; round < 2; ++round) CHECK(split(encoder, text).ids == first.ids);
    const PieceEncoder again(model(PieceAlgorithm::unigram, {{"\xE2\x96\x81", -2.0f, PieceType::normal},
                                                             {"a", -3.0f, PieceType::normal},
                                                             {"b", -3.5f, PieceType::normal},
                                                             {"ab", -6.0f, PieceType::normal}}));
    CHECK(again.written({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}).size() == first.ids.size());
}

void test_files() {
    const auto refused = [](const std::string& text) {
        try {
            read_pieces({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
        } catch (const PieceFormatError&) {
            return true;
        }
        return false;
    };
    const std::string unknown("\x0A\x09\x0A\x05<unk>\x18\x02", 11), a("\x0A\x03\x0A\x01" "a", 5);
    CHECK(!refused(unknown + a));
    CHECK(refused(""));
    CHECK(refused(unknown));
    CHECK(refused(a));
    CHECK(refused(unknown + a + a));
    for (std::size_t size = 0; size < unknown.size() + a.size(); ++size) CHECK(refused((unknown + a).substr(0, size)));
}

}  // namespace

int main() {
    test_unigram();
    test_merges();
    test_symbols_are_never_split();
    test_files();
    test_unknown_pieces_are_looked_up();
    test_many_words_are_kept();
    return check::report();
}
