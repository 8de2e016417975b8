#include "measure/spread.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "theory/rows/rows.hpp"

namespace bitmeter {

namespace {

/// Relative differences below this are rounding.
constexpr double rounding = 1e-12;
/// A learning curve is not fitted to fewer clusters of equal size.
constexpr double fewest_to_fit = 6.0;
/// The share of the text that counts as read before its first byte, so that the curve is finite there.
constexpr double read_before = 0x1p-12;

double total(const Reals& x) {
    return x.empty() ? 0.0 : row_sums<double>(RowMode::sum, x.data(), nullptr, nullptr, 1, x.size(), 0)[0].value;
}

Reals squares(const Reals& x) {
    return each(x.size(), [&](std::size_t i) { return x[i] * x[i]; });
}

Reals divided(const Reals& x, double by) {
    return each(x.size(), [&](std::size_t i) { return x[i] / by; });
}

double product_sum(const Reals& x, const Reals& y) {
    return pairwise_sum(each(x.size(), [&](std::size_t i) { return x[i] * y[i]; }));
}

}  // namespace

double effective_clusters(const Reals& n) {
    const Reals shares = divided(n, *std::max_element(n.begin(), n.end()));
    return power(pairwise_sum(shares), 2.0) / pairwise_sum(squares(shares));
}

StandardError standard_error(const Reals& residuals, const Reals& n) {
    const double whole = total(n);
    const Reals weights = divided(n, whole);
    const double sum = pairwise_sum(squares(weights));
    const double degrees = std::max(0.5, effective_clusters(n) - 1.0);
    const double most = largest(residuals);
    if (most == 0.0) return {0.0, degrees};
    const Reals parts = each(n.size(), [&](std::size_t i) {
        const double scaled = residuals[i] / most;
        return scaled * scaled / (1.0 - 2.0 * weights[i] + sum);
    });
    return {most / whole * std::sqrt(total(parts)), degrees};
}

Reals without_curve(const Reals& residuals, const Reals& sizes, bool either_way) {
    const std::size_t n = sizes.size();
    const double whole = pairwise_sum(sizes), mean = whole / static_cast<double>(n);
    const double effective = power(whole, 2.0) / pairwise_sum(squares(sizes));
    const double most = largest(residuals);
    if (effective < fewest_to_fit || most == 0.0) return residuals;
    const Reals rates = each(n, [&](std::size_t i) { return residuals[i] / most / sizes[i] * mean; });
    const Reals weights = divided(sizes, whole);
    const double middle = product_sum(weights, rates);
    const double spread = pairwise_sum(each(n, [&](std::size_t i) {
        const double off = rates[i] - middle;
        return weights[i] * (off * off);
    }));
    double best = spread, sum = 0.0;
    Reals found(n);
    const Reals ends = each(n, [&](std::size_t i) { return (sum += weights[i]) + read_before; });
    const auto begin = [&](std::size_t i) { return i ? ends[i - 1] : read_before; };
    for (int tenths = 1; tenths < 10; ++tenths) {
        const double exponent = 1.0 - tenths / 10.0;
        // A square root is rounded correctly, and a power is not always.
        const auto raised = [&](double x) { return exponent == 0.5 ? std::sqrt(x) : power(x, exponent); };
        Reals curve = each(n, [&](std::size_t i) { return (raised(ends[i]) - raised(begin(i))) / (ends[i] - begin(i)); });
        const double centre = product_sum(weights, curve);
        for (double& value : curve) value -= centre;
        const double square = product_sum(weights, squares(curve));
        const double along = pairwise_sum(each(n, [&](std::size_t i) { return weights[i] * curve[i] * rates[i]; }));
        const double slope = square > 0.0 ? along / square : 0.0;
        const double left = spread - slope * slope * square;
        if ((slope > 0.0 || either_way) && left < best) {
            best = left;
            found = each(n, [&](std::size_t i) { return slope * curve[i]; });
        }
    }
    if (best == spread) return residuals;
    // Slope and power were chosen from these residuals.
    const double inflation = std::sqrt((effective - 1.0) / (effective - 3.0));
    return each(n, [&](std::size_t i) { return (rates[i] - found[i]) * inflation * most * sizes[i] / mean; });
}

double lean_of_sums(const Reals& residuals) {
    const double most = largest(residuals);
    if (most == 0.0) return 0.0;
    const Reals scaled = divided(residuals, most);
    const double cubes = pairwise_sum(each(scaled.size(), [&](std::size_t i) { return power(scaled[i], 3.0); }));
    return cubes / power(pairwise_sum(squares(scaled)), 1.5);
}

double lean_of_rates(const Reals& residuals, const Reals& weights) {
    const std::size_t n = residuals.size();
    Reals rates = each(n, [&](std::size_t i) { return residuals[i] / weights[i]; });
    const double most = largest(rates);
    if (most == 0.0) return 0.0;
    rates = divided(rates, most);
    const double cubes = pairwise_sum(each(n, [&](std::size_t i) { return weights[i] * power(rates[i], 3.0); }));
    const double of_rates = cubes / power(product_sum(weights, squares(rates)), 1.5);
    const double of_weights = pairwise_sum(each(n, [&](std::size_t i) { return power(weights[i], 3.0); }));
    return of_rates * of_weights / power(pairwise_sum(squares(weights)), 1.5);
}

Reals batched(const Reals& residuals, const Reals& sizes) {
    const double whole = pairwise_sum(sizes);
    Reals out(skew_batches);
    double end = 0.0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        end += sizes[i];
        const double place = (end - 0.5 * sizes[i]) / whole;
        out[std::min(static_cast<std::size_t>(place * skew_batches), skew_batches - 1)] += residuals[i];
    }
    return out;
}

ClusterView view_clusters(const Reals& costs, const Reals& sizes) {
    ClusterView found;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (std::isinf(costs[i]) && !found.infinite++) found.first_infinite = costs[i];
        found.sized += sizes[i] > 0.0;
        found.used += sizes[i] > 0.0 || costs[i] != 0.0;
    }
    if (found.sized) {
        found.effective = effective_clusters(sizes);
        found.largest_share = *std::max_element(sizes.begin(), sizes.end()) / pairwise_sum(sizes);
    }
    return found;
}

double ratio_of(const Reals& costs, const Reals& sizes) { return total(costs) / total(sizes); }

ClusterSpread::ClusterSpread(const Reals& costs, const Reals& sizes, bool learns, bool either_way) {
    const bool sized = std::all_of(sizes.begin(), sizes.end(), [](double n) { return n > 0.0; });
    Reals x;
    if (sized) {
        x = costs;
        n_ = sizes;
    } else {
        // The cost of a cluster without a size, such as the end of an empty line, goes to the one before.
        double early = 0.0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (sizes[i] > 0.0) {
                x.push_back(x.empty() ? early + costs[i] : 0.0 + costs[i]);
                n_.push_back(sizes[i]);
            } else {
                (x.empty() ? early : x.back()) += costs[i];
            }
        }
    }
    estimate_ = ratio_of(x, n_);
    residuals_ = each(x.size(), [&](std::size_t i) {
        const double left = x[i] - estimate_ * n_[i];
        // Rounding is not spread: a constant cost must not give an interval of noise.
        return std::abs(left) <= rounding * std::abs(x[i]) ? 0.0 : left;
    });
    error_ = standard_error(residuals_, n_);
    // That costs fall as a model learns is no dependence; Student's t keeps them as they are.
    if (learns) residuals_ = without_curve(residuals_, n_, either_way);
}

double ClusterSpread::likeness() const {
    const std::size_t n = n_.size();
    const double count = static_cast<double>(n);
    Reals scaled = each(n, [&](std::size_t i) { return residuals_[i] / std::sqrt(n_[i]); });
    const double mean = pairwise_sum(scaled) / count;
    for (double& value : scaled) value -= mean;
    const double square = pairwise_sum(squares(scaled));
    if (square == 0.0) return 0.0;
    const double along = pairwise_sum(each(n - 1, [&](std::size_t i) { return scaled[i + 1] * scaled[i]; }));
    return (along / square + 1.0 / count) * std::sqrt(count);
}

Dependence ClusterSpread::weighed(std::size_t cosines, double prior) const {
    const double most = largest(residuals_);
    Dependence found =
        dependence(divided(residuals_, most != 0.0 ? most : 1.0), divided(n_, pairwise_sum(n_)), cosines, prior);
    const double scale = most / total(n_);
    for (double& value : found.scales) value *= scale;
    return found;
}

double ClusterSpread::lean(bool in_batches) const {
    const Reals weights = divided(n_, pairwise_sum(n_));
    if (in_batches) return lean_of_sums(batched(residuals_, weights));
    return 0.5 * (lean_of_sums(residuals_) + lean_of_rates(residuals_, weights));
}

ClusterSpread::Carrier ClusterSpread::carrier(bool in_batches) const {
    const Reals parts = in_batches ? batched(residuals_, n_) : residuals_;
    const Reals found = squares(divided(parts, largest(parts)));
    const auto most = std::max_element(found.begin(), found.end());
    return {static_cast<std::size_t>(most - found.begin()), *most / pairwise_sum(found)};
}

}  // namespace bitmeter
