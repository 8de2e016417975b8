#include "ngram/format/pack.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "coding/quantise.hpp"
#include "util/parallel.hpp"
#include "util/sum.hpp"

namespace bitmeter {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();
/// A history whose sum is nearer to one than this is meant to sum to one: figures have seven digits.
constexpr double near_one = 1e-3;
/// How much of what a history leaves to other words must remain when its probabilities are rounded.
constexpr double kept_share = 0.8;
constexpr std::uint64_t task_size = 1 << 13;

[[noreturn, gnu::cold]] void outside() {
    throw NgramFormatError("a link in it leads out of the file; fetch or train it again");
}

double share_of(float log10p) { return log10p == impossible ? 0.0 : portable_exp10(log10p); }

/// log10 as a float that is not above.
float log10_below(double x) {
    if (!(x > 0.0)) return impossible;
    const double exact = std::log10(x);
    const auto near = static_cast<float>(exact);
    return static_cast<double>(near) <= exact ? near : std::nextafter(near, impossible);
}

}  // namespace

NgramPacker::NgramPacker(const NgramModel& model, unsigned logprob_bits, unsigned backoff_bits, unsigned threads)
    : m_(model), logprob_bits_(logprob_bits), backoff_bits_(backoff_bits), threads_(threads),
      orders_(static_cast<std::size_t>(model.order())), shares_(orders_.size()), single_backoffs_(model.words()) {
    m_.verify();
    Compensated sum;
    for (std::uint32_t w = 0; w < m_.words(); ++w)
        if (w != word_begin) sum.add(share_of(m_.nodes(1)[w].logprob));
    all_ = sum.value();
    for (std::uint32_t w = 0; w < m_.words(); ++w) single_backoffs_[w] = m_.nodes(1)[w].backoff;
    for (int o = 2; o <= m_.order(); ++o) round_level(o);
}

// ---- the model -------------------------------------------------------------------------------------------------------

Between NgramPacker::children(int length, std::uint64_t place) const {
    const NgramNode* node = m_.nodes(length) + place;
    const Between found{node[0].child, node[1].child};
    if (found.begin > found.end || found.end > m_.shape().counts[length]) outside();
    return found;
}

std::uint64_t NgramPacker::suffix(int length, std::uint64_t place) const {
    const std::uint32_t found = length == m_.order() ? m_.leaves()[place].suffix : m_.nodes(length)[place].suffix;
    if (found >= m_.shape().counts[length - 2]) outside();
    return found;
}

double NgramPacker::original(int length, std::uint64_t place) const {
    if (length == 1 && place == word_begin) return 0.0;
    return share_of(length == m_.order() && length > 1 ? m_.leaves()[place].logprob : m_.nodes(length)[place].logprob);
}

double NgramPacker::rounded(int length, std::uint64_t place) const {
    return length == 1 ? original(1, place) : shares_[length - 1][orders_[length - 1].logprob_codes[place]];
}

float NgramPacker::original_backoff(int length, std::uint64_t place) const { return m_.nodes(length)[place].backoff; }

// ---- rounding --------------------------------------------------------------------------------------------------------

/// The probabilities of the n-grams of this order, and the back-offs of those that are their histories.
void NgramPacker::round_level(int order) {
    Order& own = orders_[order - 1];
    const std::uint64_t count = m_.shape().counts[order - 1], above = m_.shape().counts[order - 2];
    std::vector<float> values(count);
    for (std::uint64_t i = 0; i < count; ++i)
        values[i] = order == m_.order() ? m_.leaves()[i].logprob : m_.nodes(order)[i].logprob;
    own.logprobs = Codebook::of_logprobs(values, logprob_bits_);
    for (float value : own.logprobs.values()) shares_[order - 1].push_back(share_of(value));
    own.logprob_codes.resize(count);
    std::vector<History> histories(above);
    std::vector<double> true_sums(above);
    parallel_for((above + task_size - 1) / task_size, threads_, [&](std::size_t task) {
        std::vector<double> spare;
        for (std::uint64_t h = task * task_size; h < std::min(above, (task + 1) * task_size); ++h) {
            histories[h] = round_children(order - 1, h, spare);
            true_sums[h] = spare.front();
        }
    });
    std::vector<float>().swap(values);
    round_backoffs(order - 1, histories);
    true_sums_ = std::move(true_sums);
}

NgramPacker::History NgramPacker::round_children(int length, std::uint64_t place, std::vector<double>& before) {
    const Order& own = orders_[length];
    const Between among = children(length, place);
    const float backoff = original_backoff(length, place);
    const double shorter_sum = length == 1 ? all_ : sums_[suffix(length, place)];
    const double true_shorter_sum = length == 1 ? all_ : true_sums_[suffix(length, place)];
    History result;
    result.backoff = backoff;
    Compensated exact, exact_shorter, shorter, now;
    auto& codes = orders_[length].logprob_codes;
    for (std::uint64_t i = among.begin; i < among.end; ++i) {
        const float value = length + 1 == m_.order() ? m_.leaves()[i].logprob : m_.nodes(length + 1)[i].logprob;
        const std::uint64_t same = suffix(length + 1, i);
        codes[i] = own.logprobs.nearest(value);
        exact.add(share_of(value));
        exact_shorter.add(original(length, same));
        shorter.add(rounded(length, same));
        now.add(shares_[length][codes[i]]);
    }
    const double true_sum = exact.value() + share_of(backoff) * (true_shorter_sum - exact_shorter.value());
    before.assign(1, true_sum);
    result.sums = std::abs(true_sum - 1.0) <= near_one;
    result.shorter = shorter.value();
    result.own = now.value();
    if (!result.sums || among.begin == among.end) return result;
    // Where rounding takes what is left to other words, the greatest of the probabilities give way.
    const double left = backoff == impossible ? 0.0 : std::max(0.0, 1.0 - exact.value());
    const double most = std::max(1.0 - kept_share * left, exact.value());
    while (result.own > most) {
        std::uint64_t greatest = among.begin;
        for (std::uint64_t i = among.begin; i < among.end; ++i)
            if (codes[i] > codes[greatest]) greatest = i;
        if (codes[greatest] == 0 || shares_[length][codes[greatest] - 1] == 0.0) break;
        --codes[greatest];
        Compensated again;
        for (std::uint64_t i = among.begin; i < among.end; ++i) again.add(shares_[length][codes[i]]);
        result.own = again.value();
    }
    const bool exactly = result.own == exact.value() && result.shorter == exact_shorter.value() &&
                         shorter_sum == true_shorter_sum;
    const double others = shorter_sum - result.shorter;
    if (!exactly && backoff != impossible && others > 1e-12 && result.own < 1.0)
        result.backoff = log10_below((1.0 - result.own) / others);
    return result;
}

void NgramPacker::round_backoffs(int length, std::vector<History>& histories) {
    Order& own = orders_[length - 1];
    std::vector<float> values(histories.size());
    for (std::size_t h = 0; h < histories.size(); ++h) values[h] = histories[h].backoff;
    if (length == 1) {
        single_backoffs_ = values;
    } else {
        own.backoffs = Codebook::of_backoffs(values, backoff_bits_);
        own.backoff_codes.resize(values.size());
    }
    std::vector<double> sums(values.size());
    for (std::size_t h = 0; h < values.size(); ++h) {
        if (length > 1) {
            own.backoff_codes[h] = own.backoffs.below(values[h]);
            values[h] = own.backoffs.values()[own.backoff_codes[h]];
        }
        const double shorter_sum = length == 1 ? all_ : sums_[suffix(length, h)];
        sums[h] = histories[h].own + share_of(values[h]) * std::max(0.0, shorter_sum - histories[h].shorter);
        if (!histories[h].sums) {
            ++unsummed_;
            continue;
        }
        least_sum_ = std::min(least_sum_, sums[h]);
        greatest_sum_ = std::max(greatest_sum_, sums[h]);
    }
    sums_ = std::move(sums);
}

// ---- packing ---------------------------------------------------------------------------------------------------------

std::unique_ptr<CompactNgram> NgramPacker::pack(std::string_view metadata) const {
    CompactShape shape;
    static_cast<NgramShape&>(shape) = m_.shape();
    shape.flags = 0;  // no section yet
    shape.metadata_bytes = metadata.size();
    shape.logprob_bits = logprob_bits_;
    shape.backoff_bits = backoff_bits_;
    auto result = std::make_unique<CompactNgram>(shape);
    AscendingWriter places = result->word_places();
    for (std::uint64_t w = 0; w <= shape.words; ++w) places.add(m_.word_offsets()[w]);
    std::memcpy(result->word_text(), m_.word_text(), shape.word_bytes);
    result->set_metadata(metadata);
    for (std::uint32_t w = 0; w <= m_.words(); ++w) {
        const NgramNode& node = m_.nodes(1)[w];
        result->singles()[w] = w < m_.words() ? CompactWord{node.logprob, single_backoffs_[w], node.child}
                                              : CompactWord{0.0f, 0.0f, node.child};
    }
    for (int o = 2; o <= m_.order(); ++o) {
        const Order& own = orders_[o - 1];
        const CompactLevel& level = result->level(o);
        std::copy(own.logprobs.values().begin(), own.logprobs.values().end(), level.logprobs);
        for (std::uint64_t i = 0; i < level.count; ++i) {
            const std::uint64_t code = m_.codes().code(m_.codes().word(m_.keys(o)[i]));
            pack_at(level.records, i * level.width, code | std::uint64_t{own.logprob_codes[i]} << level.code_bits);
        }
        if (o == m_.order()) break;
        std::copy(own.backoffs.values().begin(), own.backoffs.values().end(), level.backoffs);
        const unsigned at = level.code_bits + level.logprob_bits;
        for (std::uint64_t i = 0; i < level.count; ++i)
            pack_at(level.records, i * level.width + at, own.backoff_codes[i]);
        AscendingWriter begins(level.shape, level.records, level.width, at + level.backoff_bits, level.high, level.samples);
        for (std::uint64_t i = 0; i <= level.count; ++i) begins.add(m_.nodes(o)[i].child);
    }
    result->seal();
    if (const Bytes more = m_.section(); more.size) result->attach({more.data, more.data + more.size});
    return result;
}

}  // namespace bitmeter
