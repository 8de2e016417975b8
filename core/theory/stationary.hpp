// The stationary distribution of an irreducible Markov chain and the solution of Poisson's equation, without subtractions.
#pragma once

#include <cstddef>
#include <vector>

namespace bitmeter {

struct LongRun {
    std::vector<double> stationary;  // π with π P = π
    double mean;                     // h = π·reward
    std::vector<double> bias;        // g with (I - P) g = reward - h and π·g = 0
};

/// Solves by the elimination of Grassmann, Taksar and Heyman: states are taken out one by one, and the reward and time
/// spent in them are passed to those that remain. Diagonals are found as sums of what leaves, never as one minus what
/// stays, so each entry of π has a small relative error even where the chain hardly ever leaves a part of itself.
/// Throws where the chain (states × states, rows summing to one) is not irreducible.
LongRun long_run(const double* transition, const double* reward, std::size_t states);

}  // namespace bitmeter
