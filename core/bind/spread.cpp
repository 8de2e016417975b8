#include "measure/spread.hpp"

#include "bind/bind.hpp"

namespace {

using bitmeter::ClusterSpread;
using bitmeter::Reals;

Reals reals(const Vector<double>& x) { return {x.data(), x.data() + x.size()}; }

std::pair<Reals, Reals> both(const Vector<double>& x, const Vector<double>& n) {
    if (x.size() != n.size() || !n.size()) throw std::invalid_argument("clusters: each needs a cost and a size");
    return {reals(x), reals(n)};
}

bitmeter::Dependence mixture(Reals weights, Reals scales) {
    if (weights.size() != scales.size() || weights.empty())
        throw std::invalid_argument("dependence: each model needs a weight and a scale");
    return {std::move(weights), std::move(scales)};
}

void check_degrees(std::int64_t degrees) {
    if (degrees < 1 || degrees > 1 << 16) throw std::invalid_argument("dependence: degrees of freedom are from 1 on");
}

std::size_t check_cosines(std::size_t number) {
    if (number < 1 || number > 1 << 16) throw std::invalid_argument("dependence: at least one cosine is needed");
    return number;
}

template <class Found>
auto weights_and_scales(Found&& found) {
    return std::make_pair(std::move(found.weights), std::move(found.scales));
}

void bind_parts(nb::module_& m) {
    m.def(
        "cluster_view",
        [](Vector<double> costs, Vector<double> sizes) {
            const auto [x, n] = both(costs, sizes);
            const auto found = bitmeter::view_clusters(x, n);
            return std::make_tuple(found.infinite, found.first_infinite, found.sized, found.used, found.effective,
                                   found.largest_share);
        },
        "costs"_a, "sizes"_a,
        "(infinite, first_infinite, sized, used, effective, largest_share) of clusters before they are measured.");
    m.def(
        "cluster_ratio",
        [](Vector<double> costs, Vector<double> sizes) {
            const auto [x, n] = both(costs, sizes);
            return bitmeter::ratio_of(x, n);
        },
        "costs"_a, "sizes"_a, "Sum of costs over sum of sizes, each compensated.");
    m.def(
        "effective_clusters",
        [](Vector<double> sizes) {
            if (!sizes.size()) throw std::invalid_argument("clusters: there are none");
            return bitmeter::effective_clusters(reals(sizes));
        },
        "sizes"_a, "How many clusters of equal size would vary as much as these.");
    m.def(
        "standard_error",
        [](Vector<double> residuals, Vector<double> sizes) {
            const auto [x, n] = both(residuals, sizes);
            const auto found = bitmeter::standard_error(x, n);
            return std::make_pair(found.error, found.degrees);
        },
        "residuals"_a, "sizes"_a, "The standard error of a ratio if clusters are independent; its degrees of freedom.");
    m.def(
        "without_curve",
        [](Vector<double> residuals, Vector<double> sizes, bool either_way) {
            const auto [x, n] = both(residuals, sizes);
            return to_numpy(bitmeter::without_curve(x, n, either_way));
        },
        "residuals"_a, "sizes"_a, "either_way"_a, "Residuals without their learning curve; as they are if none fits.");
    m.def(
        "lean_of_sums", [](Vector<double> residuals) { return bitmeter::lean_of_sums(reals(residuals)); }, "residuals"_a,
        "The skew of the sum of the residuals.");
    m.def(
        "lean_of_rates",
        [](Vector<double> residuals, Vector<double> weights) {
            const auto [x, n] = both(residuals, weights);
            return bitmeter::lean_of_rates(x, n);
        },
        "residuals"_a, "weights"_a, "The same from the rates of the clusters.");
    m.def(
        "batched",
        [](Vector<double> residuals, Vector<double> sizes) {
            const auto [x, n] = both(residuals, sizes);
            return to_numpy(bitmeter::batched(x, n));
        },
        "residuals"_a, "sizes"_a, "Residuals summed to batches of about equal size.");
}

void bind_dependence(nb::module_& m) {
    m.def(
        "dependence",
        [](Vector<double> residuals, Vector<double> sizes, std::size_t number, double prior) {
            const auto [x, n] = both(residuals, sizes);
            return weights_and_scales(bitmeter::dependence(x, n, check_cosines(number), prior));
        },
        "residuals"_a, "sizes"_a, "number"_a, "prior"_a, "The weight and the scale of each model of dependence.");
    m.def(
        "dependence_variances",
        [](std::size_t number) { return to_numpy(bitmeter::dependence_variances(check_cosines(number))); }, "number"_a,
        "Row by row, one per model: the variance of the mean, then of each cosine, over that of white noise.");
    m.def(
        "dependence_half_width",
        [](Reals weights, Reals scales, std::int64_t degrees, double confidence, double front) {
            check_degrees(degrees);
            return bitmeter::dependence_half_width(mixture(std::move(weights), std::move(scales)),
                                                   static_cast<int>(degrees), confidence, front);
        },
        "weights"_a, "scales"_a, "degrees"_a, "confidence"_a, "front"_a,
        "The error that is exceeded with probability 1 - confidence; front is the constant of the density of t.");
    m.def(
        "dependence_share",
        [](Reals weights, double length) {
            if (weights.size() != bitmeter::dependence_models) throw std::invalid_argument("dependence: one weight per model");
            return bitmeter::dependence_share(weights, length);
        },
        "weights"_a, "length"_a, "The weight of the models whose dependence is at least so long.");
    m.def(
        "two_tails",
        [](std::int64_t degrees, double t) {
            check_degrees(degrees);
            return bitmeter::two_tails(static_cast<int>(degrees), t);
        },
        "degrees"_a, "t"_a, "P(|T| > t) for whole degrees of freedom.");
}

}  // namespace

void bind_spread(nb::module_& m) {
    bind_parts(m);
    bind_dependence(m);
    nb::class_<ClusterSpread>(m, "ClusterSpread", "The ratio of two sums over clusters, and how far these spread about it.")
        .def(
            "__init__",
            [](ClusterSpread* self, Vector<double> costs, Vector<double> sizes, bool learns, bool either_way) {
                const auto [x, n] = both(costs, sizes);
                if (bitmeter::view_clusters(x, n).sized == 0) throw std::invalid_argument("clusters: all are empty");
                new (self) ClusterSpread(x, n, learns, either_way);
            },
            "costs"_a, "sizes"_a, "learns"_a, "either_way"_a)
        .def_prop_ro("estimate", &ClusterSpread::estimate)
        .def_prop_ro("number", &ClusterSpread::number, "Clusters that have a size.")
        .def_prop_ro("error", [](const ClusterSpread& self) { return self.error().error; })
        .def_prop_ro("degrees", [](const ClusterSpread& self) { return self.error().degrees; })
        .def("likeness", &ClusterSpread::likeness, "The correlation of neighbours, in standard errors.")
        .def(
            "dependence",
            [](const ClusterSpread& self, std::size_t cosines, double prior) {
                return weights_and_scales(self.weighed(check_cosines(cosines), prior));
            },
            "cosines"_a, "prior"_a, "The weight of each model of dependence, and the scale of the error by it.")
        .def("lean", &ClusterSpread::lean, "in_batches"_a, "The skew of the error.")
        .def("lean_of_clusters", &ClusterSpread::lean_of_clusters, "The skew of the sum of the residuals.")
        .def(
            "carrier",
            [](const ClusterSpread& self, bool in_batches) {
                const auto found = self.carrier(in_batches);
                return std::make_pair(found.index, found.share);
            },
            "in_batches"_a, "The batch or cluster that carries most of the spread, and its share.");
}
