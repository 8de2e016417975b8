#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "ngram/estimate/estimate.hpp"
#include "ngram/format/arpa.hpp"
#include "ngram/format/search.hpp"
#include "ngram/query/query.hpp"
#include "ngram/query/score.hpp"
#include "tests/check.hpp"
#include "tests/texts.hpp"

using namespace bitmeter;

namespace {

using texts::bytes, texts::made_up, texts::text_of, texts::trained, texts::white;

std::string arpa_of(const NgramModel& model) {
    ArpaWriter writer(model);
    std::string result;
    for (std::string part = writer.next(); !part.empty(); part = writer.next()) result += part;
    return result;
}

std::unique_ptr<NgramModel> read(const std::string& arpa, std::size_t block = 1 << 20) {
    ArpaReader reader;
    for (std::size_t at = 0; at < arpa.size(); at += block) {
        const std::string part = arpa.substr(at, block);
        reader.feed(bytes(part));
    }
    return reader.finish(texts::metadata);
}

std::vector<double> logprobs(const NgramModel& m, const std::vector<std::int64_t>& ids,
                             const std::vector<std::int64_t>& bounds, unsigned threads = 1,
                             const std::vector<std::int64_t>& before = {}) {
    std::vector<double> out(ids.size());
    ngram_logprobs(m, {ids.data(), bounds.data(), bounds.size() - 1, before.data(), before.size()}, true, out.data(),
                   threads);
    return out;
}

void test_search() {
    for (std::size_t size : {0u, 1u, 5u, 13u, 100u, 5000u}) {
        for (std::size_t first : {0u, 1u, 15u, 16u}) {
            // Whole lines are read: those of other nodes' children are before and behind, and must not be found.
            std::vector<std::uint32_t> keys((first + size + line_keys - 1) / line_keys * line_keys, 7);
            std::uint32_t at = 0;
            for (std::size_t i = 0; i < size; ++i) keys[first + i] = at += 1 + (i * 7919) % 13;
            std::size_t next = first;
            bool right = true;
            for (std::uint32_t code = 0; code < (1u << 16); ++code) {
                const std::uint64_t found = find_in_lines(keys.data(), first, first + size, code, 16);
                right = right && found == find_child(keys.data(), first, first + size, code, 16);
                if (next < first + size && keys[next] == code)
                    right = right && found == next++;
                else
                    right = right && found == no_child;
            }
            CHECK(right && next == first + size);
        }
    }
    for (std::uint64_t words : {1u, 2u, 3u, 1000u, 65536u, 65537u}) {
        const WordCodes codes(words);
        bool right = codes.code(0) == 0;
        for (std::uint32_t w = 0; w < words; ++w) right = right && codes.word(codes.code(w)) == w;
        CHECK(right);
    }
}

std::vector<std::uint32_t> numbers(const NgramText& text) {
    return {text.ids().begin(), text.ids().end()};
}

void test_text() {
    const auto whole = text_of("to be\n\nor  not\tto be");
    CHECK(whole.sentences() == 3 && whole.words() == 6 && whole.table().size() == 7);
    CHECK((numbers(whole) == std::vector<std::uint32_t>{3, 4, 2, 2, 5, 6, 3, 4, 2}));
    for (std::size_t block = 1; block < 12; ++block)
        CHECK(numbers(text_of("to be\n\nor  not\tto be", white, false, block)) == numbers(whole));
    for (const char* reserved : {"a\nb <s>\n", "a\n</s>\n", "a\n<unk> b"}) {
        std::uint64_t where = 0;
        try {
            text_of(reserved);
        } catch (const ReservedWord& error) {
            where = error.sentence;
        }
        CHECK(where == 2);
    }
    CHECK(text_of("<unk> a", white, true).words() == 2);
}

void test_estimation() {
    const std::string text = made_up(3000, 60);
    const auto words = text_of(text);
    std::string before;
    for (int order : {1, 2, 3, 5, 8, 16}) {
        const auto model = trained(words, order);
        model->verify();
        const auto other = trained(words, order, {}, 3);
        CHECK(model->bytes().size == other->bytes().size &&
              std::memcmp(model->bytes().data, other->bytes().data, model->bytes().size) == 0);
        // Sums to one after every history, seen or not.
        std::vector<double> p(model->words());
        const std::vector<std::vector<std::int64_t>> histories{
            {}, {3}, {3, 4}, {4, 3, 5, 6, 3}, {-1}, {7, 0, 3}, {5, 5, 5, 5, 5, 5, 5, 5}};
        for (const auto& h : histories) {
            ngram_predict(*model, h.data(), h.size(), p.data());
            double sum = 0.0;
            for (double x : p) sum += std::exp(x);
            CHECK(check::close(sum, 1.0, 1e-6));
            // The same as scoring each word after it.
            bool same = true;
            for (std::int64_t w = 0; w < model->words(); ++w) {
                if (w == word_begin) continue;
                auto ids = h;
                ids.push_back(w);
                const auto scored = logprobs(*model, ids, {0, static_cast<std::int64_t>(ids.size())});
                same = same && check::close(scored.back(), p[static_cast<std::size_t>(w)], 1e-12);
            }
            CHECK(same);
        }
    }
    CHECK(trained(text_of(""), 3)->shape().counts[1] == 0);
    CHECK(trained(text_of("\n\n"), 3)->shape().counts[1] == 1);  // <s> </s>
}

void test_wide_keys() {
    // 70,000 words take 17 bits: orders up to 16 need from one to four parts a key.
    std::string text;
    for (int i = 0; i < 70000; ++i) text += "x" + std::to_string(i) + (i % 7 == 6 ? "\n" : " ");
    text += text.substr(0, text.find('\n', text.size() / 3) + 1);
    const auto words = text_of(text);
    for (int order : {4, 5, 9, 13, 16}) {
        const auto model = trained(words, order, {}, 2);
        model->verify();
        CHECK(model->shape().counts[1] == 70000 + 10000);  // within the lines of seven: 8 bigrams each
    }
}

void test_scoring() {
    const auto words = text_of(made_up(2000, 50));
    const auto model = trained(words, 4);
    std::vector<std::int64_t> ids, bounds{0};
    const auto other = text_of(made_up(900, 80));
    for (std::uint32_t w : other.ids()) {
        ids.push_back(w % 7 == 0 ? -1 : w);
        if (w == word_end) bounds.push_back(static_cast<std::int64_t>(ids.size()));
    }
    std::vector<double> plain;
    NgramState state;
    std::size_t document = 1;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (static_cast<std::int64_t>(i) == bounds[document]) state = {}, ++document;
        const std::int64_t id = ids[i] < 0 || ids[i] >= model->words() ? 0 : ids[i];
        plain.push_back(ngram_step(*model, state, static_cast<std::uint32_t>(id)) * std::log(10.0));
    }
    for (unsigned threads : {1u, 3u}) {
        const auto found = logprobs(*model, ids, bounds, threads);
        bool same = true;
        for (std::size_t i = 0; i < ids.size(); ++i) same = same && check::close(found[i], plain[i], 1e-12);
        CHECK(same);
    }
    // One long document, at once and in pieces.
    const std::vector<std::int64_t> one{0, static_cast<std::int64_t>(ids.size())};
    const auto whole = logprobs(*model, ids, one, 2);
    for (std::size_t cut : {1u, 2u, 3u, 700u, 1500u}) {
        const std::vector<std::int64_t> head(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(cut)),
            tail(ids.begin() + static_cast<std::ptrdiff_t>(cut), ids.end());
        const std::vector<std::int64_t> before(head.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, cut)),
                                               head.end());
        const auto rest = logprobs(*model, tail, {0, static_cast<std::int64_t>(tail.size())}, 1, before);
        bool same = true;
        for (std::size_t i = 0; i < rest.size(); ++i) same = same && rest[i] == whole[i + cut];
        CHECK(same);
    }
    std::vector<double> out(1);
    const std::int64_t unknown = -1, span[] = {0, 1};
    ngram_logprobs(*model, {&unknown, span, 1, nullptr, 0}, false, out.data(), 1);
    CHECK(out[0] == -std::numeric_limits<double>::infinity());
}

void test_arpa() {
    const auto model = trained(text_of(made_up(500, 30)), 3);
    const std::string arpa = arpa_of(*model);
    for (std::size_t block : {std::size_t{7}, arpa.size()}) {
        const auto again = read(arpa, block);
        again->verify();
        CHECK(again->bytes().size == model->bytes().size &&
              std::memcmp(again->bytes().data, model->bytes().data, model->bytes().size) == 0);
    }
    // An n-gram whose suffix and history are missing: the probabilities stay.
    const auto gaps = read(
        "words before\n\\data\\\r\nngram 1=5\r\nngram 2 = 1\nngram 3=1\n\n\\1-grams:\n-99 <s> -0.5\n-1 "
        "</s>\n-0.5\ta\t-0.25\n"
        "-0.75 b -0.125\n-2 <UNK>\n\n\\2-grams:\n-0.25 <s> a -0.0625\n\\3-grams:\n-0.125 b a b\n\\end\\\nanything");
    gaps->verify();
    CHECK(gaps->shape().counts[1] == 3);                    // b a and a b were put in
    const auto found = logprobs(*gaps, {4, 3, 4}, {0, 3});  // b a b
    CHECK(check::close(found[0] / std::log(10.0), -0.5 - 0.75, 1e-6));
    CHECK(check::close(found[1] / std::log(10.0), -0.125 - 0.5, 1e-6));
    CHECK(check::close(found[2] / std::log(10.0), -0.125, 1e-6));
    const char* const wrong[] = {
        "",
        "\\data\\\n",
        "\\data\\\nngram 1=1\n\\1-grams:\n-1 a\n",
        "\\data\\\nngram 1=2\n\\1-grams:\n-1 a\n\\end\\\n",
        "\\data\\\nngram 1=1\n\\1-grams:\n1 a\n\\end\\\n",
        "\\data\\\nngram 1=1\n\\1-grams:\nx a\n\\end\\\n",
        "\\data\\\nngram 1=2\n\\1-grams:\n-1 a\n-1 a\n\\end\\\n",
        "\\data\\\nngram 2=1\n",
        "\\data\\\nngram 1=99999999999999999999\n",
        "\\data\\\nngram 1=1\nngram 2=1\n\\1-grams:\n-1 a\n\\2-grams:\n-1 a c\n\\end\\\n",
        "\\data\\\nngram 1=1\n\\2-grams:\n",
        "\\data\\\nngram 1=1\nngram 2=1\n\\1-grams:\n-1 a\n\\end\\\n",
        "\\data\\\n\\1-grams:\n",
        "\\data\\\nngram 1=1\n\\1-grams:\n-1 a b c\n\\end\\\n",
        "\\data\\\nngram 1=1\nngram 2=2\n\\1-grams:\n-1 a\n\\2-grams:\n-1 a a\n-1 a a\n\\end\\\n",
        "\\data\\\nngram 1=1\n\\1-grams:\nnan a\n\\end\\\n"};
    for (const char* text : wrong) {
        bool refused = false;
        try {
            read(text);
        } catch (const ArpaError&) {
            refused = true;
        }
        CHECK(refused);
    }
}

/// A copy of a model's bytes as if from a file.
PageBlock copy(const std::string& content) {
    PageBlock block = PageBlock::zeros(std::max<std::size_t>(1, content.size()));
    std::memcpy(block.data(), content.data(), content.size());
    return block;
}

/// Whatever the bytes are: an error or an answer, never a crash.
bool refused(const std::string& content) {
    try {
        const NgramModel model(copy(content));
        const std::vector<std::int64_t> ids{3, 4, 5, 6, 3, 3, 0, 2}, bounds{0, 8};
        std::vector<double> p(model.words());
        try {
            logprobs(model, ids, bounds);
            ngram_predict(model, ids.data(), 3, p.data());
            arpa_of(model);
            model.table();
            const std::string text = "w1 w2 w3 w1\nw9 unknown and-a-long-word\n";
            const auto ends = line_ends(bytes(text));
            ngram_score(model, {bytes(text), {ends.data(), ends.size()}, ends.size(), nullptr, 0},
                       Separators("\t\n\v\f\r "), NgramEnds::all, true, 1);
        } catch (const NgramFormatError&) {
        }
        model.verify();
        return false;
    } catch (const NgramFormatError&) {
        return true;
    }
}

void test_damage() {
    const auto model = trained(text_of(made_up(40, 12)), 3);
    const std::string good(reinterpret_cast<const char*>(model->bytes().data), model->bytes().size);
    CHECK(!refused(good));
    for (std::size_t size = 0; size < good.size(); size += size < 600 ? 1 : 37) CHECK(refused(good.substr(0, size)));
    CHECK(refused(good + std::string(64, '\0')));
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (int flip : {0x01, 0x80, 0xFF}) {
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] ^ flip);
            CHECK(refused(bad));
        }
    }
    const std::string path = "ngram_test.bmn";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    CHECK(std::fwrite(good.data(), 1, good.size(), file) == good.size());
    std::fclose(file);
    const NgramModel mapped(PageBlock::file(path));
    mapped.verify();
    CHECK(mapped.shape().counts[2] == model->shape().counts[2]);
    std::remove(path.c_str());
}

}  // namespace

int main() {
    test_search();
    test_text();
    test_estimation();
    test_wide_keys();
    test_scoring();
    test_arpa();
    test_damage();
    return check::report();
}
