// CPU feature detection. Some kernels are compiled for several instruction sets; this decides which of them run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bitmeter {

/// The instruction sets that kernels are compiled for. Kernels of one level may differ in the features they need: AVX-512
/// is a family of extensions.
enum class CpuLevel { baseline, avx2, avx512 };

/// A set of instruction-set extensions, as bits.
using CpuFeatures = std::uint32_t;
constexpr CpuFeatures cpu_avx2 = 1 << 0, cpu_bmi2 = 1 << 1, cpu_avx512f = 1 << 2, cpu_avx512dq = 1 << 3,
                      cpu_avx512vl = 1 << 4, cpu_avx512cd = 1 << 5;

struct Cpu {
    CpuLevel level = CpuLevel::baseline;  // kernels above it are not chosen
    CpuFeatures features = 0;             // of the processor, at any level

    /// Whether a kernel may be chosen that is compiled for `kernel` and needs these features.
    bool runs(CpuLevel kernel, CpuFeatures needed) const {
        return kernel <= level && (features & needed) == needed;
    }
};

/// The processor, at the highest level it has.
Cpu detect_cpu();
/// The processor held to the level of this name. Throws std::invalid_argument if there is no such level or the processor
/// lacks it.
Cpu limit_cpu(const Cpu& cpu, const std::string& level);
/// The processor held to the environment variable BITMETER_CPU, which is read once. Throws std::invalid_argument.
const Cpu& cpu();

const char* name_of(CpuLevel level);
/// The levels up to that of `cpu`, lowest first.
std::vector<CpuLevel> levels_of(const Cpu& cpu);
std::vector<std::string> feature_names(CpuFeatures features);

}  // namespace bitmeter
