#include "text/normalise/normalise.hpp"

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/check.hpp"

using namespace bitmeter;
using normalise::Normaliser;

namespace {

Bytes view(const std::string& s) { return {reinterpret_cast<const std::uint8_t*>(s.data()), s.size()}; }

/// One document, which arrives in blocks that end at `cuts`.
std::string changed(const Normaliser& normaliser, const std::string& text, const std::vector<std::size_t>& cuts = {}) {
    normalise::Stream stream(normaliser);
    normalise::Output out;
    std::vector<std::int64_t> ends;
    std::size_t from = 0;
    for (const std::size_t cut : cuts) {
        const std::string block = text.substr(from, cut - from);
        stream.feed(view(block), {nullptr, 0}, out, ends);
        from = cut;
    }
    const std::string block = text.substr(from);
    const std::vector<std::int64_t> end{static_cast<std::int64_t>(block.size())};
    stream.feed(view(block), {end.data(), end.size()}, out, ends);
    CHECK(ends.size() == 1 && ends[0] == static_cast<std::int64_t>(out.size()));
    return std::string(out.view());
}

/// Pieces that meet every rule, and the borders of the vector loop.
std::string random_text(std::mt19937_64& random, std::size_t n) {
    static const std::string pieces[] = {
        "a", "B", " ", "\n", "\t", std::string("\0", 1), "12", "3.4", ",", "\xC3\x89", "\xCE\xA3", "\xCE\x91", "'", "\xC2\xA0",
        "\xE3\x80\x82", "\xE2\x80\x94", "\xEA\xB0\x81", "\xCC\x81", "\xE1\xAE\xAA", "\xF0\x9D\x85\xA5", "\xF0\x9D\x85\xA0", "\xD9\xA3",
        "\xFF", "\xE2\x80", "\xC3", "a passage of plain letters, longer than one vector "};
    std::string result;
    while (result.size() < n) result += pieces[random() % std::size(pieces)];
    return result;
}

void check_rules() {
    const Normaliser ccnet = Normaliser::named("ccnet"), edugp = Normaliser::named("edugp");
    const Normaliser roots = Normaliser::named("roots"), datatrove = Normaliser::named("datatrove");
    // Newlines are control characters: words fuse.
    CHECK(changed(ccnet, " World.\nSecond line\tTab ") == "world.second linetab");
    CHECK(changed(edugp, "\xC3\x89t\xC3\xA9 12\xE2\x80\xA6") == "\xC3\x89t\xC3\xA9 00...");
    CHECK(changed(ccnet, "\xC3\x89t\xC3\xA9 12\xE2\x80\xA6") == "ete 00...");
    CHECK(changed(datatrove, "1,250.75 and 3") == "0.0 and 0");
    // Where white space is stripped: before or behind the removal of control characters.
    CHECK(changed(ccnet, std::string(" \0 a", 4)) == " a");
    CHECK(changed(roots, std::string(" \0 a", 4)) == "a");
    CHECK(changed(roots, "a\xE3\x80\x80z") == "a z");
    CHECK(changed(edugp, "a\xE3\x80\x80z") == "a\xE3\x80\x80z");
    // A final sigma.
    CHECK(changed(ccnet, "\xCE\x91\xCE\xA3") == "\xCE\xB1\xCF\x82");
    CHECK(changed(ccnet, "\xCE\x91\xCE\xA3\xCE\x91") == "\xCE\xB1\xCF\x83\xCE\xB1");
    // Bytes that are no UTF-8 stay.
    CHECK(changed(ccnet, "A\xFF\xC3") == "a\xFF\xC3");
    bool refused = false;
    try {
        Normaliser::named("none");
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

void check_cuts() {
    std::mt19937_64 random(1);
    for (const char* name : {"ccnet", "edugp", "roots", "datatrove"}) {
        const Normaliser normaliser = Normaliser::named(name);
        for (int round = 0; round < 300; ++round) {
            const std::string text = random_text(random, random() % 120);
            const std::string whole = changed(normaliser, text);
            for (std::size_t cut = 0; cut <= text.size(); cut += 1 + random() % 7) {
                const std::size_t second = cut + random() % (text.size() - cut + 1);
                CHECK(changed(normaliser, text, {cut, second}) == whole);
            }
        }
    }
}

}  // namespace

int main() {
    check_rules();
    check_cuts();
    return check::report();
}
