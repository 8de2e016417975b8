#include "measure/blocks.hpp"
#include "ngram/openvocab/spelled.hpp"
#include "ngram/kenlm/query.hpp"
#include "ngram/query/query.hpp"

#include <cstring>

#include "bind/bind.hpp"
#include "bind/scored.hpp"

namespace {

// ---- n-gram models over bytes, and as an automaton -------------------------------------------------------------------

using bitmeter::NgramEnds;
using bitmeter::NgramModel;
using bitmeter::NgramState;

template <class Model>
auto py_score(const Model& model, const nb::bytes& data, Vector<std::int64_t> ends, std::size_t finished,
             Vector<std::int64_t> before, const nb::bytes& separators, const std::string& eos, bool unknown_class,
             unsigned threads) {
    const auto text = text_of(data, ends, finished, before);
    const NgramEnds way = ends_of(eos);
    const bitmeter::Separators between(characters(separators));
    auto found = query(model, [&] { return bitmeter::ngram_score(model, text, between, way, unknown_class, threads); });
    return std::make_tuple(given(std::move(found.ids)), given(std::move(found.cuts)), given(std::move(found.bounds)),
                           given(std::move(found.blank)), given(std::move(found.logprobs)));
}

template <class Model>
auto py_score_spelled(const Model& model, const bitmeter::Spelling& spelling, const nb::bytes& data, Vector<std::int64_t> ends,
                     std::size_t finished, Vector<std::int64_t> before, const nb::bytes& separators, const std::string& eos,
                     bool continues, unsigned threads) {
    const auto text = text_of(data, ends, finished, before);
    const NgramEnds way = ends_of(eos);
    const bitmeter::Separators between(characters(separators));
    auto found = query(model, [&] { return bitmeter::ngram_score_spelled(model, spelling, text, between, way, continues, threads); });
    bitmeter::NgramScored& units = found.units;
    return std::make_tuple(given(std::move(units.ids)), given(std::move(units.cuts)), given(std::move(units.bounds)),
                           given(std::move(units.blank)), given(std::move(units.logprobs)),
                           to_numpy(std::move(found.after)), found.empty, found.ended);
}

template <class Model>
double py_spelled_nats(const Model& model, const bitmeter::Spelling& spelling, const nb::bytes& document,
                       const nb::bytes& separators) {
    const bitmeter::Separators between(characters(separators));
    return query(model, [&] { return bitmeter::ngram_spelled_nats(model, spelling, view(document), between); });
}

/// One whole document so, in sums that need no array: Python lists.
template <class Model>
auto py_spelled_sums(const Model& model, const bitmeter::Spelling& spelling, const nb::bytes& document,
                     const nb::bytes& separators, std::int64_t block) {
    if (block < 1) throw std::invalid_argument("a block has at least one byte");
    const bitmeter::Separators between(characters(separators));
    const auto end = static_cast<std::int64_t>(document.size());
    const bitmeter::NgramBytes text{view(document), {&end, 1}, 1, nullptr, 0};
    auto found = query(model, [&] {
        const auto scored = bitmeter::ngram_score_spelled(model, spelling, text, between, NgramEnds::none, false, 1);
        const bitmeter::NgramScored& units = scored.units;
        return bitmeter::sum_text({units.ids.data(), units.cuts.data(), units.blank.data(), units.logprobs.data(),
                                   units.ids.size()}, block, bitmeter::word_begin);
    });
    return std::make_tuple(found.tokens, found.unknown, found.most, std::move(found.nats), std::move(found.bytes),
                           std::move(found.units), std::move(found.parts), std::move(found.unknown_parts));
}

template <class Model>
auto py_spelled_totals(const Model& model, const bitmeter::Spelling& spelling, const nb::bytes& data, Vector<std::int64_t> ends,
                       const nb::bytes& separators, const std::string& eos, unsigned threads) {
    const auto text = text_of(data, ends, ends.size(), {});
    const NgramEnds way = ends_of(eos);
    const bitmeter::Separators between(characters(separators));
    auto found = query(model, [&] { return bitmeter::ngram_spelled_totals(model, spelling, text, between, way, threads); });
    return std::make_tuple(to_numpy(std::move(found.logprobs)), to_numpy(std::move(found.tokens)),
                           to_numpy(std::move(found.unknown)), found.most);
}

template <class Model>
auto py_split(const Model& model, const nb::bytes& data, Vector<std::int64_t> ends, const nb::bytes& separators) {
    const bitmeter::NgramBytes text = text_of(data, ends, 0, ends);
    const bitmeter::Separators between(characters(separators));
    auto found = query(model, [&] { return bitmeter::ngram_split(model, text, between, NgramEnds::none, 1); });
    return std::make_tuple(given(std::move(found.ids)), given(std::move(found.cuts)), given(std::move(found.bounds)));
}

std::int64_t id_of(std::uint32_t number) {
    return number == bitmeter::word_unknown ? bitmeter::unknown_word : std::int64_t{number};
}

template <class Model>
auto py_find(const Model& model, const nb::bytes& data, Vector<std::int64_t> starts, Vector<std::int64_t> stops) {
    if (starts.size() != stops.size()) throw std::invalid_argument("spans: starts and stops have different lengths");
    const auto size = static_cast<std::int64_t>(data.size());
    std::vector<std::int64_t> ids(starts.size());
    confirmed(model, [&] {
        const auto index = model.index();
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const std::int64_t from = starts.data()[i], to = stops.data()[i];
            if (from < 0 || to < from || to > size) throw std::invalid_argument("spans must lie inside of the data");
            ids[i] = id_of(index.find({view(data).data + from, static_cast<std::size_t>(to - from)}));
        }
    });
    return to_numpy(std::move(ids));
}

// A state as one integer: its index, and its length in the bits above.
std::uint64_t packed(const NgramState& state) { return static_cast<std::uint64_t>(state.length) << 32 | state.place; }

template <class Model>
NgramState unpacked(const Model& model, std::uint64_t number) {
    const std::uint64_t length = number >> 32;
    const NgramState state{length > bitmeter::max_order ? -1 : static_cast<int>(length), static_cast<std::uint32_t>(number)};
    if (!bitmeter::ngram_holds(model, state)) throw std::invalid_argument("this is no state of the model");
    return state;
}

template <class Model>
auto stepped(const Model& model, std::uint64_t state, std::int64_t word, bool unknown_class) {
    NgramState at = unpacked(model, state);
    double scored = 0.0;
    bitmeter::ngram_extend(model, &at, &word, 1, unknown_class, &scored, 1);
    return std::make_tuple(scored, packed(at));
}

template <class Model>
auto py_step(const Model& model, std::uint64_t state, std::int64_t word, bool unknown_class) {
    return confirmed(model, [&] { return stepped(model, state, word, unknown_class); }, true);
}

template <class Model>
auto py_extend(const Model& model, Vector<std::uint64_t> states, Vector<std::int64_t> words, bool unknown_class,
               unsigned threads) {
    if (states.size() != words.size()) throw std::invalid_argument("states and words have different lengths");
    std::vector<NgramState> at;
    at.reserve(states.size());
    for (std::size_t i = 0; i < states.size(); ++i) at.push_back(unpacked(model, states.data()[i]));
    std::vector<double> scored(at.size());
    query(model, [&] {
        bitmeter::ngram_extend(model, at.data(), words.data(), at.size(), unknown_class, scored.data(), threads);
    });
    std::vector<std::uint64_t> after(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) after[i] = packed(at[i]);
    return std::make_tuple(to_numpy(std::move(scored)), to_numpy(std::move(after)));
}

/// Fast queries of a single sentence or word. Takes only the plainest arguments; a TypeError makes the caller use the
/// general functions.
struct Querier {
    const NgramModel* fast = nullptr;
    const bitmeter::CompactNgram* compact = nullptr;
    const bitmeter::KenlmModel* kenlm = nullptr;
    bitmeter::Separators between;

    template <class Run>
    auto with(Run&& run) const {
        return fast ? run(*fast) : compact ? run(*compact) : run(*kenlm);
    }
    /// For what binaries of KenLM have no states for.
    template <class Run>
    auto with_states(Run&& run) const {
        if (kenlm) throw nb::type_error("a binary of KenLM has no such states");
        return fast ? run(*fast) : run(*compact);
    }
};

/// The bytes of a str or bytes object, valid while it lives.
bitmeter::Bytes plain_text(nb::handle text) {
    Py_ssize_t size = 0;
    if (PyUnicode_Check(text.ptr())) {
        if (const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size))
            return {reinterpret_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size)};
        PyErr_Clear();  // lone surrogates
    } else if (PyBytes_Check(text.ptr())) {
        char* data = nullptr;
        if (PyBytes_AsStringAndSize(text.ptr(), &data, &size) == 0)
            return {reinterpret_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size)};
        PyErr_Clear();
    }
    throw nb::type_error("no plain text");
}

double query_sentence(const Querier& self, nb::handle sentence, bool ended, bool unknown_class) {
    const bitmeter::Bytes text = plain_text(sentence);
    return self.with([&](const auto& model) {
        return confirmed(
            model, [&] { return bitmeter::ngram_sentence(model, text, self.between, ended, unknown_class); }, true);
    });
}

/// The id of a word given as an id or as text. The caller confirms the model.
std::int64_t word_of(const Querier& self, nb::handle word) {
    if (PyLong_CheckExact(word.ptr())) {
        int overflow = 0;
        const long long number = PyLong_AsLongLongAndOverflow(word.ptr(), &overflow);
        if (overflow) throw nb::type_error("no number of a word");
        return number;
    }
    const bitmeter::Bytes text = plain_text(word);
    const std::uint32_t number = self.with([&](const auto& model) { return model.index().find(text); });
    if (number != bitmeter::word_unknown) return number;
    for (std::size_t i = 0; i < text.size; ++i)
        if (self.between[text.data[i]]) throw nb::type_error("not one word");
    if (text.size == 4 && std::memcmp(text.data, "</s>", 4) == 0) return bitmeter::word_end;
    return bitmeter::unknown_word;
}

auto query_step(const Querier& self, std::uint64_t state, nb::handle word, bool unknown_class) {
    return self.with_states([&](const auto& model) {
        return confirmed(model, [&] { return stepped(model, state, word_of(self, word), unknown_class); }, true);
    });
}

/// What all forms have: one overload for each.
template <class Model>
void bind_words_of(nb::module_& m) {
    m.def("ngram_score", &py_score<Model>, "model"_a, "data"_a, "ends"_a, "finished"_a, "before"_a, "separators"_a, "eos"_a,
          "unknown_class"_a, "threads"_a = 0, "(ids, cuts, bounds, blank, logprobs) of the words of a text.");
    m.def("ngram_split", &py_split<Model>, "model"_a, "data"_a, "ends"_a, "separators"_a, "(ids, cuts, bounds) of the words.");
    m.def("ngram_find", &py_find<Model>, "model"_a, "data"_a, "starts"_a, "stops"_a,
          "The id of each span's bytes, -1 where there is none.");
    m.def(
        "ngram_id",
        [](const Model& model, const nb::bytes& word) {
            return confirmed(model, [&] { return id_of(model.index().find(view(word))); }, true);
        },
        "model"_a, "word"_a, "The id of a word, -1 where it has none.");
}

/// What our own forms have beside that: spelling and states.
template <class Model>
void bind_scoring_of(nb::module_& m) {
    bind_words_of<Model>(m);
    m.def("ngram_score_spelled", &py_score_spelled<Model>, "model"_a, "spelling"_a, "data"_a, "ends"_a, "finished"_a, "before"_a,
          "separators"_a, "eos"_a, "continues"_a, "threads"_a = 0,
          "(ids, cuts, bounds, blank, logprobs, the words to go on from, whether there were none, whether a sentence ended) "
          "of the words of a text, unknown ones spelled and white space paid for.");
    m.def("ngram_spelled_nats", &py_spelled_nats<Model>, "model"_a, "spelling"_a, "document"_a, "separators"_a,
          "The nats of a whole document so; NaN where any of its units has no probability.");
    m.def("ngram_spelled_sums", &py_spelled_sums<Model>, "model"_a, "spelling"_a, "document"_a, "separators"_a, "block"_a,
          "(units, unknown ones, the largest ln p, nats of each block, bytes of each block, units of each block, numbers whose "
          "exact sum is ln p, and the same of what is unknown) of a whole document so.");
    m.def("ngram_spelled_totals", &py_spelled_totals<Model>, "model"_a, "spelling"_a, "data"_a, "ends"_a, "separators"_a, "eos"_a,
          "threads"_a = 0, "(ln p, units, unknown ones) of each document so, and the largest ln p of a unit.");
    m.def("ngram_step", &py_step<Model>, "model"_a, "state"_a, "word"_a, "unknown_class"_a, "ln p of a word, and the state after it.");
    m.def("ngram_extend", &py_extend<Model>, "model"_a, "states"_a, "words"_a, "unknown_class"_a, "threads"_a = 0,
          "ln p of each word at its state, and the states after them.");
}

}  // namespace

void bind_scoring(nb::module_& m) {
    m.def("ngram_begin", [] { return packed(NgramState{}); }, "The state before a sentence.");
    m.def("ngram_null", [] { return packed(NgramState{0, 0}); }, "The state without any history.");
    nb::class_<Querier>(m, "NgramQuerier", "Queries of one model, one sentence or one word at a time.")
        .def(
            "__init__",
            [](Querier* self, const NgramModel& model, const nb::bytes& separators) {
                new (self) Querier{&model, nullptr, nullptr, bitmeter::Separators(characters(separators))};
            },
            "model"_a, "separators"_a, nb::keep_alive<1, 2>())
        .def(
            "__init__",
            [](Querier* self, const bitmeter::CompactNgram& model, const nb::bytes& separators) {
                new (self) Querier{nullptr, &model, nullptr, bitmeter::Separators(characters(separators))};
            },
            "model"_a, "separators"_a, nb::keep_alive<1, 2>())
        .def(
            "__init__",
            [](Querier* self, const bitmeter::KenlmModel& model, const nb::bytes& separators) {
                new (self) Querier{nullptr, nullptr, &model, bitmeter::Separators(characters(separators))};
            },
            "model"_a, "separators"_a, nb::keep_alive<1, 2>())
        .def("sentence", &query_sentence, "sentence"_a, "ended"_a, "unknown_class"_a, "ln p of one sentence.")
        .def("step", &query_step, "state"_a, "word"_a, "unknown_class"_a, "ln p of a word, and the state after it.");
    bind_scoring_of<NgramModel>(m);
    bind_scoring_of<bitmeter::CompactNgram>(m);
    bind_words_of<bitmeter::KenlmModel>(m);
}
