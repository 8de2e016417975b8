#include "adaptive/kt.hpp"

#include <cmath>

namespace bitmeter {

void adaptive_logprobs(const std::uint8_t* x, std::size_t n, std::int64_t* counts, double* out) {
    double total = 128.0;
    for (int s = 0; s < 256; ++s) total += static_cast<double>(counts[s]);
    for (std::size_t i = 0; i < n; ++i) {
        std::int64_t& count = counts[x[i]];
        out[i] = std::log((static_cast<double>(count) + 0.5) / total);
        ++count;
        total += 1.0;
    }
}

}  // namespace bitmeter
