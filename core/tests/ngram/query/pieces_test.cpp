#include "ngram/query/pieces.hpp"

#include <random>
#include <string>
#include <vector>

#include "ngram/format/model.hpp"
#include "tests/check.hpp"
#include "tests/texts.hpp"

using namespace bitmeter;

namespace {

const char* const white = " \n";

using texts::bytes;

/// An index of the words w0, w1, …, numbered from first_word on.
struct Index {
    std::string text;
    std::vector<std::uint64_t> offsets;
    std::vector<WordSlot> slots;

    explicit Index(std::uint32_t words) : slots(index_size(words + first_word)) {
        for (std::uint32_t i = 0; i < words + first_word; ++i) {
            offsets.push_back(text.size());
            text += i < first_word ? "" : "w" + std::to_string(i - first_word);
        }
        offsets.push_back(text.size());
        get().fill(first_word);
    }
    WordIndex get() {
        return {slots, offsets.data(), bytes(text).data, text.size(), static_cast<std::uint32_t>(offsets.size() - 1)};
    }
};

/// Pieces follow each other without a gap, and end with a document or before a word.
void test_pieces() {
    std::mt19937_64 random(3);
    const Separators separators(white);
    for (int round = 0; round < 200; ++round) {
        std::string text;
        std::vector<std::int64_t> ends;
        for (std::size_t i = random() % 300; i > 0; --i) {
            text += "ab  \n"[random() % 5];
            if (random() % 9 == 0) ends.push_back(static_cast<std::int64_t>(text.size()));
        }
        ends.push_back(static_cast<std::int64_t>(text.size()));
        const auto pieces = ngram_pieces(bytes(text), {ends.data(), ends.size()}, separators, 1 + random() % 40);
        std::size_t at = 0, document = 0;
        for (const NgramPiece& piece : pieces) {
            CHECK(piece.begin == at && piece.first == document && piece.last >= piece.first);
            at = piece.end;
            document = piece.last;
            const bool with_document = piece.last > piece.first && static_cast<std::size_t>(ends[piece.last - 1]) == at;
            CHECK(with_document || (separators[bytes(text).data[at - 1]] && !separators[bytes(text).data[at]]));
        }
        CHECK(at == text.size() && document == ends.size());
    }
}

/// What was counted by hand: numbers, cuts, bounds and blanks, with the same object used again.
void test_units() {
    Index index(4);
    const Separators separators(white);
    NgramUnits units;
    const std::string text = " w0 w9\n\n  \nw3\n";
    const std::int64_t ends[] = {7, 8, 11, 14};
    const NgramBytes in{bytes(text), {ends, 4}, 4, nullptr, 0};
    using Numbers = std::vector<std::uint32_t>;
    using Places = std::vector<std::int64_t>;
    auto numbers = [&] { return Numbers(units.numbers(), units.numbers() + units.size()); };
    auto cuts = [&] { return Places(units.cuts(), units.cuts() + units.size()); };
    units.split(index.get(), in, {0, text.size(), 0, 4}, separators, NgramEnds::all);
    CHECK(numbers() == (Numbers{first_word, word_unknown, word_end, word_end, word_end, first_word + 3, word_end}));
    CHECK(cuts() == (Places{0, 4, 7, 7, 8, 11, 14}) && units.bounds() == (Places{3, 4, 5, 7}) && units.blanks().empty());
    units.split(index.get(), in, {0, text.size(), 0, 4}, separators, NgramEnds::none);
    CHECK(numbers() == (Numbers{first_word, word_unknown, word_unknown, word_unknown, first_word + 3}));
    CHECK(units.bounds() == (Places{2, 3, 4, 5}) && units.blanks() == (std::vector<std::size_t>{2, 3}));
    // A piece within a document, which begins with a word and leaves the document open.
    units.split(index.get(), in, {4, 7, 0, 0}, separators, NgramEnds::all);
    CHECK(numbers() == Numbers{word_unknown} && cuts() == Places{4} && units.bounds().empty());
}

/// Documents without a byte have no units, and there is room for the words before them all the same.
void test_nothing() {
    Index index(1);
    const std::int64_t ends[] = {0, 0};
    const NgramBytes in{bytes(""), {ends, 2}, 2, nullptr, 0};
    NgramUnits units;
    units.split(index.get(), in, {0, 0, 0, 2}, Separators(white), NgramEnds::none);
    CHECK(units.size() == 0 && units.bounds() == (std::vector<std::int64_t>{0, 0}));
    for (std::size_t i = 1; i <= NgramUnits::most_lead; ++i) units.numbers()[-static_cast<std::ptrdiff_t>(i)] = 7;
}

}  // namespace

int main() {
    test_pieces();
    test_units();
    test_nothing();
    return check::report();
}
