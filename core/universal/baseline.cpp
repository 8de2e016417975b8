// The kernels that every processor can run.
#include "universal/kernel.inc"

namespace bitmeter::universal {
Kernels universal_baseline() { return {"baseline", score, predict, encode, decode}; }
}  // namespace bitmeter::universal
