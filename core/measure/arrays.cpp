#include "measure/arrays.hpp"

#include <algorithm>

namespace bitmeter {

double pairwise_sum(const double* x, std::size_t n) {
    constexpr std::size_t block = 128;
    if (n < 8) {
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) sum += x[i];
        return sum;
    }
    if (n <= block) {
        double r[8];
        std::copy(x, x + 8, r);
        std::size_t i = 8;
        for (; i < n - n % 8; i += 8)
            for (std::size_t k = 0; k < 8; ++k) r[k] += x[i + k];
        double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
        for (; i < n; ++i) sum += x[i];
        return sum;
    }
    std::size_t half = n / 2;
    half -= half % 8;
    return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
}

double largest(const Reals& x) {
    double found = 0.0;
    for (const double value : x) found = std::max(found, std::abs(value));
    return found;
}

}  // namespace bitmeter
