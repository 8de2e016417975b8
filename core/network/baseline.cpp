#include "network/kernel.inc"

namespace bitmeter::network {
Kernel kernel_baseline() { return {"baseline", multiply}; }
}  // namespace bitmeter::network
