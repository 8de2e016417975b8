#include "theory/chain.hpp"
#include "theory/hidden.hpp"
#include "theory/stationary.hpp"

#include "bind/bind.hpp"

namespace {

// ---- processes -------------------------------------------------------------------------------------------------------

bitmeter::Seed to_seed(const Vector<std::uint64_t>& words) {
    if (words.size() != 4) throw std::invalid_argument("seed: four words are needed");
    return {words.data()[0], words.data()[1], words.data()[2], words.data()[3]};
}

bitmeter::ContextShape to_shape(const Matrix<double>& table, std::size_t order) {
    const bitmeter::ContextShape shape{table.shape(1), order};
    if (shape.rows() != table.shape(0)) throw std::invalid_argument("chain: the table has the wrong number of rows");
    return shape;
}

bitmeter::HiddenModel to_model(const Vector<double>& initial, const Matrix<double>& transition,
                               const Matrix<double>& emission) {
    const std::size_t states = initial.size();
    if (transition.shape(0) != states || transition.shape(1) != states || emission.shape(0) != states)
        throw std::invalid_argument("hidden: initial, transition and emission have different numbers of states");
    return {states, emission.shape(1), initial.data(), transition.data(), emission.data()};
}

template <class A, class B>
void same_shape(const A& a, const B& b) {
    if (a.shape(0) != b.shape(0) || a.shape(1) != b.shape(1))
        throw std::invalid_argument("processes: the two arrays have different shapes");
}

template <class Symbol>
void bind_process(nb::module_& m) {
    m.def(
        "sample_chain",
        [](Matrix<double> table, std::size_t order, Vector<std::uint64_t> seed, Output<Symbol> out, unsigned threads) {
            const auto shape = to_shape(table, order);
            const auto words = to_seed(seed);
            without_lock([&] {
                bitmeter::sample_chain(table.data(), shape, words, out.data(), out.shape(0), out.shape(1), threads);
            });
        },
        "table"_a, "order"_a, "seed"_a, "out"_a.noconvert(), "threads"_a = 0,
        "Fill out (paths x length) with samples of the chain whose next-symbol probabilities are the table's rows.");
    m.def(
        "chain_logprobs",
        [](Matrix<Symbol> x, Matrix<double> table, std::size_t order, std::optional<Output<double>> out, unsigned threads) {
            const auto shape = to_shape(table, order);
            if (out) same_shape(x, *out);
            return to_numpy(without_lock([&] {
                return bitmeter::chain_logprobs(x.data(), x.shape(0), x.shape(1), table.data(), shape,
                                                out ? out->data() : nullptr, threads);
            }));
        },
        "x"_a.noconvert(), "table"_a, "order"_a, "out"_a = nb::none(), "threads"_a = 0,
        "The log-probability of each path under a table of logarithms; that of each symbol into out.");
    m.def(
        "sample_hidden",
        [](Vector<double> initial, Matrix<double> transition, Matrix<double> emission, Vector<std::uint64_t> seed,
           Output<Symbol> out, std::optional<Output<std::int32_t>> states, unsigned threads) {
            const auto model = to_model(initial, transition, emission);
            const auto words = to_seed(seed);
            if (states) same_shape(out, *states);
            without_lock([&] {
                bitmeter::sample_hidden(model, words, out.data(), states ? states->data() : nullptr, out.shape(0),
                                        out.shape(1), threads);
            });
        },
        "initial"_a, "transition"_a, "emission"_a, "seed"_a, "out"_a.noconvert(), "states"_a = nb::none(), "threads"_a = 0,
        "Fill out (paths x length) with what a hidden Markov model emits, and states with its hidden states.");
    m.def(
        "hidden_logprobs",
        [](Vector<double> initial, Matrix<double> transition, Matrix<double> emission, Matrix<Symbol> y,
           std::optional<Output<double>> out, unsigned threads) {
            const auto model = to_model(initial, transition, emission);
            if (out) same_shape(y, *out);
            return to_numpy(without_lock([&] {
                return bitmeter::hidden_logprobs(model, y.data(), y.shape(0), y.shape(1), out ? out->data() : nullptr,
                                                 threads);
            }));
        },
        "initial"_a, "transition"_a, "emission"_a, "y"_a.noconvert(), "out"_a = nb::none(), "threads"_a = 0,
        "The log-probability of each path by the scaled forward algorithm; that of each symbol into out.");
}

void bind_long_run(nb::module_& m) {
    m.def(
        "long_run",
        [](Matrix<double> transition, Vector<double> reward) {
            if (transition.shape(0) != transition.shape(1) || transition.shape(0) != reward.size())
                throw std::invalid_argument("long run: a square matrix and one reward per state are needed");
            auto found = without_lock([&] { return bitmeter::long_run(transition.data(), reward.data(), reward.size()); });
            return std::make_tuple(to_numpy(std::move(found.stationary)), found.mean, to_numpy(std::move(found.bias)));
        },
        "transition"_a, "reward"_a, "Stationary law, mean reward and solution of Poisson's equation of an irreducible chain.");
    m.def(
        "running_sums",
        [](Matrix<double> x, Vector<std::int64_t> ends, unsigned threads) {
            return to_numpy(without_lock([&] {
                return bitmeter::running_sums(x.data(), x.shape(0), x.shape(1), ends.data(), ends.size(), threads);
            }));
        },
        "x"_a, "ends"_a, "threads"_a = 0, "Sums of the first ends[k] entries of each row, row by row.");
}

}  // namespace

void bind_processes(nb::module_& m) {
    bind_process<std::uint8_t>(m);
    bind_process<std::uint16_t>(m);
    bind_process<std::int32_t>(m);
    bind_long_run(m);
}
