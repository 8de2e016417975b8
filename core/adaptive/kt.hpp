// The Krichevsky-Trofimov estimator over bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bitmeter {

/// ln p of each byte, p(x) = (n(x) + ½)/(n + 128) with the counts of the bytes before; `counts` (256, none negative) holds
/// the earlier counts and is updated.
void adaptive_logprobs(const std::uint8_t* x, std::size_t n, std::int64_t* counts, double* out);

}  // namespace bitmeter
