// Sums without rounding, so that they do not depend on the order of the terms nor on how the terms arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitmeter {

/// The exact sum of any doubles, as a few that do not overlap (Shewchuk's expansions). Infinite terms are kept apart.
class ExactSum {
public:
    void add(double x);
    void add(const ExactSum& other);
    /// Adds x[0] … x[n-1].
    void add(const double* x, std::int64_t n);
    void clear();

    /// The sum, rounded once to the nearest double, half to even.
    double value() const;
    /// Doubles whose exact sum is the sum of the finite terms.
    const std::vector<double>& parts() const { return parts_; }

private:
    std::vector<double> parts_;  // in ascending order of magnitude
    double infinite_ = 0.0;
};

}  // namespace bitmeter
