#include "theory/hidden.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "theory/alias.hpp"
#include "util/parallel.hpp"
#include "util/sum.hpp"

namespace bitmeter {
namespace {

void check(const HiddenModel& model) {
    constexpr auto limit = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
    if (model.states == 0 || model.symbols == 0 || model.states > limit || model.symbols > limit)
        throw std::invalid_argument("hidden: between 1 and 2^31 - 1 states and symbols are needed");
}

/// The emission probabilities by symbol, so that those of one symbol lie side by side.
std::vector<double> by_symbol(const HiddenModel& model) {
    std::vector<double> turned(model.states * model.symbols);
    for (std::size_t state = 0; state < model.states; ++state)
        for (std::size_t symbol = 0; symbol < model.symbols; ++symbol)
            turned[symbol * model.states + state] = model.emission[state * model.symbols + symbol];
    return turned;
}

/// The distribution of the hidden state given the observations.
class Belief {
public:
    explicit Belief(const HiddenModel& model)
        : model_(model), now_(model.initial, model.initial + model.states), next_(model.states) {}

    /// Conditions on a symbol with these likelihoods; returns its probability given all before. After zero, nothing is left.
    double see(const double* likelihood) {
        double total = 0.0;
        for (std::size_t i = 0; i < model_.states; ++i) {
            now_[i] *= likelihood[i];
            total += now_[i];
        }
        if (total > 0.0)
            for (double& mass : now_) mass /= total;
        return total;
    }

    /// One step of the hidden chain.
    void move() {
        std::fill(next_.begin(), next_.end(), 0.0);
        for (std::size_t i = 0; i < model_.states; ++i) {
            const double mass = now_[i];
            if (mass == 0.0) continue;
            const double* row = model_.transition + i * model_.states;
            for (std::size_t j = 0; j < model_.states; ++j) next_[j] += mass * row[j];
        }
        now_.swap(next_);
    }

private:
    const HiddenModel& model_;
    std::vector<double> now_, next_;
};

/// ln p of each symbol computed in logarithms: slow, but nothing underflows. Used for paths whose scaled probability is
/// zero.
template <class Symbol>
double logarithmic_path(const HiddenModel& model, const Symbol* y, std::size_t length, double* out) {
    constexpr double never = -std::numeric_limits<double>::infinity();
    const std::size_t states = model.states;
    auto ln_sum = [&](const std::vector<double>& terms) {
        const double top = *std::max_element(terms.begin(), terms.end());
        if (top == never) return never;
        double sum = 0.0;
        for (double term : terms) sum += std::exp(term - top);
        return top + std::log(sum);
    };
    std::vector<double> now(states), next(states), terms(states);
    for (std::size_t i = 0; i < states; ++i) now[i] = std::log(model.initial[i]);
    Compensated total;
    for (std::size_t t = 0; t < length; ++t) {
        if (t > 0) {
            for (std::size_t j = 0; j < states; ++j) {
                for (std::size_t i = 0; i < states; ++i) terms[i] = now[i] + std::log(model.transition[i * states + j]);
                next[j] = ln_sum(terms);
            }
            now.swap(next);
        }
        for (std::size_t i = 0; i < states; ++i)
            now[i] += std::log(model.emission[i * model.symbols + static_cast<std::size_t>(y[t])]);
        const double logprob = ln_sum(now);
        if (out) out[t] = logprob;
        total.add(logprob);
        if (logprob == never) {
            if (out) std::fill(out + t, out + length, never);
            break;
        }
        for (double& mass : now) mass -= logprob;
    }
    return total.value();
}

}  // namespace

template <class Symbol>
void sample_hidden(const HiddenModel& model, const Seed& seed, Symbol* out, std::int32_t* hidden, std::size_t paths,
                   std::size_t length, unsigned threads) {
    check(model);
    if (model.symbols - 1 > static_cast<std::size_t>(std::numeric_limits<Symbol>::max()))
        throw std::invalid_argument("hidden: the alphabet does not fit the integers of the array");
    const AliasTables start(model.initial, 1, model.states, 1);
    const AliasTables moves(model.transition, model.states, model.states, threads);
    const AliasTables emits(model.emission, model.states, model.symbols, threads);
    parallel_for(paths, threads, [&](std::size_t path) {
        Random random = Random::stream(seed, path);
        std::uint32_t state = 0;
        for (std::size_t t = path * length; t < (path + 1) * length; ++t) {
            state = t == path * length ? start.draw(0, random) : moves.draw(state, random);
            if (hidden) hidden[t] = static_cast<std::int32_t>(state);
            out[t] = static_cast<Symbol>(emits.draw(state, random));
        }
    });
}

template <class Symbol>
std::vector<double> hidden_logprobs(const HiddenModel& model, const Symbol* y, std::size_t paths, std::size_t length,
                                    double* out, unsigned threads) {
    check(model);
    constexpr double never = -std::numeric_limits<double>::infinity();
    const std::vector<double> likelihood = by_symbol(model);
    std::vector<double> totals(paths);
    parallel_for(paths, threads, [&](std::size_t path) {
        Belief belief(model);
        Compensated total;
        bool possible = true;
        for (std::size_t t = path * length; t < (path + 1) * length; ++t) {
            const auto symbol = static_cast<std::size_t>(y[t]);
            if (symbol >= model.symbols) throw std::invalid_argument("hidden: a symbol lies outside of the alphabet");
            if (possible && t > path * length) belief.move();
            const double p = possible ? belief.see(likelihood.data() + symbol * model.states) : 0.0;
            possible = p > 0.0;
            const double logprob = possible ? std::log(p) : never;
            if (out) out[t] = logprob;
            total.add(logprob);
        }
        totals[path] = possible ? total.value()
                                : logarithmic_path(model, y + path * length, length, out ? out + path * length : nullptr);
    });
    return totals;
}

#define BITMETER_HIDDEN(Symbol)                                                                                    \
    template void sample_hidden(const HiddenModel&, const Seed&, Symbol*, std::int32_t*, std::size_t, std::size_t, \
                                unsigned);                                                                         \
    template std::vector<double> hidden_logprobs(const HiddenModel&, const Symbol*, std::size_t, std::size_t,      \
                                                 double*, unsigned);
BITMETER_HIDDEN(std::uint8_t)
BITMETER_HIDDEN(std::uint16_t)
BITMETER_HIDDEN(std::int32_t)
#undef BITMETER_HIDDEN

}  // namespace bitmeter
