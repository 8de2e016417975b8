#include "util/segments.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/check.hpp"

int main() {
    std::vector<double> x{1e16, 1.0, -1e16, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    std::vector<std::int64_t> bounds{0, 3, 3, 4, 9};
    std::vector<double> sums(4);
    bitmeter::segment_sums(x.data(), bounds.data(), 4, sums.data());
    CHECK(sums[0] == 1.0 && sums[1] == 0.0 && sums[2] == 1.0 && sums[3] == 20.0);
    x[5] = -std::numeric_limits<double>::infinity();
    bitmeter::segment_sums(x.data(), bounds.data(), 4, sums.data());
    CHECK(std::isinf(sums[3]) && sums[3] < 0);
    std::vector<std::uint8_t> marks{1, 0, 1, 0, 0, 1, 1, 1, 0};
    std::vector<std::int64_t> counts(4);
    bitmeter::segment_counts(marks.data(), bounds.data(), 4, counts.data());
    CHECK(counts[0] == 2 && counts[1] == 0 && counts[2] == 0 && counts[3] == 3);
    CHECK(bitmeter::valid_bounds(bounds.data(), 5, 9));
    CHECK(!bitmeter::valid_bounds(bounds.data(), 5, 8));
    std::vector<std::int64_t> down{0, 5, 4}, below{-1, 2};
    CHECK(!bitmeter::valid_bounds(down.data(), 3, 9) && !bitmeter::valid_bounds(below.data(), 2, 9));
    CHECK(!bitmeter::valid_bounds(down.data(), 0, 9));
    return check::report();
}
