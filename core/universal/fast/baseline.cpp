// The kernels of `universal:fast` that every processor can run.
#include "universal/fast/kernel.inc"

namespace bitmeter::universal {
Kernels fast_baseline() { return {"baseline", fast::score, fast::predict, fast::encode, fast::decode}; }
}  // namespace bitmeter::universal
