// Compiled with this instruction set's own flags (see CMakeLists.txt); never called where the processor lacks it.
#include "theory/rows/kernel.inc"

namespace bitmeter {
KernelSet rows_avx512() { return {"avx512", dispatch<double>, dispatch<float>}; }
}  // namespace bitmeter
