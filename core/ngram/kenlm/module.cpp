#include "ngram/kenlm/module.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string_view>
#include <type_traits>

#include "ngram/kenlm/match.hpp"
#include "ngram/follow/follow.hpp"

namespace bitmeter {
namespace {

/// White space of ASCII, by which KenLM splits.
const Separators& white() {
    static const Separators result(" \t\n\v\f\r");
    return result;
}

template <class Model>
constexpr bool in_place = std::is_same_v<Model, KenlmModel>;

std::uint32_t reserved(Bytes word) {
    const std::string_view text(reinterpret_cast<const char*>(word.data), word.size);
    return text == "<s>" ? word_begin : text == "</s>" ? word_end : word_unknown;
}

/// The words of a sentence by number, some at a time: the memory of all is asked for before any is read.
template <class Model>
class Words {
public:
    explicit Words(const Model& model) : index_(model.index()) {}

    template <class Take>
    void of(Bytes sentence, Take&& take) {
        const Separators& separators = white();
        const std::uint8_t* const limit = sentence.data + sentence.size;
        for (std::size_t begin = 0, end; begin < sentence.size; begin = end) {
            end = std::min(sentence.size, begin + part);
            const std::size_t many = word_edges({sentence.data + begin, end - begin}, 0, separators, edges_);
            if (many == 0) continue;
            // Words stay whole: the last one may go on behind the part.
            if (!separators[sentence.data[end - 1]]) {
                while (end < sentence.size && !separators[sentence.data[end]]) ++end;
                edges_[many - 1] = static_cast<std::int64_t>(end - begin);
            }
            const std::uint8_t* const from = sentence.data + begin;
            for (std::size_t i = 0; i < many; i += 2) {
                keys_[i / 2] = index_.key(word(from, i), limit);
                index_.prefetch(keys_[i / 2]);
            }
            for (std::size_t i = 0; i < many; i += 2) take(number(word(from, i), keys_[i / 2]));
        }
    }

    std::uint32_t number(Bytes word, const WordKey& key) const {
        if constexpr (in_place<Model>) {
            return index_.code(key);
        } else {
            const std::uint32_t found = index_.find(word, key);
            return found == word_unknown && word.size > 2 && word.data[0] == '<' ? reserved(word) : found;
        }
    }

private:
    Bytes word(const std::uint8_t* from, std::size_t i) const {
        return {from + edges_[i], static_cast<std::size_t>(edges_[i + 1] - edges_[i])};
    }

    static constexpr std::size_t part = 512;  // bytes, whose words stay in the nearest cache
    const decltype(std::declval<const Model&>().index()) index_;
    std::int64_t edges_[part + 1];
    WordKey keys_[part / 2 + 1];
};

/// Calls take(score) for each word and end of a sentence.
template <class Model, class Take>
void follow(const Model& model, Words<Model>& words, Bytes sentence, ModuleEdges edges, Take&& take) {
    if constexpr (in_place<Model>) {
        const auto emit = [&](std::uint64_t known, const KenlmMatch& before, const KenlmMatch& own) {
            take(ModuleScore{kenlm_float_cost(before, own), own.length, known == 0});
        };
        model.with([&](const auto& search) {
            using Matcher = KenlmMatcher<std::decay_t<decltype(search)>, decltype(emit)>;
            Matcher matcher(search, model.layout().order, emit);
            if (edges.begun) matcher.push(model.begin_code(), Matcher::untagged);
            words.of(sentence, [&](std::uint32_t code) { matcher.push(code, code != 0); });
            if (edges.ended) matcher.push(model.end_code(), 1);
            matcher.flush();
        });
    } else {
        KenlmState state = edges.begun ? module_begin(model) : KenlmState{};
        const auto step = [&](std::uint32_t word, bool unknown) {
            const NgramFloat scored = module_step(model, state, word, state);
            take(ModuleScore{scored.logprob, scored.length, unknown});
        };
        words.of(sentence, [&](std::uint32_t word) { step(word, word == word_unknown); });
        if (edges.ended) step(word_end, false);
    }
}

/// Back-offs of single precision are added from the shortest history on.
NgramFloat float_step(const CompactNgram& m, KenlmState& state, std::uint32_t word) {
    const std::uint32_t code = m.codes().code(word);
    std::uint32_t found[max_order];
    int known = 0;
    const int length = static_cast<int>(state.length);
    for (; known < length; ++known) {
        const std::uint64_t place = m.find(known + 1, m.children(known + 1, state.words[known]), code);
        if (place == ~std::uint64_t{0}) break;
        found[known] = static_cast<std::uint32_t>(place);
    }
    float total = known ? m.level(known + 1).logprob(found[known - 1]) : m.singles()[word].logprob;
    total = ngram_kenlm_float(total, word);
    for (int i = known; i < length; ++i) total += m.backoff(i + 1, state.words[i]);
    KenlmState next;
    next.length = static_cast<std::uint32_t>(std::min(known + 1, std::max(1, m.order() - 1)));
    next.words[0] = word;
    std::copy(found, found + next.length - 1, next.words + 1);
    while (next.length > 0) {
        const std::uint32_t last = next.words[next.length - 1];
        const Between below = m.children(static_cast<int>(next.length), last);
        if (below.begin < below.end || m.backoff(static_cast<int>(next.length), last) != 0.0f) break;
        next.words[--next.length] = 0;
    }
    state = next;
    return {total, static_cast<unsigned>(known + 1)};
}

}  // namespace

template <class Model>
std::uint32_t module_word(const Model& model, Bytes text) {
    if constexpr (in_place<Model>) {
        return model.code(kenlm_hash(text));
    } else {
        const std::uint32_t found = model.index().find(text);
        return found == word_unknown ? reserved(text) : found;
    }
}

template <class Model>
KenlmState module_begin(const Model& model) {
    if constexpr (in_place<Model>) {
        return kenlm_begin(model);
    } else {
        KenlmState result;
        result.length = 1;
        result.words[0] = word_begin;
        return result;
    }
}

template <class Model>
bool module_holds(const Model& model, const KenlmState& state) {
    const auto longest = static_cast<std::uint32_t>(std::max(1, model.order() - 1));
    if (state.length > longest) return false;
    if constexpr (in_place<Model>) {
        return std::all_of(state.words, state.words + state.length, [&](std::uint32_t code) { return code < model.bound(); });
    } else if constexpr (std::is_same_v<Model, NgramModel>) {
        return state.length == 0 || state.words[0] < model.shape().counts[state.length - 1];
    } else {
        for (std::uint32_t i = 0; i < state.length; ++i)
            if (state.words[i] >= model.shape().counts[i]) return false;
        return true;
    }
}

template <class Model>
NgramFloat module_step(const Model& model, const KenlmState& before, std::uint32_t word, KenlmState& after) {
    if constexpr (in_place<Model>) {
        return kenlm_step(model, before, word, after);
    } else if constexpr (std::is_same_v<Model, NgramModel>) {
        NgramState state{static_cast<int>(before.length), before.words[0]};
        const NgramFloat result = ngram_float_step(model, state, word);
        after.length = static_cast<std::uint32_t>(state.length);
        after.words[0] = state.length ? state.place : 0;
        return result;
    } else {
        KenlmState state = before;
        const NgramFloat result = float_step(model, state, word);
        after = state;
        return result;
    }
}

namespace {

/// One word after the other, in single precision.
template <class Model>
ModuleTotal total_by_steps(const Model& model, Words<Model>& words, Bytes sentence, ModuleEdges edges) {
    float total = 0.0f;
    std::size_t many = 0;
    follow(model, words, sentence, edges, [&](const ModuleScore& own) {
        total += own.logprob;
        ++many;
    });
    return {total, many - edges.ended};
}

/// A long sentence in parts that are followed side by side, each after the words before it that it depends on: one part
/// waits for memory while the others go on.
template <class Model>
double total_in_parts(const Model& model, const std::vector<std::uint32_t>& numbers) {
    constexpr std::size_t least = 12, most = 12;
    const auto reach = static_cast<std::size_t>(std::max(1, model.order() - 1));
    const std::size_t parts = std::min(most, numbers.size() / least), size = (numbers.size() + parts - 1) / parts;
    std::vector<std::uint32_t> words;
    words.reserve(numbers.size() + parts * reach);
    std::vector<NgramSpan> spans;
    for (std::size_t from = 0; from < numbers.size(); from += size) {
        const std::size_t back = std::min(from, reach), to = std::min(numbers.size(), from + size), at = words.size();
        words.insert(words.end(), numbers.begin() + static_cast<std::ptrdiff_t>(from - back),
                     numbers.begin() + static_cast<std::ptrdiff_t>(to));
        spans.push_back({at, words.size(), at, {}});
    }
    std::vector<double> costs(words.size());
    ngram_follow(model, words.data(), spans.data(), spans.data() + spans.size(), true, costs.data());
    double total = 0.0;
    for (std::size_t i = 0; i < spans.size(); ++i)
        for (std::size_t at = spans[i].begin + std::min(i * size, reach); at < spans[i].end; ++at)
            total += costs[at];
    return total / std::numbers::ln10;
}

constexpr std::size_t long_sentence = 24;

/// The words of a sentence by number, and its end.
template <class Model>
std::vector<std::uint32_t> numbers_of(Words<Model>& words, Bytes sentence, ModuleEdges edges) {
    std::vector<std::uint32_t> result;
    result.reserve(sentence.size / 4 + 2);
    words.of(sentence, [&](std::uint32_t word) { result.push_back(word); });
    if (edges.ended) result.push_back(word_end);
    return result;
}

std::vector<NgramFloat> float_scores(const NgramModel& model, const std::vector<std::uint32_t>& numbers, ModuleEdges edges) {
    std::vector<NgramFloat> result(numbers.size());
    const NgramState before = edges.begun ? ngram_cursor(model) : NgramState{0, 0};
    ngram_float_steps(model, before, numbers.data(), numbers.size(), result.data());
    return result;
}

}  // namespace

template <class Model>
ModuleTotal module_total(const Model& model, Bytes sentence, ModuleEdges edges) {
    Words<Model> words(model);
    if constexpr (std::is_same_v<Model, NgramModel>) {
        if (sentence.size > 4 * long_sentence) {
            float total = 0.0f;
            const auto scored = float_scores(model, numbers_of(words, sentence, edges), edges);
            for (const NgramFloat& own : scored) total += own.logprob;  // one after the other, as KenLM does
            return {total, scored.size() - edges.ended};
        }
    } else if constexpr (!in_place<Model>) {
        if (edges.begun && sentence.size > 4 * long_sentence) {
            const std::vector<std::uint32_t> numbers = numbers_of(words, sentence, edges);
            if (numbers.size() >= long_sentence) {
                const double total = total_in_parts(model, numbers);
                if (std::isfinite(total)) return {static_cast<float>(total), numbers.size() - edges.ended};  // else KenLM has a number for it
            }
        }
    }
    return total_by_steps(model, words, sentence, edges);
}

template <class Model>
std::vector<ModuleScore> module_scores(const Model& model, Bytes sentence, ModuleEdges edges) {
    Words<Model> words(model);
    std::vector<ModuleScore> result;
    if constexpr (std::is_same_v<Model, NgramModel>) {
        const std::vector<std::uint32_t> numbers = numbers_of(words, sentence, edges);
        const auto scored = float_scores(model, numbers, edges);
        const std::size_t many = numbers.size() - edges.ended;
        result.reserve(numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i)
            result.push_back({scored[i].logprob, scored[i].length, i < many && numbers[i] == word_unknown});
        return result;
    }
    follow(model, words, sentence, edges, [&](const ModuleScore& own) { result.push_back(own); });
    return result;
}

template <class Model>
void module_totals(const Model& model, const Bytes* sentences, std::size_t size, ModuleEdges edges, ModuleTotal* out) {
    Words<Model> words(model);
    if constexpr (in_place<Model>) {
        std::fill(out, out + size, ModuleTotal{0.0, 0});
        std::vector<float> sums(size, 0.0f);
        const auto emit = [&](std::uint64_t at, const KenlmMatch& before, const KenlmMatch& own) {
            sums[at] += kenlm_float_cost(before, own);
        };
        model.with([&](const auto& search) {
            using Matcher = KenlmMatcher<std::decay_t<decltype(search)>, decltype(emit)>;
            Matcher matcher(search, model.layout().order, emit);
            for (std::size_t i = 0; i < size; ++i) {
                matcher.restart();
                if (edges.begun) matcher.push(model.begin_code(), Matcher::untagged);
                words.of(sentences[i], [&](std::uint32_t code) {
                    matcher.push(code, i);
                    ++out[i].words;
                });
                if (edges.ended) matcher.push(model.end_code(), i);
            }
            matcher.flush();
        });
        for (std::size_t i = 0; i < size; ++i) out[i].logprob = sums[i];
    } else if (!edges.begun) {
        for (std::size_t i = 0; i < size; ++i) out[i] = module_total(model, sentences[i], edges);
    } else {
        std::vector<std::uint32_t> numbers;
        std::vector<NgramSpan> spans;
        std::vector<std::size_t> ends(size);
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t first = numbers.size();
            words.of(sentences[i], [&](std::uint32_t word) { numbers.push_back(word); });
            out[i].words = numbers.size() - first;
            if (edges.ended) numbers.push_back(word_end);
            ends[i] = numbers.size();
            if (ends[i] > first) spans.push_back({first, ends[i], first, {}});
        }
        std::vector<double> costs(numbers.size());
        ngram_follow(model, numbers.data(), spans.data(), spans.data() + spans.size(), true, costs.data());
        std::size_t at = 0;
        for (std::size_t i = 0; i < size; ++i) {
            double total = 0.0;
            for (; at < ends[i]; ++at) total += costs[at];
            if (std::isfinite(total))
                out[i].logprob = total / std::numbers::ln10;
            else
                out[i] = total_by_steps(model, words, sentences[i], edges);
        }
    }
}

#define MODULE_OF(Model)                                                                                   \
    template std::uint32_t module_word(const Model&, Bytes);                                               \
    template KenlmState module_begin(const Model&);                                                        \
    template bool module_holds(const Model&, const KenlmState&);                                           \
    template NgramFloat module_step(const Model&, const KenlmState&, std::uint32_t, KenlmState&);          \
    template ModuleTotal module_total(const Model&, Bytes, ModuleEdges);                                   \
    template std::vector<ModuleScore> module_scores(const Model&, Bytes, ModuleEdges);                     \
    template void module_totals(const Model&, const Bytes*, std::size_t, ModuleEdges, ModuleTotal*);
MODULE_OF(NgramModel)
MODULE_OF(CompactNgram)
MODULE_OF(KenlmModel)
#undef MODULE_OF

}  // namespace bitmeter
