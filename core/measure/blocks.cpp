#include "measure/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "util/exact.hpp"

namespace bitmeter {

TextSums sum_text(const UnitView& units, std::int64_t block, std::int64_t unknown_until) {
    TextSums found;
    if (units.size == 0) return found;
    const auto blocks = static_cast<std::size_t>((units.cuts[units.size] + block - 1) / block);
    std::vector<ExactSum> sums(std::max<std::size_t>(blocks, 1));
    found.bytes.resize(sums.size());
    found.units.resize(sums.size());
    ExactSum unknown;
    found.most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < units.size; ++i) {
        const double log = units.logprobs[i];
        // The end of a document behind the last block is added to that block.
        const std::size_t at = std::min(static_cast<std::size_t>(units.cuts[i] / block), sums.size() - 1);
        sums[at].add(log);
        found.bytes[at] += units.cuts[i + 1] - units.cuts[i];
        found.most = std::isnan(log) || std::isnan(found.most) ? std::nan("") : std::max(found.most, log);
        if (units.blank[i]) continue;
        ++found.tokens;
        ++found.units[at];
        if (units.ids[i] > unknown_until) continue;
        ++found.unknown;
        unknown.add(log);
    }
    for (const ExactSum& sum : sums) {
        found.nats.push_back(-sum.value() + 0.0);
        found.parts.insert(found.parts.end(), sum.parts().begin(), sum.parts().end());
    }
    found.unknown_parts = unknown.parts();
    return found;
}

}  // namespace bitmeter
