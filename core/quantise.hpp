// Probabilities as whole numbers, the same on every machine: only additions, multiplications and roundings that IEEE 754
// fixes to the bit are used, and not the exponential of whichever C library is there.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace bitmeter {

/// e^x for x in [-745, 709], to within two units of the last place.
inline double portable_exp(double x) {
    constexpr double log2_e = 1.4426950408889634, ln2_high = 6.93147180369123816490e-01,
                     ln2_low = 1.90821492927058770002e-10;
    if (x < -745.0) return 0.0;
    const double k = std::floor(x * log2_e + 0.5);
    const double r = (x - k * ln2_high) - k * ln2_low;  // |r| <= ln(2) / 2
    // 1/k! from the smallest term on.
    constexpr double terms[] = {1.1470745597729725e-11, 1.6059043836821613e-10, 2.08767569878681e-09,
                                2.505210838544172e-08,  2.755731922398589e-07,  2.7557319223985893e-06,
                                2.48015873015873e-05,   0.0001984126984126984,  0.001388888888888889,
                                0.008333333333333333,   0.041666666666666664,   0.16666666666666666,
                                0.5,                    1.0,                    1.0};
    double sum = 0.0;
    for (const double term : terms) sum = sum * r + term;
    return std::ldexp(sum, static_cast<int>(k));
}

/// 10^x.
inline double portable_exp10(double x) { return portable_exp(x * 2.302585092994045684); }

/// The frequency of a probability on a scale of 2^bits: what can happen at all has at least 1.
inline std::uint64_t frequency_of(double p, int bits) {
    const double scaled = std::floor(std::ldexp(p, bits) + 0.5);
    return p > 0.0 && scaled < 1.0 ? 1 : static_cast<std::uint64_t>(scaled);
}

}  // namespace bitmeter
