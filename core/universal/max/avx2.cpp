// Compiled with this instruction set's own flags (see CMakeLists.txt); never called where the processor lacks it.
#include "universal/max/kernel.inc"

namespace bitmeter::universal {
Kernels max_avx2() { return {"avx2", maximal::score, maximal::predict, maximal::encode, maximal::decode}; }
}  // namespace bitmeter::universal
