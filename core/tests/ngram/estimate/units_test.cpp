// Texts of other units than words, vocabularies, pruning by entropy, and sampling.
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "ngram/estimate/entropy.hpp"
#include "ngram/estimate/estimate.hpp"
#include "ngram/query/query.hpp"
#include "ngram/query/sample.hpp"
#include "tests/check.hpp"

using namespace bitmeter;

namespace {

std::unique_ptr<NgramModel> model_of(NgramText& text, int order) {
    text.finish();
    NgramEstimator estimator(text, order, 2);
    estimator.sort();
    estimator.grow();
    estimator.link();
    estimator.weigh();
    auto model = estimator.model("");
    model->verify();
    return model;
}

NgramText words_of(const std::string& text, UnkInText unk = UnkInText::reserved) {
    NgramText result("\t\n ", unk);
    const Bytes all{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
    const auto ends = line_ends(all);
    result.feed(all, {ends.data(), ends.size()});
    result.finish();
    return result;
}

double sum_after(const NgramModel& model, std::vector<std::int64_t> history) {
    std::vector<double> out(model.words());
    ngram_predict(model, history.data(), history.size(), out.data());
    double sum = 0.0;
    for (double log : out) sum += std::exp(log);
    return sum;
}

const std::string prose =
    "the wind was in the north and the harbour lay still\nno one had seen the old boat since october\n"
    "on the third day the wind turned and it began to rain\n\nit rained on the boats and the nets\n";

void bytes_are_closed() {
    NgramText text(UnitRules{UnitKind::bytes, 256, '\n', true});
    const auto* data = reinterpret_cast<const std::uint8_t*>(prose.data());
    const auto half = static_cast<std::int64_t>(prose.size() / 2);
    const std::int64_t first[] = {0, half}, second[] = {0, static_cast<std::int64_t>(prose.size()) - half};
    text.feed_ids(data, first, 1, 0);
    text.feed_ids(data + half, second, 1, 1);
    text.finish();
    CHECK(text.sentences() == 5);
    CHECK(text.table().size() == 3 + 255);
    const auto model = model_of(text, 4);
    CHECK(std::isinf(model->nodes(1)[word_unknown].logprob));
    for (auto history : std::vector<std::vector<std::int64_t>>{{}, {3}, {3, 4, 5}, {200}})
        CHECK(std::abs(sum_after(*model, history) - 1.0) < 1e-6);
    const auto ids = unit_ids(*model, {UnitKind::bytes, 256, '\n', true});
    CHECK(ids[word_end] == '\n' && ids[first_word] == 't' && ids[word_unknown] == -1);
    bool refused = false;
    try {
        unit_ids(*model, {UnitKind::tokens, 256, -1, true});
    } catch (const NgramFormatError&) {
        refused = true;
    }
    CHECK(refused);
}

void characters_and_tokens_have_names() {
    const std::vector<std::int32_t> points{'a', 0xE9, 0x20AC, 0x1F600, 0x110000 + 0xFF};
    NgramText text(UnitRules{UnitKind::characters, 0x110100, -1, false});
    const std::int64_t bounds[] = {0, 5};
    text.feed_ids(points.data(), bounds, 1, 1);
    const auto model = model_of(text, 2);
    const auto ids = unit_ids(*model, {UnitKind::characters, 0x110100, -1, false});
    for (std::size_t i = 0; i < points.size(); ++i) CHECK(ids[first_word + i] == points[i]);
    CHECK(model->word(4).size == 2 && model->word(5).size == 3 && model->word(6).size == 4 && model->word(7).size == 1);

    const std::vector<std::int64_t> tokens{7, -2, 0, 7};
    NgramText ids_text(UnitRules{UnitKind::tokens, 12, -1, true});
    const std::int64_t two[] = {0, 2, 4};
    ids_text.feed_ids(tokens.data(), two, 2, 2);
    CHECK(ids_text.words() == 3 && ids_text.sentences() == 2);
    const auto small = model_of(ids_text, 2);
    CHECK(small->words() == 15 && unit_ids(*small, {UnitKind::tokens, 12, -1, true})[3] == 7);
    bool refused = false;
    try {
        const std::int64_t wrong[] = {12}, one[] = {0, 1};
        ids_text.feed_ids(wrong, one, 1, 1);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

void vocabularies() {
    auto text = words_of("b a c a b d e\nc <unk>\n", UnkInText::member);
    CHECK(text.unknown() == 1);
    text.keep_frequent(1, 2);
    CHECK(text.table().size() == 5 && text.unknown() == 5);
    const auto model = model_of(text, 3);
    for (auto history : std::vector<std::vector<std::int64_t>>{{}, {0}, {0, 0}, {3, 0}, {0, 4}})
        CHECK(std::abs(sum_after(*model, history) - 1.0) < 1e-6);
    // An n-gram whose last word is unknown is as long as any other.
    CHECK(model->shape().counts[2] > 5);

    auto other = words_of("b a c\n");
    WordTable list;
    for (const char* word : {"a", "z"}) list.add({reinterpret_cast<const std::uint8_t*>(word), 1});
    other.keep_listed(list);
    CHECK(other.table().size() == 5 && other.unknown() == 2);
    CHECK(std::abs(sum_after(*model_of(other, 2), {4}) - 1.0) < 1e-6);
}

void pruning() {
    for (int order : {2, 3, 5}) {
        auto text = words_of(prose);
        const auto model = model_of(text, order);
        const auto shares = history_shares(*model);
        CHECK(std::abs(std::accumulate(shares[0].begin(), shares[0].end(), 0.0) - 1.0) < 1e-9);
        std::uint64_t before = ~std::uint64_t{0};
        for (double threshold : {0.0, 1e-4, 1e-3, 1e-2, 1.0}) {
            auto small = prune_by_entropy(*model, threshold);
            small.model->set_metadata("");
            small.model->seal();
            small.model->verify();
            CHECK(small.divergence >= 0.0);
            const auto& counts = small.model->shape().counts;
            const std::uint64_t now = std::accumulate(counts, counts + order, std::uint64_t{0});
            CHECK(now <= before);
            before = now;
            for (std::int64_t w = 0; w < 12; ++w) CHECK(std::abs(sum_after(*small.model, {w, w + 1}) - 1.0) < 1e-5);
        }
        CHECK(before == model->words());  // at 1 only single words stay
    }
}

void sampling() {
    auto text = words_of(prose);
    const auto model = model_of(text, 3);
    NgramSampler sampler(*model, 1.0), cold(*model, 0.05);
    std::vector<double> predicted(model->words()), counts(model->words(), 0.0);
    ngram_predict(*model, nullptr, 0, predicted.data());
    const int draws = 20000;
    std::vector<std::int64_t> words;
    std::vector<double> logs;
    for (int i = 0; i < draws; ++i) {
        auto random = Random::stream(Seed{1, 2, 3, 4}, static_cast<std::uint64_t>(i));
        words.clear();
        logs.clear();
        sampler.sentence(random, 1, words, logs);
        CHECK(words.size() == 1 && logs.size() == 1);
        CHECK(std::abs(logs[0] - predicted[static_cast<std::size_t>(words[0])]) < 1e-9);
        counts[static_cast<std::size_t>(words[0])] += 1.0;
    }
    for (std::size_t w = 0; w < counts.size(); ++w) {
        const double p = std::exp(predicted[w]);
        CHECK(std::abs(counts[w] - draws * p) < 6.0 * std::sqrt(draws * p + 1.0));
    }
    words.clear();
    logs.clear();
    auto random = Random::stream(Seed{1, 2, 3, 4}, 0);
    cold.sentence(random, 100, words, logs);
    CHECK(!words.empty() && words.back() == word_end);
    bool refused = false;
    try {
        NgramSampler(*model, 0.0);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

}  // namespace

int main() {
    bytes_are_closed();
    characters_and_tokens_have_names();
    vocabularies();
    pruning();
    sampling();
    return check::report();
}
