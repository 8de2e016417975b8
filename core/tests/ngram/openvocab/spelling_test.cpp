#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "ngram/estimate/estimate.hpp"
#include "ngram/openvocab/spelling.hpp"
#include "tests/check.hpp"
#include "tests/texts.hpp"

using namespace bitmeter;

namespace {

using texts::bytes, texts::text_of, texts::trained;

GapCounts counted(const std::string& text, bool lines, std::size_t block) {
    GapCounts gaps("\t\n ", lines);
    const auto ends = lines ? line_ends(bytes(text)) : std::vector<std::int64_t>{};
    std::size_t next = 0;
    for (std::size_t at = 0; at < text.size(); at += block) {
        const std::string part = text.substr(at, block);
        std::vector<std::int64_t> here;
        for (; next < ends.size() && ends[next] <= static_cast<std::int64_t>(at + part.size()); ++next)
            here.push_back(ends[next] - static_cast<std::int64_t>(at));
        gaps.feed(bytes(part), {here.data(), here.size()});
    }
    gaps.finish();
    return gaps;
}

const std::string sample = "one two\n three  four\n\n  \nfive six seven\t\nend";

void counts_do_not_depend_on_blocks() {
    const GapCounts whole = counted(sample, true, 1 << 20);
    CHECK(whole.ended() == 5 && whole.unended() == 1);
    CHECK(whole.counts(GapPlace::lead).at("") == 3 && whole.counts(GapPlace::lead).at(" ") == 1);
    CHECK(whole.counts(GapPlace::between).at(" ") == 3 && whole.counts(GapPlace::between).at("  ") == 1);
    CHECK(whole.counts(GapPlace::tail).at("") == 3 && whole.counts(GapPlace::tail).at("\t") == 1);
    CHECK(whole.counts(GapPlace::blank).at("") == 1 && whole.counts(GapPlace::blank).at("  ") == 1);
    for (std::size_t block : {1u, 2u, 3u, 5u, 7u, 11u}) {
        const GapCounts parts = counted(sample, true, block);
        for (unsigned p = 0; p < gap_places; ++p)
            CHECK(parts.counts(static_cast<GapPlace>(p)) == whole.counts(static_cast<GapPlace>(p)));
        CHECK(parts.ended() == whole.ended() && parts.unended() == whole.unended());
    }
}

void predictions_sum_to_one_and_agree_with_costs() {
    const auto letters = trained(text_of("61 62 63\n61 62\n63\n61 61 62 c3 a9\n", " \n"), 4);
    const auto section = Spelling::section(counted(sample, true, 64), *letters);
    const Spelling spelling({section.data(), section.size()});
    for (const std::string prefix : {"", "a", "ab", "abcabc", "zz\xff", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
        Spelling::Place place;
        for (char c : prefix) spelling.push(place, static_cast<std::uint8_t>(c));
        double out[Spelling::symbols];
        spelling.predict(place, out);
        CHECK(check::close(std::accumulate(out, out + Spelling::symbols, 0.0), 1.0, 1e-6));
        for (unsigned symbol = 0; symbol < Spelling::symbols; ++symbol) {
            Spelling::Place next = place;
            const double log = spelling.push(next, symbol);
            CHECK(out[symbol] == 0.0 ? std::isinf(log) : check::close(std::exp(log), out[symbol], 1e-12));
        }
    }
    for (int last : {-1, int{' '}, int{'\t'}}) {
        double out[Spelling::symbols];
        spelling.predict_gap(last, out);
        CHECK(check::close(std::accumulate(out, out + Spelling::symbols, 0.0), 1.0, 1e-12));
    }
    for (unsigned p = 0; p < gap_places; ++p) {
        double total = spelling.escape(static_cast<GapPlace>(p));
        for (const auto& gap : spelling.gaps(static_cast<GapPlace>(p))) total += gap.p;
        CHECK(check::close(total, 1.0, 1e-12));
    }
    CHECK(check::close(std::exp(spelling.newline()) + std::exp(spelling.no_newline()), 1.0, 1e-12));
}

void damage_is_an_error() {
    const auto letters = trained(text_of("61 62 63\n61 62\n63\n", " \n"), 3);
    const auto good = Spelling::section(counted(sample, true, 64), *letters);
    auto fails = [](const std::vector<std::uint8_t>& section) {
        try {
            Spelling spelling({section.data(), section.size()});
        } catch (const NgramFormatError&) {
            return true;
        }
        return false;
    };
    CHECK(!fails(good));
    for (std::size_t size = 0; size < good.size(); size += 97)
        CHECK(fails(std::vector<std::uint8_t>(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))));
    for (std::size_t place = 0; place < good.size(); place += 61) {
        auto bad = good;
        bad[place] ^= 0x55;
        try {
            Spelling spelling({bad.data(), bad.size()});
        } catch (const NgramFormatError&) {
        }
    }
}

}  // namespace

int main() {
    counts_do_not_depend_on_blocks();
    predictions_sum_to_one_and_agree_with_costs();
    damage_is_an_error();
    return check::report();
}
