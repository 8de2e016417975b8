#include "network/network.hpp"

#include <cmath>
#include <random>

#include "tests/check.hpp"

using namespace bitmeter;
using namespace bitmeter::network;

namespace {

template <class Error, class Run>
bool throws(Run run) {
    try {
        run();
    } catch (const Error&) {
        return true;
    }
    return false;
}

struct Drawn {
    std::mt19937_64 random{5};
    std::vector<std::vector<float>> kept;

    const float* values(std::size_t n, float scale = 0.5F) {
        std::normal_distribution<float> draw(0.0F, scale);
        kept.emplace_back(n);
        for (float& value : kept.back()) value = draw(random);
        return kept.back().data();
    }
    Matrix matrix(std::size_t rows, std::size_t columns) { return {values(rows * columns), rows, columns}; }
    Vector vector(std::size_t n) { return {values(n), n}; }
};

void functions_agree_with_the_library() {
    for (double x = -9.0; x <= 9.0; x += 0.0137) {
        CHECK(check::close(sigmoid(x), 1.0 / (1.0 + std::exp(-x)), 4e-15));
        CHECK(std::fabs(hyperbolic_tangent(x) - std::tanh(x)) < 4e-16 + 4e-15 * std::fabs(std::tanh(x)));
        CHECK(std::fabs(error_function(x) - std::erf(x)) < 4e-15);
        CHECK(check::close(portable_log(std::exp(x)), x, 1e-14) || std::fabs(x) < 1e-3);
    }
    CHECK(portable_log(1.0) == 0.0);
    CHECK(std::fabs(gelu(1.0) - 0.8413447460685429) < 1e-15);  // x Φ(x), Φ(1) = 0.841344746068542949
}

/// A step of an LSTM, written plainly in double precision.
std::vector<double> plain_step(const Ends& ends, const LstmLayer& layer, std::size_t id, std::vector<double>& h, std::vector<double>& c) {
    const std::size_t n = ends.embedding.columns;
    std::vector<double> gates(4 * n), row(ends.embedding.rows);
    for (std::size_t g = 0; g < 4 * n; ++g) {
        gates[g] = layer.input_bias.data[g] + layer.hidden_bias.data[g];
        for (std::size_t i = 0; i < n; ++i)
            gates[g] += layer.from_input.data[g * n + i] * ends.embedding.data[id * n + i] * std::sqrt(static_cast<double>(n)) +
                        layer.from_hidden.data[g * n + i] * h[i];
    }
    const auto logistic = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
    for (std::size_t i = 0; i < n; ++i) {
        c[i] = logistic(gates[n + i]) * c[i] + logistic(gates[i]) * std::tanh(gates[2 * n + i]);
        h[i] = logistic(gates[3 * n + i]) * std::tanh(c[i]);
    }
    double sum = 0.0;
    for (std::size_t k = 0; k < row.size(); ++k) {
        row[k] = ends.bias.data[k];
        for (std::size_t i = 0; i < n; ++i) row[k] += ends.embedding.data[k * n + i] * h[i];
        sum += std::exp(row[k]);
    }
    for (double& value : row) value -= std::log(sum);
    return row;
}

std::unique_ptr<Network> some_lstm(Drawn& drawn, const Kernel& kernel, Ends& ends, LstmLayer& layer) {
    const std::size_t n = 37, size = 41;  // no multiples of a register
    ends = {drawn.matrix(size, n), drawn.vector(size), -1};
    layer = {drawn.matrix(4 * n, n), drawn.matrix(4 * n, n), drawn.vector(4 * n), drawn.vector(4 * n)};
    return make_lstm(ends, {layer}, kernel);
}

void an_lstm_is_its_formula() {
    Drawn drawn;
    Ends ends;
    LstmLayer layer;
    const auto made = some_lstm(drawn, kernel_baseline(), ends, layer);
    auto state = made->begin();
    std::vector<double> h(37), c(37);
    for (std::int64_t id : {3, 40, 0, 3, 17, 3}) {
        const auto row = made->step(&id, 1, *state);
        const auto expected = plain_step(ends, layer, static_cast<std::size_t>(id), h, c);
        double sum = 0.0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            CHECK(std::fabs(row[i] - expected[i]) < 2e-5);
            sum += std::exp(row[i]);
        }
        CHECK(std::fabs(sum - 1.0) < 1e-12);
    }
}

std::unique_ptr<Network> some_transformer(Drawn& drawn, const Kernel& kernel, bool before = true, bool table = true) {
    const std::size_t n = 36, size = 29;
    const auto normal = [&] { return Normal{drawn.vector(n), drawn.vector(n)}; };
    std::vector<Block> blocks;
    for (int i = 0; i < 2; ++i)
        blocks.push_back({normal(), normal(), drawn.matrix(3 * n, n), drawn.matrix(n, n), drawn.matrix(4 * n, n),
                          drawn.matrix(n, 4 * n), drawn.vector(3 * n), drawn.vector(n), drawn.vector(4 * n), drawn.vector(n)});
    const Ends ends = {drawn.matrix(size, n), drawn.vector(size), 7};
    const Places places = {5, table ? drawn.matrix(5, n) : Matrix{}, drawn.vector(3)};
    return make_transformer(ends, places, before ? drawn.matrix(size, n) : Matrix{}, blocks, normal(), 3, kernel);
}

void steps_one_by_one_and_at_once_are_equal(bool before, bool table) {
    Drawn drawn;
    const auto made = some_transformer(drawn, kernel_of(cpu()), before, table);
    const std::int64_t ids[] = {1, 28, 7, 0, 5};
    auto once = made->begin(), each = made->begin();
    const auto together = made->step(ids, 5, *once);
    std::vector<double> last;
    for (std::int64_t id : ids) last = made->step(&id, 1, *each);
    CHECK(together == last);
    CHECK(std::isinf(last[7]) && last[7] < 0.0);  // the id that never comes
    CHECK(throws<std::length_error>([&] { made->step(ids, 1, *once); }));
    const std::int64_t wrong[] = {29, -1};
    auto fresh = made->begin();
    CHECK(throws<std::invalid_argument>([&] { made->step(wrong, 1, *fresh); }));
    CHECK(throws<std::invalid_argument>([&] { made->step(wrong + 1, 1, *fresh); }));
    CHECK(throws<std::invalid_argument>([&] { made->step(ids, 0, *fresh); }));
}

void kernels_give_the_same_bits() {
    const Cpu found = detect_cpu();
    for (CpuLevel level : levels_of(found)) {
        const Kernel kernel = kernel_of(limit_cpu(found, name_of(level)));
        Drawn here, there;
        Ends ends;
        LstmLayer layer;
        const auto a = some_lstm(here, kernel, ends, layer), b = some_lstm(there, kernel_baseline(), ends, layer);
        const auto c = some_transformer(here, kernel), d = some_transformer(there, kernel_baseline());
        auto sa = a->begin(), sb = b->begin(), sc = c->begin(), sd = d->begin();
        for (std::int64_t id : {5, 11, 2, 11}) {
            CHECK(a->step(&id, 1, *sa) == b->step(&id, 1, *sb));
            CHECK(c->step(&id, 1, *sc) == d->step(&id, 1, *sd));
        }
    }
}

void weights_of_another_shape_are_refused() {
    Drawn drawn;
    const Ends ends = {drawn.matrix(9, 4), drawn.vector(9), -1};
    CHECK(throws<std::invalid_argument>([&] { make_lstm(ends, {{drawn.matrix(16, 4), drawn.matrix(16, 5), drawn.vector(16), drawn.vector(16)}}, kernel_baseline()); }));
    CHECK(throws<std::invalid_argument>([&] { make_lstm(ends, {{drawn.matrix(16, 4), drawn.matrix(16, 4), drawn.vector(15), drawn.vector(16)}}, kernel_baseline()); }));
    CHECK(throws<std::invalid_argument>([&] { make_lstm({drawn.matrix(9, 4), drawn.vector(8), -1}, {}, kernel_baseline()); }));
    CHECK(throws<std::invalid_argument>([&] { make_lstm(ends, {}, kernel_baseline()); }));
    CHECK(throws<std::invalid_argument>([&] {
        make_transformer(ends, {5, drawn.matrix(5, 4), {}}, drawn.matrix(8, 4), {}, {drawn.vector(4), drawn.vector(4)}, 2, kernel_baseline());
    }));
    const std::vector<Places> wrong = {{5, drawn.matrix(4, 4), {}}, {5, drawn.matrix(5, 3), {}}, {5, {}, drawn.vector(3)}, {5, {}, {}}};
    for (const Places& places : wrong)
        CHECK(throws<std::invalid_argument>([&] { make_transformer(ends, places, {}, {}, {drawn.vector(4), drawn.vector(4)}, 2, kernel_baseline()); }));
}

}  // namespace

int main() {
    functions_agree_with_the_library();
    an_lstm_is_its_formula();
    for (bool before : {false, true})
        for (bool table : {false, true}) steps_one_by_one_and_at_once_are_equal(before, table);
    kernels_give_the_same_bits();
    weights_of_another_shape_are_refused();
    return check::report();
}
