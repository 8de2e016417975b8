// Compiled with this instruction set's own flags (see CMakeLists.txt); never called where the processor lacks it.
#include "universal/fast/kernel.inc"

namespace bitmeter::universal {
Kernels fast_avx2() { return {"avx2", fast::score, fast::predict, fast::encode, fast::decode}; }
}  // namespace bitmeter::universal
