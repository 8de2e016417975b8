// What a caller says of a smoothing.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "ngram/estimate/smoothing/smooth.hpp"

inline bitmeter::SmoothingPlan smoothing_plan(const std::string& smoothing, double parameter,
                                              const std::vector<std::uint32_t>& prune) {
    bitmeter::SmoothingPlan plan;
    plan.method = bitmeter::smoothing_named(smoothing);
    plan.parameter = parameter;
    if (prune.size() > plan.prune.size()) throw std::invalid_argument("too many thresholds");
    std::copy(prune.begin(), prune.end(), plan.prune.begin());
    if (!std::is_sorted(prune.begin(), prune.end()) || plan.prune[0] != 0)
        throw std::invalid_argument("thresholds must not decrease, and words stay");
    return plan;
}
