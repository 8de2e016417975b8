#include "util/exact.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/check.hpp"

using bitmeter::ExactSum;

namespace {

double sum_of(const std::vector<double>& x) {
    ExactSum sum;
    sum.add(x.data(), static_cast<std::int64_t>(x.size()));
    return sum.value();
}

}  // namespace

int main() {
    CHECK(sum_of({}) == 0.0 && !std::signbit(sum_of({-0.0})));
    CHECK(sum_of({1e16, 1.0, -1e16}) == 1.0);
    CHECK(sum_of({1.0, 1e100, 1.0, -1e100}) == 2.0);
    // Half way between 1 and its neighbour goes to the even one, unless a far smaller term decides.
    CHECK(sum_of({1.0, 0x1p-53}) == 1.0);
    CHECK(sum_of({1.0, 0x1p-53, 0x1p-1074}) == 1.0 + 0x1p-52);
    CHECK(sum_of({1.0, 0x1p-53, -0x1p-1074}) == 1.0);
    // A million equal terms: their exact sum is the exact product, which multiplication rounds once.
    CHECK(sum_of(std::vector<double>(1000000, 0.1)) == 1e6 * 0.1);
    // The sum of a text does not depend on how it is cut, nor on which values go the slow way.
    std::vector<double> logs;
    std::uint64_t state = 1;
    for (int i = 0; i < 30000; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        logs.push_back(-std::ldexp(static_cast<double>(state >> 11), -53 - static_cast<int>(state % 40)));
    }
    for (const double odd : {0.0, -5000.0, -0x1p-130, -1e300}) {
        logs[777] = odd;
        const double whole = sum_of(logs);
        for (const std::size_t cut : {std::size_t{1}, std::size_t{777}, std::size_t{778}, std::size_t{8193}}) {
            ExactSum first, second;
            first.add(logs.data(), static_cast<std::int64_t>(cut));
            second.add(logs.data() + cut, static_cast<std::int64_t>(logs.size() - cut));
            second.add(first);
            CHECK(second.value() == whole);
        }
        ExactSum slow;
        for (const double x : logs) slow.add(x);
        CHECK(slow.value() == whole);
        std::vector<double> turned(logs.rbegin(), logs.rend());
        CHECK(sum_of(turned) == whole);
    }
    const double infinity = std::numeric_limits<double>::infinity();
    logs[5] = -infinity;
    CHECK(sum_of(logs) == -infinity);
    ExactSum sum;
    sum.add(logs.data(), 6);
    sum.clear();
    CHECK(sum.value() == 0.0 && sum.parts().empty());
    const double most = std::numeric_limits<double>::max();
    CHECK(sum_of({most, most}) == infinity);
    return check::report();
}
