#include "theory/stationary.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/check.hpp"

using namespace bitmeter;

namespace {

void two_states() {
    // π = (b, a)/(a + b) for [[1-a, a], [b, 1-b]].
    const std::vector<double> p{0.9, 0.1, 0.3, 0.7}, reward{1.0, 5.0};
    const LongRun found = long_run(p.data(), reward.data(), 2);
    CHECK(check::close(found.stationary[0], 0.75, 1e-15));
    CHECK(check::close(found.mean, 2.0, 1e-15));
    for (int i = 0; i < 2; ++i) {
        const double moved = p[2 * i] * found.bias[0] + p[2 * i + 1] * found.bias[1];
        CHECK(check::close(found.bias[i] - moved, reward[i] - 2.0, 1e-14));
    }
}

void hardly_ever_left() {
    // Leaving with 1e-17 and 3e-17: one minus what stays is zero in doubles, the answer is 3 to 1 all the same.
    const std::vector<double> p{1.0, 1e-17, 3e-17, 1.0}, reward{1.0, 0.0};
    const LongRun found = long_run(p.data(), reward.data(), 2);
    CHECK(check::close(found.stationary[0], 0.75, 1e-15));
    CHECK(check::close(found.mean, 0.75, 1e-15));
    // g(0) - g(1) = (r(0) - r(1)) / (a + b)
    CHECK(check::close((found.bias[0] - found.bias[1]) * 4e-17, 1.0, 1e-14));
}

void periodic() {
    const std::vector<double> p{0, 1, 0, 0, 0, 1, 1, 0, 0}, reward{3.0, 0.0, 0.0};
    const LongRun found = long_run(p.data(), reward.data(), 3);
    for (double mass : found.stationary) CHECK(check::close(mass, 1.0 / 3.0, 1e-15));
    CHECK(check::close(found.mean, 1.0, 1e-15));
}

void reducible_is_refused() {
    const std::vector<double> p{1, 0, 0, 1}, reward{0, 0};
    bool thrown = false;
    try {
        long_run(p.data(), reward.data(), 2);
    } catch (const std::invalid_argument&) {
        thrown = true;
    }
    CHECK(thrown);
}

}  // namespace

int main() {
    two_states();
    hardly_ever_left();
    periodic();
    reducible_is_refused();
    return check::report();
}
