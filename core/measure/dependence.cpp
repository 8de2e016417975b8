#include "measure/dependence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace bitmeter {

Reals dependence_variances(std::size_t number) {
    const std::size_t width = number + 1;
    Reals out(width, 1.0);
    out.reserve(dependence_models * width);
    for (const double length : dependence_lengths) {
        const double b = 1.0 / length;
        Reals shape = each(width, [&](std::size_t k) {
            const double wave = std::numbers::pi * static_cast<double>(k);
            const double square = wave * wave + b * b;
            const double turned = (k % 2 ? -1.0 : 1.0) * std::exp(-b);
            return b * b / square * (1.0 - 2.0 * b * (1.0 - turned) / square);
        });
        shape[0] = 1.0 - length * (1.0 - std::exp(-b));
        for (const double strength : dependence_strengths)
            for (const double value : shape) out.push_back(1.0 + strength * value);
    }
    return out;
}

Dependence dependence(const Reals& residuals, const Reals& sizes, std::size_t number, double prior) {
    const double whole = pairwise_sum(sizes);
    double end = 0.0;
    Reals places = each(sizes.size(), [&](std::size_t i) {
        end += sizes[i];
        return (end - 0.5 * sizes[i]) / whole;
    });
    Reals in_cells;
    if (residuals.size() > dependence_cells) {
        constexpr double cells = dependence_cells;
        in_cells.resize(dependence_cells);
        for (std::size_t i = 0; i < residuals.size(); ++i)
            in_cells[std::min(static_cast<std::size_t>(places[i] * cells), dependence_cells - 1)] += residuals[i];
        places = each(dependence_cells, [](std::size_t i) { return (static_cast<double>(i) + 0.5) / cells; });
    }
    const Reals& costs = in_cells.empty() ? residuals : in_cells;
    Reals terms(costs.size()), squares(number);
    for (std::size_t k = 0; k < number; ++k) {
        const double wave = std::numbers::pi * static_cast<double>(k + 1);
        for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = std::cos(wave * places[i]) * costs[i];
        const double amplitude = std::sqrt(2.0) * pairwise_sum(terms);
        squares[k] = amplitude * amplitude;
    }
    const Reals variances = dependence_variances(number);
    const double count = static_cast<double>(number), others = static_cast<double>(dependence_models - 1);
    Dependence found{Reals(dependence_models), Reals(dependence_models)};
    Reals logs(dependence_models), row(number);
    bool fitted = true;
    for (std::size_t m = 0; m < dependence_models; ++m) {
        const double* const of = &variances[m * (number + 1)];
        for (std::size_t k = 0; k < number; ++k) row[k] = squares[k] / of[k + 1];
        const double fit = pairwise_sum(row);
        for (std::size_t k = 0; k < number; ++k) row[k] = std::log(of[k + 1]);
        found.weights[m] = m ? (1.0 - prior) / others : prior;
        found.scales[m] = std::sqrt(of[0] * fit / count) / whole;
        logs[m] = std::log(found.weights[m]) - 0.5 * pairwise_sum(row) - 0.5 * count * std::log(fit);
        fitted = fitted && fit != 0.0;
    }
    if (!fitted) {
        std::fill(found.scales.begin(), found.scales.end(), 0.0);
        return found;
    }
    const double top = *std::max_element(logs.begin(), logs.end());
    for (std::size_t m = 0; m < dependence_models; ++m) found.weights[m] = std::exp(logs[m] - top);
    const double sum = pairwise_sum(found.weights);
    for (double& weight : found.weights) weight /= sum;
    return found;
}

double two_tails(int degrees, double t) {
    const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
    const double cosine = std::cos(angle), sine = std::sin(angle), square = cosine * cosine;
    const bool even = degrees % 2 == 0;
    double term = even ? 1.0 : cosine;
    double inner = degrees > 1 ? term : 0.0;
    for (int k = 1; k < (degrees - (even ? 0 : 1)) / 2; ++k) {
        const double twice = 2.0 * k;
        term = term * square * (even ? (twice - 1.0) / twice : twice / (twice + 1.0));
        inner += term;
    }
    const double inside = even ? sine * inner : 2.0 / std::numbers::pi * (angle + sine * inner);
    return std::max(1.0 - inside, 0.0);
}

double dependence_half_width(const Dependence& found, int degrees, double confidence, double front) {
    const Reals& weights = found.weights;
    const std::size_t models = weights.size();
    const double largest = *std::max_element(found.scales.begin(), found.scales.end());
    if (largest == 0.0) return 0.0;
    const Reals scales = each(models, [&](std::size_t m) { return found.scales[m] / largest; });
    const double v = degrees, exponent = -0.5 * (v + 1.0);
    double low = 0.0, high = std::numeric_limits<double>::infinity();
    double error = 2.0 * pairwise_sum(each(models, [&](std::size_t m) { return weights[m] * scales[m]; }));
    for (int turn = 0; turn < 200; ++turn) {
        const double above = pairwise_sum(each(models, [&](std::size_t m) {
                                 return weights[m] * two_tails(degrees, error / scales[m]);
                             })) - (1.0 - confidence);
        (above > 0.0 ? low : high) = error;  // the probability falls with the error
        const double density = 2.0 * front * pairwise_sum(each(models, [&](std::size_t m) {
                                   const double ratio = error / scales[m], base = 1.0 + ratio * ratio / v;
                                   return weights[m] / scales[m] * (degrees == 1 ? 1.0 / base : power(base, exponent));
                               }));
        double step = error + above / density;
        if (!(low < step && step < high)) step = std::isinf(high) ? 2.0 * error : 0.5 * (low + high);
        if (std::abs(step - error) <= 1e-13 * error) return step * largest;
        error = step;
    }
    return error * largest;
}

double dependence_share(const Reals& weights, double length) {
    Reals chosen;
    std::size_t m = 1;
    for (const double of : dependence_lengths)
        for (std::size_t s = 0; s < std::size(dependence_strengths); ++s, ++m)
            if (of >= length) chosen.push_back(weights[m]);
    return pairwise_sum(chosen);
}

}  // namespace bitmeter
