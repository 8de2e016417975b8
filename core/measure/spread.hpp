// The ratio of two sums over clusters in the order of a text, and how far its clusters spread: what an interval is made
// of. Why it is computed so is said in src/bitmeter/measure/interval/ratio.py, learning.py and skew.py.
#pragma once

#include <cstddef>
#include <cstdint>

#include "measure/arrays.hpp"
#include "measure/dependence.hpp"

namespace bitmeter {

/// Where neighbours are alike, skew is measured on so many batches of about equal size.
inline constexpr std::size_t skew_batches = 24;

/// (Σn)²/Σn²: the number of clusters of equal size that would vary as much as these.
double effective_clusters(const Reals& n);

struct StandardError {
    double error = 0.0;
    double degrees = 0.0;
};

/// The standard error of the ratio if clusters are independent, and its degrees of freedom.
StandardError standard_error(const Reals& residuals, const Reals& n);

/// The residuals without their learning curve c + a·t^-b; as they are if none fits. Costs fall as a model learns; a
/// difference to such a model may rise (`either_way`).
Reals without_curve(const Reals& residuals, const Reals& sizes, bool either_way);

/// The skew of the sum of the residuals.
double lean_of_sums(const Reals& residuals);
/// The same from the rates of the clusters, as if they did not depend on size.
double lean_of_rates(const Reals& residuals, const Reals& weights);
/// The residuals summed to batches of about equal size.
Reals batched(const Reals& residuals, const Reals& sizes);

/// What must be known of clusters before they are measured.
struct ClusterView {
    std::int64_t infinite = 0;         // how many costs are
    double first_infinite = 0.0;       // the first of them
    std::int64_t sized = 0;            // how many sizes are above zero
    std::int64_t used = 0;             // how many have a size or a cost
    double effective = 0.0;            // clusters of equal size that would vary as much
    double largest_share = 0.0;        // of the text, in one cluster
};
ClusterView view_clusters(const Reals& costs, const Reals& sizes);

/// Σ costs / Σ sizes by a compensated sum of each.
double ratio_of(const Reals& costs, const Reals& sizes);

/// The spread of finite costs about the ratio.
class ClusterSpread {
public:
    ClusterSpread(const Reals& costs, const Reals& sizes, bool learns, bool either_way);

    double estimate() const { return estimate_; }
    std::size_t number() const { return n_.size(); }
    const StandardError& error() const { return error_; }
    /// How alike neighbours look by the plainest test: the correlation of each with the next, in standard errors.
    double likeness() const;
    /// The models of dependence, whose scales are in units of the ratio.
    Dependence weighed(std::size_t cosines, double prior) const;
    /// The skew of the error: of batches, or the mean of that of sums and that of rates.
    double lean(bool in_batches) const;
    /// The skew of the sum of the residuals.
    double lean_of_clusters() const { return lean_of_sums(residuals_); }

    struct Carrier {
        std::size_t index;
        double share;
    };
    /// The batch or cluster that carries most of the spread, and its share of that.
    Carrier carrier(bool in_batches) const;

private:
    Reals n_, residuals_;
    double estimate_ = 0.0;
    StandardError error_;
};

}  // namespace bitmeter
