// A test is a program: it checks, says where a check failed, and returns how many did.
#pragma once

#include <cstdio>
#include <cmath>

namespace check {

inline int failures = 0, checks = 0;

inline void that(bool holds, const char* text, const char* file, int line) {
    ++checks;
    if (!holds) {
        ++failures;
        std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
    }
}

/// Equal to within `tolerance`, relative to the larger of 1 and the expected value.
inline bool close(double found, double expected, double tolerance) {
    return std::fabs(found - expected) <= tolerance * std::fmax(1.0, std::fabs(expected));
}

inline int report() {
    std::printf("%d checks, %d failed\n", checks, failures);
    return failures == 0 ? 0 : 1;
}

}  // namespace check

#define CHECK(condition) check::that((condition), #condition, __FILE__, __LINE__)
