#include "ngram/query/context.hpp"

#include <algorithm>

namespace bitmeter {
namespace {

std::uint32_t known(const NgramModel& m, std::int64_t id) {
    return id < 0 || id >= m.words() || id == word_begin ? word_unknown : static_cast<std::uint32_t>(id);
}

}  // namespace

void ngram_contexts(const NgramModel& model, const NgramDocuments& text, std::int64_t* lengths, double* backoffs) {
    for (std::size_t d = 0; d < text.documents; ++d) {
        NgramState state;
        if (d == 0)
            for (std::size_t i = 0; i < text.before_size; ++i) ngram_step(model, state, known(model, text.before[i]));
        for (std::int64_t i = text.bounds[d]; i < text.bounds[d + 1]; ++i) {
            lengths[i] = state.length;
            backoffs[i] = model.nodes(state.length)[state.place].backoff;
            ngram_step(model, state, known(model, text.ids[i]));
        }
    }
}

}  // namespace bitmeter
