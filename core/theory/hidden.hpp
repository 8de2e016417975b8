// Hidden Markov models: a chain of states, each of which emits a symbol. Sampling, and the scaled forward algorithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "util/random.hpp"

namespace bitmeter {

struct HiddenModel {
    std::size_t states;
    std::size_t symbols;
    const double* initial;     // states
    const double* transition;  // states × states
    const double* emission;    // states × symbols
};

/// Fills `out` (paths × length) with emitted symbols, and `hidden` likewise with states where it is not null.
template <class Symbol>
void sample_hidden(const HiddenModel& model, const Seed& seed, Symbol* out, std::int32_t* hidden, std::size_t paths,
                   std::size_t length, unsigned threads);

/// ln p(y_t | y_1 … y_{t-1}) of each symbol into `out` (where not null) and the sum of each path. From an impossible
/// symbol on, all is minus infinity. Throws where a symbol lies outside of the alphabet.
template <class Symbol>
std::vector<double> hidden_logprobs(const HiddenModel& model, const Symbol* y, std::size_t paths, std::size_t length,
                                    double* out, unsigned threads);

#define BITMETER_HIDDEN(Symbol)                                                                                       \
    extern template void sample_hidden(const HiddenModel&, const Seed&, Symbol*, std::int32_t*, std::size_t,          \
                                       std::size_t, unsigned);                                                        \
    extern template std::vector<double> hidden_logprobs(const HiddenModel&, const Symbol*, std::size_t, std::size_t,  \
                                                        double*, unsigned);
BITMETER_HIDDEN(std::uint8_t)
BITMETER_HIDDEN(std::uint16_t)
BITMETER_HIDDEN(std::int32_t)
#undef BITMETER_HIDDEN

}  // namespace bitmeter
