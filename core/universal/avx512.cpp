// Compiled with this instruction set's own flags (see CMakeLists.txt); never called where the processor lacks it.
#include "universal/kernel.inc"

namespace bitmeter::universal {
Kernels universal_avx512() { return {"avx512", score, predict, encode, decode}; }
}  // namespace bitmeter::universal
