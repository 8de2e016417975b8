#include "theory/ctw.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/check.hpp"

using bitmeter::ctw_log_probability;

namespace {

/// The Krichevsky-Trofimov probability of these counts: the tree of depth 0 of such a sequence.
double kt_log_probability(std::uint64_t zeros, std::uint64_t ones) {
    std::vector<std::uint8_t> x(zeros, 0);
    x.insert(x.end(), ones, 1);
    return ctw_log_probability(x.data(), x.size(), 1, 0, 1);
}

using Context = std::vector<unsigned>;

/// The definition, top down: P_w of a node from all occurrences below it.
double weighted(const std::vector<std::pair<Context, bool>>& bits, unsigned level, unsigned depth) {
    std::uint64_t counts[2] = {0, 0};
    std::map<unsigned, std::vector<std::pair<Context, bool>>> children;
    for (const auto& [context, bit] : bits) {
        ++counts[bit];
        if (level < depth) children[context[level]].push_back({context, bit});
    }
    double alone = 0.0;  // KT, one bit after the other
    for (std::uint64_t i = 0; i < counts[0]; ++i) alone += std::log((i + 0.5) / (i + 1.0));
    for (std::uint64_t i = 0; i < counts[1]; ++i) alone += std::log((i + 0.5) / (counts[0] + i + 1.0));
    if (level == depth) return alone;
    double below = 0.0;
    for (const auto& child : children) below += weighted(child.second, level + 1, depth);
    double top = std::fmax(alone, below);
    return top + std::log(0.5 * std::exp(alone - top) + 0.5 * std::exp(below - top));
}

template <class Symbol>
double by_definition(const std::vector<Symbol>& x, unsigned bits, unsigned depth) {
    std::map<unsigned, std::vector<std::pair<Context, bool>>> trees;
    for (std::size_t t = 0; t < x.size(); ++t) {
        Context context;
        for (unsigned d = 1; d <= depth; ++d) context.push_back(t >= d ? x[t - d] : 0);
        unsigned node = 1;
        for (unsigned bit = bits; bit-- > 0;) {
            bool one = (x[t] >> bit) & 1;
            trees[node].push_back({context, one});
            node = 2 * node + one;
        }
    }
    double total = 0.0;
    for (const auto& tree : trees) total += weighted(tree.second, 0, depth);
    return total;
}

void test_kt() {
    CHECK(kt_log_probability(0, 0) == 0.0);
    CHECK(check::close(kt_log_probability(1, 1), std::log(1.0 / 8), 1e-15));
    CHECK(check::close(kt_log_probability(3, 0), std::log(0.5 * 0.75 * 2.5 / 3), 1e-15));
    // The table and the series meet: one more zero multiplies by (a + 1/2) / (a + b + 1).
    for (std::uint64_t a : {0, 1, 700, 2046, 2047, 2048, 5000})
        for (std::uint64_t b : {0, 1, 700, 2046, 2047, 2048, 50000}) {
            double step = std::log((static_cast<double>(a) + 0.5) / (static_cast<double>(a + b) + 1.0));
            CHECK(std::fabs(kt_log_probability(a + 1, b) - kt_log_probability(a, b) - step) < 1e-8);
        }
}

void test_against_definition() {
    std::mt19937 random(7);
    for (int trial = 0; trial < 100; ++trial) {
        unsigned bits = 1 + random() % 4, depth = random() % 6;
        std::size_t n = random() % 300;
        unsigned kinds = 1 + random() % (1u << bits), period = random() % 3 == 0 ? 1 + random() % 9 : 1000;
        std::vector<std::uint16_t> x;
        for (std::size_t t = 0; t < n; ++t)
            x.push_back(static_cast<std::uint16_t>(t < period ? random() % kinds : x[t - period]));
        CHECK(check::close(ctw_log_probability(x.data(), n, bits, depth, 1), by_definition(x, bits, depth), 1e-12));
    }
}

void test_extremes() {
    std::mt19937 random(8);
    std::vector<std::uint32_t> wide(2000), bytes(70000);
    for (auto& s : wide) s = random() % 3 ? 5u : random() % (1u << 20);
    for (auto& s : bytes) s = random() % (random() % 256 + 1);
    CHECK(check::close(ctw_log_probability(wide.data(), wide.size(), 20, 3, 1), by_definition(wide, 20, 3), 1e-12));
    std::vector<std::uint8_t> bits(3000);
    for (std::size_t t = 0; t < bits.size(); ++t) bits[t] = t % 97 == 0 ? random() & 1 : bits[t < 5 ? 0 : t - 5];
    CHECK(check::close(ctw_log_probability(bits.data(), bits.size(), 1, 64, 1), by_definition(bits, 1, 64), 1e-12));
    double one = ctw_log_probability(bytes.data(), bytes.size(), 8, 8, 1);
    CHECK(one == ctw_log_probability(bytes.data(), bytes.size(), 8, 8, 2));
    CHECK(one == ctw_log_probability(bytes.data(), bytes.size(), 8, 8, 5));
}

template <class Call>
bool refuses(Call&& call) {
    try {
        call();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

void test_bad_input() {
    std::uint8_t x[] = {0, 1, 2};
    CHECK(refuses([&] { ctw_log_probability(x, 3, 1, 1, 1); }));
    CHECK(refuses([&] { ctw_log_probability(x, 3, 0, 1, 1); }));
    CHECK(refuses([&] { ctw_log_probability(x, 3, 21, 1, 1); }));
    CHECK(refuses([&] { ctw_log_probability(x, 3, 8, 9, 1); }));
}

}  // namespace

int main() {
    test_kt();
    test_against_definition();
    test_extremes();
    test_bad_input();
    return check::report();
}
