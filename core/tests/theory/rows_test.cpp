#include "theory/rows/rows.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/check.hpp"
#include "theory/rows/kernel.hpp"

using namespace bitmeter;

namespace {

/// The same sums, written plainly with long doubles.
RowSums plainly(RowMode mode, const double* p, const double* q, double centre, std::size_t n) {
    long double sum_p = 0, sum_q = 0, value = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum_p += p[i];
        if (q) sum_q += q[i];
        if (p[i] == 0) continue;
        long double log_p = std::log2(static_cast<long double>(p[i]));
        if (mode == RowMode::entropy) value += p[i] * log_p;
        if (mode == RowMode::variance) value += p[i] * (log_p - centre) * (log_p - centre);
        if (mode == RowMode::cross) value += p[i] * std::log2(static_cast<long double>(q[i]));
        if (mode == RowMode::divergence) value += p[i] * (log_p - std::log2(static_cast<long double>(q[i])));
    }
    RowSums result;
    result.p = static_cast<double>(sum_p);
    result.q = static_cast<double>(sum_q);
    result.value = static_cast<double>(mode == RowMode::sum ? sum_p : value);
    return result;
}

std::vector<double> random_row(std::mt19937_64& random, std::size_t n, double zero_share) {
    std::uniform_real_distribution<double> exponent(-40.0, 2.0), unit(0.0, 1.0);
    std::vector<double> row(n);
    for (double& x : row) x = unit(random) < zero_share ? 0.0 : std::exp(exponent(random));
    return row;
}

void compare_with_plain() {
    std::mt19937_64 random(1);
    for (std::size_t n : {1, 2, 7, 8, 9, 64, 1000, 8192, 8193, 100003}) {
        auto p = random_row(random, n, 0.2), q = random_row(random, n, 0.0);
        for (RowMode mode : {RowMode::sum, RowMode::entropy, RowMode::variance, RowMode::cross, RowMode::divergence}) {
            bool paired = mode == RowMode::cross || mode == RowMode::divergence;
            double centre = -1.5;
            auto found = row_sums(mode, p.data(), paired ? q.data() : nullptr, &centre, 1, n, 0)[0];
            auto expected = plainly(mode, p.data(), paired ? q.data() : nullptr, centre, n);
            CHECK(check::close(found.p, expected.p, 1e-15));
            CHECK(check::close(found.q, expected.q, 1e-15));
            CHECK(check::close(found.value, expected.value, 4e-15));
            CHECK(found.bad_p == no_index && found.bad_q == no_index && found.impossible == no_index);
        }
    }
}

void logarithm_is_exact_to_the_last_bits() {
    // One entry of mass p contributes p log2 p alone: over all magnitudes, denormals too.
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> exponent(-1074.0, 1.0);
    double worst = 0.0;
    for (int i = 0; i < 20000; ++i) {
        double x = std::exp2(exponent(random)), one = 1.0;
        if (i % 5 == 0) x = 1.0 + (exponent(random) / 1074.0) * 1e-9;  // near one, where log x vanishes
        if (x == 0.0 || x == 1.0) continue;
        double found = row_sums(RowMode::cross, &one, &x, nullptr, 1, 1, 1)[0].value;
        double expected = static_cast<double>(std::log2(static_cast<long double>(x)));
        worst = std::fmax(worst, std::fabs(found - expected) / std::fabs(expected));
    }
    std::printf("largest relative error of the logarithm: %.3g\n", worst);
    CHECK(worst < 5e-16);
}

void divergence_of_near_neighbours() {
    // p = q(1 + d) on half the mass and q(1 - d) on the other: D = ½[(1+d)ln(1+d) + (1-d)ln(1-d)] ≈ d²/2.
    for (double d : {1e-3, 1e-5, 1e-7}) {
        std::vector<double> p{0.5 * (1 + d), 0.5 * (1 - d)}, q{0.5, 0.5};
        double found = row_sums(RowMode::divergence, p.data(), q.data(), nullptr, 1, 2, 1)[0].value;
        long double exact = 0;
        for (int i = 0; i < 2; ++i) {
            long double gap = (static_cast<long double>(p[i]) - q[i]) / q[i];
            exact += p[i] * std::log1p(gap) / std::log(2.0L);
        }
        CHECK(std::fabs(found - static_cast<double>(exact)) <= 3e-16 * d);
    }
}

void bad_entries_are_located() {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    for (double bad : {-1e-300, nan, inf, -inf}) {
        std::vector<double> p(20000, 0.5), q(20000, 0.5);
        p[12345] = bad;
        p[19999] = bad;
        CHECK(row_sums(RowMode::entropy, p.data(), static_cast<double*>(nullptr), nullptr, 1, p.size(), 0)[0].bad_p == 12345);
        CHECK(row_sums(RowMode::cross, q.data(), p.data(), nullptr, 1, p.size(), 0)[0].bad_q == 12345);
        auto rows = row_sums(RowMode::entropy, p.data(), static_cast<double*>(nullptr), nullptr, 2, 10000, 0);
        CHECK(rows[0].bad_p == no_index && rows[1].bad_p == 2345);
    }
}

void impossible_is_infinite_and_named() {
    std::vector<double> p{0.5, 0.0, 0.5}, q{1.0, 0.0, 0.0};
    auto cross = row_sums(RowMode::cross, p.data(), q.data(), nullptr, 1, 3, 1)[0];
    CHECK(cross.value == -std::numeric_limits<double>::infinity() && cross.impossible == 2);
    auto divergence = row_sums(RowMode::divergence, p.data(), q.data(), nullptr, 1, 3, 1)[0];
    CHECK(divergence.value == std::numeric_limits<double>::infinity() && divergence.impossible == 2);
}

void float32_is_accumulated_in_float64() {
    std::vector<float> p(1 << 20, 1.0f / (1 << 20));
    auto found = row_sums(RowMode::entropy, p.data(), static_cast<float*>(nullptr), nullptr, 1, p.size(), 0)[0];
    CHECK(found.p == 1.0);
    CHECK(check::close(found.value, -20.0, 1e-15));
}

void threads_and_instruction_sets_agree_to_the_bit() {
    std::mt19937_64 random(3);
    auto p = random_row(random, 300000, 0.1), q = random_row(random, 300000, 0.0);
    for (RowMode mode : {RowMode::entropy, RowMode::cross, RowMode::divergence}) {
        double one = row_sums(mode, p.data(), q.data(), nullptr, 1, p.size(), 1)[0].value;
        for (unsigned threads : {2u, 3u, 0u})
            CHECK(row_sums(mode, p.data(), q.data(), nullptr, 1, p.size(), threads)[0].value == one);
    }
    const Cpu found = detect_cpu();
    std::vector<KernelSet> sets;
    for (CpuLevel level : levels_of(found)) sets.push_back(rows_kernels({level, found.features}));
    for (int mode = 0; mode <= 4; ++mode) {
        BlockSums first{}, other{};
        sets[0].f64(mode, p.data(), q.data(), -1.0, 8191, first);
        for (const auto& set : sets) {
            set.f64(mode, p.data(), q.data(), -1.0, 8191, other);
            CHECK(first.value[0] == other.value[0] && first.value[1] == other.value[1]);
            CHECK(first.p[0] == other.p[0] && first.p[1] == other.p[1]);
        }
    }
}

}  // namespace

int main() {
    compare_with_plain();
    logarithm_is_exact_to_the_last_bits();
    divergence_of_near_neighbours();
    bad_entries_are_located();
    impossible_is_infinite_and_named();
    float32_is_accumulated_in_float64();
    threads_and_instruction_sets_agree_to_the_bit();
    return check::report();
}
