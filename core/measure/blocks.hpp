// The sums of one short text that is scored at once: in all, and along it in blocks of equal size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/arrays.hpp"

namespace bitmeter {

/// Units of a text: their ids, where each begins and the last ends, which are white space alone, and what they cost.
struct UnitView {
    const std::int64_t* ids;
    const std::int64_t* cuts;  // one more than units
    const std::uint8_t* blank;
    const double* logprobs;
    std::size_t size;
};

struct TextSums {
    std::int64_t tokens = 0;          // units that are not blank
    std::int64_t unknown = 0;         // of those
    double most = 0.0;                // the largest log-probability; NaN if any is
    Reals nats;                       // of each block, rounded once
    std::vector<std::int64_t> bytes;  // of each block
    std::vector<std::int64_t> units;  // of each block, without those that are blank
    Reals parts;                      // numbers whose exact sum is the log-probability of all
    Reals unknown_parts;              // the same of what the model does not know
};

/// Sums units from the first byte of a text on; a unit belongs to the block in which it begins. Ids up to `unknown_until`
/// are those of unknown units. No cost may be infinite.
TextSums sum_text(const UnitView& units, std::int64_t block, std::int64_t unknown_until);

}  // namespace bitmeter
