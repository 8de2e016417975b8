#include "ngram/format/pack.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "coding/quantise.hpp"
#include "util/once.hpp"
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

/// Numbers that must ascend to a limit: a mapped file may have been changed.
class Rising {
public:
    explicit Rising(std::uint64_t limit) : limit_(limit) {}
    template <class Int>
    std::uint64_t checked(Int value) {
        const std::uint64_t found = once(value);
        if (found < last_ || found > limit_) outside();
        return last_ = found;
    }

private:
    std::uint64_t limit_, last_ = 0;
};

}  // namespace

NgramPacker::NgramPacker(const NgramModel& model, unsigned logprob_bits, unsigned backoff_bits, unsigned threads,
                         PageStore* store)
    : m_(model), logprob_bits_(logprob_bits), backoff_bits_(backoff_bits), threads_(threads),
      store_(store ? *store : own_store_), orders_(static_cast<std::size_t>(model.order())), shares_(orders_.size()),
      single_backoffs_(model.words()) {
    m_.evict_with(store_);
    m_.verify(&store_);
    store_.use_disk(!store_.fits(needed()));
    Compensated sum;
    for (std::uint32_t w = 0; w < m_.words(); ++w)
        if (w != word_begin) sum.add(share_of(m_.nodes(1)[w].logprob));
    all_ = sum.value();
    for (std::uint32_t w = 0; w < m_.words(); ++w) single_backoffs_[w] = m_.nodes(1)[w].backoff;
    for (int o = 2; o <= m_.order(); ++o) round_level(o);
    sums_ = true_sums_ = {};
}

/// The bytes of all that is held at once, at most.
std::uint64_t NgramPacker::needed() const {
    CompactShape shape;
    static_cast<NgramShape&>(shape) = m_.shape();
    shape.logprob_bits = logprob_bits_;
    shape.backoff_bits = backoff_bits_;
    std::uint64_t codes = 0, histories = 0;
    for (int o = 2; o <= m_.order(); ++o) {
        codes += m_.shape().counts[o - 1] * sizeof(std::uint16_t) * (o < m_.order() ? 2 : 1);
        const std::uint64_t shorter = o > 2 ? m_.shape().counts[o - 3] : 0;
        histories = std::max(histories, m_.shape().counts[o - 2] * (2 * sizeof(double) + sizeof(float) + 1) +
                                            shorter * 2 * sizeof(double));
    }
    return codes + std::max<std::uint64_t>(histories, CompactNgram::size_of(shape)) + m_.section().size;
}

// ---- the model -------------------------------------------------------------------------------------------------------

Between NgramPacker::children(int length, std::uint64_t place) const {
    const NgramNode* node = m_.nodes(length) + place;
    const Between found{once(node[0].child), once(node[1].child)};
    if (found.begin > found.end || found.end > m_.shape().counts[length]) outside();
    return found;
}

std::uint64_t NgramPacker::suffix(int length, std::uint64_t place) const {
    const std::uint32_t found = once(length == m_.order() ? m_.leaves()[place].suffix : m_.nodes(length)[place].suffix);
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

FloatList NgramPacker::logprobs(int length) const {
    const std::uint64_t count = m_.shape().counts[length - 1];
    if (length == m_.order()) return {&m_.leaves()->logprob, sizeof(NgramLeaf), count};
    return {&m_.nodes(length)->logprob, sizeof(NgramNode), count};
}

float NgramPacker::original_backoff(int length, std::uint64_t place) const { return m_.nodes(length)[place].backoff; }

// ---- rounding --------------------------------------------------------------------------------------------------------

/// The probabilities of the n-grams of this order, and the back-offs of those that are their histories.
void NgramPacker::round_level(int order) {
    Order& own = orders_[order - 1];
    const std::uint64_t count = m_.shape().counts[order - 1], above = m_.shape().counts[order - 2];
    own.logprobs = Codebook::of_logprobs(logprobs(order), logprob_bits_);
    for (float value : own.logprobs.values()) shares_[order - 1].push_back(share_of(value));
    own.logprob_codes = store_.array<std::uint16_t>(count);
    Histories histories{store_.array<float>(above), store_.array<std::uint8_t>(above), store_.array<double>(above)};
    parallel_for((above + task_size - 1) / task_size, threads_, [&](std::size_t task) {
        for (std::uint64_t h = task * task_size; h < std::min(above, (task + 1) * task_size); ++h)
            round_children(order - 1, h, histories);
        store_.keep_within();
    });
    round_backoffs(order - 1, histories);
    true_sums_ = std::move(histories.true_sums);
}

void NgramPacker::round_children(int length, std::uint64_t place, Histories& histories) {
    const Order& own = orders_[length];
    const Between among = children(length, place);
    const float backoff = original_backoff(length, place);
    const double shorter_sum = length == 1 ? all_ : sums_[suffix(length, place)];
    const double true_shorter_sum = length == 1 ? all_ : true_sums_[suffix(length, place)];
    Compensated exact, exact_shorter, shorter, now;
    const PageArray<std::uint16_t>& codes = own.logprob_codes;
    const FloatList values = logprobs(length + 1);
    for (std::uint64_t i = among.begin; i < among.end; ++i) {
        const float value = values[i];
        const std::uint64_t same = suffix(length + 1, i);
        codes[i] = own.logprobs.nearest(value);
        exact.add(share_of(value));
        exact_shorter.add(original(length, same));
        shorter.add(rounded(length, same));
        now.add(shares_[length][codes[i]]);
    }
    const double true_sum = exact.value() + share_of(backoff) * (true_shorter_sum - exact_shorter.value());
    histories.backoffs[place] = backoff;
    histories.true_sums[place] = true_sum;
    histories.whole[place] = std::abs(true_sum - 1.0) <= near_one;
    if (!histories.whole[place] || among.begin == among.end) return;
    // Where rounding takes what is left to other words, the greatest of the probabilities give way.
    const double left = backoff == impossible ? 0.0 : std::max(0.0, 1.0 - exact.value());
    const double most = std::max(1.0 - kept_share * left, exact.value());
    double sum = now.value();
    while (sum > most) {
        std::uint64_t greatest = among.begin;
        for (std::uint64_t i = among.begin; i < among.end; ++i)
            if (codes[i] > codes[greatest]) greatest = i;
        if (codes[greatest] == 0 || shares_[length][codes[greatest] - 1] == 0.0) break;
        --codes[greatest];
        Compensated again;
        for (std::uint64_t i = among.begin; i < among.end; ++i) again.add(shares_[length][codes[i]]);
        sum = again.value();
    }
    const bool exactly = sum == exact.value() && shorter.value() == exact_shorter.value() &&
                         shorter_sum == true_shorter_sum;
    const double others = shorter_sum - shorter.value();
    if (!exactly && backoff != impossible && others > 1e-12 && sum < 1.0)
        histories.backoffs[place] = log10_below((1.0 - sum) / others);
}

/// The sums of children are taken again, which is cheaper than the memory to keep them.
void NgramPacker::round_backoffs(int length, const Histories& histories) {
    Order& own = orders_[length - 1];
    const std::uint64_t count = m_.shape().counts[length - 1];
    const PageArray<float>& wanted = histories.backoffs;
    if (length == 1) {
        single_backoffs_.assign(wanted.begin(), wanted.end());
    } else {
        own.backoffs = Codebook::of_backoffs({wanted.data(), sizeof(float), count}, backoff_bits_);
        own.backoff_codes = store_.array<std::uint16_t>(count);
    }
    PageArray<double> sums = store_.array<double>(count);
    std::mutex guard;
    parallel_for((count + task_size - 1) / task_size, threads_, [&](std::size_t task) {
        double least = 1.0, greatest = 0.0;
        std::uint64_t unsummed = 0;
        for (std::uint64_t h = task * task_size; h < std::min(count, (task + 1) * task_size); ++h) {
            float backoff = wanted[h];
            if (length > 1) {
                own.backoff_codes[h] = own.backoffs.below(backoff);
                backoff = own.backoffs.values()[own.backoff_codes[h]];
            }
            Compensated now, shorter;
            const Between among = children(length, h);
            for (std::uint64_t i = among.begin; i < among.end; ++i) {
                now.add(shares_[length][orders_[length].logprob_codes[i]]);
                shorter.add(rounded(length, suffix(length + 1, i)));
            }
            const double shorter_sum = length == 1 ? all_ : sums_[suffix(length, h)];
            sums[h] = now.value() + share_of(backoff) * std::max(0.0, shorter_sum - shorter.value());
            if (!histories.whole[h]) {
                ++unsummed;
                continue;
            }
            least = std::min(least, sums[h]);
            greatest = std::max(greatest, sums[h]);
        }
        store_.keep_within();
        const std::lock_guard lock(guard);
        least_sum_ = std::min(least_sum_, least);
        greatest_sum_ = std::max(greatest_sum_, greatest);
        unsummed_ += unsummed;
    });
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
    auto result = std::make_unique<CompactNgram>(shape, store_);
    AscendingWriter places = result->word_places();
    Rising offsets(shape.word_bytes);
    for (std::uint64_t w = 0; w <= shape.words; ++w) places.add(offsets.checked(m_.word_offsets()[w]));
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
            if (i % task_size == 0) store_.keep_within();
        }
        if (o == m_.order()) break;
        std::copy(own.backoffs.values().begin(), own.backoffs.values().end(), level.backoffs);
        const unsigned at = level.code_bits + level.logprob_bits;
        for (std::uint64_t i = 0; i < level.count; ++i)
            pack_at(level.records, i * level.width + at, own.backoff_codes[i]);
        AscendingWriter begins(level.shape, level.records, level.width, at + level.backoff_bits, level.high, level.samples);
        Rising childs(m_.shape().counts[o]);
        for (std::uint64_t i = 0; i <= level.count; ++i) {
            begins.add(childs.checked(m_.nodes(o)[i].child));
            if (i % task_size == 0) store_.keep_within();
        }
    }
    result->seal();
    if (const Bytes more = m_.section(); more.size) result->attach({more.data, more.data + more.size});
    return result;
}

}  // namespace bitmeter
