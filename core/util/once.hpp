// Values that the compiler must take as they are, such as those of a mapped file that another process may change at any time.
#pragma once

namespace bitmeter {

/// The value as it was read. Without this the compiler may read it again after it was checked, and use another one.
template <class Int>
[[gnu::always_inline]] inline Int once(Int value) {
    asm volatile("" : "+r"(value));
    return value;
}

}  // namespace bitmeter
