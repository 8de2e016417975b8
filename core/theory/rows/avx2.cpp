// Compiled with this instruction set's own flags (see CMakeLists.txt); never called where the processor lacks it.
#include "theory/rows/kernel.inc"

namespace bitmeter {
KernelSet rows_avx2() { return {"avx2", dispatch<double>, dispatch<float>}; }
}  // namespace bitmeter
