#include "util/segments.hpp"

#include "util/exact.hpp"

namespace bitmeter {

bool valid_bounds(const std::int64_t* bounds, std::size_t count, std::size_t n) {
    if (count == 0 || bounds[0] < 0) return false;
    for (std::size_t i = 1; i < count; ++i)
        if (bounds[i] < bounds[i - 1]) return false;
    return static_cast<std::uint64_t>(bounds[count - 1]) <= n;
}

void segment_sums(const double* x, const std::int64_t* bounds, std::size_t segments, double* out) {
    ExactSum sum;
    for (std::size_t j = 0; j < segments; ++j) {
        sum.clear();
        sum.add(x + bounds[j], bounds[j + 1] - bounds[j]);
        out[j] = sum.value();
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
