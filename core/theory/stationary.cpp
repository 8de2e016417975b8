#include "theory/stationary.hpp"

#include <stdexcept>

#include "util/sum.hpp"

namespace bitmeter {
namespace {

/// The chain on the states that are left, with what happens between visits to them.
struct Reduced {
    std::size_t states;
    std::vector<double> p;       // states × states
    std::vector<double> reward;  // earned from a state until the next visit to a state that is left
    std::vector<double> time;    // steps taken likewise
    std::vector<double> leaving; // probability of going from state k to a state below it

    double* row(std::size_t i) { return p.data() + i * states; }

    void take_out(std::size_t k) {
        const double* from = row(k);
        double sum = 0.0;
        for (std::size_t j = 0; j < k; ++j) sum += from[j];
        if (!(sum > 0.0)) throw std::invalid_argument("long run: the chain is not irreducible");
        leaving[k] = sum;
        for (std::size_t i = 0; i < k; ++i) {
            double* to = row(i);
            if (to[k] == 0.0) continue;
            const double visits = to[k] /= sum;
            for (std::size_t j = 0; j < k; ++j) to[j] += visits * from[j];
            reward[i] += visits * reward[k];
            time[i] += visits * time[k];
        }
    }
};

}  // namespace

LongRun long_run(const double* transition, const double* reward, std::size_t states) {
    if (states == 0) throw std::invalid_argument("long run: the chain has no states");
    Reduced left{states, {transition, transition + states * states}, {reward, reward + states},
                 std::vector<double>(states, 1.0), std::vector<double>(states, 0.0)};
    for (std::size_t k = states; k-- > 1;) left.take_out(k);

    LongRun result{std::vector<double>(states, 1.0), left.reward[0] / left.time[0], std::vector<double>(states, 0.0)};
    auto& pi = result.stationary;
    auto& bias = result.bias;
    Compensated total;
    total.add(pi[0]);
    for (std::size_t k = 1; k < states; ++k) {
        double mass = 0.0;
        for (std::size_t i = 0; i < k; ++i) mass += pi[i] * left.row(i)[k];
        pi[k] = mass;
        total.add(mass);
        double gain = left.reward[k] - result.mean * left.time[k];
        for (std::size_t j = 0; j < k; ++j) gain += left.row(k)[j] * bias[j];
        bias[k] = gain / left.leaving[k];
    }
    Compensated centre;
    for (std::size_t k = 0; k < states; ++k) {
        pi[k] /= total.value();
        centre.add(pi[k] * bias[k]);
    }
    for (double& value : bias) value -= centre.value();
    return result;
}

}  // namespace bitmeter
