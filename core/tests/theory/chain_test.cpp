#include "theory/chain.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/check.hpp"
#include "theory/alias.hpp"

using namespace bitmeter;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const Seed seed{11, 22, 33, 44};

template <class Run>
bool throws(Run&& run) {
    try {
        run();
    } catch (const std::exception&) {
        return true;
    }
    return false;
}

void generator_is_xoshiro() {
    // The published sequence of xoshiro256++ from the state 1, 2, 3, 4.
    Random random(Seed{1, 2, 3, 4});
    for (std::uint64_t expected : {41943041ull, 58720359ull, 3588806011781223ull, 3591011842654386ull})
        CHECK(random.next() == expected);
    Random zero(Seed{0, 0, 0, 0});
    zero.next();
    CHECK(zero.next() != 0);
    CHECK(Random::stream(seed, 0).next() != Random::stream(seed, 1).next());
}

void alias_draws_its_weights() {
    const std::vector<double> weights{0.1, 0.0, 0.6, 0.3, /* second row */ 0.0, 0.0, 0.0, 1.0};
    AliasTables tables(weights.data(), 2, 4, 2);
    Random random(seed);
    const int n = 200000;
    std::vector<int> seen(4);
    for (int i = 0; i < n; ++i) ++seen[tables.draw(0, random)];
    for (int s = 0; s < 4; ++s) {
        const double sd = std::sqrt(weights[s] * (1 - weights[s]) / n);
        CHECK(std::fabs(seen[s] / double(n) - weights[s]) <= 5 * sd);
    }
    for (int i = 0; i < 1000; ++i) CHECK(tables.draw(1, random) == 3);
}

void alias_never_draws_zero() {
    // Shares that round: thirds, sevenths, and zeros among them.
    for (int k = 2; k < 60; ++k) {
        std::vector<double> weights(static_cast<std::size_t>(k));
        for (int i = 0; i < k; ++i) weights[i] = i % 3 == 1 ? 0.0 : 1.0 / (i + 3);
        AliasTables tables(weights.data(), 1, weights.size(), 1);
        Random random(seed);
        for (int i = 0; i < 3000; ++i) CHECK(weights[tables.draw(0, random)] > 0.0);
    }
    const double bad[] = {0.5, std::nan("")}, negative[] = {1.5, -0.5};
    CHECK(throws([&] { AliasTables(bad, 1, 2, 1); }));
    CHECK(throws([&] { AliasTables(negative, 1, 2, 1); }));
    CHECK(throws([&] { AliasTables(bad, 1, 0, 1); }));
}

void shapes() {
    CHECK((ContextShape{3, 0}.rows()) == 1);
    CHECK((ContextShape{3, 1}.rows()) == 4);
    CHECK((ContextShape{3, 2}.rows()) == 13);
    CHECK(throws([] { (void)ContextShape{256, 9}.rows(); }));
    CHECK(throws([] { (void)ContextShape{0, 1}.rows(); }));
    CHECK(throws([] { (void)ContextShape{1, std::size_t{1} << 62}.rows(); }));
}

void samples_do_not_depend_on_threads() {
    const std::vector<double> table{0.5, 0.5, 0.9, 0.1, 0.3, 0.7};
    std::vector<std::uint8_t> one(7 * 1000), many(7 * 1000);
    sample_chain(table.data(), {2, 1}, seed, one.data(), 7, 1000, 1);
    sample_chain(table.data(), {2, 1}, seed, many.data(), 7, 1000, 5);
    CHECK(one == many);
    std::vector<std::uint8_t> first(1000);
    sample_chain(table.data(), {2, 1}, seed, first.data(), 1, 1000, 1);
    CHECK(std::vector<std::uint8_t>(one.begin(), one.begin() + 1000) == first);
}

void order_two_follows_its_contexts() {
    // Deterministic: the next symbol is the sum of the last two, modulo 3; a start of 0, then 1.
    std::vector<double> table(13 * 3, 0.0);
    table[0 * 3 + 0] = 1.0;
    for (int a = 0; a < 3; ++a) table[(1 + a) * 3 + 1] = 1.0;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) table[(4 + 3 * a + b) * 3 + (a + b) % 3] = 1.0;
    std::vector<std::int32_t> x(50);
    sample_chain(table.data(), {3, 2}, seed, x.data(), 1, x.size(), 1);
    CHECK(x[0] == 0 && x[1] == 1);
    for (std::size_t t = 2; t < x.size(); ++t) CHECK(x[t] == (x[t - 1] + x[t - 2]) % 3);

    for (double& p : table) p = std::log(p);
    std::vector<double> out(x.size());
    CHECK(chain_logprobs(x.data(), 1, x.size(), table.data(), {3, 2}, out.data(), 1)[0] == 0.0);
    x[10] = (x[10] + 1) % 3;
    CHECK(chain_logprobs(x.data(), 1, x.size(), table.data(), {3, 2}, out.data(), 1)[0] == -inf);
    CHECK(out[9] == 0.0 && out[10] == -inf);
    x[10] = 3;
    CHECK(throws([&] { chain_logprobs(x.data(), 1, x.size(), table.data(), {3, 2}, nullptr, 1); }));
    x[10] = -1;
    CHECK(throws([&] { chain_logprobs(x.data(), 1, x.size(), table.data(), {3, 2}, nullptr, 1); }));
}

void sums_run() {
    const std::vector<double> x{1, 2, 3, 10, 20, -inf};
    const std::vector<std::int64_t> ends{0, 1, 3};
    const auto sums = running_sums(x.data(), 2, 3, ends.data(), 3, 2);
    CHECK((sums == std::vector<double>{0, 1, 6, 0, 10, -inf}));
    const std::vector<std::int64_t> back{2, 1}, far{4};
    CHECK(throws([&] { running_sums(x.data(), 2, 3, back.data(), 2, 1); }));
    CHECK(throws([&] { running_sums(x.data(), 2, 3, far.data(), 1, 1); }));
}

}  // namespace

int main() {
    generator_is_xoshiro();
    alias_draws_its_weights();
    alias_never_draws_zero();
    shapes();
    samples_do_not_depend_on_threads();
    order_two_follows_its_contexts();
    sums_run();
    return check::report();
}
