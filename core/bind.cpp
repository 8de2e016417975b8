// The Python module bitmeter._core. This file alone knows Python: it checks shapes, releases the interpreter lock, calls
// the core, and hands arrays back. What the values mean is checked by the Python code that calls it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "adaptive.hpp"
#include "chain.hpp"
#include "count.hpp"
#include "ctw.hpp"
#include "hidden.hpp"
#include "matches.hpp"
#include "ngram_arpa.hpp"
#include "ngram_estimate.hpp"
#include "ngram_query.hpp"
#include "rows.hpp"
#include "segments.hpp"
#include "split.hpp"
#include "stationary.hpp"
#include "sum.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
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

// ---- processes -------------------------------------------------------------------------------------------------------

bitmeter::Seed to_seed(const Vector<std::uint64_t>& words) {
    if (words.size() != 4) throw std::invalid_argument("seed: four words are needed");
    return {words.data()[0], words.data()[1], words.data()[2], words.data()[3]};
}

bitmeter::ContextShape to_shape(const Matrix<double>& table, std::size_t order) {
    const bitmeter::ContextShape shape{table.shape(1), order};
    if (shape.rows() != table.shape(0)) throw std::invalid_argument("chain: the table has the wrong number of rows");
    return shape;
}

bitmeter::HiddenModel to_model(const Vector<double>& initial, const Matrix<double>& transition,
                               const Matrix<double>& emission) {
    const std::size_t states = initial.size();
    if (transition.shape(0) != states || transition.shape(1) != states || emission.shape(0) != states)
        throw std::invalid_argument("hidden: initial, transition and emission have different numbers of states");
    return {states, emission.shape(1), initial.data(), transition.data(), emission.data()};
}

template <class A, class B>
void same_shape(const A& a, const B& b) {
    if (a.shape(0) != b.shape(0) || a.shape(1) != b.shape(1))
        throw std::invalid_argument("processes: the two arrays have different shapes");
}

template <class Symbol>
void bind_processes(nb::module_& m) {
    m.def(
        "sample_chain",
        [](Matrix<double> table, std::size_t order, Vector<std::uint64_t> seed, Output<Symbol> out, unsigned threads) {
            const auto shape = to_shape(table, order);
            const auto words = to_seed(seed);
            without_lock([&] {
                bitmeter::sample_chain(table.data(), shape, words, out.data(), out.shape(0), out.shape(1), threads);
            });
        },
        "table"_a, "order"_a, "seed"_a, "out"_a.noconvert(), "threads"_a = 0,
        "Fill out (paths x length) with samples of the chain whose next-symbol probabilities are the table's rows.");
    m.def(
        "chain_logprobs",
        [](Matrix<Symbol> x, Matrix<double> table, std::size_t order, std::optional<Output<double>> out, unsigned threads) {
            const auto shape = to_shape(table, order);
            if (out) same_shape(x, *out);
            return to_numpy(without_lock([&] {
                return bitmeter::chain_logprobs(x.data(), x.shape(0), x.shape(1), table.data(), shape,
                                                out ? out->data() : nullptr, threads);
            }));
        },
        "x"_a.noconvert(), "table"_a, "order"_a, "out"_a = nb::none(), "threads"_a = 0,
        "The log-probability of each path under a table of logarithms; that of each symbol into out.");
    m.def(
        "sample_hidden",
        [](Vector<double> initial, Matrix<double> transition, Matrix<double> emission, Vector<std::uint64_t> seed,
           Output<Symbol> out, std::optional<Output<std::int32_t>> states, unsigned threads) {
            const auto model = to_model(initial, transition, emission);
            const auto words = to_seed(seed);
            if (states) same_shape(out, *states);
            without_lock([&] {
                bitmeter::sample_hidden(model, words, out.data(), states ? states->data() : nullptr, out.shape(0),
                                        out.shape(1), threads);
            });
        },
        "initial"_a, "transition"_a, "emission"_a, "seed"_a, "out"_a.noconvert(), "states"_a = nb::none(), "threads"_a = 0,
        "Fill out (paths x length) with what a hidden Markov model emits, and states with its hidden states.");
    m.def(
        "hidden_logprobs",
        [](Vector<double> initial, Matrix<double> transition, Matrix<double> emission, Matrix<Symbol> y,
           std::optional<Output<double>> out, unsigned threads) {
            const auto model = to_model(initial, transition, emission);
            if (out) same_shape(y, *out);
            return to_numpy(without_lock([&] {
                return bitmeter::hidden_logprobs(model, y.data(), y.shape(0), y.shape(1), out ? out->data() : nullptr,
                                                 threads);
            }));
        },
        "initial"_a, "transition"_a, "emission"_a, "y"_a.noconvert(), "out"_a = nb::none(), "threads"_a = 0,
        "The log-probability of each path by the scaled forward algorithm; that of each symbol into out.");
}

void bind_long_run(nb::module_& m) {
    m.def(
        "long_run",
        [](Matrix<double> transition, Vector<double> reward) {
            if (transition.shape(0) != transition.shape(1) || transition.shape(0) != reward.size())
                throw std::invalid_argument("long run: a square matrix and one reward a state are needed");
            auto found = without_lock([&] { return bitmeter::long_run(transition.data(), reward.data(), reward.size()); });
            return std::make_tuple(to_numpy(std::move(found.stationary)), found.mean, to_numpy(std::move(found.bias)));
        },
        "transition"_a, "reward"_a, "Stationary law, mean reward and solution of Poisson's equation of an irreducible chain.");
    m.def(
        "running_sums",
        [](Matrix<double> x, Vector<std::int64_t> ends, unsigned threads) {
            return to_numpy(without_lock([&] {
                return bitmeter::running_sums(x.data(), x.shape(0), x.shape(1), ends.data(), ends.size(), threads);
            }));
        },
        "x"_a, "ends"_a, "threads"_a = 0, "Sums of the first ends[k] entries of each row, row by row.");
}

// ---- splitting text --------------------------------------------------------------------------------------------------

bitmeter::Bytes view(const nb::bytes& data) { return {static_cast<const std::uint8_t*>(data.data()), data.size()}; }

std::string_view characters(const nb::bytes& data) { return {data.c_str(), data.size()}; }

/// The ends of all documents of a block, checked.
bitmeter::Ends checked(const Vector<std::int64_t>& ends, std::size_t size) {
    bitmeter::Ends result{ends.data(), ends.size()};
    if (!bitmeter::ends_fit(result, size)) throw std::invalid_argument("ends must ascend to the size of the data");
    return result;
}

/// Spans inside of the data, checked.
void check_spans(const Vector<std::int64_t>& starts, const Vector<std::int64_t>& stops, std::size_t size) {
    if (starts.size() != stops.size()) throw std::invalid_argument("spans: starts and stops have different lengths");
    for (std::size_t i = 0; i < starts.size(); ++i)
        if (starts.data()[i] < 0 || stops.data()[i] < starts.data()[i] || stops.data()[i] > static_cast<std::int64_t>(size))
            throw std::invalid_argument("spans must lie inside of the data");
}

/// Calls number(word) for each span; the results as an array.
template <class Number>
NewVector<std::int64_t> number_spans(const nb::bytes& data, const Vector<std::int64_t>& starts,
                                     const Vector<std::int64_t>& stops, Number&& number) {
    check_spans(starts, stops, data.size());
    std::vector<std::int64_t> ids(starts.size());
    without_lock([&] {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const std::int64_t from = starts.data()[i];
            ids[i] = number(bitmeter::Bytes{view(data).data + from, static_cast<std::size_t>(stops.data()[i] - from)});
        }
    });
    return to_numpy(std::move(ids));
}

auto py_split_chars(const nb::bytes& data, Vector<std::int64_t> ends) {
    auto fit = checked(ends, data.size());
    auto found = without_lock([&] { return bitmeter::split_chars(view(data), fit); });
    return std::make_tuple(to_numpy(std::move(found.ids)), to_numpy(std::move(found.cuts)), to_numpy(std::move(found.bounds)));
}

auto py_split_words(const nb::bytes& data, Vector<std::int64_t> ends, const nb::bytes& separators,
                    const bitmeter::WordTable* table) {
    auto fit = checked(ends, data.size());
    bitmeter::Separators between(characters(separators));
    auto found = without_lock([&] { return bitmeter::split_words(view(data), fit, between, table); });
    return std::make_tuple(to_numpy(std::move(found.ids)), to_numpy(std::move(found.cuts)), to_numpy(std::move(found.bounds)));
}

auto py_trim(const nb::bytes& data, Vector<std::int64_t> cuts, const nb::bytes& separators) {
    if (cuts.size() == 0 || cuts.data()[0] != 0 || !bitmeter::ends_fit({cuts.data(), cuts.size()}, data.size()))
        throw std::invalid_argument("cuts must ascend from 0 to the size of the data");
    bitmeter::Separators between(characters(separators));
    auto found = without_lock([&] { return bitmeter::trim(view(data), cuts.data(), cuts.size() - 1, between); });
    return std::make_tuple(to_numpy(std::move(found.starts)), to_numpy(std::move(found.stops)));
}

auto py_feed_counts(bitmeter::TextCounts& self, const nb::bytes& data, Vector<std::int64_t> ends) {
    const std::int64_t last = ends.size() ? ends.data()[ends.size() - 1] : 0;
    if (last > static_cast<std::int64_t>(data.size()) || !bitmeter::ends_fit({ends.data(), ends.size()}, static_cast<std::size_t>(last < 0 ? 0 : last)))
        throw std::invalid_argument("ends must ascend within the data");
    auto found = without_lock([&] { return self.feed(view(data), {ends.data(), ends.size()}); });
    return std::make_tuple(to_numpy(std::move(found.chars)), to_numpy(std::move(found.invalid)), to_numpy(std::move(found.words)));
}

void bind_splitting(nb::module_& m) {
    using bitmeter::Paragraphs;
    using bitmeter::TextCounts;
    using bitmeter::WordTable;
    nb::class_<WordTable>(m, "WordTable", "Words numbered from zero.")
        .def(nb::init<>())
        .def("__len__", &WordTable::size)
        .def(
            "add",
            [](WordTable& self, const nb::bytes& data, Vector<std::int64_t> starts, Vector<std::int64_t> stops) {
                return number_spans(data, starts, stops, [&](bitmeter::Bytes word) { return self.add(word); });
            },
            "data"_a, "starts"_a, "stops"_a, "The number of each span's bytes; new ones are numbered on.")
        .def(
            "find",
            [](const WordTable& self, const nb::bytes& data, Vector<std::int64_t> starts, Vector<std::int64_t> stops) {
                return number_spans(data, starts, stops, [&](bitmeter::Bytes word) { return self.find(word); });
            },
            "data"_a, "starts"_a, "stops"_a, "The number of each span's bytes, -1 where there is none.");
    nb::class_<TextCounts>(m, "TextCounts", "Counts characters and words of a text that comes block by block.")
        .def("__init__", [](TextCounts* self, const nb::bytes& separators) { new (self) TextCounts(characters(separators)); },
             "separators"_a)
        .def("feed", &py_feed_counts, "data"_a, "ends"_a,
             "(chars, invalid, words) of each document that ends here, and of what follows the last end.")
        .def("finish", &TextCounts::finish, "End the open document; how many invalid bytes it ended in.")
        .def_ro("bytes", &TextCounts::bytes)
        .def_ro("chars", &TextCounts::chars)
        .def_ro("invalid", &TextCounts::invalid)
        .def_ro("words", &TextCounts::words);
    nb::class_<Paragraphs>(m, "Paragraphs", "Finds paragraphs in a text that comes block by block.")
        .def(nb::init<>())
        .def(
            "feed",
            [](Paragraphs& self, const nb::bytes& data) {
                return to_numpy(without_lock([&] { return self.feed(view(data)); }));
            },
            "data"_a, "The ends that this block decides, as offsets into the whole text.")
        .def_prop_ro("decided", &Paragraphs::decided);
    m.def("split_chars", &py_split_chars, "data"_a, "ends"_a, "(ids, cuts, bounds) of the characters.");
    m.def("split_words", &py_split_words, "data"_a, "ends"_a, "separators"_a, "table"_a = nb::none(),
          "(ids, cuts, bounds) of the words.");
    m.def("trim", &py_trim, "data"_a, "cuts"_a, "separators"_a, "(starts, stops) of each unit without separators around it.");
    m.def("chars_cut", [](const nb::bytes& data) { return bitmeter::chars_cut(view(data)); }, "data"_a,
          "How many bytes of an unfinished document are whole characters.");
    m.def(
        "words_cut",
        [](const nb::bytes& data, const nb::bytes& separators) {
            return bitmeter::words_cut(view(data), bitmeter::Separators(characters(separators)));
        },
        "data"_a, "separators"_a, "How many bytes of an unfinished document are whole words.");
    m.def(
        "hash_spans",
        [](const nb::bytes& data, Vector<std::int64_t> starts, Vector<std::int64_t> stops) {
            return number_spans(data, starts, stops, [](bitmeter::Bytes word) { return bitmeter::hash_word(word); });
        },
        "data"_a, "starts"_a, "stops"_a, "63 bits of hash of each span's bytes.");
    m.def(
        "line_ends", [](const nb::bytes& data) { return to_numpy(without_lock([&] { return bitmeter::line_ends(view(data)); })); },
        "data"_a, "The offset after each newline.");
}

// ---- n-gram models ---------------------------------------------------------------------------------------------------

/// A text to estimate from, and the estimation going on; the text must live as long.
class Estimation {
public:
    Estimation(const nb::bytes& separators, bool unk_word) : text(characters(separators), unk_word) {}

    void begin(int order, unsigned threads) {
        text.finish();
        estimator = std::make_unique<bitmeter::NgramEstimator>(text, order, threads);
    }
    bitmeter::NgramEstimator& running() {
        if (!estimator) throw std::invalid_argument("estimation: begin() comes first");
        return *estimator;
    }

    bitmeter::NgramText text;
    std::unique_ptr<bitmeter::NgramEstimator> estimator;
};

void check_ends(const Vector<std::int64_t>& ends, std::size_t size) {
    const std::int64_t last = ends.size() ? ends.data()[ends.size() - 1] : 0;
    if (last < 0 || last > static_cast<std::int64_t>(size) ||
        !bitmeter::ends_fit({ends.data(), ends.size()}, static_cast<std::size_t>(last)))
        throw std::invalid_argument("ends must ascend within the data");
}

auto py_ngram_logprobs(const bitmeter::NgramModel& model, Vector<std::int64_t> ids, Vector<std::int64_t> bounds,
                       Vector<std::int64_t> before, bool unknown_class, unsigned threads) {
    if (bounds.size() == 0 || bounds.data()[0] != 0 || !bitmeter::ends_fit({bounds.data(), bounds.size()}, ids.size()))
        throw std::invalid_argument("bounds must ascend from 0 to the number of ids");
    std::vector<double> out(ids.size());
    without_lock([&] {
        bitmeter::ngram_logprobs(model, {ids.data(), bounds.data(), bounds.size() - 1, before.data(), before.size()},
                                 unknown_class, out.data(), threads);
    });
    return to_numpy(std::move(out));
}

auto ngram_statistics(Estimation& self) {
    std::vector<std::tuple<double, double, double, bool>> result;
    for (const auto& s : self.running().statistics())
        result.emplace_back(s.discounts[1], s.discounts[2], s.discounts[3], s.fallback);
    return result;
}

void bind_ngram_errors(nb::module_& m) {
    nb::exception<bitmeter::NgramFormatError>(m, "NgramFormatError", PyExc_ValueError);
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const bitmeter::ArpaError& error) {
            PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.line, error.what()).ptr());
        } catch (const bitmeter::ReservedWord& error) {
            PyErr_SetObject(PyExc_LookupError,
                            nb::make_tuple(nb::bytes(error.word.data(), error.word.size()), error.sentence).ptr());
        } catch (const std::system_error& error) {
            PyErr_SetObject(PyExc_OSError, nb::make_tuple(error.code().value(), error.code().message()).ptr());
        }
    });
}

void bind_ngram_making(nb::module_& m) {
    using bitmeter::ArpaReader;
    nb::class_<Estimation>(m, "NgramEstimation", "Words taken in, then the stages of an estimation.")
        .def(
            "__init__",
            [](Estimation* self, const nb::bytes& separators, bool unk_word) {
                new (self) Estimation(separators, unk_word);
            },
            "separators"_a, "unk_word"_a)
        .def(
            "feed",
            [](Estimation& self, const nb::bytes& data, Vector<std::int64_t> ends) {
                check_ends(ends, data.size());
                without_lock([&] { self.text.feed(view(data), {ends.data(), ends.size()}); });
            },
            "data"_a, "ends"_a, "Take the next bytes; each document that ends is a sentence.")
        .def_prop_ro("words", [](const Estimation& self) { return self.text.words(); })
        .def_prop_ro("sentences", [](const Estimation& self) { return self.text.sentences(); })
        .def("begin", &Estimation::begin, "order"_a, "threads"_a = 0, "The text is complete.")
        .def("sort", [](Estimation& self) { without_lock([&] { self.running().sort(); }); })
        .def("grow", [](Estimation& self) { without_lock([&] { self.running().grow(); }); })
        .def("link", [](Estimation& self) { without_lock([&] { self.running().link(); }); })
        .def("weigh", [](Estimation& self) { without_lock([&] { self.running().weigh(); }); })
        .def("statistics", &ngram_statistics, "(D1, D2, D3+, whether they could not be estimated) of each order.")
        .def(
            "model",
            [](Estimation& self, const std::string& note) {
                return without_lock([&] { return self.running().model(note); });
            },
            "note"_a);
    nb::class_<ArpaReader>(m, "ArpaReader", "Reads an ARPA file that comes block by block.")
        .def(nb::init<>())
        .def(
            "feed", [](ArpaReader& self, const nb::bytes& data) { without_lock([&] { self.feed(view(data)); }); },
            "data"_a)
        .def(
            "finish",
            [](ArpaReader& self, const std::string& note) { return without_lock([&] { return self.finish(note); }); },
            "note"_a)
        .def_prop_ro("added", &ArpaReader::added);
}

void bind_ngram_model(nb::module_& m) {
    using bitmeter::ArpaWriter;
    using bitmeter::NgramModel;
    nb::class_<NgramModel>(m, "NgramModel", "An n-gram model in memory, or a map of its file.")
        .def_static(
            "open",
            [](const std::string& path) {
                return without_lock([&] { return std::make_unique<NgramModel>(bitmeter::PageBlock::file(path)); });
            },
            "path"_a)
        .def_prop_ro("order", &NgramModel::order)
        .def_prop_ro("words", &NgramModel::words)
        .def_prop_ro("counts",
                     [](const NgramModel& self) {
                         return std::vector<std::uint64_t>(self.shape().counts, self.shape().counts + self.order());
                     })
        .def_prop_ro("note", [](const NgramModel& self) { return nb::bytes(self.note().data(), self.note().size()); })
        .def(
            "word",
            [](const NgramModel& self, std::uint32_t number) {
                const auto word = self.word(number);
                return nb::bytes(word.data, word.size);
            },
            "number"_a)
        .def("table",
             [](const NgramModel& self) {
                 return without_lock([&] { return std::make_unique<bitmeter::WordTable>(self.table()); });
             })
        .def("fingerprint", &NgramModel::fingerprint, "The checksum of all but its header.")
        .def("verify", [](const NgramModel& self) { without_lock([&] { self.verify(); }); })
        .def(
            "save", [](const NgramModel& self, const std::string& path) { without_lock([&] { self.save(path); }); },
            "path"_a)
        .def("logprobs", &py_ngram_logprobs, "ids"_a, "bounds"_a, "before"_a, "unknown_class"_a, "threads"_a = 0,
             "ln p of each word given those before it in its document.")
        .def(
            "predict",
            [](const NgramModel& self, Vector<std::int64_t> history) {
                std::vector<double> out(self.words());
                without_lock([&] { bitmeter::ngram_predict(self, history.data(), history.size(), out.data()); });
                return to_numpy(std::move(out));
            },
            "history"_a, "ln p of every word after this history.");
    nb::class_<ArpaWriter>(m, "ArpaWriter", "Writes a model in the ARPA format.")
        .def(nb::init<const NgramModel&>(), "model"_a, nb::keep_alive<1, 2>())
        .def(
            "next",
            [](ArpaWriter& self) {
                const std::string part = without_lock([&] { return self.next(); });
                return nb::bytes(part.data(), part.size());
            },
            "The next piece; empty at the end.");
}

}  // namespace

NB_MODULE(_core, m) {
    nb::set_leak_warnings(false);  // a table that a module's variable holds lives until the interpreter ends: no leak
    m.doc() = "The native core of bitmeter: counting and summing without the interpreter lock.";
    bind_counting<std::uint8_t>(m);
    bind_counting<std::uint16_t>(m);
    bind_counting<std::int32_t>(m);
    bind_counting<std::uint32_t>(m);
    bind_counting<std::int64_t>(m);
    bind_rows<double>(m);
    bind_rows<float>(m);
    m.def("segment_sums", &py_segment_sums, "x"_a, "bounds"_a, "Compensated sums of x[bounds[j]:bounds[j+1]].");
    m.def("segment_counts", &py_segment_counts, "x"_a, "bounds"_a, "How many of x[bounds[j]:bounds[j+1]] are true.");
    m.def("adaptive_logprobs", &py_adaptive_logprobs, "x"_a, "counts"_a,
          "ln p of each byte under the Krichevsky-Trofimov estimator; counts are those of what came before, and go on.");
    bind_texts(m);
    bind_processes<std::uint8_t>(m);
    bind_processes<std::uint16_t>(m);
    bind_processes<std::int32_t>(m);
    bind_long_run(m);
    bind_splitting(m);
    bind_ngram_errors(m);
    bind_ngram_making(m);
    bind_ngram_model(m);
}
