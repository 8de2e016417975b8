// The kernels of row sums, one for each instruction set.
#pragma once

#include <cstddef>

#include "util/cpu.hpp"

namespace bitmeter {

/// The sums of one block, each in two parts (the sum and its rounding error).
struct BlockSums {
    double p[2];
    double q[2];
    double value[2];
    bool bad_p, bad_q, impossible;
};

template <class Real>
using BlockKernel = void (*)(int mode, const Real* p, const Real* q, double centre, std::size_t n, BlockSums& out);

struct KernelSet {
    const char* name;
    BlockKernel<double> f64;
    BlockKernel<float> f32;
};

KernelSet rows_baseline();
KernelSet rows_avx2();
KernelSet rows_avx512();

constexpr CpuFeatures rows_avx512_needs = cpu_avx512f | cpu_avx512dq | cpu_avx512vl;

/// The fastest that may run on this processor.
KernelSet rows_kernels(const Cpu& cpu);

}  // namespace bitmeter
