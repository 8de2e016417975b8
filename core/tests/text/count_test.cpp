#include "text/count.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tests/check.hpp"
#include "util/parallel.hpp"

using namespace bitmeter;

namespace {

// How often each value occurs, in order, by sorting.
template <class Value>
std::vector<std::pair<Value, std::int64_t>> sorted_counts(std::vector<Value> values) {
    std::sort(values.begin(), values.end());
    std::vector<std::pair<Value, std::int64_t>> counts;
    for (const Value& value : values) {
        if (counts.empty() || counts.back().first != value) counts.push_back({value, 0});
        ++counts.back().second;
    }
    return counts;
}

template <class Int>
void same_as_sorting(const std::vector<Int>& x, const std::vector<Int>& y, unsigned threads) {
    std::vector<std::pair<std::int64_t, std::int64_t>> both;
    for (std::size_t i = 0; i < x.size(); ++i) both.push_back({static_cast<std::int64_t>(x[i]), static_cast<std::int64_t>(y[i])});
    auto symbols = sorted_counts(x);
    auto found = count_symbols(x.data(), x.size(), threads);
    CHECK(found.symbols.size() == symbols.size());
    std::size_t i = 0;
    for (auto [symbol, count] : symbols) {
        CHECK(found.symbols[i] == static_cast<std::int64_t>(symbol) && found.counts[i] == count);
        ++i;
    }
    auto pairs = sorted_counts(both);
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
    same_as_sorting(x, y, threads);
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
    same_as_sorting(late, late, 0);
    failures_reach_the_caller();
    return check::report();
}
