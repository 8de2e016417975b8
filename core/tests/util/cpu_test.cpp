#include "util/cpu.hpp"

#include <stdexcept>

#include "tests/check.hpp"

using namespace bitmeter;

namespace {

std::string refusal(const Cpu& processor, const std::string& level) {
    try {
        limit_cpu(processor, level);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

void levels_are_limited() {
    const Cpu all{CpuLevel::avx512, cpu_avx2 | cpu_avx512f | cpu_avx512dq | cpu_avx512vl};
    const Cpu limited = limit_cpu(all, "avx2");
    CHECK(limited.level == CpuLevel::avx2 && limited.features == all.features);
    CHECK(limited.runs(CpuLevel::baseline, 0) && limited.runs(CpuLevel::avx2, cpu_avx2));
    CHECK(!limited.runs(CpuLevel::avx512, cpu_avx512f) && all.runs(CpuLevel::avx512, cpu_avx512f));
    CHECK(!all.runs(CpuLevel::avx512, cpu_avx512f | cpu_avx512cd));
    CHECK(limit_cpu(all, "avx512").level == CpuLevel::avx512 && limit_cpu(all, "baseline").level == CpuLevel::baseline);
}

void wrong_levels_are_refused() {
    const Cpu old{CpuLevel::avx2, cpu_avx2};
    CHECK(refusal(old, "avx512") == "BITMETER_CPU=avx512, but this processor has no avx512; possible here: baseline, avx2");
    CHECK(refusal(old, "AVX2") == "BITMETER_CPU is 'AVX2', which is not an instruction set; possible here: baseline, avx2");
    CHECK(!refusal(old, "").empty() && refusal(old, "avx2").empty());
}

void the_processor_has_what_its_level_needs() {
    const Cpu found = detect_cpu();
    CHECK(levels_of(found).front() == CpuLevel::baseline && levels_of(found).back() == found.level);
    CHECK(found.level < CpuLevel::avx2 || (found.features & cpu_avx2));
    CHECK(found.level < CpuLevel::avx512 || (found.features & cpu_avx512f));
    CHECK(cpu().level <= found.level && cpu().features == found.features);
    CHECK((feature_names(cpu_avx2 | cpu_avx512cd) == std::vector<std::string>{"avx2", "avx512cd"}));
}

}  // namespace

int main() {
    levels_are_limited();
    wrong_levels_are_refused();
    the_processor_has_what_its_level_needs();
    return check::report();
}
