#include "util/cpu.hpp"

#include "bind/bind.hpp"
#include "network/kernel.hpp"
#include "ngram/follow/kernel.hpp"
#include "theory/rows/kernel.hpp"
#include "universal/kernel.hpp"

using namespace bitmeter;

void bind_cpu(nb::module_& m) {
    cpu();  // a wrong BITMETER_CPU stops the import instead of the first computation
    m.def(
        "cpu",
        [] {
            const Cpu found = detect_cpu(), used = cpu();
            std::vector<std::string> levels;
            for (CpuLevel level : levels_of(found)) levels.emplace_back(name_of(level));
            nb::dict kernels, result;
            kernels["rows"] = rows_kernels(used).name;
            kernels["network"] = network::kernel_of(used).name;
            kernels["universal"] = universal::kernels_of(used).back().name;
            kernels["ngram"] = used.runs(CpuLevel::avx512, follow_avx512_needs) ? "avx512"
                               : used.runs(CpuLevel::avx2, follow_avx2_needs)   ? "avx2"
                                                                                : "baseline";
            result["level"] = name_of(used.level);
            result["levels"] = levels;
            result["features"] = feature_names(found.features);
            result["kernels"] = kernels;
            return result;
        },
        nb::sig("def cpu() -> dict[str, object]"),
        "The instruction-set level in use (BITMETER_CPU limits it), the levels and features of the processor, and the "
        "kernel that each family of loops uses.");
}
