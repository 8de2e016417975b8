#include <cmath>
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "adaptive/cache.hpp"
#include "tests/check.hpp"

using namespace bitmeter;

namespace {

/// The definition, over the whole history, slowly.
double plain(const std::vector<std::uint32_t>& history, const CacheSettings& s, const std::vector<double>& weights,
             std::uint32_t word) {
    const std::size_t size = history.size(), first = size > s.size ? size - s.size : 0;
    if (size == 0) return 1.0 / static_cast<double>(s.words);
    for (int length = s.order - 1; length >= 0; --length) {
        if (static_cast<std::size_t>(length) > size) continue;
        double total = 0.0, own = 0.0;
        for (std::size_t i = std::max(first, static_cast<std::size_t>(length)); i < size; ++i) {
            bool same = true;
            for (int k = 1; k <= length; ++k) same = same && history[i - k] == history[size - k];
            if (!same) continue;
            const double w = std::pow(s.decay, static_cast<double>(size - i)) * (weights.empty() ? 1.0 : weights[history[i]]);
            total += w;
            if (history[i] == word) own += w;
        }
        if (total > 0.0) return own / total;
    }
    return 0.0;
}

void is_what_its_definition_says() {
    std::vector<std::uint32_t> text;
    std::uint64_t state = 12345;
    for (int i = 0; i < 400; ++i) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        text.push_back(static_cast<std::uint32_t>(state % 5));
    }
    const std::vector<double> weights{1.0, 0.5, 2.0, 1.5, 0.25};
    for (int order : {1, 2, 3, 5})
        for (std::size_t size : {1u, 3u, 50u, 1000u})
            for (double decay : {1.0, 0.99, 0.5})
                for (bool weighted : {false, true}) {
                    const CacheSettings s{order, size, decay, 5};
                    const auto own = weighted ? weights : std::vector<double>{};
                    HistoryCache cache(s, own);
                    std::vector<std::uint32_t> history;
                    bool same = true;
                    for (std::uint32_t word : text) {
                        std::vector<double> out(5);
                        cache.predict(out.data());
                        same = same && check::close(std::accumulate(out.begin(), out.end(), 0.0), 1.0, 1e-12);
                        for (std::uint32_t w = 0; w < 5; ++w) {
                            const double expected = plain(history, s, own, w);
                            same = same && check::close(std::exp(cache.score(w)), expected, 1e-9);
                            same = same && check::close(out[w], expected, 1e-9);
                        }
                        cache.push(word);
                        history.push_back(word);
                    }
                    CHECK(same);
                }
}

/// The kind by its definition, over the whole history.
int plain_kind(const std::vector<std::uint32_t>& history, const CacheSettings& s) {
    const std::size_t size = history.size(), first = size > s.size ? size - s.size : 0;
    for (int length = s.order - 1; length >= 1; --length) {
        std::vector<std::uint32_t> after;
        for (std::size_t i = std::max(first, static_cast<std::size_t>(length)); i < size; ++i) {
            bool same = true;
            for (int k = 1; k <= length; ++k) same = same && history[i - k] == history[size - k];
            if (same) after.push_back(history[i]);
        }
        if (after.empty()) continue;
        const std::size_t count = after.size();
        std::sort(after.begin(), after.end());
        const auto types = static_cast<std::size_t>(std::unique(after.begin(), after.end()) - after.begin());
        const int bin = count >= 16 ? 4 : count >= 8 ? 3 : count >= 4 ? 2 : count >= 2 ? 1 : 0;
        const int spread = types == 1 ? 0 : 2 * types <= count ? 1 : types < count ? 2 : 3;
        return 1 + ((length - 1) * 5 + bin) * 4 + spread;
    }
    return 0;
}

void sorts_histories_by_what_followed_them() {
    std::uint64_t state = 99;
    for (int order : {2, 3, 5})
        for (std::size_t size : {1u, 4u, 60u, 1000u}) {
            const CacheSettings s{order, size, 0.9, 4};
            HistoryCache cache(s);
            CHECK(cache.kinds() == 1 + 20 * (order - 1));
            std::vector<std::uint32_t> history;
            bool same = true;
            for (int i = 0; i < 500; ++i) {
                same = same && cache.kind() == plain_kind(history, s);
                state ^= state << 13, state ^= state >> 7, state ^= state << 17;
                const auto word = static_cast<std::uint32_t>(state % 7 < 4 ? state % 2 : state % 4);
                cache.push(word);
                history.push_back(word);
            }
            CHECK(same);
        }
    HistoryCache words({1, 100, 1.0, 3});
    CHECK(words.kinds() == cache_buckets && words.kind() == words.bucket());
}

void refuses_what_makes_no_sense() {
    for (const CacheSettings s : {CacheSettings{0, 1, 1.0, 1}, {1, 0, 1.0, 1}, {1, 1, 0.0, 1}, {1, 1, 1.0, 0}, {9, 1, 1.0, 1}}) {
        bool refused = false;
        try {
            HistoryCache cache(s);
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused);
    }
}

}  // namespace

int main() {
    is_what_its_definition_says();
    sorts_histories_by_what_followed_them();
    refuses_what_makes_no_sense();
    return check::report();
}
