#include "ngram/query/tokens.hpp"

#include "bind/bind.hpp"
#include "bind/scored.hpp"

namespace {

template <class Model>
auto py_score_tokens(const Model& model, const bitmeter::PieceEncoder& encoder, Vector<std::uint32_t> words,
                     const nb::bytes& data, Vector<std::int64_t> ends, std::size_t finished, Vector<std::int64_t> before,
                     const std::string& eos, bool unknown_class, unsigned threads) {
    const auto text = text_of(data, ends, finished, before);
    const bitmeter::NgramEnds way = ends_of(eos);
    if (words.size() != encoder.size() + 1) throw std::invalid_argument("words must have one entry per piece and the end");
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words.data()[i] >= model.words()) throw std::invalid_argument("words must be words of the model");
    auto found = query(model, [&] {
        return bitmeter::ngram_score_tokens(model, encoder, {words.data(), encoder.size()}, text, way, unknown_class, threads);
    });
    bitmeter::NgramScored& units = found.units;
    return std::make_tuple(given(std::move(units.ids)), given(std::move(units.cuts)), given(std::move(units.bounds)),
                           given(std::move(units.blank)), given(std::move(units.logprobs)), found.lossy);
}

template <class Model>
void bind_tokens_of(nb::module_& m) {
    m.def("ngram_score_tokens", &py_score_tokens<Model>, "model"_a, "encoder"_a, "words"_a, "data"_a, "ends"_a, "finished"_a,
          "before"_a, "eos"_a, "unknown_class"_a, "threads"_a = 0,
          "(ids, cuts, bounds, blank, logprobs, lossy) of the pieces of a text; words are the model's, by the ids of pieces.");
}

}  // namespace

void bind_tokens(nb::module_& m) {
    bind_tokens_of<bitmeter::NgramModel>(m);
    bind_tokens_of<bitmeter::CompactNgram>(m);
}
