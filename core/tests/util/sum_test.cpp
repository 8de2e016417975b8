#include "util/sum.hpp"

#include <initializer_list>
#include <limits>

#include "tests/check.hpp"

using bitmeter::Compensated;

int main() {
    {   // 1 + 10⁶ × 1e-16: a plain sum stays at 1.
        Compensated sum;
        sum.add(1.0);
        for (int i = 0; i < 1000000; ++i) sum.add(1e-16);
        CHECK(check::close(sum.value(), 1.0 + 1e-10, 1e-15));
    }
    {   // Large terms that cancel leave the small one whole.
        Compensated sum;
        for (double x : {1.0, 1e100, 1.0, -1e100}) sum.add(x);
        CHECK(sum.value() == 2.0);
    }
    {   // Infinity stays infinity: no NaN from inf - inf in the correction.
        Compensated sum;
        sum.add(1.0);
        sum.add(std::numeric_limits<double>::infinity());
        sum.add(1.0);
        CHECK(std::isinf(sum.value()));
    }
    {   // A sum of finite terms that overflows is infinite, whatever its parts say of their rounding.
        Compensated whole;
        whole.add(Compensated{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()});
        CHECK(std::isinf(whole.value()));
    }
    {   // Sums add up.
        Compensated a, b;
        a.add(1e16);
        a.add(1.0);
        b.add(-1e16);
        a.add(b);
        CHECK(a.value() == 1.0);
    }
    return check::report();
}
