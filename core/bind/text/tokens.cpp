#include "ngram/query/tokens.hpp"

#include "bind/bind.hpp"
#include "bind/scored.hpp"
#include "ngram/kenlm/model.hpp"

namespace {

using bitmeter::PieceEncoder;
using bitmeter::TextEncoder;
using bitmeter::PieceWords;
using bitmeter::TokenWords;

template <class Model>
TokenWords words_of(const Model& model, const TextEncoder& encoder, const Vector<std::uint32_t>& words) {
    if (words.size() != encoder.size() + 1) throw std::invalid_argument("words must have one entry per piece and the end");
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words.data()[i] >= model.words()) throw std::invalid_argument("words must be words of the model");
    return {words.data(), encoder.size()};
}

template <class Model>
TokenWords words_of(const Model& model, const TextEncoder& encoder, const PieceWords& pieces) {
    if (pieces.model() != &model || pieces.words().size() != encoder.size() + 1)
        throw std::invalid_argument("words must be those of the model and the encoder");
    return {pieces.words().data(), encoder.size(), &pieces};
}

template <class Model, class Words>
auto py_score_tokens(const Model& model, const TextEncoder& encoder, const Words& words, const nb::bytes& data,
                     Vector<std::int64_t> ends, std::size_t finished, Vector<std::int64_t> before, const std::string& eos,
                     bool unknown_class, unsigned threads) {
    const auto text = text_of(data, ends, finished, before);
    const bitmeter::NgramEnds way = ends_of(eos);
    const TokenWords own = words_of(model, encoder, words);
    auto found = query(model, [&] {
        return bitmeter::ngram_score_tokens(model, encoder, own, text, way, unknown_class, threads);
    });
    bitmeter::NgramScored& units = found.units;
    return std::make_tuple(given(std::move(units.ids)), given(std::move(units.cuts)), given(std::move(units.bounds)),
                           given(std::move(units.blank)), given(std::move(units.logprobs)), found.lossy);
}

template <class Model, class Words>
auto py_token_totals(const Model& model, const TextEncoder& encoder, const Words& words, const nb::bytes& data,
                     Vector<std::int64_t> ends, const std::string& eos, bool unknown_class, unsigned threads) {
    const auto text = text_of(data, ends, ends.size(), {});
    const bitmeter::NgramEnds way = ends_of(eos);
    const TokenWords own = words_of(model, encoder, words);
    auto found = query(model, [&] {
        return bitmeter::ngram_token_totals(model, encoder, own, text, way, unknown_class, threads);
    });
    return std::make_tuple(to_numpy(std::move(found.logprobs)), to_numpy(std::move(found.tokens)),
                           to_numpy(std::move(found.unknown)), found.most);
}

template <class Model, class Words>
void bind_tokens_by(nb::module_& m) {
    m.def("ngram_score_tokens", &py_score_tokens<Model, Words>, "model"_a, "encoder"_a, "words"_a, "data"_a, "ends"_a,
          "finished"_a, "before"_a, "eos"_a, "unknown_class"_a, "threads"_a = 0,
          "(ids, cuts, bounds, blank, logprobs, lossy) of the pieces of a text; words are the model's, by the ids of pieces.");
    m.def("ngram_token_totals", &py_token_totals<Model, Words>, "model"_a, "encoder"_a, "words"_a, "data"_a, "ends"_a, "eos"_a,
          "unknown_class"_a, "threads"_a = 0,
          "(ln p, tokens, unknown ones) of each document, and the largest ln p of a token.");
}

auto py_split(const PieceWords& self, const PieceEncoder& encoder, const nb::bytes& data, Vector<std::int64_t> ends,
              unsigned threads) {
    const auto text = text_of(data, ends, ends.size(), {});
    if (self.words().size() != encoder.size() + 1) throw std::invalid_argument("words must be those of the encoder");
    auto found = without_lock([&] { return self.split(encoder, text.text, text.ends, threads); });
    return std::make_tuple(to_numpy(std::move(found.ids)), to_numpy(std::move(found.cuts)), to_numpy(std::move(found.bounds)),
                           found.lossy);
}

template <class Model>
void bind_words_for(nb::class_<PieceWords>& words) {
    words.def(
        "__init__",
        [](PieceWords* self, const Model& model, const PieceEncoder& encoder) {
            query(model, [&] { new (self) PieceWords(model, encoder); });
        },
        "model"_a, "encoder"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>());
}

}  // namespace

void bind_tokens(nb::module_& m) {
    nb::class_<PieceWords> words(m, "PieceWords", "The pieces of a SentencePiece model among the words of another model.");
    bind_words_for<bitmeter::NgramModel>(words);
    bind_words_for<bitmeter::CompactNgram>(words);
    bind_words_for<bitmeter::KenlmModel>(words);
    words
        .def(
            "words", [](const PieceWords& self) { return to_numpy(std::vector<std::uint32_t>(self.words())); },
            "The model's number of each piece, 0 for those that it does not know, and last that of the end.")
        .def("split", &py_split, "encoder"_a, "data"_a, "ends"_a, "threads"_a = 1,
             "(ids, cuts, bounds, how many bytes are in documents that the ids do not give back).");
    bind_tokens_by<bitmeter::NgramModel, Vector<std::uint32_t>>(m);
    bind_tokens_by<bitmeter::CompactNgram, Vector<std::uint32_t>>(m);
    bind_tokens_by<bitmeter::KenlmModel, Vector<std::uint32_t>>(m);
    bind_tokens_by<bitmeter::NgramModel, PieceWords>(m);
    bind_tokens_by<bitmeter::CompactNgram, PieceWords>(m);
    bind_tokens_by<bitmeter::KenlmModel, PieceWords>(m);
}
