#include "util/exact.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace bitmeter {

namespace {

// Two lanes are what every processor that this runs on has; wider vectors are taken apart badly where it has no more.
constexpr int lanes = 2;
typedef double Vector __attribute__((vector_size(lanes * sizeof(double))));
typedef std::int64_t Mask __attribute__((vector_size(lanes * sizeof(std::int64_t))));

// A value below 2^10 is cut into multiples of 2^-30, 2^-70 and 2^-110 of at most 40 bits: adding such a number and
// taking it away again rounds to a multiple of its last bit. So `at_once` cuts of one size add up within 53 bits, that
// is, without rounding. A log-probability with bits below 2^-110 is smaller than 2^-57; it goes the slow way.
constexpr double limit = 0x1p10;
constexpr double coarse = 0x1.8p22, middle = 0x1.8p-18, fine = 0x1.8p-58;
constexpr std::int64_t at_once = 8192;

template <class T>
struct Cuts {
    T coarse_sum{}, middle_sum{}, fine_sum{}, rest{};

    void add(const T& x) {
        const T first = (x + coarse) - coarse;
        const T left = x - first;
        const T second = (left + middle) - middle;
        const T less = left - second;
        const T third = (less + fine) - fine;
        coarse_sum += first;
        middle_sum += second;
        fine_sum += third;
        rest = less - third;
    }
};

/// Cuts x[0] … x[n-1], n ≤ at_once, into sums[0 … 2]; false if a value is too large, too fine or not finite.
bool quick_sums(const double* x, std::int64_t n, double* sums) {
    Cuts<Vector> even, odd;  // two at a time: each addition waits for the one before it
    Mask bad{};
    std::int64_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        Vector first, second;
        std::memcpy(&first, x + i, sizeof first);
        std::memcpy(&second, x + i + lanes, sizeof second);
        even.add(first);
        odd.add(second);
        bad |= (first > limit) | (first < -limit) | (even.rest != 0.0);
        bad |= (second > limit) | (second < -limit) | (odd.rest != 0.0);
    }
    bool good = true;
    Cuts<double> one;
    for (; i < n; ++i) {
        one.add(x[i]);
        good = good && std::fabs(x[i]) <= limit && one.rest == 0.0;
    }
    for (int lane = 0; lane < lanes; ++lane) {
        good = good && bad[lane] == 0;
        one.coarse_sum += even.coarse_sum[lane] + odd.coarse_sum[lane];
        one.middle_sum += even.middle_sum[lane] + odd.middle_sum[lane];
        one.fine_sum += even.fine_sum[lane] + odd.fine_sum[lane];
    }
    sums[0] = one.fine_sum;
    sums[1] = one.middle_sum;
    sums[2] = one.coarse_sum;
    return good;
}

}  // namespace

void ExactSum::add(double x) {
    if (!std::isfinite(x)) {
        infinite_ += x;
        return;
    }
    std::size_t kept = 0;
    for (const double part : parts_) {
        double small = part;
        if (std::fabs(x) < std::fabs(small)) std::swap(x, small);
        const double total = x + small, rest = small - (total - x);
        if (rest != 0.0) parts_[kept++] = rest;
        x = total;
    }
    parts_.resize(kept);
    if (!std::isfinite(x)) {  // the sum is beyond the largest double
        parts_.clear();
        infinite_ += x;
    } else if (x != 0.0) {
        parts_.push_back(x);
    }
}

void ExactSum::add(const ExactSum& other) {
    for (const double part : other.parts_) add(part);
    infinite_ += other.infinite_;
}

void ExactSum::add(const double* x, std::int64_t n) {
    for (std::int64_t first = 0; first < n; first += at_once) {
        const std::int64_t size = std::min(at_once, n - first);
        double sums[3];
        if (quick_sums(x + first, size, sums)) {
            for (const double sum : sums) add(sum);
        } else {
            for (std::int64_t i = 0; i < size; ++i) add(x[first + i]);
        }
    }
}

void ExactSum::clear() {
    parts_.clear();
    infinite_ = 0.0;
}

double ExactSum::value() const {
    if (infinite_ != 0.0) return infinite_;
    if (parts_.empty()) return 0.0;
    std::size_t i = parts_.size() - 1;
    double high = parts_[i], low = 0.0;
    while (i > 0 && low == 0.0) {
        const double before = high, part = parts_[--i];
        high = before + part;
        low = part - (high - before);
    }
    // Exactly half way so far: what is left decides.
    if (i > 0 && ((low < 0.0 && parts_[i - 1] < 0.0) || (low > 0.0 && parts_[i - 1] > 0.0))) {
        const double other = high + 2.0 * low;
        if (2.0 * low == other - high) high = other;
    }
    return high;
}

}  // namespace bitmeter
