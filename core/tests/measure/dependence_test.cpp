#include "measure/dependence.hpp"

#include <cmath>
#include <numbers>

#include "tests/check.hpp"

using namespace bitmeter;

namespace {

void tails_in_closed_form() {
    // P(|T| > t) is 1 - 2 atan(t)/π with one degree of freedom, and 1 - t/√(2 + t²) with two.
    for (double t : {0.0, 0.5, 1.0, 3.0, 40.0}) {
        CHECK(check::close(two_tails(1, t), 1.0 - 2.0 * std::atan(t) / std::numbers::pi, 1e-15));
        CHECK(check::close(two_tails(2, t), 1.0 - t / std::sqrt(2.0 + t * t), 1e-15));
    }
}

void one_model_alone_is_a_t() {
    // Of T with one degree of freedom, the tangent of 45° is exceeded half the time; the density's factor is 1/π.
    const Dependence found{{1.0}, {3.0}};
    CHECK(check::close(dependence_half_width(found, 1, 0.5, 1.0 / std::numbers::pi), 3.0, 1e-12));
    CHECK(dependence_half_width({{1.0}, {0.0}}, 1, 0.5, 1.0 / std::numbers::pi) == 0.0);
}

void weights_are_shares() {
    const Reals costs = each(300, [](std::size_t i) { return i / 50 % 2 ? 1.0 : -1.0; });
    const Dependence found = dependence(costs, Reals(300, 1.0), 32, 0.5);
    CHECK(found.weights.size() == dependence_models && found.scales.size() == dependence_models);
    CHECK(check::close(pairwise_sum(found.weights), 1.0, 1e-14));
    CHECK(found.weights[0] < 0.01);  // parts of 50 that are alike are not white noise
    CHECK(check::close(dependence_share(found.weights, 0.0), 1.0 - found.weights[0], 1e-14));
    CHECK(dependence_share(found.weights, 2.0) == 0.0);
    const Reals variances = dependence_variances(32);
    CHECK(variances.size() == dependence_models * 33 && variances[32] == 1.0);
}

void without_residuals_the_prior_stays() {
    const Dependence found = dependence(Reals(10), Reals(10, 1.0), 9, 0.75);
    CHECK(found.weights[0] == 0.75 && found.scales[0] == 0.0);
}

}  // namespace

int main() {
    tails_in_closed_form();
    one_model_alone_is_a_t();
    weights_are_shares();
    without_residuals_the_prior_stays();
    return check::report();
}
