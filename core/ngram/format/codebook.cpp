#include "ngram/format/codebook.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_set>

namespace bitmeter {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();

/// The space in which errors of probabilities are counted: ln(p / (1 - p)).
double odds(float log10p) {
    const double ln_p = static_cast<double>(log10p) * std::numbers::ln10;
    const double rest = -std::expm1(ln_p);
    return ln_p - std::log(std::max(rest, 1e-9));
}

double from_odds(double t) { return -std::log1p(std::exp(-t)) / std::numbers::ln10; }

/// All values if there are no more than `most`, ascending; else nothing.
std::vector<float> few(const FloatList& values, std::size_t most) {
    std::unordered_set<float> seen;
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        const float value = values[i];
        seen.insert(value == 0.0f ? 0.0f : value);
        if (seen.size() > most) return {};
    }
    std::vector<float> result(seen.begin(), seen.end());
    std::sort(result.begin(), result.end());
    return result;
}

/// Borders of `cells` cells: narrow where points are dense, as the power of the density says, and none wider than twice
/// what even ones would be. `points` calls with each of them, as often as it is asked.
template <class Points>
std::vector<double> borders(const Points& points, std::size_t cells, double power) {
    double from = std::numeric_limits<double>::infinity(), most = -from;
    points([&](double x) { from = std::min(from, x), most = std::max(most, x); });
    const double width = std::max(most - from, 1e-9);
    const std::size_t fine = std::max<std::size_t>(4096, 16 * cells);
    std::vector<double> weight(fine, 0.0);
    points([&](double x) {
        ++weight[std::min(fine - 1, static_cast<std::size_t>((x - from) / width * static_cast<double>(fine)))];
    });
    double sum = 0.0;
    for (double& w : weight) sum += w = w > 0.0 ? std::pow(w, power) : 0.0;
    for (double& w : weight) w = 0.5 * w / sum + 0.5 / static_cast<double>(fine);
    std::vector<double> result;
    double passed = 0.0;
    for (std::size_t i = 0; i < fine && result.size() + 1 < cells; ++i) {
        while (result.size() + 1 < cells) {
            const double wanted = static_cast<double>(result.size() + 1) / static_cast<double>(cells);
            if (passed + weight[i] < wanted) break;
            const double within = (wanted - passed) / weight[i];
            result.push_back(from + width * (static_cast<double>(i) + within) / static_cast<double>(fine));
        }
        passed += weight[i];
    }
    return result;
}

std::size_t cell_of(const std::vector<double>& cuts, double x) {
    return static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), x) - cuts.begin());
}

/// The least values of the cells that have any.
template <class Points>
std::vector<float> floors(const Points& points, const std::vector<double>& cuts) {
    std::vector<double> least(cuts.size() + 1, std::numeric_limits<double>::infinity());
    points([&](double x) {
        double& own = least[cell_of(cuts, x)];
        own = std::min(own, x);
    });
    std::vector<float> result;
    for (double x : least)
        if (std::isfinite(x)) result.push_back(static_cast<float>(x));
    return result;
}

}  // namespace

Codebook Codebook::of_logprobs(const FloatList& values, unsigned bits) {
    const std::size_t most = std::size_t{1} << bits;
    Codebook result;
    result.values_ = few(values, most);
    if (result.values_.empty() && !values.empty()) {
        bool certain = false, none = false;
        for (std::uint64_t i = 0; i < values.size(); ++i) {
            certain = certain || values[i] >= 0.0f;
            none = none || values[i] == impossible;
        }
        const auto points = [&](auto&& take) {
            for (std::uint64_t i = 0; i < values.size(); ++i)
                if (const float value = values[i]; value < 0.0f && value != impossible) take(odds(value));
        };
        const auto cuts = borders(points, most - certain - none, 1.0 / 3.0);
        std::vector<double> sums(cuts.size() + 1, 0.0), counts(cuts.size() + 1, 0.0);
        points([&](double x) {
            const std::size_t cell = cell_of(cuts, x);
            sums[cell] += x;
            ++counts[cell];
        });
        if (none) result.values_.push_back(impossible);
        for (std::size_t cell = 0; cell < sums.size(); ++cell)
            if (counts[cell] > 0.0) result.values_.push_back(static_cast<float>(from_odds(sums[cell] / counts[cell])));
        if (certain) result.values_.push_back(0.0f);
        result.values_.erase(std::unique(result.values_.begin(), result.values_.end()), result.values_.end());
    }
    for (std::size_t i = 0; i + 1 < result.values_.size(); ++i) {
        const float low = result.values_[i], high = result.values_[i + 1];
        const auto middle = static_cast<float>(from_odds((odds(low) + odds(high)) / 2));
        // Each value of the table is nearest to itself, however the middle is rounded; and nothing to what is impossible.
        result.cuts_.push_back(low == impossible ? std::numeric_limits<float>::lowest()
                                                 : std::clamp(middle, std::nextafter(low, 0.0f), high));
    }
    return result;
}

Codebook Codebook::of_backoffs(const FloatList& values, unsigned bits) {
    const std::size_t most = std::size_t{1} << bits;
    Codebook result;
    result.values_ = few(values, most);
    if (!result.values_.empty() || values.empty()) return result;
    const auto points = [&](auto&& take) {
        for (std::uint64_t i = 0; i < values.size(); ++i)
            if (const float value = values[i]; std::isfinite(value)) take(static_cast<double>(value));
    };
    result.values_ = floors(points, borders(points, most - 2, 1.0 / 2.0));
    result.values_.push_back(0.0f);
    result.values_.push_back(impossible);
    std::sort(result.values_.begin(), result.values_.end());
    result.values_.erase(std::unique(result.values_.begin(), result.values_.end()), result.values_.end());
    return result;
}

std::uint16_t Codebook::nearest(float value) const {
    return static_cast<std::uint16_t>(std::upper_bound(cuts_.begin(), cuts_.end(), value) - cuts_.begin());
}

std::uint16_t Codebook::below(float value) const {
    const auto found = std::upper_bound(values_.begin(), values_.end(), value);
    return static_cast<std::uint16_t>(found == values_.begin() ? 0 : found - values_.begin() - 1);
}

}  // namespace bitmeter
