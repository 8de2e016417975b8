// The Python module bitmeter._core. This file alone knows Python: it checks shapes, releases the interpreter lock, calls
// the core, and hands arrays back. What the values mean is checked by the Python code that calls it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "count.hpp"
#include "ctw.hpp"
#include "matches.hpp"
#include "rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// Hands a vector's memory to numpy without a copy.
template <class T>
NewVector<T> to_numpy(std::vector<T>&& values) {
    auto* owner = new std::vector<T>(std::move(values));
    nb::capsule guard(owner, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return NewVector<T>(owner->data(), {owner->size()}, guard);
}

template <class Run>
auto without_lock(Run&& run) {
    nb::gil_scoped_release release;
    return run();
}

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

// ---- repeats and context trees ---------------------------------------------------------------------------------------

template <class Symbol>
double py_ctw(Vector<Symbol> x, unsigned bits, unsigned depth, unsigned threads) {
    return without_lock([&] { return bitmeter::ctw_log_probability(x.data(), x.size(), bits, depth, threads); });
}

template <class Symbol>
std::size_t py_lz78_phrases(Vector<Symbol> text) {
    return without_lock([&] { return bitmeter::lz78_phrases(text.data(), text.size()); });
}

template <class Symbol, class Index>
void check_suffixes(const Vector<Symbol>& text, const Vector<Index>& suffixes) {
    if (text.size() != suffixes.size()) throw std::invalid_argument("the suffix array is not as long as the text");
}

template <class Symbol, class Index>
auto py_longest_previous(Vector<Symbol> text, Vector<Index> suffixes, unsigned threads) {
    check_suffixes(text, suffixes);
    return to_numpy(without_lock(
        [&] { return bitmeter::longest_previous(text.data(), suffixes.data(), text.size(), threads); }));
}

template <class Symbol, class Index>
auto py_common_prefixes(Vector<Symbol> text, Vector<Index> suffixes, unsigned threads) {
    check_suffixes(text, suffixes);
    return to_numpy(without_lock(
        [&] { return bitmeter::common_prefixes(text.data(), suffixes.data(), text.size(), threads); }));
}

template <class Index>
auto py_match_means(Vector<Index> longest, unsigned threads) {
    auto means = without_lock([&] { return bitmeter::match_means(longest.data(), longest.size(), threads); });
    return std::make_tuple(means.length_over_log, means.log_over_length);
}

template <class Index>
auto py_count_blocks(Vector<Index> suffixes, Vector<Index> common, std::size_t length) {
    if (suffixes.size() != common.size()) throw std::invalid_argument("count_blocks: the arrays have different lengths");
    auto blocks = without_lock(
        [&] { return bitmeter::count_blocks(suffixes.data(), common.data(), common.size(), length); });
    return std::make_tuple(to_numpy(std::move(blocks.counts)), to_numpy(std::move(blocks.kinds)), blocks.last);
}

template <class Symbol>
void bind_text_symbols(nb::module_& m) {
    m.def("ctw_log_probability", &py_ctw<Symbol>, "x"_a, "bits"_a, "depth"_a, "threads"_a = 0,
          "ln P(x) under context tree weighting, for symbols below 2**bits.");
    m.def("lz78_phrases", &py_lz78_phrases<Symbol>, "text"_a, "Phrases of Lempel and Ziv's 1978 parsing.");
}

template <class Symbol, class Index>
void bind_text_suffixes(nb::module_& m) {
    m.def("longest_previous", &py_longest_previous<Symbol, Index>, "text"_a, "suffixes"_a, "threads"_a = 0,
          "Longest string that starts at each place and also earlier.");
    m.def("common_prefixes", &py_common_prefixes<Symbol, Index>, "text"_a, "suffixes"_a, "threads"_a = 0,
          "What each suffix shares with the one before it in sorted order.");
}

template <class Index>
void bind_text_places(nb::module_& m) {
    bind_text_suffixes<std::uint8_t, Index>(m);
    bind_text_suffixes<std::uint16_t, Index>(m);
    bind_text_suffixes<std::uint32_t, Index>(m);
    m.def(
        "lz76_phrases",
        [](Vector<Index> longest) {
            return without_lock([&] { return bitmeter::lz76_phrases(longest.data(), longest.size()); });
        },
        "longest"_a, "Phrases of Lempel and Ziv's 1976 parsing, from longest_previous.");
    m.def("match_means", &py_match_means<Index>, "longest"_a, "threads"_a = 0,
          "Means of L/l and of l/L, with L = 1 + longest[i] and l = log2(i + 1), over i >= 1.");
    m.def("count_blocks", &py_count_blocks<Index>, "suffixes"_a, "common"_a, "length"_a,
          "How often strings of one length occur: (counts, how many kinds have each, count of the text's last one).");
}

void bind_texts(nb::module_& m) {
    bind_text_symbols<std::uint8_t>(m);
    bind_text_symbols<std::uint16_t>(m);
    bind_text_symbols<std::uint32_t>(m);
    bind_text_places<std::int32_t>(m);  // before the wider ones: type checkers want the narrowest overload first
    bind_text_places<std::int64_t>(m);
    m.def("kt_log_probability", &bitmeter::kt_log_probability, "zeros"_a, "ones"_a,
          "ln of the Krichevsky-Trofimov probability of these counts.");
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The native core of bitmeter: counting and summing without the interpreter lock.";
    bind_counting<std::uint8_t>(m);
    bind_counting<std::uint16_t>(m);
    bind_counting<std::int32_t>(m);
    bind_counting<std::uint32_t>(m);
    bind_counting<std::int64_t>(m);
    bind_rows<double>(m);
    bind_rows<float>(m);
    bind_texts(m);
}
