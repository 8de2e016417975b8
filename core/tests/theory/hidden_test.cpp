#include "theory/hidden.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/check.hpp"

using namespace bitmeter;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const Seed seed{5, 6, 7, 8};
const std::vector<double> initial{0.6, 0.4}, transition{0.9, 0.1, 0.2, 0.8}, emission{0.7, 0.2, 0.1, 0.0, 0.3, 0.7};
const HiddenModel model{2, 3, initial.data(), transition.data(), emission.data()};

/// The sum over all paths of states, written out.
double by_brute_force(const std::vector<std::uint8_t>& y) {
    double total = 0.0;
    for (unsigned path = 0; path < (1u << y.size()); ++path) {
        double p = 1.0;
        for (std::size_t t = 0; t < y.size(); ++t) {
            const unsigned state = (path >> t) & 1u;
            p *= t == 0 ? initial[state] : transition[2 * ((path >> (t - 1)) & 1u) + state];
            p *= emission[3 * state + y[t]];
        }
        total += p;
    }
    return std::log(total);
}

void forward_is_the_sum_over_paths() {
    const std::vector<std::uint8_t> y{0, 2, 1, 1, 2, 0, 0, 1, 2, 2};
    std::vector<double> steps(y.size());
    const double found = hidden_logprobs(model, y.data(), 1, y.size(), steps.data(), 1)[0];
    CHECK(check::close(found, by_brute_force(y), 1e-13));
    double sum = 0.0;
    for (double step : steps) sum += step;
    CHECK(check::close(sum, found, 1e-13));
}

void impossible_stays_impossible() {
    // State 1 never emits 0, and here the chain never leaves it.
    const std::vector<double> start{0.0, 1.0}, stay{1.0, 0.0, 0.0, 1.0};
    const HiddenModel stuck{2, 3, start.data(), stay.data(), emission.data()};
    const std::vector<std::uint8_t> y{1, 0, 1};
    std::vector<double> steps(3);
    CHECK(hidden_logprobs(stuck, y.data(), 1, 3, steps.data(), 1)[0] == -inf);
    CHECK(steps[0] == std::log(0.3) && steps[1] == -inf && steps[2] == -inf);
}

void symbols_are_checked() {
    const std::vector<std::int32_t> low{0, -1}, high{3, 0};
    for (const auto& y : {low, high}) {
        bool thrown = false;
        try {
            hidden_logprobs(model, y.data(), 1, 2, nullptr, 1);
        } catch (const std::invalid_argument&) {
            thrown = true;
        }
        CHECK(thrown);
    }
}

void samples() {
    const std::size_t paths = 5, n = 20000;
    std::vector<std::uint8_t> one(paths * n), many(paths * n);
    std::vector<std::int32_t> states(paths * n);
    sample_hidden(model, seed, one.data(), states.data(), paths, n, 1);
    sample_hidden(model, seed, many.data(), nullptr, paths, n, 3);
    CHECK(one == many);
    double in_zero = 0.0;
    for (std::size_t t = 0; t < one.size(); ++t) {
        in_zero += states[t] == 0;
        CHECK(emission[3 * static_cast<std::size_t>(states[t]) + one[t]] > 0.0);
    }
    // Stationary share 2/3; the chain's correlation 0.7 a step widens the binomial error by sqrt(1.7/0.3).
    CHECK(std::fabs(in_zero / double(one.size()) - 2.0 / 3.0) < 5 * std::sqrt(2.0 / 9.0 / double(one.size()) * 1.7 / 0.3));
}

}  // namespace

int main() {
    forward_is_the_sum_over_paths();
    impossible_stays_impossible();
    symbols_are_checked();
    samples();
    return check::report();
}
