#include "adaptive/cache.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace bitmeter {
namespace {

/// One to one for a context and a word: 32 bits of the word, mixed with 64 of the context.
std::uint64_t joined(std::uint64_t context, std::uint32_t word) {
    std::uint64_t h = (context ^ (word + 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL;
    h = (h ^ (h >> 29)) * 0x94D049BB133111EBULL;
    return h ^ (h >> 32);
}

constexpr double largest = 1e200;
constexpr int count_bins = 5;   // 1, 2-3, 4-7, 8-15, and more
constexpr int spread_bins = 4;  // one word, at most half as many as came, more, all different

}  // namespace

HistoryCache::HistoryCache(const CacheSettings& settings, std::vector<double> weights)
    : settings_(settings), weights_(std::move(weights)) {
    if (settings.order < 1 || settings.order > 8 || settings.size < 1 || settings.words < 1)
        throw std::invalid_argument("a cache needs an order of 1 to 8, a size and words");
    if (!(settings.decay > 0.0 && settings.decay <= 1.0)) throw std::invalid_argument("decay must be in (0, 1]");
    if (!weights_.empty() && weights_.size() != settings.words) throw std::invalid_argument("a weight for each word");
    words_.resize(settings.words);
    contexts_.resize(static_cast<std::size_t>(settings.order) - 1);
    pairs_.resize(static_cast<std::size_t>(settings.order) - 1);
}

/// The `length` words before a place among the items, as one number.
std::uint64_t HistoryCache::context_before(std::size_t place, int length) const {
    std::uint64_t h = static_cast<std::uint64_t>(length);
    for (int k = length; k >= 1; --k) h = joined(h, items_[place - static_cast<std::size_t>(k)].word);
    return h;
}

/// Adds or takes away the word at a place, with all of its contexts.
void HistoryCache::update(std::size_t place, bool add) {
    const auto [word, weight] = items_[place];
    auto change = [&, weight = weight](Weight& w) { add ? w.add(weight) : w.take(weight); };
    change(words_[word]);
    change(all_);
    for (int length = 1; length < settings_.order && place >= static_cast<std::size_t>(length); ++length) {
        const std::uint64_t context = context_before(place, length), pair = joined(context, word);
        auto &contexts = contexts_[length - 1], &pairs = pairs_[length - 1];
        Weight &whole = contexts[context], &own = pairs[pair];
        whole.types += add && own.count == 0;
        change(whole);
        change(own);
        whole.types -= !add && own.count == 0;
        if (!add && own.count == 0) pairs.erase(pair);
        if (!add && whole.count == 0) contexts.erase(context);
    }
}

double HistoryCache::score(std::uint32_t word) const {
    const std::size_t size = items_.size();
    for (int length = std::min<int>(settings_.order - 1, static_cast<int>(std::min<std::size_t>(size, 8))); length >= 1;
         --length) {
        const std::uint64_t context = context_before(size, length);
        const auto found = contexts_[length - 1].find(context);
        if (found == contexts_[length - 1].end()) continue;
        const auto pair = pairs_[length - 1].find(joined(context, word));
        return pair == pairs_[length - 1].end() ? -std::numeric_limits<double>::infinity()
                                                : std::log(std::min(1.0, pair->second.sum / found->second.sum));
    }
    if (all_.count == 0) return -std::log(static_cast<double>(settings_.words));
    return words_[word].count ? std::log(std::min(1.0, words_[word].sum / all_.sum))
                              : -std::numeric_limits<double>::infinity();
}

int HistoryCache::bucket() const {
    std::uint64_t count = all_.count;
    if (settings_.order == 1) {
        count = count >> 4;  // 0-15, 16-31, 32-63, ...
    } else {
        const int length = settings_.order - 1;
        count = 0;
        if (items_.size() >= static_cast<std::size_t>(length)) {
            const auto found = contexts_[length - 1].find(context_before(items_.size(), length));
            if (found != contexts_[length - 1].end()) count = found->second.count;
        }
    }
    return std::min<int>(cache_buckets - 1, static_cast<int>(std::bit_width(count)));
}

int HistoryCache::kinds() const {
    return settings_.order == 1 ? cache_buckets : 1 + (settings_.order - 1) * count_bins * spread_bins;
}

int HistoryCache::kind() const {
    if (settings_.order == 1) return bucket();
    const std::size_t size = items_.size();
    for (int length = static_cast<int>(std::min<std::size_t>(settings_.order - 1, size)); length >= 1; --length) {
        const auto found = contexts_[length - 1].find(context_before(size, length));
        if (found == contexts_[length - 1].end()) continue;
        const Weight& own = found->second;
        const int count = std::min<int>(count_bins - 1, static_cast<int>(std::bit_width(own.count)) - 1);
        const int spread = own.types == 1 ? 0 : 2 * own.types <= own.count ? 1 : own.types < own.count ? 2 : 3;
        return 1 + ((length - 1) * count_bins + count) * spread_bins + spread;
    }
    return 0;
}

void HistoryCache::rescale() {
    const double factor = 1.0 / now_;
    for (Item& item : items_) item.weight *= factor;
    auto scale = [&](Weight& w) { w.sum *= factor; };
    for (Weight& w : words_) scale(w);
    scale(all_);
    for (auto* maps : {&contexts_, &pairs_})
        for (auto& map : *maps)
            for (auto& [key, w] : map) scale(w);
    now_ = 1.0;
}

void HistoryCache::push(std::uint32_t word) {
    if (word >= settings_.words) throw std::invalid_argument("a word that the cache does not have");
    items_.push_back({word, now_ * own_weight(word)});
    update(items_.size() - 1, true);
    if (++remembered_ > settings_.size) {
        update(items_.size() - remembered_, false);
        --remembered_;
        if (items_.size() - remembered_ > static_cast<std::size_t>(settings_.order - 1)) items_.pop_front();
    }
    now_ /= settings_.decay;
    if (now_ > largest) rescale();
}

void HistoryCache::predict(double* out) const {
    std::fill(out, out + settings_.words, 0.0);
    if (all_.count == 0) {
        std::fill(out, out + settings_.words, 1.0 / static_cast<double>(settings_.words));
        return;
    }
    const std::size_t size = items_.size(), first = size - remembered_;
    for (int length = std::min<int>(settings_.order - 1, static_cast<int>(std::min<std::size_t>(size, 8))); length >= 0;
         --length) {
        double total = 0.0;
        for (std::size_t i = std::max(first, static_cast<std::size_t>(length)); i < size; ++i) {
            bool same = true;
            for (int k = 1; same && k <= length; ++k)
                same = items_[i - static_cast<std::size_t>(k)].word == items_[size - static_cast<std::size_t>(k)].word;
            if (!same) continue;
            total += items_[i].weight;
            out[items_[i].word] += items_[i].weight;
        }
        if (total > 0.0) {
            for (std::size_t w = 0; w < settings_.words; ++w) out[w] /= total;
            return;
        }
    }
}

}  // namespace bitmeter
