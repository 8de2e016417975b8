// Binaries of KenLM against what KenLM itself says (tests/parity/kenlm/figures.json), and against our own forms of them.
#include "ngram/kenlm/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "tests/ngram/kenlm/gaps.hpp"
#include "ngram/kenlm/module.hpp"
#include "ngram/query/score.hpp"
#include "tests/check.hpp"

using namespace bitmeter;

namespace {

Bytes bytes_of(const std::string& text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

std::unique_ptr<KenlmModel> model_of(const std::uint8_t* data, std::size_t size) {
    PageBlock block = PageBlock::zeros(size);
    std::copy(data, data + size, block.data());
    return std::make_unique<KenlmModel>(std::move(block));
}

bool refused(const std::uint8_t* data, std::size_t size) {
    try {
        model_of(data, size)->verify();
        return false;
    } catch (const NgramFormatError&) {
        return true;
    }
}

/// kenlm.Model("gaps-*.bin").full_scores("one two three four five"), its score, and that without either edge.
void test_scores(const KenlmModel& model) {
    static constexpr float expected[] = {-0.4000000059604645f, -0.20000000298023224f, -0.25f,
                                         -0.15000000596046448f, -0.6499999761581421f, -0.949999988079071f};
    static constexpr unsigned lengths[] = {2, 3, 3, 3, 2, 1};
    const std::string sentence = "one two  three\tfour five";
    const auto scores = module_scores(model, bytes_of(sentence), {true, true});
    CHECK(scores.size() == 6);
    for (std::size_t i = 0; i < scores.size(); ++i)
        CHECK(scores[i].logprob == expected[i] && scores[i].length == lengths[i] && !scores[i].unknown);
    CHECK(module_total(model, bytes_of(sentence), {true, true}).logprob == -2.5999999046325684);
    CHECK(module_total(model, bytes_of(sentence), {false, false}).logprob == -2.1500000953674316);
    // An unknown word, which the ARPA file does not have.
    CHECK(module_total(model, bytes_of("four five six one two"), {true, true}).logprob == -103.1100082397461);
    const Separators white("\t\n\v\f\r ");
    CHECK(check::close(ngram_sentence(model, bytes_of(sentence), white, true, true), -2.6 * std::log(10.0), 1e-6));
    CHECK(ngram_sentence(model, bytes_of("six"), white, true, false) == -HUGE_VAL);
}

/// Word by word, in one go, many at once, and by predictions: the same.
void test_ways(const KenlmModel& model) {
    const std::string text = "one two three four five\nthree\n\nsix one two\n";
    const auto ends = line_ends(bytes_of(text));
    const Separators white("\t\n\v\f\r ");
    const auto scored = ngram_score(model, {bytes_of(text), {ends.data(), ends.size()}, ends.size(), nullptr, 0}, white,
                                    NgramEnds::all, true, 1);
    KenlmState state = kenlm_begin(model);
    for (std::size_t i = 0; i < scored.ids.size(); ++i) {
        const std::uint32_t id = ngram_word(model, scored.ids[i]);
        const double one = ngram_step(model, state, id) * std::log(10.0);
        CHECK(check::close(one, scored.logprobs[i], 1e-6));
        if (id == word_end) state = kenlm_begin(model);
    }
    std::vector<double> row(model.words());
    ngram_predict(model, scored.ids.data(), 2, row.data());
    CHECK(check::close(row[static_cast<std::size_t>(scored.ids[2])], scored.logprobs[2], 1e-12));
    CHECK(row[word_begin] == -HUGE_VAL);
    const auto fast = model.expanded(1 << 20, 1);
    fast->verify();
    CHECK(check::close(module_total(*fast, bytes_of("one two three"), {true, true}).logprob,
                       module_total(model, bytes_of("one two three"), {true, true}).logprob, 1e-7));
}

void test_ids(const KenlmModel& model) {
    for (std::uint32_t id = 0; id < model.words(); ++id) CHECK(model.id_of(model.code_of(id)) == id);
    const auto word = model.word(word_end);
    CHECK(std::string(word.data, word.data + word.size) == "</s>");
    CHECK(model.index().find(bytes_of("</s>")) == word_unknown && model.index().find(bytes_of("<s>")) == word_unknown);
    const std::uint32_t five = model.index().find(bytes_of("five"));
    CHECK(five >= first_word && std::memcmp(model.word(five).data, "five", 4) == 0);
}

void test_hostile(const std::uint8_t* data, std::size_t size) {
    for (std::size_t cut = 0; cut < size; ++cut) CHECK(refused(data, cut));
    for (std::size_t at = 33; at < size; ++at)
        for (const int value : {0, 1, 127, 255}) {
            std::vector<std::uint8_t> bad(data, data + size);
            bad[at] = static_cast<std::uint8_t>(value);
            try {
                const auto model = model_of(bad.data(), bad.size());
                const auto total = module_total(*model, bytes_of("one two three four five six"), {true, true});
                CHECK(!std::isnan(total.logprob));
                model->expanded(1 << 12, 1)->verify();
            } catch (const NgramFormatError&) {
            }
        }
}

}  // namespace

int main() {
    for (const auto& [data, size] : {std::pair{gaps_probing, sizeof gaps_probing}, {gaps_trie, sizeof gaps_trie}}) {
        const auto model = model_of(data, size);
        model->verify();
        test_scores(*model);
        test_ways(*model);
        test_ids(*model);
        test_hostile(data, size);
    }
    return check::report();
}
