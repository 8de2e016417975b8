// A sum that carries its own rounding error (Neumaier's form of Kahan's summation).
#pragma once

#include <cmath>

namespace bitmeter {

struct Compensated {
    double high = 0.0;
    double low = 0.0;

    void add(double x) {
        double total = high + x;
        // An infinite total is final: its correction would be inf - inf.
        if (std::isfinite(total)) {
            double back = total - high;
            low += (high - (total - back)) + (x - back);
        }
        high = total;
    }

    void add(const Compensated& other) {
        add(other.high);
        low += other.low;
    }

    double value() const { return std::isfinite(high) ? high + low : high; }
};

}  // namespace bitmeter
