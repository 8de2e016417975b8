#include "ngram/estimate/smoothing/discounts.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "ngram/estimate/estimate.hpp"
#include "ngram/query/query.hpp"
#include "tests/check.hpp"
#include "tests/texts.hpp"

using namespace bitmeter;

namespace {

using texts::made_up, texts::text_of, texts::trained;

/// The cost of a text under the finished model, which knows nothing of how its discounts were found.
double cost(const NgramModel& model, const NgramText& text, const NgramText& other) {
    std::vector<std::int64_t> ids, bounds{0};
    for (std::uint32_t w : other.ids()) {
        ids.push_back(w < first_word ? w : text.table().find(other.table().word(w)));
        if (w == word_end) bounds.push_back(static_cast<std::int64_t>(ids.size()));
    }
    std::vector<double> out(ids.size());
    ngram_logprobs(model, {ids.data(), bounds.data(), bounds.size() - 1, nullptr, 0}, true, out.data(), 1);
    double sum = 0.0;
    for (double x : out) sum -= x;
    return sum / static_cast<double>(ids.size());
}

std::vector<ThreeDiscounts> found(const NgramText& text, int order, const NgramText& heldout) {
    NgramEstimator estimator(text, order, 1);
    estimator.sort();
    estimator.grow();
    estimator.link();
    estimator.weigh({}, &heldout);
    CHECK(estimator.heldout().words == heldout.ids().size());
    std::vector<ThreeDiscounts> result;
    for (const OrderStatistics& s : estimator.statistics()) {
        CHECK(!s.fallback && s.last == 3);
        result.push_back({s.discounts[1], s.discounts[2], s.discounts[3]});
    }
    return result;
}

void test_no_other_discounts_are_better() {
    texts::Draws draw{77};
    const auto text = text_of(made_up(3000, 60)), other = text_of(made_up(400, 80, draw));
    for (int order : {1, 2, 3, 5}) {
        const auto best = found(text, order, other);
        const auto tuned = trained(text, order, {}, 1, &other);
        const double own = cost(*tuned, text, other);
        CHECK(own <= cost(*trained(text, order), text, other) + 1e-9);
        SmoothingPlan plan;
        plan.discounts = best;
        const auto same = trained(text, order, plan);
        CHECK(std::memcmp(same->bytes().data, tuned->bytes().data, tuned->bytes().size) == 0);
        // Figures are float32, and a weak pull holds discounts of which the text says nothing: hence the margin.
        for (std::size_t o = 0; o < best.size(); ++o)
            for (std::size_t j = 0; j < 3; ++j)
                for (double move : {-0.05, 0.05}) {
                    plan.discounts = best;
                    double& one = plan.discounts[o][j];
                    one += move * static_cast<double>(j + 1);
                    if (one <= 0.0 || one >= static_cast<double>(j + 1)) continue;
                    CHECK(cost(*trained(text, order, plan), text, other) > own - 2e-5);
                }
    }
}

void test_discounts_are_valid_and_the_model_sums_to_one() {
    const auto text = text_of("a b c\na b d\n"), other = text_of("a b c\nx y z\n");
    for (const ThreeDiscounts& row : found(text, 3, other))
        for (std::size_t j = 0; j < 3; ++j) CHECK(row[j] > 0.0 && row[j] < static_cast<double>(j + 1));
    const auto model = trained(text, 3, {}, 1, &other);
    model->verify();
    for (const std::vector<std::int64_t>& history : {std::vector<std::int64_t>{}, {3}, {3, 4}, {-1}}) {
        std::vector<double> p(model->words());
        ngram_predict(*model, history.data(), history.size(), p.data());
        double sum = 0.0;
        for (double x : p) sum += std::exp(x);
        CHECK(check::close(sum, 1.0, 1e-6));
    }
}

void test_the_mean_is_that_of_the_model() {
    texts::Draws draw{9};
    const auto text = text_of(made_up(800, 40)), other = text_of(made_up(200, 50, draw));
    NgramEstimator estimator(text, 3, 1);
    estimator.sort();
    estimator.grow();
    estimator.link();
    estimator.weigh({}, &other);
    const TunedDiscounts& tuned = estimator.tuned();
    CHECK(tuned.words == other.ids().size() && tuned.after >= tuned.before);
    const auto model = estimator.model(texts::metadata);
    CHECK(check::close(-cost(*model, text, other), tuned.after, 1e-6));
}

}  // namespace

int main() {
    test_no_other_discounts_are_better();
    test_discounts_are_valid_and_the_model_sums_to_one();
    test_the_mean_is_that_of_the_model();
    return check::report();
}
