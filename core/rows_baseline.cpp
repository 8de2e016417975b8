// The copy that every processor can run.
#include "rows_kernel.inc"

namespace bitmeter {
KernelSet rows_baseline() { return {dispatch<double>, dispatch<float>}; }
}  // namespace bitmeter
