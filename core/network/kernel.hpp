// The products of matrices and vectors of a network, one kernel for each instruction set, with the same bits by all.
#pragma once

#include <cstddef>

#include "util/cpu.hpp"

namespace bitmeter::network {

/// Rows of a matrix that are multiplied together: their weights for one column lie side by side.
inline constexpr std::size_t panel_rows = 32;

struct Kernel {
    const char* name;
    /// out[r] = Σ panel[c · panel_rows + r] · x[c]. Every sum is taken in the same order, however wide a register is.
    void (*multiply)(const float* panel, const float* x, std::size_t columns, float* out);
};

Kernel kernel_baseline();
Kernel kernel_avx2();

/// The fastest that may run on this processor.
Kernel kernel_of(const Cpu& cpu);

}  // namespace bitmeter::network
