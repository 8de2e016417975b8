#include "ngram/estimate/slices/slices.hpp"

#include "bind/bind.hpp"
#include "bind/ngram/plans.hpp"
#include "util/watch.hpp"

#include <nanobind/stl/array.h>

namespace {

using bitmeter::OrderStatistics;
using bitmeter::SlicePlan;

std::size_t checked(const SlicePlan& plan, std::size_t slice) {
    if (slice >= plan.slices()) throw std::invalid_argument("there is no such slice");
    return slice;
}

/// The discounts by count, and the count from which on they are one.
using Discounts = std::pair<std::array<double, bitmeter::most_discounted + 2>, int>;

std::vector<OrderStatistics> statistics_of(const SlicePlan& plan, const std::vector<Discounts>& discounts) {
    if (discounts.size() != static_cast<std::size_t>(plan.order)) throw std::invalid_argument("discounts: one row per order");
    std::vector<OrderStatistics> result(discounts.size());
    for (std::size_t o = 0; o < result.size(); ++o) {
        result[o].discounts = discounts[o].first;
        result[o].last = discounts[o].second;
        if (result[o].last < 1 || result[o].last > bitmeter::most_discounted + 1)
            throw std::invalid_argument("discounts: of another method");
    }
    return result;
}

}  // namespace

void bind_ngram_slices(nb::module_& m) {
    m.def(
        "smooths_in_slices",
        [](const std::string& smoothing) { return bitmeter::smooths_in_slices(bitmeter::smoothing_named(smoothing)); },
        "smoothing"_a, "Whether an estimation by this method can be done in slices.");
    nb::class_<SlicePlan>(m, "NgramSlices", "The stages of an estimation in slices, by files in a folder.")
        .def(
            "__init__",
            [](SlicePlan* self, const nb::str& folder, std::uint64_t job, std::uint64_t words, int order,
               Vector<std::uint32_t> cuts, const std::string& smoothing, double parameter,
               const std::vector<std::uint32_t>& prune, bool closed) {
                SlicePlan plan{path_of(folder), job, 0, words, order, {cuts.data(), cuts.data() + cuts.size()},
                               smoothing_plan(smoothing, parameter, prune)};
                plan.smoothing.closed = closed;
                plan.check();
                new (self) SlicePlan(std::move(plan));
            },
            "folder"_a, "job"_a, "words"_a, "order"_a, "cuts"_a, "smoothing"_a, "parameter"_a, "prune"_a, "closed"_a)
        .def_rw("settled", &SlicePlan::settled, "A mark of the discounts, which the files of the stages from `weigh` on carry.")
        .def(
            "grow",
            [](const SlicePlan& self, std::size_t slice, const nb::str& merged, const nb::str& path) {
                const std::string from = path_of(merged), to = path_of(path);
                auto made = without_lock([&] {
                    bitmeter::Watch watch;
                    return bitmeter::grow_slice(self, checked(self, slice), from, to, watch);
                });
                return std::make_pair(std::move(made.ngrams), std::move(made.kept));
            },
            "slice"_a, "merged"_a, "path"_a, "The trie of a merged partition; its n-grams by order, and those that stay.")
        .def(
            "link",
            [](const SlicePlan& self, std::size_t slice, const std::vector<std::uint32_t>& chain, const nb::str& path) {
                const std::string to = path_of(path);
                auto made = without_lock([&] {
                    bitmeter::Watch watch;
                    return bitmeter::link_slice(self, checked(self, slice), chain, to, watch);
                });
                return std::make_pair(std::move(made.kinds), std::move(made.last));
            },
            "slice"_a, "chain"_a, "path"_a,
            "Suffixes and adjusted counts; how many n-grams have each count, by order from 2 on, and those of the chain.")
        .def(
            "weigh",
            [](const SlicePlan& self, std::size_t slice, int order, const std::vector<Discounts>& discounts,
               const bitmeter::HeldoutWeights& weights, const nb::str& path) {
                if (order < 2 || order > self.order) throw std::invalid_argument("there is no such order");
                const auto statistics = statistics_of(self, discounts);
                const std::string to = path_of(path);
                SlicePlan plan = self;
                plan.smoothing.weights = weights;
                without_lock([&] {
                    bitmeter::Watch watch;
                    bitmeter::weigh_slice(plan, order, checked(self, slice), statistics, to, watch);
                });
            },
            "slice"_a, "order"_a, "discounts"_a, "weights"_a, "path"_a,
            "Probabilities of one order, and back-offs of the one below.")
        .def(
            "finish",
            [](const SlicePlan& self, std::size_t slice, const std::vector<std::vector<std::uint64_t>>& kept,
               const nb::str& path) {
                const std::string to = path_of(path);
                without_lock([&] { bitmeter::finish_slice(self, checked(self, slice), kept, to); });
            },
            "slice"_a, "kept"_a, "path"_a, "The slice's bytes of the model's file.");
}
