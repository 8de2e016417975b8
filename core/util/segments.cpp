#include "util/segments.hpp"

#include <cstring>

#include "util/sum.hpp"

namespace bitmeter {

bool valid_bounds(const std::int64_t* bounds, std::size_t count, std::size_t n) {
    if (count == 0 || bounds[0] < 0) return false;
    for (std::size_t i = 1; i < count; ++i)
        if (bounds[i] < bounds[i - 1]) return false;
    return static_cast<std::uint64_t>(bounds[count - 1]) <= n;
}

namespace {

// Four sums at a time: each addition waits for the one before it.
constexpr int lanes = 4;
typedef double Vector __attribute__((vector_size(lanes * sizeof(double))));

/// The sum of x[0] … x[n-1], in order within each lane.
double careful_sum(const double* x, std::int64_t n) {
    Compensated sums[lanes];
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int lane = 0; lane < lanes; ++lane) sums[lane].add(x[i + lane]);
    for (; i < n; ++i) sums[0].add(x[i]);
    for (int lane = 1; lane < lanes; ++lane) sums[0].add(sums[lane]);
    return sums[0].value();
}

/// The same to the last bit if all values are finite, else NaN. Branch-free, so that the lanes are vectorised.
double quick_sum(const double* x, std::int64_t n) {
    Vector high{}, low{};
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        Vector next;
        std::memcpy(&next, x + i, sizeof next);
        Vector total = high + next, back = total - high;
        low += (high - (total - back)) + (next - back);
        high = total;
    }
    Compensated sums[lanes];
    for (int lane = 0; lane < lanes; ++lane) sums[lane] = {high[lane], low[lane]};
    for (; i < n; ++i) sums[0].add(x[i]);
    for (int lane = 1; lane < lanes; ++lane) sums[0].add(sums[lane]);
    return sums[0].value();
}

}  // namespace

void segment_sums(const double* x, const std::int64_t* bounds, std::size_t segments, double* out) {
    for (std::size_t j = 0; j < segments; ++j) {
        const double* first = x + bounds[j];
        std::int64_t n = bounds[j + 1] - bounds[j];
        double sum = quick_sum(first, n);
        out[j] = std::isfinite(sum) ? sum : careful_sum(first, n);
    }
}

void segment_counts(const std::uint8_t* x, const std::int64_t* bounds, std::size_t segments, std::int64_t* out) {
    for (std::size_t j = 0; j < segments; ++j) {
        std::int64_t count = 0;
        for (std::int64_t i = bounds[j]; i < bounds[j + 1]; ++i) count += x[i] != 0;
        out[j] = count;
    }
}

}  // namespace bitmeter
