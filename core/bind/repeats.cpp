#include "theory/ctw.hpp"
#include "theory/matches.hpp"

#include "bind/bind.hpp"

namespace {

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

}  // namespace

void bind_repeats(nb::module_& m) {
    bind_text_symbols<std::uint8_t>(m);
    bind_text_symbols<std::uint16_t>(m);
    bind_text_symbols<std::uint32_t>(m);
    bind_text_places<std::int32_t>(m);  // before the wider ones: type checkers want the narrowest overload first
    bind_text_places<std::int64_t>(m);
}
