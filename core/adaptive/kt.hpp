// The Krichevsky-Trofimov estimator over bytes: the simplest model that learns as it goes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bitmeter {

/// ln p of each byte, p(x) = (n(x) + ½)/(n + 128) with the counts of the bytes before; `counts` (256 of them, none
/// negative) holds what was seen and goes on.
void adaptive_logprobs(const std::uint8_t* x, std::size_t n, std::int64_t* counts, double* out);

}  // namespace bitmeter
