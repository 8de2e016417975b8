// The universal model for any processor.
#include "universal/kernel.inc"

namespace bitmeter::universal {
Kernels universal_baseline() { return {"baseline", rate, predict, encode, decode}; }
}  // namespace bitmeter::universal
