// The interface between universal/model.cpp and the copies of its inner loop, one for each instruction set. They compute with
// whole numbers only, so that all give the same.
#pragma once

#include <cstddef>
#include <cstdint>

#include "universal/coder.hpp"
#include "universal/state.hpp"

namespace bitmeter::universal {

struct Kernels {
    const char* name;
    /// p of each byte shown, as the product of eight probabilities of 32 bits; learns unless frozen.
    void (*rate)(State& state, bool frozen, const std::uint8_t* data, std::size_t n, double* probabilities);
    /// p of all 256 next bytes.
    void (*predict)(const State& state, double* probabilities);
    void (*encode)(State& state, bool frozen, const std::uint8_t* data, std::size_t n, BitEncoder& coder);
    void (*decode)(State& state, bool frozen, std::uint8_t* data, std::size_t n, BitDecoder& coder);
};

Kernels universal_baseline();
Kernels universal_avx2();
Kernels universal_avx512();

}  // namespace bitmeter::universal
