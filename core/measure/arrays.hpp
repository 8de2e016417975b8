// Sums and powers over arrays as numpy takes them where it has no vector kernels of its own, so that an interval has the
// same digits whether or not an array of numpy was ever made of its costs, and on every instruction set.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace bitmeter {

using Reals = std::vector<double>;

/// The sum by pairwise summation: in blocks of up to 128 with eight running sums, whose sums are added two by two.
double pairwise_sum(const double* x, std::size_t n);
inline double pairwise_sum(const Reals& x) { return pairwise_sum(x.data(), x.size()); }

/// x to a power by the library, whatever the power is: the compiler would make a product of a square.
inline double power(double x, double exponent) {
    volatile double e = exponent;
    return std::pow(x, e);
}

/// The largest magnitude; 0 of nothing.
double largest(const Reals& x);

/// Element by element: f(i) for i below n.
template <class F>
Reals each(std::size_t n, F&& f) {
    Reals out(n);
    for (std::size_t i = 0; i < n; ++i) out[i] = f(i);
    return out;
}

}  // namespace bitmeter
