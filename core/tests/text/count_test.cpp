#include "text/count.hpp"

#include <limits>
#include <map>
#include <random>

#include "tests/check.hpp"
#include "util/parallel.hpp"

using namespace bitmeter;

namespace {

template <class Int>
void same_as_a_map(const std::vector<Int>& x, const std::vector<Int>& y, unsigned threads) {
    std::map<std::int64_t, std::int64_t> symbols;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> pairs;
    for (std::size_t i = 0; i < x.size(); ++i) {
        ++symbols[static_cast<std::int64_t>(x[i])];
        ++pairs[{static_cast<std::int64_t>(x[i]), static_cast<std::int64_t>(y[i])}];
    }
    auto found = count_symbols(x.data(), x.size(), threads);
    CHECK(found.symbols.size() == symbols.size());
    std::size_t i = 0;
    for (auto [symbol, count] : symbols) {
        CHECK(found.symbols[i] == symbol && found.counts[i] == count);
        ++i;
    }
    auto joint = count_pairs(x.data(), y.data(), x.size(), threads);
    CHECK(joint.counts.size() == pairs.size());
    i = 0;
    for (auto [pair, count] : pairs) {
        CHECK(joint.first[i] == pair.first && joint.second[i] == pair.second && joint.counts[i] == count);
        ++i;
    }
}

template <class Int>
void ranges(std::int64_t low, std::int64_t high, std::size_t n, unsigned threads) {
    std::mt19937_64 random(static_cast<unsigned>(n) + threads);
    std::uniform_int_distribution<std::int64_t> draw(low, high);
    std::vector<Int> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<Int>(draw(random));
        y[i] = static_cast<Int>(draw(random));
    }
    same_as_a_map(x, y, threads);
}

void failures_reach_the_caller() {
    bool caught = false;
    try {
        parallel_for(100, 4, [](std::size_t task) {
            if (task == 57) throw std::out_of_range("57");
        });
    } catch (const std::out_of_range&) {
        caught = true;
    }
    CHECK(caught);
}

}  // namespace

int main() {
    for (unsigned threads : {1u, 0u, 3u}) {
        for (std::size_t n : {0, 1, 3, 9, 5000}) {
            ranges<std::uint8_t>(0, 255, n, threads);
            ranges<std::uint16_t>(0, 65535, n, threads);
            ranges<std::int32_t>(-5, 5, n, threads);
            ranges<std::int32_t>(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(), n, threads);
            ranges<std::uint32_t>(0, 5000, n, threads);
            ranges<std::int64_t>(0, 300, n, threads);
            ranges<std::int64_t>(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), n, threads);
        }
        ranges<std::uint8_t>(0, 255, (1 << 21) + 13, threads);
        ranges<std::int64_t>(0, 255, (1 << 21) + 13, threads);
    }
    // A large symbol late in the sample: the small table is given up half way and nothing is counted twice.
    std::vector<std::int64_t> late(100000, 7);
    late.back() = 1000000;
    same_as_a_map(late, late, 0);
    failures_reach_the_caller();
    return check::report();
}
