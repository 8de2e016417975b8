// Compiled with this instruction set's own flags (see CMakeLists.txt); never called where the processor lacks it.
#include "network/kernel.inc"

namespace bitmeter::network {
Kernel kernel_avx2() { return {"avx2", multiply}; }
}  // namespace bitmeter::network
