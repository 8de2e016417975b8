#include "ngram/query/sample.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "ngram/format/search.hpp"
#include "util/sum.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t most_held = std::size_t{1} << 23;  // sums kept at once: 64 MB
constexpr int most_turns = 1000;                         // of drawing again, before all words are gone through

double uniform(Random& random) {
    return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

[[noreturn]] void outside() {
    throw NgramFormatError("a link in it leads out of the file; fetch or train it again");
}

[[noreturn]] void nothing() {
    throw NgramFormatError("after some history every word has probability zero, so that no text can be sampled");
}

}  // namespace

NgramSampler::NgramSampler(const NgramModel& model, double temperature) : model_(model), power_(1.0 / temperature) {
    if (!(temperature > 0.0) || !std::isfinite(power_)) throw std::invalid_argument("the temperature must be above 0");
}

NgramSampler::Place NgramSampler::shorter(Place h) const {
    if (h.length <= 1) return {0, 0};
    const std::uint32_t suffix = model_.nodes(h.length)[h.at].suffix;
    if (suffix >= model_.shape().counts[h.length - 2]) outside();
    return {h.length - 1, suffix};
}

std::uint64_t NgramSampler::first_child(Place h) const {
    return h.length == 0 ? 0 : model_.nodes(h.length)[h.at].child;
}

std::uint64_t NgramSampler::size(Place h) const {
    if (h.length == 0) return model_.words();
    const NgramNode* node = model_.nodes(h.length) + h.at;
    const std::uint64_t all = h.length < model_.order() ? model_.shape().counts[h.length] : 0;
    if (node[0].child > node[1].child || node[1].child > all) outside();
    return node[1].child - node[0].child;
}

std::uint32_t NgramSampler::word(Place h, std::uint64_t child) const {
    if (h.length == 0) return static_cast<std::uint32_t>(child);
    const std::uint32_t found = model_.codes().word(model_.keys(h.length + 1)[child]);
    if (found >= model_.words()) outside();
    return found;
}

double NgramSampler::weight(Place h, std::uint64_t child) const {
    if (h.length == 0 && child == word_begin) return 0.0;
    const int length = h.length + 1;
    const bool leaf = length == model_.order() && length > 1;
    const double log = leaf ? model_.leaves()[child].logprob : model_.nodes(length)[child].logprob;
    return std::exp(log * std::numbers::ln10 * power_);
}

double NgramSampler::weight_below(Place h, std::uint64_t child) const {
    const int length = h.length + 1;
    const std::uint32_t suffix =
        length == model_.order() ? model_.leaves()[child].suffix : model_.nodes(length)[child].suffix;
    if (suffix >= model_.shape().counts[h.length - 1]) outside();
    return weight({h.length - 1, 0}, suffix);
}

bool NgramSampler::has_seen(Place h, std::uint32_t word) const {
    const std::uint64_t begin = first_child(h), many = size(h);
    return many > 0 && find_child(model_.keys(h.length + 1), begin, begin + many, model_.codes().code(word),
                                  model_.codes().bits()) != no_child;
}

NgramSampler::Masses NgramSampler::computed(Place h) {
    Masses result;
    const std::uint64_t begin = first_child(h), many = size(h);
    Compensated seen, below;
    for (std::uint64_t c = begin; c < begin + many; ++c) {
        seen.add(weight(h, c));
        result.sums.push_back(seen.value());
        if (h.length > 0) below.add(weight_below(h, c));
    }
    result.seen = result.total = seen.value();
    if (h.length > 0) {
        // Figures of single precision: what is left of one may come out a rounding below zero.
        const double left = std::max(0.0, masses(shorter(h)).total - below.value());
        const double log = model_.nodes(h.length)[h.at].backoff;
        result.total += left > 0.0 ? left * std::exp(log * std::numbers::ln10 * power_) : 0.0;
    }
    if (!(result.total > 0.0) || !std::isfinite(result.total)) nothing();
    return result;
}

const NgramSampler::Masses& NgramSampler::masses(Place h) {
    const std::uint64_t key = static_cast<std::uint64_t>(h.length) << 32 | h.at;
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    Masses made = computed(h);
    held_ += made.sums.size() + 8;
    return known_.emplace(key, std::move(made)).first->second;
}

std::uint32_t NgramSampler::pick(Place h, const Masses& m, double at) const {
    auto found = static_cast<std::size_t>(std::upper_bound(m.sums.begin(), m.sums.end(), at) - m.sums.begin());
    if (found == m.sums.size()) {  // a rounding at the very end: the last one that has any mass
        --found;
        while (found > 0 && m.sums[found] == m.sums[found - 1]) --found;
    }
    return word(h, first_child(h) + found);
}

std::uint32_t NgramSampler::draw(Place h, Random& random) {
    const Masses& own = masses(h);
    const double at = uniform(random) * own.total;
    if (at < own.seen || h.length == 0) return pick(h, own, at);
    for (int turn = 0; turn < most_turns; ++turn) {
        const std::uint32_t found = draw(shorter(h), random);
        if (!has_seen(h, found)) return found;
    }
    return draw_unseen(h, random);
}

/// Goes through all words: for histories that have seen nearly everything that follows the shorter one.
std::uint32_t NgramSampler::draw_unseen(Place h, Random& random) {
    std::vector<double> logs(model_.words());
    // What the shorter history gives each word, from single words up.
    std::vector<Place> chain;
    for (Place s = shorter(h); s.length > 0; s = shorter(s)) chain.push_back(s);
    for (std::uint32_t w = 0; w < model_.words(); ++w) logs[w] = weight({0, 0}, w);
    for (auto s = chain.rbegin(); s != chain.rend(); ++s) {
        const double log = model_.nodes(s->length)[s->at].backoff;
        const double factor = std::exp(log * std::numbers::ln10 * power_);
        for (double& value : logs) value *= factor;
        const std::uint64_t begin = first_child(*s), many = size(*s);
        for (std::uint64_t c = begin; c < begin + many; ++c) logs[word(*s, c)] = weight(*s, c);
    }
    const std::uint64_t begin = first_child(h), many = size(h);
    for (std::uint64_t c = begin; c < begin + many; ++c) logs[word(h, c)] = 0.0;
    Masses rest;
    Compensated sum;
    for (double value : logs) {
        sum.add(value);
        rest.sums.push_back(sum.value());
    }
    if (!(sum.value() > 0.0) && many == 0) nothing();
    if (!(sum.value() > 0.0)) return pick(h, masses(h), uniform(random) * masses(h).seen);  // all was seen after all
    return pick({0, 0}, rest, uniform(random) * sum.value());
}

void NgramSampler::sentence(Random& random, std::size_t most, std::vector<std::int64_t>& words,
                            std::vector<double>& logprobs) {
    if (held_ > most_held) {
        known_.clear();
        held_ = 0;
    }
    NgramState state;
    for (std::size_t i = 0; i < most; ++i) {
        // A model of single words has no histories.
        const Place h = model_.order() == 1 ? Place{0, 0} : Place{state.length, state.place};
        const std::uint32_t found = draw(h, random);
        words.push_back(found);
        logprobs.push_back(ngram_step(model_, state, found) * std::numbers::ln10);
        if (found == word_end) return;
    }
}

}  // namespace bitmeter
