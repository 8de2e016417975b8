#include "ngram/estimate/smoothing/smooth.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "ngram/estimate/estimate.hpp"
#include "ngram/estimate/prune.hpp"
#include "ngram/query/query.hpp"
#include "tests/check.hpp"
#include "tests/texts.hpp"

using namespace bitmeter;

namespace {

using texts::made_up, texts::text_of, texts::trained;

SmoothingPlan plan_of(const char* name, std::vector<std::uint32_t> prune = {}) {
    SmoothingPlan plan;
    plan.method = smoothing_named(name);
    if (plan.method == Smoothing::lidstone) plan.parameter = 0.1;
    if (plan.method == Smoothing::stupid_backoff) plan.parameter = 0.4;
    std::copy(prune.begin(), prune.end(), plan.prune.begin());
    return plan;
}

const char* const distributions[] = {"maximum-likelihood", "lidstone", "jelinek-mercer", "witten-bell",
                                     "katz",               "absolute", "kneser-ney",     "modified-kneser-ney"};

double sum_after(const NgramModel& model, const std::vector<std::int64_t>& history) {
    std::vector<double> p(model.words());
    ngram_predict(model, history.data(), history.size(), p.data());
    double sum = 0.0;
    for (double x : p) sum += std::exp(x);
    return sum;
}

void test_sums() {
    const auto words = text_of(made_up(3000, 60));
    for (const char* name : distributions) {
        for (int order : {1, 2, 3, 5}) {
            for (const std::vector<std::uint32_t>& prune :
                 {std::vector<std::uint32_t>{}, {0, 1, 1, 1, 1}, {0, 0, 2, 3, 3}, {0, 1000000, 1000000, 1000000, 1000000}}) {
                const auto model = trained(words, order, plan_of(name, prune));
                model->verify();
                const auto other = trained(words, order, plan_of(name, prune), 3);
                CHECK(model->bytes().size == other->bytes().size &&
                      std::memcmp(model->bytes().data, other->bytes().data, model->bytes().size) == 0);
                for (const std::vector<std::int64_t>& h :
                     {std::vector<std::int64_t>{}, {3}, {3, 4}, {4, 3, 5, 6, 3}, {-1}, {7, 0, 3}, {5, 5, 5, 5}})
                    CHECK(check::close(sum_after(*model, h), 1.0, 1e-6));
            }
        }
    }
    // Not even the highest order is left: it is a model of single words.
    CHECK(trained(words, 3, plan_of("katz", {0, 1000000, 1000000}))->shape().counts[2] == 0);
    CHECK(!check::close(sum_after(*trained(words, 3, plan_of("stupid-backoff")), {3, 4}), 1.0, 1e-3));
}

void test_heldout() {
    texts::Draws draw{77};
    const auto text = text_of(made_up(2000, 60)), other = text_of(made_up(300, 90, draw)), none = text_of("");
    const auto plan = plan_of("jelinek-mercer");
    // Fitted to a text, it is better there than fitted to itself.
    std::vector<std::int64_t> ids, bounds{0};
    for (std::uint32_t w : other.ids()) {
        const std::int64_t found = w < first_word ? w : text.table().find(other.table().word(w));
        ids.push_back(found);
        if (w == word_end) bounds.push_back(static_cast<std::int64_t>(ids.size()));
    }
    const auto cost = [&](const NgramModel& m) {
        std::vector<double> out(ids.size());
        ngram_logprobs(m, {ids.data(), bounds.data(), bounds.size() - 1, nullptr, 0}, true, out.data(), 1);
        double sum = 0.0;
        for (double x : out) sum -= x;
        return sum;
    };
    const auto own = trained(text, 3, plan), fitted = trained(text, 3, plan, 2, &other);
    CHECK(std::isfinite(cost(*own)) && cost(*fitted) < cost(*own));
    CHECK(history_bucket(0) == 0 && history_bucket(1) == 0 && history_bucket(3) == 1 && history_bucket(4) == 2);
    CHECK(history_bucket(~std::uint64_t{0}) == history_buckets - 1);
    // With nothing to hold out all weights are one half.
    const auto single = text_of("a b");
    NgramEstimator estimator(single, 2, 1);
    estimator.sort();
    estimator.grow();
    estimator.link();
    estimator.weigh(plan);
    CHECK(estimator.heldout().words == 0 && estimator.heldout().weights[1][0] == 0.5);
    // b after a: a half of all, and a half of (a half of a third and a half of a quarter).
    NgramState state{1, 3};
    CHECK(check::close(std::pow(10.0, ngram_step(*estimator.model("{}"), state, 4)), 0.5 + 0.5 * (0.5 / 3 + 0.5 / 4), 1e-6));
}

void test_pruning() {
    const auto model = trained(text_of(made_up(500, 30)), 3, {});
    const auto same = ngram_pruned(*model, [](int, std::uint64_t) { return true; });
    same->seal();
    CHECK(std::memcmp(same->bytes().data, model->bytes().data, model->bytes().size) == 0);
    const auto short_one = ngram_pruned(*model, [](int order, std::uint64_t) { return order < 3; });
    short_one->seal();
    short_one->verify();
    CHECK(short_one->shape().counts[1] == model->shape().counts[1] && short_one->shape().counts[2] == 0);
    bool refused = false;
    try {
        ngram_pruned(*model, [](int order, std::uint64_t) { return order == 3; });
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
    refused = false;
    try {
        smoothing_named("none");
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

void test_stupid_back_off() {
    // a b, a c: six words and ends. Words are numbered as they come: a 3, b 4, c 5.
    const auto model = trained(text_of("a b\na c\n"), 3, plan_of("stupid-backoff"));
    const auto score = [&](std::vector<std::int64_t> history, std::uint32_t word) {
        std::vector<double> logs(model->words());
        ngram_predict(*model, history.data(), history.size(), logs.data());
        return std::exp(logs[word]);
    };
    CHECK(check::close(score({}, 3), 1.0, 1e-6));                       // a after <s>: always
    CHECK(check::close(score({3}, 4), 0.5, 1e-6));                      // b after <s> a: half
    CHECK(check::close(score({3}, 3), 0.16 * 2 / 6, 1e-6));             // a after it: never, nor after a
    CHECK(check::close(score({4, 3}, 5), 0.4 / 2, 1e-6));               // b a never came, a c did
    CHECK(check::close(score({5, 4}, 3), 0.16 * 2 / 6, 1e-6));          // c b never came, nor b a
    CHECK(check::close(score({}, word_unknown), 0.064 / 5, 1e-6));      // below single words
    CHECK(check::close(score({}, 4), 0.16 / 6, 1e-6));                  // <s> stands in all places before
}

}  // namespace

int main() {
    test_stupid_back_off();
    test_sums();
    test_heldout();
    test_pruning();
    return check::report();
}
