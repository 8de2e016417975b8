#include "segments.hpp"

#include "sum.hpp"

namespace bitmeter {

bool valid_bounds(const std::int64_t* bounds, std::size_t count, std::size_t n) {
    if (count == 0 || bounds[0] < 0) return false;
    for (std::size_t i = 1; i < count; ++i)
        if (bounds[i] < bounds[i - 1]) return false;
    return static_cast<std::uint64_t>(bounds[count - 1]) <= n;
}

void segment_sums(const double* x, const std::int64_t* bounds, std::size_t segments, double* out) {
    for (std::size_t j = 0; j < segments; ++j) {
        // Four sums at a time: each addition waits for the one before it.
        Compensated lanes[4];
        std::int64_t i = bounds[j], end = bounds[j + 1];
        for (; i + 4 <= end; i += 4)
            for (int lane = 0; lane < 4; ++lane) lanes[lane].add(x[i + lane]);
        for (; i < end; ++i) lanes[0].add(x[i]);
        for (int lane = 1; lane < 4; ++lane) lanes[0].add(lanes[lane]);
        out[j] = lanes[0].value();
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
