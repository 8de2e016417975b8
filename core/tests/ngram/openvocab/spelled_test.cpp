#include "ngram/openvocab/spelled.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "ngram/estimate/estimate.hpp"
#include "tests/check.hpp"
#include "tests/texts.hpp"

using namespace bitmeter;

namespace {

using texts::bytes, texts::made_up, texts::text_of, texts::trained;

const Separators between("\t\n ");

std::vector<std::uint8_t> section_for(const std::string& text) {
    GapCounts gaps("\t\n ", true);
    const auto ends = line_ends(bytes(text));
    gaps.feed(bytes(text), {ends.data(), ends.size()});
    gaps.finish();
    return Spelling::section(gaps, *trained(text_of("77 31\n77 32 33\n78\n", " \n"), 4));
}

NgramSpelled scored(const NgramModel& model, const Spelling& spelling, const std::string& text, bool finished = true,
                   bool continues = false, const std::vector<std::int64_t>& before = {}) {
    const auto size = static_cast<std::int64_t>(text.size());
    const NgramBytes piece{bytes(text), {&size, 1}, finished ? 1u : 0u, before.data(), before.size()};
    return ngram_score_spelled(model, spelling, piece, between, NgramEnds::none, continues, 1);
}

double plain_sum(const NgramScored& units) {
    long double sum = 0.0L;
    for (std::size_t i = 0; i < units.logprobs.size(); ++i) sum += static_cast<long double>(units.logprobs[i]);
    return static_cast<double>(-sum);
}

struct Made {
    std::string text = made_up(300, 40);
    std::unique_ptr<NgramModel> model = trained(text_of(text, "\t\n "), 3);
    std::vector<std::uint8_t> section = section_for(text);
    Spelling spelling{Bytes{section.data(), section.size()}};
};

void a_document_costs_what_its_units_cost() {
    const Made made;
    for (const std::string document : {"", " ", "\n", "w1", "w1 w2\n", "w1  unheard of\tthis \n\n w3", "\xff\n \x00z"}) {
        const NgramSpelled units = scored(*made.model, made.spelling, document);
        const double nats = ngram_spelled_nats(*made.model, made.spelling, bytes(document), between);
        CHECK(check::close(nats, plain_sum(units.units), 1e-12));
        CHECK(nats >= 0.0 && !std::signbit(nats));
    }
}

void pieces_cost_what_the_whole_costs() {
    const Made made;
    // Each breaks where a word begins, so that a word has its white space behind it.
    const std::vector<std::string> parts = {"w1 w2 unheard\nw3 ", "w4 w1 \nw2 ", "of\t", "it\n"};
    const NgramSpelled whole = scored(*made.model, made.spelling, parts[0] + parts[1] + parts[2] + parts[3]);
    double sum = 0.0;
    std::vector<std::int64_t> before;
    bool ended = false, continues = false;
    for (const std::string& part : parts) {
        const NgramSpelled found = scored(*made.model, made.spelling, part, &part == &parts.back(), continues,
                                         continues && !ended ? before : std::vector<std::int64_t>{});
        sum += plain_sum(found.units);
        CHECK(!found.empty);
        before = found.after;
        ended = found.ended;
        continues = true;
    }
    CHECK(ended && whole.ended);
    CHECK(check::close(sum, plain_sum(whole.units), 1e-12));
}

void a_text_of_nothing_has_nothing_to_go_on_from() {
    const Made made;
    const NgramSpelled found = scored(*made.model, made.spelling, "");
    CHECK(found.empty && !found.ended && found.after.empty());
    CHECK(ngram_spelled_nats(*made.model, made.spelling, {}, between) == 0.0);
}

}  // namespace

int main() {
    a_document_costs_what_its_units_cost();
    pieces_cost_what_the_whole_costs();
    a_text_of_nothing_has_nothing_to_go_on_from();
    return check::report();
}
