// The Python module bitmeter._core.
#include "bind/bind.hpp"

NB_MODULE(_core, m) {
    nb::set_leak_warnings(false);  // a table that a module's variable holds lives until the interpreter ends: no leak
    m.doc() = "The native core of bitmeter: counting and summing without the interpreter lock.";
    bind_errors(m);
    bind_cpu(m);
    bind_sums(m);
    bind_spread(m);
    bind_repeats(m);
    bind_processes(m);
    bind_splitting(m);
    bind_normalising(m);
    bind_pieces(m);
    bind_records(m);
    bind_ngram_slices(m);
    bind_ngrams(m);
    bind_compact(m);
    bind_kenlm(m);
    bind_kenlm_module(m);
    bind_overlap(m);
    bind_spelling(m);
    bind_caches(m);
    bind_coding(m);
    bind_networks(m);
    bind_scoring(m);
    bind_tokens(m);
    bind_universal(m);
}
