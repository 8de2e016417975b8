// The universal model's kernels, one for each instruction set. They compute in integers, so that all give the same results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "universal/coder.hpp"
#include "universal/state.hpp"
#include "util/cpu.hpp"

namespace bitmeter::universal {

struct Kernels {
    const char* name;
    /// p of each byte, as the product of eight 32-bit probabilities; learns unless frozen.
    void (*score)(State& state, bool frozen, const std::uint8_t* data, std::size_t n, double* probabilities);
    /// p of all 256 next bytes.
    void (*predict)(const State& state, double* probabilities);
    void (*encode)(State& state, bool frozen, const std::uint8_t* data, std::size_t n, BitEncoder& coder);
    void (*decode)(State& state, bool frozen, std::uint8_t* data, std::size_t n, BitDecoder& coder);
};

Kernels universal_baseline();
Kernels universal_avx2();
Kernels fast_baseline();
Kernels fast_avx2();
Kernels max_baseline();
Kernels max_avx2();

/// Those that may run on this processor, the fastest last.
std::vector<Kernels> kernels_of(const Cpu& cpu, Design design = Design::mixed);

}  // namespace bitmeter::universal
