#include "measure/spread.hpp"

#include <cmath>

#include "tests/check.hpp"

using namespace bitmeter;

namespace {

void sums_of_all_lengths() {
    // Whole numbers are summed without rounding, in whatever order.
    for (std::size_t n : {0, 1, 7, 8, 9, 127, 128, 129, 1000, 5001}) {
        const Reals x = each(n, [](std::size_t i) { return static_cast<double>(i); });
        CHECK(pairwise_sum(x) == static_cast<double>(n) * (static_cast<double>(n) - 1.0) / 2.0 || n == 0);
    }
    CHECK(pairwise_sum(Reals{}) == 0.0);
    CHECK(largest({-3.0, 2.0}) == 3.0 && largest({}) == 0.0);
}

void equal_clusters() {
    // The standard error of a mean: s / √k with k - 1 degrees of freedom.
    const Reals costs{1.0, 2.0, 3.0, 6.0}, sizes(4, 1.0);
    const ClusterSpread found(costs, sizes, false, false);
    CHECK(found.estimate() == 3.0 && found.number() == 4);
    CHECK(check::close(found.error().error, std::sqrt(14.0 / 3.0 / 4.0), 1e-15));
    CHECK(check::close(found.error().degrees, 3.0, 1e-15));
    CHECK(check::close(effective_clusters({1.0, 3.0}), 1.6, 1e-15));
    // Residuals -2, -1, 0, 3: Σx³ / (Σx²)^1.5
    CHECK(check::close(found.lean_of_clusters(), 18.0 / std::pow(14.0, 1.5), 1e-15));
    CHECK(check::close(lean_of_rates({-2.0, -1.0, 0.0, 3.0}, Reals(4, 0.25)), 18.0 / std::pow(14.0, 1.5), 1e-15));
    const auto carrier = found.carrier(false);
    CHECK(carrier.index == 3 && check::close(carrier.share, 9.0 / 14.0, 1e-15));
}

void clusters_without_a_size() {
    const ClusterSpread found({1.0, 4.0, 2.0, 8.0, 1.0}, {0.0, 2.0, 0.0, 4.0, 0.0}, false, false);
    CHECK(found.number() == 2 && check::close(found.estimate(), 16.0 / 6.0, 1e-15));
    const ClusterView view = view_clusters({1.0, INFINITY, 0.0}, {0.0, 3.0, 1.0});
    CHECK(view.infinite == 1 && view.first_infinite == INFINITY && view.sized == 2 && view.used == 3);
    CHECK(view.largest_share == 0.75);
}

void a_constant_cost_has_no_spread() {
    const ClusterSpread found(Reals(30, 0.3), Reals(30, 0.1), false, false);
    CHECK(found.error().error == 0.0 && found.likeness() == 0.0);
    for (const double scale : found.weighed(5, 0.5).scales) CHECK(scale == 0.0);
}

void a_curve_is_left_out() {
    // 1/√t at each byte is one of the curves that are tried.
    const Reals sizes(20, 1000.0);
    Reals costs(20);
    for (std::size_t i = 0; i < 20; ++i) {
        const auto read = [](double blocks) { return std::sqrt(1000.0 * blocks + 20000.0 / 4096.0); };
        costs[i] = 2.0 * (read(static_cast<double>(i) + 1.0) - read(static_cast<double>(i)));
    }
    const double ratio = ratio_of(costs, sizes);
    Reals residuals = each(20, [&](std::size_t i) { return costs[i] - ratio * sizes[i]; });
    CHECK(largest(without_curve(residuals, sizes, false)) < 1e-9 * largest(residuals));
    for (double& value : residuals) value = -value;  // a cost that rises is no learning, unless it is a difference
    CHECK(without_curve(residuals, sizes, false) == residuals);
    CHECK(largest(without_curve(residuals, sizes, true)) < 1e-9 * largest(residuals));
}

void batches_keep_the_sum() {
    const Reals residuals = each(100, [](std::size_t i) { return static_cast<double>(i) - 49.5; });
    const Reals found = batched(residuals, Reals(100, 2.0));
    CHECK(found.size() == skew_batches && check::close(pairwise_sum(found), 0.0, 1e-12));
    CHECK(found.front() < 0.0 && found.back() > 0.0);
}

}  // namespace

int main() {
    sums_of_all_lengths();
    equal_clusters();
    clusters_without_a_size();
    a_constant_cost_has_no_spread();
    a_curve_is_left_out();
    batches_keep_the_sum();
    return check::report();
}
