#include "theory/matches.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/check.hpp"

using Text = std::vector<std::uint8_t>;

namespace {

template <class Index>
std::vector<Index> sorted_suffixes(const Text& text) {
    std::vector<Index> places(text.size());
    std::iota(places.begin(), places.end(), Index{0});
    std::sort(places.begin(), places.end(), [&](Index a, Index b) {
        return std::lexicographical_compare(text.begin() + a, text.end(), text.begin() + b, text.end());
    });
    return places;
}

std::size_t common(const Text& text, std::size_t a, std::size_t b) {
    std::size_t length = 0;
    while (std::max(a, b) + length < text.size() && text[a + length] == text[b + length]) ++length;
    return length;
}

template <class Index>
void check_text(const Text& text) {
    const std::size_t n = text.size();
    const auto places = sorted_suffixes<Index>(text);
    const auto longest = bitmeter::longest_previous(text.data(), places.data(), n, 1);
    std::size_t phrases = 0;
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t best = 0;
        for (std::size_t j = 0; j < i; ++j) best = std::max(best, common(text, i, j));
        CHECK(static_cast<std::size_t>(longest[i]) == best);
    }
    for (std::size_t i = 0; i < n; i += 1 + static_cast<std::size_t>(longest[i])) ++phrases;
    CHECK(bitmeter::lz76_phrases(longest.data(), n) == phrases);

    const auto shared = bitmeter::common_prefixes(text.data(), places.data(), n, 1);
    for (std::size_t i = 0; i < n; ++i)
        CHECK(static_cast<std::size_t>(shared[i]) ==
              (i == 0 ? 0 : common(text, static_cast<std::size_t>(places[i - 1]), static_cast<std::size_t>(places[i]))));

    for (std::size_t length = 1; length <= n; length += 1 + length / 4) {
        std::map<Text, std::int64_t> counts;
        for (std::size_t i = 0; i + length <= n; ++i) ++counts[Text(text.begin() + i, text.begin() + i + length)];
        std::map<std::int64_t, std::int64_t> kinds;
        for (const auto& entry : counts) ++kinds[entry.second];
        CHECK(shared == bitmeter::common_prefixes(text.data(), places.data(), text.size(), 3));
    const auto blocks = bitmeter::count_blocks(places.data(), shared.data(), n, length);
        CHECK(blocks.counts.size() == kinds.size());
        std::size_t j = 0;
        for (auto [count, number] : kinds) {
            CHECK(blocks.counts[j] == count && blocks.kinds[j] == number);
            ++j;
        }
        CHECK(blocks.last == counts[Text(text.end() - static_cast<std::ptrdiff_t>(length), text.end())]);
    }

    std::set<Text> dictionary;
    Text phrase;
    for (auto symbol : text) {
        phrase.push_back(symbol);
        if (dictionary.insert(phrase).second) phrase.clear();
    }
    CHECK(bitmeter::lz78_phrases(text.data(), n) == dictionary.size() + !phrase.empty());
}

void test_small_texts() {
    std::mt19937 random(3);
    check_text<std::int32_t>({7});
    for (int trial = 0; trial < 40; ++trial) {
        Text text(1 + random() % 80);
        unsigned kinds = 1 + random() % 4, period = trial % 3 == 0 ? 1 + random() % 7 : 1000;
        for (std::size_t i = 0; i < text.size(); ++i)
            text[i] = static_cast<std::uint8_t>(i < period ? random() % kinds : text[i - period]);
        check_text<std::int32_t>(text);
        check_text<std::int64_t>(text);
    }
}

void test_many_threads() {
    std::mt19937 random(4);
    Text text(3 << 16);  // just enough for three shares
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = i % 500 < 480 ? random() % 200 : text[i - 480];
    const auto places = sorted_suffixes<std::int32_t>(text);
    const auto longest = bitmeter::longest_previous(text.data(), places.data(), text.size(), 1);
    CHECK(longest == bitmeter::longest_previous(text.data(), places.data(), text.size(), 3));
    const auto one = bitmeter::match_means(longest.data(), longest.size(), 1);
    const auto many = bitmeter::match_means(longest.data(), longest.size(), 3);
    CHECK(one.length_over_log == many.length_over_log && one.log_over_length == many.log_over_length);
    const auto shared = bitmeter::common_prefixes(text.data(), places.data(), text.size(), 1);
    CHECK(shared == bitmeter::common_prefixes(text.data(), places.data(), text.size(), 3));
    const auto blocks = bitmeter::count_blocks(places.data(), shared.data(), text.size(), 1);
    CHECK(std::accumulate(blocks.kinds.begin(), blocks.kinds.end(), std::int64_t{0}) == 200);
}

void test_match_means() {
    const std::int32_t longest[] = {0, 0, 2};
    const auto means = bitmeter::match_means(longest, 3, 1);
    CHECK(check::close(means.length_over_log, (1.0 + 3.0 / std::log2(3.0)) / 2, 1e-15));
    CHECK(check::close(means.log_over_length, (1.0 + std::log2(3.0) / 3.0) / 2, 1e-15));
    CHECK(bitmeter::match_means(longest, 1, 1).length_over_log == 0.0);
}

template <class Call>
bool refuses(Call&& call) {
    try {
        call();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

void test_bad_input() {
    const Text text = {1, 2, 1};
    const std::int32_t outside[] = {0, 3, 1}, negative[] = {0, -1, 1}, common[] = {0, 0, 0};
    CHECK(refuses([&] { bitmeter::longest_previous(text.data(), outside, 3, 1); }));
    CHECK(refuses([&] { bitmeter::common_prefixes(text.data(), negative, 3, 1); }));
    CHECK(refuses([&] { bitmeter::count_blocks(outside, common, 3, 0); }));
    CHECK(refuses([&] { bitmeter::count_blocks(outside, common, 3, 4); }));
}

}  // namespace

int main() {
    test_small_texts();
    test_many_threads();
    test_match_means();
    test_bad_input();
    return check::report();
}
