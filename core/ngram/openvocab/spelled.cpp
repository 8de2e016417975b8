#include "ngram/openvocab/spelled.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "ngram/query/query.hpp"
#include "util/parallel.hpp"
#include "util/segments.hpp"

namespace bitmeter {
namespace {

// Documents of about so many bytes at a time, whose units stay in the cache until they are summed up.
constexpr std::int64_t group_bytes = std::int64_t{1} << 16;

/// The last words of a piece, of which as many count as the model looks back.
std::vector<std::int64_t> words_to_go_on(const SpelledText& found, const NgramBytes& text, int order) {
    const auto reach = static_cast<std::size_t>(std::max(1, order - 1));
    std::vector<std::int64_t> after;
    if (found.bounds.size() == 2) after.assign(text.before, text.before + text.before_size);
    after.insert(after.end(), found.ids.begin() + found.bounds[found.bounds.size() - 2], found.ids.end());
    if (after.size() > reach) after.erase(after.begin(), after.end() - static_cast<std::ptrdiff_t>(reach));
    return after;
}

}  // namespace

template <class Model>
NgramSpelled ngram_score_spelled(const Model& model, const Spelling& spelling, const NgramBytes& text,
                                const Separators& separators, NgramEnds ends, bool continues, unsigned threads) {
    NgramSpelled result;
    result.units = ngram_split(model, text, separators, ends, threads);
    NgramScored& units = result.units;
    const std::size_t size = units.ids.size();
    const SpelledText found =
        spelled_text(spelling, {text.text, units.ids.data(), units.cuts.data(), units.bounds.data(), size,
                                text.ends.size, model.words(), continues, text.finished < text.ends.size});
    units.logprobs = Array<double>(size);
    std::fill_n(units.logprobs.data(), size, 0.0);
    if (!found.ids.empty()) {
        std::vector<double> logs(found.ids.size());
        ngram_logprobs(model, {found.ids.data(), found.bounds.data(), found.bounds.size() - 1, text.before, text.before_size},
                       true, logs.data(), threads);
        for (std::size_t i = 0; i < logs.size(); ++i) units.logprobs[static_cast<std::size_t>(found.owner[i])] += logs[i];
        result.after = words_to_go_on(found, text, model.order());
        result.empty = false;
        result.ended = found.ids.back() == word_end;
    }
    for (std::size_t i = 0; i < size; ++i) units.logprobs[i] += found.extra[i];
    return result;
}

template <class Model>
double ngram_spelled_nats(const Model& model, const Spelling& spelling, Bytes document, const Separators& separators) {
    const auto size = static_cast<std::int64_t>(document.size);
    const NgramBytes text{document, {&size, 1}, 1, nullptr, 0};
    const NgramScored units = ngram_score_spelled(model, spelling, text, separators, NgramEnds::none, false, 1).units;
    const double* const logs = units.logprobs.data();
    const auto number = static_cast<std::int64_t>(units.logprobs.size());
    if (!std::all_of(logs, logs + number, [](double log) { return log <= 0.0; }))
        return std::numeric_limits<double>::quiet_NaN();
    const std::int64_t bounds[2] = {0, number};
    double sum = 0.0;
    segment_sums(logs, bounds, 1, &sum);
    return -sum + 0.0;
}

template <class Model>
TokenTotals ngram_spelled_totals(const Model& model, const Spelling& spelling, const NgramBytes& text,
                                 const Separators& separators, NgramEnds ends, unsigned threads) {
    TokenTotals result;
    result.logprobs.resize(text.ends.size);
    result.tokens.resize(text.ends.size);
    result.unknown.resize(text.ends.size);
    std::vector<std::size_t> firsts{0};  // of each group, and the number of documents
    for (std::size_t d = 0; d < text.ends.size; ++d) {
        const std::int64_t begin = firsts.back() ? text.ends.data[firsts.back() - 1] : 0;
        if (text.ends.data[d] - begin >= group_bytes || d + 1 == text.ends.size) firsts.push_back(d + 1);
    }
    std::mutex guard;
    parallel_for(firsts.size() - 1, threads, [&](std::size_t group) {
        const std::size_t first = firsts[group], many = firsts[group + 1] - first;
        const std::int64_t begin = first ? text.ends.data[first - 1] : 0;
        std::vector<std::int64_t> own(text.ends.data + first, text.ends.data + first + many);
        for (std::int64_t& end : own) end -= begin;
        const NgramBytes part{{text.text.data + begin, static_cast<std::size_t>(own.back())}, {own.data(), many}, many, nullptr, 0};
        const NgramScored units = ngram_score_spelled(model, spelling, part, separators, ends, false, 1).units;
        segment_sums(units.logprobs.data(), units.bounds.data(), many, result.logprobs.data() + first);
        for (std::size_t d = 0; d < many; ++d) {
            const auto from = static_cast<std::size_t>(units.bounds[d]), to = static_cast<std::size_t>(units.bounds[d + 1]);
            std::int64_t tokens = 0, unknown = 0;
            for (std::size_t i = from; i < to; ++i) {
                tokens += !units.blank[i];
                unknown += !units.blank[i] && units.ids[i] <= std::int64_t{word_begin};
            }
            result.tokens[first + d] = tokens;
            result.unknown[first + d] = unknown;
        }
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < units.logprobs.size(); ++i)
            if (!(units.logprobs[i] <= most)) most = units.logprobs[i];
        std::lock_guard lock(guard);
        if (!(most <= result.most)) result.most = most;
    });
    return result;
}

template NgramSpelled ngram_score_spelled(const NgramModel&, const Spelling&, const NgramBytes&, const Separators&,
                                         NgramEnds, bool, unsigned);
template NgramSpelled ngram_score_spelled(const CompactNgram&, const Spelling&, const NgramBytes&, const Separators&,
                                         NgramEnds, bool, unsigned);
template double ngram_spelled_nats(const NgramModel&, const Spelling&, Bytes, const Separators&);
template double ngram_spelled_nats(const CompactNgram&, const Spelling&, Bytes, const Separators&);
template TokenTotals ngram_spelled_totals(const NgramModel&, const Spelling&, const NgramBytes&, const Separators&,
                                          NgramEnds, unsigned);
template TokenTotals ngram_spelled_totals(const CompactNgram&, const Spelling&, const NgramBytes&, const Separators&,
                                          NgramEnds, unsigned);

}  // namespace bitmeter
