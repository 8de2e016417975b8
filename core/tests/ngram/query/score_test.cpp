#include "ngram/query/score.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ngram/estimate/estimate.hpp"
#include "ngram/follow/follow.hpp"
#include "ngram/query/query.hpp"
#include "tests/check.hpp"
#include "tests/texts.hpp"

using namespace bitmeter;

namespace {

using texts::bytes, texts::text_of, texts::trained, texts::white;

/// Words short and long, white space of all kinds, blank lines, and now and then a word that no training text has.
std::string made_up(std::mt19937_64& random, std::size_t lines, bool with_unknown) {
    static const char* const gaps[] = {" ", "  ", "\t", " \r", "\v "};
    std::string result;
    for (std::size_t i = 0; i < lines; ++i) {
        if (random() % 7 == 0) result += gaps[random() % 5];
        for (std::size_t words = random() % 12, w = 0; w < words; ++w) {
            const std::size_t kind = (random() % 40) * (random() % 40) / 40;
            result += std::string(1 + kind % 17, static_cast<char>('a' + kind % 5)) + std::to_string(kind);
            if (with_unknown && random() % 9 == 0) result += "?";
            result += gaps[random() % 5];
        }
        result += "\n";
    }
    return result;
}

/// The long way: split by a table, ends added one document at a time, then scored by numbers.
struct Slow {
    std::vector<std::int64_t> ids, cuts, bounds;
    std::vector<std::uint8_t> blank;
    std::vector<double> logprobs;
};

Slow slowly(const NgramModel& model, const NgramBytes& text, NgramEnds way, bool class_of_unknown) {
    const WordTable table = model.table();
    const WordSplit split = split_words(text.text, text.ends, Separators(white), &table);
    Slow result;
    result.bounds.push_back(0);
    for (std::size_t d = 0; d + 1 < split.bounds.size(); ++d) {
        const auto first = static_cast<std::size_t>(split.bounds[d]), last = static_cast<std::size_t>(split.bounds[d + 1]);
        bool ended = false;
        for (std::size_t i = first; i < last; ++i) {
            const bool blank = split.ids[i] == blank_document;
            const bool is_end = blank && way == NgramEnds::all;
            ended = ended || blank;
            result.ids.push_back(is_end ? word_end : split.ids[i]);
            result.cuts.push_back(split.cuts[i]);
            result.blank.push_back(blank && !is_end);
        }
        if (d < text.finished && way != NgramEnds::none && !ended) {
            result.ids.push_back(word_end);
            result.cuts.push_back(text.ends.data[d]);
            result.blank.push_back(0);
        }
        result.bounds.push_back(static_cast<std::int64_t>(result.ids.size()));
    }
    result.cuts.push_back(static_cast<std::int64_t>(text.text.size));
    result.logprobs.resize(result.ids.size());
    ngram_logprobs(model, {result.ids.data(), result.bounds.data(), result.bounds.size() - 1, text.before, text.before_size},
                   class_of_unknown, result.logprobs.data(), 1);
    return result;
}

template <class A, class B>
bool same(const A& a, const B& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

void compare(const NgramModel& model, const NgramBytes& text) {
    for (NgramEnds way : {NgramEnds::none, NgramEnds::all, NgramEnds::nonblank})
        for (bool known : {true, false}) {
            const Slow slow = slowly(model, text, way, known);
            for (unsigned threads : {1u, 3u}) {
                const NgramScored fast = ngram_score(model, text, Separators(white), way, known, threads);
                CHECK(same(fast.ids, slow.ids) && same(fast.cuts, slow.cuts) && same(fast.bounds, slow.bounds));
                CHECK(same(fast.blank, slow.blank) && same(fast.logprobs, slow.logprobs));
            }
        }
}

void test_score() {
    std::mt19937_64 random(5);
    const std::string training = made_up(random, 3000, false);
    for (int order : {1, 2, 3, 5}) {
        const auto model = trained(text_of(training), order);
        for (std::size_t lines : {0u, 1u, 3u, 40u, 4000u}) {
            const std::string text = made_up(random, lines, true);
            const auto by_line = line_ends(bytes(text));
            std::vector<std::int64_t> ends[] = {by_line, {}, {static_cast<std::int64_t>(text.size())}};
            for (int i = 0; i < 30 && !text.empty(); ++i)  // anywhere, also within words, and twice at one place
                ends[1].push_back(static_cast<std::int64_t>(random() % (text.size() + 1)));
            ends[1].insert(ends[1].end(), 2, static_cast<std::int64_t>(text.size()));
            std::sort(ends[1].begin(), ends[1].end());
            const std::int64_t before[] = {4, -1, 3};
            for (const auto& places : ends)
                for (std::size_t open : {0u, 1u}) {
                    const std::size_t finished = places.size() - std::min(open, places.size());
                    compare(*model, {bytes(text), {places.data(), places.size()}, finished, before, 3 * open});
                }
        }
    }
    // A document whose first word comes after more white space than a piece has bytes, and one of white space alone.
    const auto model = trained(text_of(training), 3);
    const std::string space = std::string(200000, ' ') + "a0 bb1 " + std::string(300000, '\t') + "a0 ccc2";
    const std::int64_t end[] = {static_cast<std::int64_t>(space.size())}, blank[] = {200000};
    compare(*model, {bytes(space), {end, 1}, 1, nullptr, 0});
    compare(*model, {{bytes(space).data, 200000}, {blank, 1}, 1, nullptr, 0});
}

/// Every kernel that the machine has, and one word after the other: the same figures to the bit.
void test_follow() {
    std::mt19937_64 random(11);
    const Cpu processor = detect_cpu();
    const std::string training = made_up(random, 3000, false);
    for (int order : {1, 2, 3, 5, 16}) {
        const auto model = trained(text_of(training), order);
        for (std::size_t many : {1u, 5u, 70u, 1000u}) {
            std::vector<std::uint32_t> words;
            std::vector<NgramSpan> spans;
            for (std::size_t i = 0; i < many; ++i) {
                const std::size_t read_from = words.size(), before = random() % 4, size = 1 + random() % 30;
                for (std::size_t w = 0; w < before + size; ++w) {
                    const auto any = static_cast<std::uint32_t>(random() % model->words());
                    words.push_back(any == word_begin ? word_unknown : any / (1 + random() % 5));
                    if (words.back() == word_begin) words.back() = word_end;
                }
                spans.push_back({read_from + before, words.size(), read_from, NgramState{}});
            }
            for (bool known : {true, false}) {
                std::vector<double> slow(words.size(), 1.0);
                const NgramSpan *from = spans.data(), *to = from + spans.size();
                for (const NgramSpan& s : spans) {
                    NgramState state = s.state;
                    for (std::size_t i = s.read_from; i < s.end; ++i) {
                        const double scored = ngram_step(*model, state, words[i]) * std::log(10.0);
                        if (i >= s.begin) slow[i] = words[i] == word_unknown && !known ? -HUGE_VAL : scored;
                    }
                }
                for (CpuLevel level : levels_of(processor)) {
                    std::vector<double> found(words.size(), 1.0);
                    ngram_follow(*model, words.data(), from, to, known, found.data(), {level, processor.features});
                    CHECK(found == slow);
                }
            }
        }
    }
}

/// A damaged link must be reported, wherever it is met, and nothing outside of the model be read.
void test_damaged_links() {
    std::mt19937_64 random(12);
    const std::string training = made_up(random, 2000, false), text = made_up(random, 2000, true);
    const auto ends = line_ends(bytes(text));
    for (int round = 0; round < 60; ++round) {
        const auto model = trained(text_of(training), 3);
        const int order = 1 + round % 3;
        const std::uint64_t count = model->shape().counts[order - 1];
        for (int i = 0; i < 1 + round; ++i) {
            const std::uint64_t place = random() % count;
            const auto wrong = static_cast<std::uint32_t>(random() >> (random() % 40));
            if (order == 3)
                model->leaves()[place].suffix = wrong;
            else if (round % 2)
                model->nodes(order)[place].child = wrong;
            else
                model->nodes(order)[place].suffix = wrong;
        }
        try {
            (void)ngram_score(*model, {bytes(text), {ends.data(), ends.size()}, ends.size(), nullptr, 0}, Separators(white),
                             NgramEnds::all, true, 1);
        } catch (const NgramFormatError&) {
        }
    }
}

void test_index() {
    std::mt19937_64 random(7);
    std::string training;
    for (int i = 0; i < 5000; ++i) training += std::string(1 + random() % 30, static_cast<char>('a' + random() % 26)) + std::to_string(random() % 1000) + " ";
    training += std::string("\0 a\0 a\0\0 \xff\xfe", 11) + " 12345678901 123456789012\n";
    const auto model = trained(text_of(training), 1);
    const WordIndex index = model->index();
    const WordTable table = model->table();
    bool right = true;
    for (std::uint32_t i = first_word; i < model->words(); ++i) {
        const Bytes word = model->word(i);
        const std::string copy(reinterpret_cast<const char*>(word.data), word.size);  // nothing readable behind it
        right = right && index.find(bytes(copy)) == i && table.find(bytes(copy)) == i;
        for (const std::string& other : {copy + "x", copy + std::string(1, '\0'), copy.substr(1), "x" + copy})
            right = right && std::max<std::int64_t>(0, table.find(bytes(other))) == index.find(bytes(other));
    }
    CHECK(right);
    for (const char* hidden : {"<unk>", "<s>", "</s>", "", "\n0"}) CHECK(index.find(bytes(hidden)) == 0);
}

void test_states() {
    std::mt19937_64 random(9);
    const std::string training = made_up(random, 500, false), text = made_up(random, 60, true);
    for (int order : {1, 2, 4}) {
        const auto model = trained(text_of(training), order);
        const auto ends = line_ends(bytes(text));
        const NgramBytes whole{bytes(text), {ends.data(), ends.size()}, ends.size(), nullptr, 0};
        const NgramScored scored = ngram_score(*model, whole, Separators(white), NgramEnds::all, true, 1);
        bool right = true;
        for (std::size_t d = 0; d + 1 < scored.bounds.size(); ++d) {
            NgramState state;
            double sum = 0.0;
            for (auto i = static_cast<std::size_t>(scored.bounds[d]); i < static_cast<std::size_t>(scored.bounds[d + 1]); ++i) {
                double found;
                right = right && ngram_holds(*model, state);
                ngram_extend(*model, &state, &scored.ids[i], 1, true, &found, 1);
                right = right && found == scored.logprobs[i];
                sum += found;
            }
            const std::size_t from = d ? static_cast<std::size_t>(ends[d - 1]) : 0;
            const Bytes line{bytes(text).data + from, static_cast<std::size_t>(ends[d]) - from};
            right = right && check::close(ngram_sentence(*model, line, Separators(white), true, true), sum, 1e-12);
        }
        CHECK(right);
        CHECK(ngram_holds(*model, {0, 0}) && !ngram_holds(*model, {0, 1}));  // no history at all
        CHECK(!ngram_holds(*model, {order + 1, 0}) && !ngram_holds(*model, {1, model->words()}));
    }
}

}  // namespace

int main() {
    test_score();
    test_follow();
    test_damaged_links();
    test_index();
    test_states();
    return check::report();
}
