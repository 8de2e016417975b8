// Sums over successive segments of an array.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bitmeter {

/// Whether bounds ascend within [0, n], as the functions below require.
bool valid_bounds(const std::int64_t* bounds, std::size_t count, std::size_t n);

/// out[j] = the sum of x[bounds[j]] … x[bounds[j+1]-1], rounded once, for `segments` segments.
void segment_sums(const double* x, const std::int64_t* bounds, std::size_t segments, double* out);

/// out[j] = how many of x[bounds[j]] … x[bounds[j+1]-1] are not zero.
void segment_counts(const std::uint8_t* x, const std::int64_t* bounds, std::size_t segments, std::int64_t* out);

}  // namespace bitmeter
