// The kernel that every processor can run.
#include "theory/rows/kernel.inc"

namespace bitmeter {
KernelSet rows_baseline() { return {"baseline", dispatch<double>, dispatch<float>}; }
}  // namespace bitmeter
