#include "util/cpu.hpp"

#include <cstdlib>
#include <iterator>
#include <stdexcept>

namespace bitmeter {
namespace {

constexpr CpuLevel all_levels[] = {CpuLevel::baseline, CpuLevel::avx2, CpuLevel::avx512};
constexpr const char* level_names[] = {"baseline", "avx2", "avx512"};
constexpr const char* all_features[] = {"avx2", "bmi2", "avx512f", "avx512dq", "avx512vl", "avx512cd"};
/// What all kernels of the level need; some need more.
constexpr CpuFeatures level_needs[] = {0, cpu_avx2, cpu_avx2 | cpu_avx512f | cpu_avx512dq | cpu_avx512vl};

std::string listed(const Cpu& cpu) {
    std::string text;
    for (CpuLevel level : levels_of(cpu)) text += (text.empty() ? "" : ", ") + std::string(name_of(level));
    return text;
}

}  // namespace

Cpu detect_cpu() {
    Cpu found;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) found.features |= cpu_avx2;
    if (__builtin_cpu_supports("bmi2")) found.features |= cpu_bmi2;
    if (__builtin_cpu_supports("avx512f")) found.features |= cpu_avx512f;
    if (__builtin_cpu_supports("avx512dq")) found.features |= cpu_avx512dq;
    if (__builtin_cpu_supports("avx512vl")) found.features |= cpu_avx512vl;
    if (__builtin_cpu_supports("avx512cd")) found.features |= cpu_avx512cd;
#endif
    for (CpuLevel level : all_levels) {
        const CpuFeatures needed = level_needs[static_cast<int>(level)];
        if ((found.features & needed) == needed) found.level = level;
    }
    return found;
}

Cpu limit_cpu(const Cpu& cpu, const std::string& level) {
    for (CpuLevel possible : levels_of(cpu))
        if (level == name_of(possible)) return {possible, cpu.features};
    for (CpuLevel other : all_levels)
        if (level == name_of(other))
            throw std::invalid_argument("BITMETER_CPU=" + level + ", but this processor has no " + level +
                                        "; possible here: " + listed(cpu));
    throw std::invalid_argument("BITMETER_CPU is '" + level + "', which is not an instruction set; possible here: " +
                                listed(cpu));
}

const Cpu& cpu() {
    static const Cpu chosen = [] {
        const char* level = std::getenv("BITMETER_CPU");
        return level && *level ? limit_cpu(detect_cpu(), level) : detect_cpu();
    }();
    return chosen;
}

const char* name_of(CpuLevel level) { return level_names[static_cast<int>(level)]; }

std::vector<CpuLevel> levels_of(const Cpu& cpu) {
    std::vector<CpuLevel> found;
    for (CpuLevel level : all_levels)
        if (level <= cpu.level) found.push_back(level);
    return found;
}

std::vector<std::string> feature_names(CpuFeatures features) {
    std::vector<std::string> names;
    for (unsigned i = 0; i < std::size(all_features); ++i)
        if (features >> i & 1) names.emplace_back(all_features[i]);
    return names;
}

}  // namespace bitmeter
