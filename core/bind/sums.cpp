#include "adaptive/kt.hpp"
#include "text/count.hpp"
#include "theory/rows/rows.hpp"
#include "util/exact.hpp"
#include "util/segments.hpp"

#include "bind/bind.hpp"

namespace {

// ---- counting --------------------------------------------------------------------------------------------------------

template <class Int>
auto py_count_symbols(Vector<Int> x, unsigned threads) {
    auto found = without_lock([&] { return bitmeter::count_symbols(x.data(), x.size(), threads); });
    return std::make_tuple(to_numpy(std::move(found.symbols)), to_numpy(std::move(found.counts)));
}

template <class Int>
auto py_count_pairs(Vector<Int> x, Vector<Int> y, unsigned threads) {
    if (x.size() != y.size()) throw std::invalid_argument("count_pairs: the two arrays have different lengths");
    auto found = without_lock([&] { return bitmeter::count_pairs(x.data(), y.data(), x.size(), threads); });
    return std::make_tuple(to_numpy(std::move(found.first)), to_numpy(std::move(found.second)),
                           to_numpy(std::move(found.counts)));
}

template <class Int>
void bind_counting(nb::module_& m) {
    m.def("count_symbols", &py_count_symbols<Int>, "x"_a, "threads"_a = 0,
          "Symbols in ascending order, and how often each occurs.");
    m.def("count_pairs", &py_count_pairs<Int>, "x"_a, "y"_a, "threads"_a = 0,
          "Pairs (first, second) in ascending order, and how often each occurs.");
}

// ---- sums over rows --------------------------------------------------------------------------------------------------

template <class Real>
auto py_row_sums(bitmeter::RowMode mode, Matrix<Real> p, const Matrix<Real>* q, const Vector<double>* centre,
                 unsigned threads) {
    if (q && (q->shape(0) != p.shape(0) || q->shape(1) != p.shape(1)))
        throw std::invalid_argument("row sums: the two tables have different shapes");
    if (centre && centre->size() != p.shape(0)) throw std::invalid_argument("row sums: one centre a row is needed");
    auto rows = without_lock([&] {
        return bitmeter::row_sums<Real>(mode, p.data(), q ? q->data() : nullptr, centre ? centre->data() : nullptr,
                                        p.shape(0), p.shape(1), threads);
    });
    std::vector<double> sum_p, sum_q, value;
    std::vector<std::int64_t> bad_p, bad_q, impossible;
    for (const auto& row : rows) {
        sum_p.push_back(row.p);
        sum_q.push_back(row.q);
        value.push_back(row.value);
        bad_p.push_back(row.bad_p);
        bad_q.push_back(row.bad_q);
        impossible.push_back(row.impossible);
    }
    return std::make_tuple(to_numpy(std::move(value)), to_numpy(std::move(sum_p)), to_numpy(std::move(sum_q)),
                           to_numpy(std::move(bad_p)), to_numpy(std::move(bad_q)), to_numpy(std::move(impossible)));
}

template <class Real>
void bind_rows(nb::module_& m) {
    using bitmeter::RowMode;
    m.def(
        "row_sums", [](Matrix<Real> p, unsigned threads) { return py_row_sums<Real>(RowMode::sum, p, nullptr, nullptr, threads); },
        "p"_a, "threads"_a = 0, "Compensated sum of each row. Returns (value, sum_p, sum_q, bad_p, bad_q, impossible).");
    m.def(
        "row_entropy", [](Matrix<Real> p, unsigned threads) { return py_row_sums<Real>(RowMode::entropy, p, nullptr, nullptr, threads); },
        "p"_a, "threads"_a = 0, "Sum of p log2 p of each row; returns as row_sums.");
    m.def(
        "row_variance",
        [](Matrix<Real> p, Vector<double> centre, unsigned threads) {
            return py_row_sums<Real>(RowMode::variance, p, nullptr, &centre, threads);
        },
        "p"_a, "centre"_a, "threads"_a = 0, "Sum of p (log2 p - centre)^2 of each row; returns as row_sums.");
    m.def(
        "row_cross",
        [](Matrix<Real> p, Matrix<Real> q, unsigned threads) { return py_row_sums<Real>(RowMode::cross, p, &q, nullptr, threads); },
        "p"_a, "q"_a, "threads"_a = 0, "Sum of p log2 q of each row; returns as row_sums.");
    m.def(
        "row_divergence",
        [](Matrix<Real> p, Matrix<Real> q, unsigned threads) { return py_row_sums<Real>(RowMode::divergence, p, &q, nullptr, threads); },
        "p"_a, "q"_a, "threads"_a = 0, "Sum of p log2(p/q) of each row; returns as row_sums.");
}

// ---- adaptive order 0 ------------------------------------------------------------------------------------------------

auto py_adaptive_logprobs(Vector<std::uint8_t> x, nb::ndarray<std::int64_t, nb::shape<256>, nb::c_contig, nb::device::cpu> counts) {
    for (std::size_t s = 0; s < 256; ++s)
        if (counts.data()[s] < 0) throw std::invalid_argument("adaptive_logprobs: a count is negative");
    auto out = without_lock([&] {
        std::vector<double> logs(x.size());
        bitmeter::adaptive_logprobs(x.data(), x.size(), counts.data(), logs.data());
        return logs;
    });
    return to_numpy(std::move(out));
}

// ---- segments --------------------------------------------------------------------------------------------------------

void check_bounds(const Vector<std::int64_t>& bounds, std::size_t n) {
    if (!bitmeter::valid_bounds(bounds.data(), bounds.size(), n))
        throw std::invalid_argument("the bounds of the segments must ascend within the array");
}

auto py_segment_sums(Vector<double> x, Vector<std::int64_t> bounds) {
    check_bounds(bounds, x.size());
    return to_numpy(without_lock([&] {
        std::vector<double> out(bounds.size() - 1);
        bitmeter::segment_sums(x.data(), bounds.data(), out.size(), out.data());
        return out;
    }));
}

auto py_segment_counts(Vector<bool> x, Vector<std::int64_t> bounds) {
    check_bounds(bounds, x.size());
    return to_numpy(without_lock([&] {
        std::vector<std::int64_t> out(bounds.size() - 1);
        bitmeter::segment_counts(reinterpret_cast<const std::uint8_t*>(x.data()), bounds.data(), out.size(), out.data());
        return out;
    }));
}

// ---- exact sums ------------------------------------------------------------------------------------------------------

struct ExactSums {
    std::vector<bitmeter::ExactSum> sums;
};

void py_exact_add(ExactSums& self, Vector<double> x, Vector<std::int64_t> bounds, std::size_t first) {
    check_bounds(bounds, x.size());
    const std::size_t segments = bounds.size() - 1;
    if (first > self.sums.size() || segments > self.sums.size() - first) throw std::invalid_argument("more segments than sums");
    without_lock([&] {
        const std::int64_t* const at = bounds.data();
        for (std::size_t j = 0; j < segments; ++j) self.sums[first + j].add(x.data() + at[j], at[j + 1] - at[j]);
    });
}

void py_exact_resize(ExactSums& self, std::size_t size) {
    if (size > 0)
        for (std::size_t j = size; j < self.sums.size(); ++j) self.sums[size - 1].add(self.sums[j]);
    self.sums.resize(size);
}

void py_exact_join(ExactSums& self) {
    for (std::size_t j = 0; j < self.sums.size(); ++j) {
        if (j % 2 == 1) {
            self.sums[j / 2].add(self.sums[j]);
        } else if (j > 0) {
            self.sums[j / 2] = self.sums[j];
        }
    }
    self.sums.resize((self.sums.size() + 1) / 2);
}

auto py_exact_values(const ExactSums& self) {
    std::vector<double> out;
    out.reserve(self.sums.size());
    for (const auto& sum : self.sums) out.push_back(sum.value());
    return to_numpy(std::move(out));
}

auto py_exact_parts(const ExactSums& self) {
    std::vector<double> out;
    for (const auto& sum : self.sums) out.insert(out.end(), sum.parts().begin(), sum.parts().end());
    return to_numpy(std::move(out));
}

void bind_exact(nb::module_& m) {
    nb::class_<ExactSums>(m, "ExactSums", "Sums that are rounded only when they are read.")
        .def("__init__", [](ExactSums* self, std::size_t size) { new (self) ExactSums{std::vector<bitmeter::ExactSum>(size)}; }, "size"_a = 0)
        .def("__len__", [](const ExactSums& self) { return self.sums.size(); })
        .def("resize", &py_exact_resize, "size"_a, "New sums are zero; those that go are added to the last that stays.")
        .def("add", &py_exact_add, "x"_a, "bounds"_a, "first"_a = 0,
             "Add the terms x[bounds[j]:bounds[j+1]] to the sum first + j.")
        .def("join_pairs", &py_exact_join, "Add each sum of an odd index to the one before it, which halves their number.")
        .def("values", &py_exact_values, "Each sum, rounded once.")
        .def("parts", &py_exact_parts, "Numbers whose exact sum is that of all the finite terms.");
}

}  // namespace

void bind_sums(nb::module_& m) {
    bind_counting<std::uint8_t>(m);
    bind_counting<std::uint16_t>(m);
    bind_counting<std::int32_t>(m);
    bind_counting<std::uint32_t>(m);
    bind_counting<std::int64_t>(m);
    bind_rows<double>(m);
    bind_rows<float>(m);
    bind_exact(m);
    m.def("segment_sums", &py_segment_sums, "x"_a, "bounds"_a, "Sums of x[bounds[j]:bounds[j+1]], each rounded once.");
    m.def("segment_counts", &py_segment_counts, "x"_a, "bounds"_a, "How many of x[bounds[j]:bounds[j+1]] are true.");
    m.def("adaptive_logprobs", &py_adaptive_logprobs, "x"_a, "counts"_a,
          "ln p of each byte under the Krichevsky-Trofimov estimator; counts are those of what came before, and go on.");
}
