// Probabilities as integer frequencies, the same on every machine: only operations that IEEE 754 defines to the bit are
// used, not the exponential function of the C library.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace bitmeter {

/// 2^exponent for exponents from -1022 to 1023.
inline double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// The parts of e^x = 2^exponent · e^r: x in [-745, 709], |r| at most ln(2) / 2.
struct ExpParts {
    std::int32_t exponent;
    double r;

    explicit ExpParts(double x) {
        constexpr double log2_e = 1.4426950408889634, ln2_high = 6.93147180369123816490e-01,
                         ln2_low = 1.90821492927058770002e-10;
        // Inline equivalents of floor and ldexp, which would be library calls.
        const double nearest = x * log2_e + 0.5;
        exponent = static_cast<std::int32_t>(nearest);
        exponent -= static_cast<double>(exponent) > nearest ? 1 : 0;
        const double k = exponent;
        r = (x - k * ln2_high) - k * ln2_low;
    }
};

/// 1/k! from the smallest term on.
inline constexpr double exp_terms[] = {1.1470745597729725e-11, 1.6059043836821613e-10, 2.08767569878681e-09,
                                       2.505210838544172e-08,  2.755731922398589e-07,  2.7557319223985893e-06,
                                       2.48015873015873e-05,   0.0001984126984126984,  0.001388888888888889,
                                       0.008333333333333333,   0.041666666666666664,   0.16666666666666666,
                                       0.5,                    1.0,                    1.0};

/// e^x to within two units of the last place; infinite above 709, and for NaN, as only a forged file asks for.
inline double portable_exp(double x) {
    if (x < -745.0) return 0.0;
    if (!(x <= 709.0)) return std::numeric_limits<double>::infinity();
    const ExpParts parts(x);
    double sum = 0.0;
    for (const double term : exp_terms) sum = sum * parts.r + term;
    return parts.exponent < -1021 ? std::ldexp(sum, parts.exponent) : sum * power_of_two(parts.exponent);
}

/// How many exponentials are computed together, to hide latency.
inline constexpr std::size_t exps_at_once = 8;

/// The same, to the bit, of `exps_at_once` numbers up to 0.5; NaN where one is not.
inline void portable_exps(const double* x, double* out) {
    constexpr double low = -700.0;  // from here on everything is a normal number
    double r[exps_at_once], sum[exps_at_once], scale[exps_at_once];
    bool plain = true;
    for (std::size_t i = 0; i < exps_at_once; ++i) plain = plain && x[i] >= low && x[i] <= 0.5;
    if (!plain) {
        for (std::size_t i = 0; i < exps_at_once; ++i) out[i] = x[i] <= 0.5 ? portable_exp(x[i]) : std::nan("");
        return;
    }
    for (std::size_t i = 0; i < exps_at_once; ++i) {
        const ExpParts parts(x[i]);
        r[i] = parts.r;
        scale[i] = power_of_two(parts.exponent);
        sum[i] = 0.0;
    }
    for (const double term : exp_terms)
        for (std::size_t i = 0; i < exps_at_once; ++i) sum[i] = sum[i] * r[i] + term;
    for (std::size_t i = 0; i < exps_at_once; ++i) out[i] = sum[i] * scale[i];
}

/// 10^x.
inline double portable_exp10(double x) { return portable_exp(x * 2.302585092994045684); }

/// The frequency of a probability on a scale of 2^bits: what can happen at all has at least 1.
inline std::uint64_t frequency_of(double p, int bits) {
    const auto scaled = static_cast<std::int64_t>(p * power_of_two(bits) + 0.5);  // of what is not negative: floor
    return p > 0.0 && scaled < 1 ? 1 : static_cast<std::uint64_t>(scaled);
}

}  // namespace bitmeter
