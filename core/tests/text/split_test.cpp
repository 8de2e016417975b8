#include "text/split.hpp"

#include <map>
#include <random>
#include <string>

#include "tests/check.hpp"

using namespace bitmeter;

namespace {

const std::string spaces("\t\n\v\f\r ", 6);

Bytes view(const std::string& s) { return {reinterpret_cast<const std::uint8_t*>(s.data()), s.size()}; }

std::vector<std::int64_t> whole(const std::string& s) { return {static_cast<std::int64_t>(s.size())}; }

Ends view(const std::vector<std::int64_t>& ends) { return {ends.data(), ends.size()}; }

/// Bytes that make characters, broken characters, words and gaps likely.
std::string random_text(std::mt19937_64& random, std::size_t n) {
    static const std::string pieces[] = {"a", "be", " ", "  ", "\n", "\r\n", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                         "\xE2", "\x82", "\xF0\x9F", "\xC0\x80", "\xED\xA0\x80", "\xFF", "\t \n", "word",
                                         std::string("\0", 1), "a rather long passage of plain letters, and then more of them "};
    std::string result;
    while (result.size() < n) result += pieces[random() % std::size(pieces)];
    return result;
}

/// Reads UTF-8 by the table of the standard, byte by byte: an independent twin of util/utf8.hpp.
int reference_length(const std::string& s, std::size_t i) {
    auto at = [&](std::size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0; };
    auto in = [&](std::size_t k, int low, int high) { return at(k) >= low && at(k) <= high; };
    if (at(i) < 0x80) return 1;
    if (in(i, 0xC2, 0xDF)) return in(i + 1, 0x80, 0xBF) ? 2 : 0;
    if (at(i) == 0xE0) return in(i + 1, 0xA0, 0xBF) && in(i + 2, 0x80, 0xBF) ? 3 : 0;
    if (at(i) == 0xED) return in(i + 1, 0x80, 0x9F) && in(i + 2, 0x80, 0xBF) ? 3 : 0;
    if (in(i, 0xE1, 0xEF)) return in(i + 1, 0x80, 0xBF) && in(i + 2, 0x80, 0xBF) ? 3 : 0;
    if (at(i) == 0xF0) return in(i + 1, 0x90, 0xBF) && in(i + 2, 0x80, 0xBF) && in(i + 3, 0x80, 0xBF) ? 4 : 0;
    if (at(i) == 0xF4) return in(i + 1, 0x80, 0x8F) && in(i + 2, 0x80, 0xBF) && in(i + 3, 0x80, 0xBF) ? 4 : 0;
    if (in(i, 0xF1, 0xF3)) return in(i + 1, 0x80, 0xBF) && in(i + 2, 0x80, 0xBF) && in(i + 3, 0x80, 0xBF) ? 4 : 0;
    return 0;
}

void characters() {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 200; ++trial) {
        const std::string s = random_text(random, random() % 300);
        auto ends = whole(s);
        auto found = split_chars(view(s), view(ends));
        std::size_t i = 0, unit = 0;
        std::int64_t invalid = 0;
        bool same = true;
        while (i < s.size()) {
            int length = reference_length(s, i);
            same &= unit < found.ids.size() && found.cuts[unit] == static_cast<std::int64_t>(i);
            same &= (found.ids[unit] >= first_invalid) == (length == 0);
            if (length == 0) same &= found.ids[unit] == first_invalid + static_cast<unsigned char>(s[i]);
            invalid += length == 0;
            i += static_cast<std::size_t>(length ? length : 1);
            ++unit;
        }
        CHECK(same && unit == found.ids.size() && found.cuts.back() == static_cast<std::int64_t>(s.size()));

        TextCounts counts(spaces);
        counts.feed(view(s), {nullptr, 0});
        counts.finish();
        CHECK(counts.chars == static_cast<std::int64_t>(unit) && counts.invalid == invalid);
    }
    const std::string euro = "\xE2\x82\xAC", face = "\xF0\x9F\x98\x80";
    auto ends = whole(euro + face);
    auto found = split_chars(view(euro + face), view(ends));
    CHECK((found.ids == std::vector<std::int32_t>{0x20AC, 0x1F600}));
    CHECK(chars_cut(view(euro.substr(0, 2))) == 0 && chars_cut(view("a" + face.substr(0, 3))) == 1);
    CHECK(chars_cut(view(std::string("a\xFF"))) == 2 && chars_cut(view(std::string("\x80\x80\x80"))) == 3);
    CHECK(chars_cut(view(std::string())) == 0 && chars_cut(view(std::string("\xF0\x80"))) == 2);
}

void words() {
    std::mt19937_64 random(2);
    const Separators separators(spaces);
    for (int trial = 0; trial < 300; ++trial) {
        const std::string s = random_text(random, random() % 400);
        std::vector<std::int64_t> ends;
        for (std::size_t i = 0; i < s.size(); ++i)
            if (random() % 40 == 0) ends.push_back(static_cast<std::int64_t>(i));
        ends.push_back(static_cast<std::int64_t>(s.size()));
        auto found = split_words(view(s), view(ends), separators, nullptr);
        auto own = trim(view(s), found.cuts.data(), found.ids.size(), separators);

        // The same by hand, byte by byte.
        std::vector<std::string> expected;
        std::vector<std::int64_t> bounds{0};
        std::int64_t begin = 0, count = 0;
        for (std::int64_t end : ends) {
            std::size_t before = expected.size();
            std::string word;
            for (std::int64_t i = begin; i < end; ++i) {
                char c = s[static_cast<std::size_t>(i)];
                if (spaces.find(c) == std::string::npos) word += c;
                else if (!word.empty()) expected.push_back(word), word.clear();
            }
            if (!word.empty()) expected.push_back(word);
            count += static_cast<std::int64_t>(expected.size() - before);
            if (expected.size() == before && begin < end) expected.push_back("");
            bounds.push_back(static_cast<std::int64_t>(expected.size()));
            begin = end;
        }
        CHECK(found.ids.size() == expected.size() && found.bounds == bounds);
        CHECK(found.cuts.size() == expected.size() + 1 && found.cuts.back() == static_cast<std::int64_t>(s.size()));
        for (std::size_t u = 0; u < expected.size(); ++u) {
            auto from = static_cast<std::size_t>(own.starts[u]), to = static_cast<std::size_t>(own.stops[u]);
            CHECK(s.substr(from, to - from) == expected[u]);
            CHECK(found.ids[u] == (expected[u].empty() ? blank_document : hash_word(view(expected[u]))));
        }
        TextCounts counts(spaces);
        counts.feed(view(s), view(ends));
        CHECK(counts.words == count);
    }
    CHECK(words_cut(view("one two"), separators) == 4 && words_cut(view("one two "), separators) == 4);
    CHECK(words_cut(view("  one"), separators) == 0 && words_cut(view("   "), separators) == 0);
    CHECK(words_cut(view(""), separators) == 0 && words_cut(view("one"), separators) == 0);
}

void masks() {
    std::mt19937_64 random(3);
    for (const std::string& set : {spaces, std::string(), std::string("\0", 1), std::string("abcdefghijklmnopqrstuv")}) {
        const Separators separators(set);
        std::uint8_t bytes[64];
        for (int trial = 0; trial < 100; ++trial) {
            for (auto& b : bytes) b = static_cast<std::uint8_t>(trial % 2 ? random() % 40 : random() % 128);
            CHECK(separators.mask(bytes) == separators.plain_mask(bytes));
        }
    }
}

void blocks_of_any_size() {
    std::mt19937_64 random(4);
    for (int trial = 0; trial < 200; ++trial) {
        const std::string s = random_text(random, random() % 200);
        TextCounts at_once(spaces), in_blocks(spaces);
        at_once.feed(view(s), {nullptr, 0});
        at_once.finish();
        Paragraphs all, parts;
        const auto ends = all.feed(view(s));
        std::vector<std::int64_t> found;
        bool decided = true;
        for (std::size_t i = 0; i < s.size();) {
            const std::string block = s.substr(i, 1 + random() % 7);
            in_blocks.feed(view(block), {nullptr, 0});
            const std::int64_t before = parts.decided();
            for (auto end : parts.feed(view(block))) {
                decided &= end >= before;
                found.push_back(end);
            }
            i += block.size();
        }
        in_blocks.finish();
        CHECK(decided && found == ends);
        CHECK(at_once.chars == in_blocks.chars && at_once.invalid == in_blocks.invalid && at_once.words == in_blocks.words &&
              at_once.bytes == in_blocks.bytes);
    }
}

void lines_and_paragraphs() {
    CHECK((line_ends(view("a\n\nb\r\nc")) == std::vector<std::int64_t>{2, 3, 6}));
    CHECK(line_ends(view("")).empty());
    const std::string many(1000, '\n');
    CHECK(line_ends(view(many)).size() == 1000);
    auto paragraphs = [](const std::string& s) { return Paragraphs().feed(view(s)); };
    CHECK((paragraphs("a\nb\n\nc\n \t\r\n\n  d\n\n") == std::vector<std::int64_t>{5, 12}));
    CHECK(paragraphs("\n\na\nb").empty() && paragraphs("").empty() && paragraphs("\n \n").empty());
    // White space without end is text at last, so that what must be held back stays bounded.
    const std::string indent(Paragraphs::longest_indent + 1, ' ');
    CHECK((paragraphs("a\n\n" + indent) == std::vector<std::int64_t>{3}));
    CHECK(paragraphs("a\n\n" + indent.substr(1)).empty());
}

void numbering() {
    WordTable table;
    std::map<std::string, std::int64_t> reference;
    std::mt19937_64 random(5);
    for (int i = 0; i < 20000; ++i) {
        std::string word(random() % 20, 'a');
        for (auto& c : word) c = static_cast<char>('a' + random() % 3);
        auto [place, fresh] = reference.emplace(word, static_cast<std::int64_t>(reference.size()));
        if (fresh) CHECK(table.find(view(word)) == unknown_word);
        CHECK(table.add(view(word)) == place->second && table.find(view(word)) == place->second);
    }
    CHECK(table.size() == reference.size());
    std::map<std::int64_t, std::string> hashes;
    for (const auto& [word, number] : reference) {
        CHECK(hash_word(view(word)) >= 0);
        CHECK(hashes.emplace(hash_word(view(word)), word).second);
    }
}

}  // namespace

int main() {
    characters();
    words();
    masks();
    blocks_of_any_size();
    lines_and_paragraphs();
    numbering();
    return check::report();
}
