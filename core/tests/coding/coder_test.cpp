#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "coding/quantise.hpp"
#include "coding/range_coder.hpp"
#include "coding/table_coder.hpp"
#include "ngram/coding/coder.hpp"
#include "ngram/estimate/estimate.hpp"
#include "tests/check.hpp"
#include "util/random.hpp"

using namespace bitmeter;

namespace {

struct Symbol {
    std::uint64_t start, size, total;
};

/// Random intervals, among them the narrowest and the whole.
std::vector<Symbol> random_symbols(std::size_t n, std::uint64_t seed) {
    Random random(Seed{seed, 2, 3, 4});
    std::vector<Symbol> result;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t total = 1 + random.next() % (std::uint64_t{1} << (1 + random.next() % 41));
        const std::uint64_t start = random.next() % 4 == 0 ? 0 : random.next() % total;
        const std::uint64_t size = random.next() % 4 == 0 ? total - start : 1 + random.next() % (total - start);
        result.push_back({start, size, total});
    }
    return result;
}

void every_message_comes_back_and_is_as_long_as_it_should_be() {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const auto message = random_symbols(seed % 200, seed);
        RangeEncoder out;
        CodedBits bits;
        for (const Symbol& s : message) {
            out.encode(s.start, s.size, s.total);
            bits.add(s.size, s.total);
        }
        const auto coded = out.finish();
        CHECK(8.0 * static_cast<double>(coded.size()) <= bits.value() + 16.0);
        RangeDecoder in(coded.data(), coded.size());
        for (const Symbol& s : message) {
            const std::uint64_t place = in.find(s.total);
            CHECK(place >= s.start && place < s.start + s.size);
            in.take(s.start, s.size);
        }
        CHECK(in.spent());
    }
}

void carries_run_through_long_rows_of_ones() {
    // The last interval but a little: low grows to 0.ffffff…, then one step carries through all of it.
    for (std::uint64_t total : {3ull, 255ull, 256ull, 257ull, (1ull << 40) + 1}) {
        std::vector<Symbol> message(300, Symbol{total - 1, 1, total});
        message.push_back({0, 1, total});
        RangeEncoder out;
        for (const Symbol& s : message) out.encode(s.start, s.size, s.total);
        const auto coded = out.finish();
        RangeDecoder in(coded.data(), coded.size());
        for (const Symbol& s : message) {
            const std::uint64_t place = in.find(s.total);
            CHECK(place >= s.start && place < s.start + s.size);
            in.take(s.start, s.size);
        }
    }
}

void nothing_costs_nothing() {
    RangeEncoder out;
    CHECK(out.finish().empty());
    for (int i = 0; i < 1000; ++i) out.encode(0, 7, 7);
    CHECK(out.finish().size() <= 1);
}

void the_portable_exponential_is_the_exponential() {
    for (double x = -740.0; x < 0.75; x += 0.001371)
        CHECK(std::fabs(portable_exp(x) - std::exp(x)) <= 4e-16 * std::exp(x) + 1e-320);
    CHECK(portable_exp(0.0) == 1.0);
    for (double x : {709.5, 7.5e22, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        CHECK(portable_exp(x) == std::numeric_limits<double>::infinity());
    CHECK(portable_exp(-std::numeric_limits<double>::infinity()) == 0.0);
    // Side by side they are the same to the bit, where all are plain numbers and where some are not.
    const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
    Random random(Seed{1, 2, 3, 4});
    const auto share = [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
    for (int round = 0; round < 2000; ++round) {
        double x[exps_at_once], found[exps_at_once];
        for (double& one : x) one = 0.5 - 40.0 * share();
        const std::size_t at = random.next() % exps_at_once;
        if (round % 4 == 1) x[at] = -745.0 * share();
        if (round % 4 == 2) x[at] = round % 8 == 2 ? -infinite : -746.0;
        if (round % 4 == 3) x[at] = round % 8 == 3 ? nan : 0.75;
        portable_exps(x, found);
        for (std::size_t i = 0; i < exps_at_once; ++i)
            CHECK(x[i] <= 0.5 ? found[i] == portable_exp(x[i]) : std::isnan(found[i]));
    }
    // The library's own way, which must give the same bits: also of numbers that are not normal.
    for (double x = -744.0; x < 0.5; x += 0.37) {
        const double k = std::floor(x * 1.4426950408889634 + 0.5);
        CHECK(static_cast<double>(ExpParts(x).exponent) == k);
        const double p = portable_exp(x);
        const double scaled = std::floor(std::ldexp(p, 40) + 0.5);
        CHECK(frequency_of(p, 40) == (p > 0.0 && scaled < 1.0 ? 1 : static_cast<std::uint64_t>(scaled)));
    }
    CHECK(frequency_of(0.0, 32) == 0);
    CHECK(frequency_of(1e-300, 32) == 1);
    CHECK(frequency_of(1.0, 32) == std::uint64_t{1} << 32);
}

void adaptive_bytes_cost_what_the_estimator_says() {
    std::vector<std::uint8_t> data;
    Random random(Seed{5, 6, 7, 8});
    for (int i = 0; i < 20000; ++i) data.push_back(static_cast<std::uint8_t>(random.next() % (1 + random.next() % 256)));
    double counts[256] = {}, expected = 0.0;
    for (std::size_t i = 0; i < data.size(); ++i)
        expected -= std::log2((counts[data[i]]++ + 0.5) / (static_cast<double>(i) + 128.0));
    AdaptiveBytes there, back;
    RangeEncoder out;
    CodedBits bits;
    there.encode(data.data(), data.size(), out, bits);
    const auto coded = out.finish();
    CHECK(check::close(bits.value(), expected, 1e-10));
    CHECK(std::fabs(8.0 * static_cast<double>(coded.size()) - expected) < 16.0);
    std::vector<std::uint8_t> found(data.size());
    RangeDecoder in(coded.data(), coded.size());
    back.decode(in, found.size(), found.data());
    CHECK(found == data);
}

void damaged_bytes_end_in_an_error_or_in_symbols() {
    AdaptiveBytes there;
    RangeEncoder out;
    CodedBits bits;
    const std::string text = "to be or not to be";
    there.encode(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), out, bits);
    const auto coded = out.finish();
    for (std::size_t i = 0; i < coded.size(); ++i)
        for (int bit = 0; bit < 8; ++bit) {
            auto wrong = coded;
            wrong[i] = static_cast<std::uint8_t>(wrong[i] ^ (1 << bit));
            std::vector<std::uint8_t> found(text.size());
            AdaptiveBytes back;
            try {
                RangeDecoder in(wrong.data(), wrong.size());
                back.decode(in, found.size(), found.data());
                CHECK(found.size() == text.size());  // the last bits may be free: the same text, or another
            } catch (const CodeError&) {
                CHECK(true);
            }
        }
}

NgramModel fitted(const std::string& text, int order) {
    NgramText in(" \n", false);
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n') ends.push_back(static_cast<std::int64_t>(i) + 1);
    in.feed({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, {ends.data(), ends.size()});
    in.finish();
    NgramEstimator estimator(in, order, 1);
    estimator.sort();
    estimator.grow();
    estimator.link();
    estimator.weigh();
    return std::move(*estimator.model(""));
}

/// Text of a skewed vocabulary in which what follows depends on what came before.
std::string made_text(int lines, std::uint64_t seed) {
    Random random(Seed{seed, 1, 1, 1});
    std::string text;
    std::uint64_t last = 0;
    for (int i = 0; i < lines; ++i) {
        const std::uint64_t words = random.next() % 12;
        for (std::uint64_t w = 0; w < words; ++w) {
            const std::uint64_t span = 1 + random.next() % 300;
            last = random.next() % 3 == 0 ? (last * 7 + 1) % 40 : random.next() % span;
            text += "w" + std::to_string(last) + " ";
        }
        text += "\n";
    }
    return text;
}

void words_cost_what_the_model_says(int order) {
    const NgramModel model = fitted(made_text(600, 1), order);
    const WordTable table = model.table();
    // Words of another text of the same kind, some of them unknown, and every word of the model.
    std::vector<std::uint32_t> message;
    Random random(Seed{9, 9, 9, 9});
    for (int i = 0; i < 6000; ++i) {
        const std::uint64_t pick = random.next() % 20;
        const std::uint32_t any = static_cast<std::uint32_t>(random.next() % model.words());
        message.push_back(pick == 0   ? word_unknown
                          : pick == 1 ? word_end
                          : any == word_begin ? word_end
                          : pick < 8  ? std::min<std::uint32_t>(model.words() - 1, first_word + any % 7)
                                      : any);
    }
    NgramCoder there(model), back(model);
    RangeEncoder out;
    CodedBits bits;
    NgramState state;
    double expected = 0.0, worst = 0.0;
    for (const std::uint32_t word : message) {
        const double before = bits.value();
        there.encode(word, out, bits);
        const double cost = -ngram_step(model, state, word) * std::log2(10.0);
        worst = std::max(worst, std::fabs(bits.value() - before - cost));
        expected += cost;
        if (word == word_end) {
            there.begin();
            state = NgramState{};
        }
    }
    CHECK(worst < 1e-3);
    CHECK(std::fabs(bits.value() - expected) < 1e-4 * static_cast<double>(message.size()));
    const auto coded = out.finish();
    CHECK(std::fabs(8.0 * static_cast<double>(coded.size()) - expected) < 64.0 + 2e-4 * static_cast<double>(message.size()));
    RangeDecoder in(coded.data(), coded.size());
    std::size_t wrong = 0;
    for (const std::uint32_t word : message) {
        wrong += back.decode(in) != word;
        if (word == word_end) back.begin();
    }
    CHECK(wrong == 0);
    CHECK(in.spent());
}

void a_table_may_have_one_symbol_and_impossible_ones() {
    const double inf = std::numeric_limits<double>::infinity();
    const double logs[] = {-inf, 0.0, -inf};
    const FrequencyTable table(logs, 1, 3, 0);
    std::size_t row = table.start();
    RangeEncoder out;
    CodedBits bits;
    const std::int64_t sure[] = {1, 1, 1}, not_sure[] = {1, 2, 1};
    CHECK(table.encode(sure, 3, row, out, bits) == 3);
    CHECK(bits.value() == 0.0);
    CHECK(table.encode(not_sure, 3, row, out, bits) == 1);
    const std::int64_t outside[] = {3};
    CHECK(table.encode(outside, 1, row, out, bits) == 0);
}

/// Three bytes hold three symbols of eight bits, and eight more are read ahead.
void decoding_stops_where_the_bytes_end() {
    const std::uint8_t data[] = {0x9c, 0x01, 0xff};
    RangeDecoder in(data, sizeof data);
    int symbols = 0;
    try {
        for (; symbols < 1000; ++symbols) in.take(in.find(256), 1);
    } catch (const CodeError&) {
    }
    CHECK(symbols >= 3 && symbols <= 12);
}

}  // namespace

int main() {
    every_message_comes_back_and_is_as_long_as_it_should_be();
    carries_run_through_long_rows_of_ones();
    nothing_costs_nothing();
    the_portable_exponential_is_the_exponential();
    adaptive_bytes_cost_what_the_estimator_says();
    damaged_bytes_end_in_an_error_or_in_symbols();
    a_table_may_have_one_symbol_and_impossible_ones();
    decoding_stops_where_the_bytes_end();
    for (int order : {1, 2, 3, 5}) words_cost_what_the_model_says(order);
    return check::report();
}
