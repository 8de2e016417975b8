// How far neighbouring clusters are alike: a mixture over models of dependence, weighed by the slow waves of the costs.
// What the models are and why is said in src/bitmeter/measure/interval/dependence.py.
#pragma once

#include <cstddef>
#include <iterator>

#include "measure/arrays.hpp"

namespace bitmeter {

/// The lengths of dependence as shares of the text, from 2^-7 to 2^-1, and its strengths over independent noise.
inline constexpr double dependence_lengths[] = {0x1p-7, 0x1p-6, 0x1p-5, 0x1p-4, 0x1p-3, 0x1p-2, 0x1p-1};
inline constexpr double dependence_strengths[] = {1.0, 3.0, 10.0, 30.0, 100.0, 300.0};
/// The first model is white noise.
inline constexpr std::size_t dependence_models = 1 + std::size(dependence_lengths) * std::size(dependence_strengths);
/// A longer text is first summed to so many cells.
inline constexpr std::size_t dependence_cells = 2048;

/// The weight of each model, and by it the scale of the error of the ratio.
struct Dependence {
    Reals weights;
    Reals scales;
};

/// For each model the variance of the mean, then of each of `number` cosines, over that of white noise, row by row.
Reals dependence_variances(std::size_t number);

/// Weighs the models by the residuals of clusters in the order of the text; sizes are above zero, and `prior` is the
/// probability, before looking, that neighbours are not alike.
Dependence dependence(const Reals& residuals, const Reals& sizes, std::size_t number, double prior);

/// P(|T| > t) for whole degrees of freedom, in closed form.
double two_tails(int degrees, double t);

/// The error that is exceeded, in either direction, with probability 1 - confidence. `front` is the factor of the density
/// of Student's t that does not depend on t.
double dependence_half_width(const Dependence& found, int degrees, double confidence, double front);

/// The weight of the models whose length of dependence is at least this share of the text.
double dependence_share(const Reals& weights, double length);

}  // namespace bitmeter
