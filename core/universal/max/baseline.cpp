// The kernels that every processor can run.
#include "universal/max/kernel.inc"

namespace bitmeter::universal {
Kernels max_baseline() { return {"baseline", maximal::score, maximal::predict, maximal::encode, maximal::decode}; }
}  // namespace bitmeter::universal
