#include "adaptive/kt.hpp"

#include <cmath>
#include <vector>

#include "tests/check.hpp"

int main() {
    // The whole sequence has probability Π Γ(n(x)+½)/Γ(½) · Γ(128)/Γ(n+128), whatever the order of its bytes.
    std::vector<std::uint8_t> x;
    for (int i = 0; i < 1000; ++i) x.push_back(static_cast<std::uint8_t>((i * i) % 7 * 30));
    std::vector<std::int64_t> counts(256, 0);
    std::vector<double> logs(x.size());
    bitmeter::adaptive_logprobs(x.data(), 400, counts.data(), logs.data());
    bitmeter::adaptive_logprobs(x.data() + 400, x.size() - 400, counts.data(), logs.data() + 400);
    double sum = 0.0, expected = std::lgamma(128.0) - std::lgamma(1000.0 + 128.0);
    for (double value : logs) sum += value;
    for (std::int64_t count : counts) expected += std::lgamma(static_cast<double>(count) + 0.5) - std::lgamma(0.5);
    CHECK(check::close(sum, expected, 1e-12));
    CHECK(check::close(logs[0], std::log(0.5 / 128.0), 1e-15));
    bitmeter::adaptive_logprobs(x.data(), 0, counts.data(), logs.data());
    return check::report();
}
