// The functions of networks by operations that IEEE 754 defines to the bit: in double precision, rounded once.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "coding/quantise.hpp"

namespace bitmeter::network {

inline double sigmoid(double x) {
    const double e = portable_exp(-std::fabs(x));
    return x < 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
}

inline double hyperbolic_tangent(double x) {
    const double e = portable_exp(-2.0 * std::fabs(x)), size = (1.0 - e) / (1.0 + e);
    return x < 0.0 ? -size : size;
}

/// The error function by its series of positive terms, 2/√π · x · e^(-x²) · Σ (2x²)^n / (1·3·5···(2n+1)).
inline double error_function(double x) {
    const double size = std::fabs(x);
    if (!(size < 6.0)) return x < 0.0 ? -1.0 : 1.0;
    double term = size, sum = size;
    for (int n = 1; term > sum * 1e-17; ++n) {
        term *= 2.0 * size * size / (2 * n + 1);
        sum += term;
    }
    const double value = 1.1283791670955126 * portable_exp(-size * size) * sum;
    return x < 0.0 ? -value : value;
}

/// x · Φ(x), with the normal distribution function.
inline double gelu(double x) { return 0.5 * x * (1.0 + error_function(x * 0.70710678118654752)); }

/// The natural logarithm of a normal number above zero: Halley's method on e^y, whose error falls by its third power.
inline double portable_log(double x) {
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);  // exact
    double y = (exponent + 2.0 * (fraction - 1.0)) * 0.6931471805599453;
    for (int i = 0; i < 4; ++i) {
        const double e = portable_exp(y);
        y += 2.0 * (x - e) / (x + e);
    }
    return y;
}

/// ln softmax of `n` logits, of which -inf is allowed where one is finite.
inline void log_softmax(const double* logits, std::size_t n, double* out) {
    double top = -std::numeric_limits<double>::infinity(), sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) top = logits[i] > top ? logits[i] : top;
    for (std::size_t i = 0; i < n; ++i) sum += portable_exp(logits[i] - top);
    const double total = top + portable_log(sum);
    for (std::size_t i = 0; i < n; ++i) out[i] = logits[i] - total;
}

}  // namespace bitmeter::network
