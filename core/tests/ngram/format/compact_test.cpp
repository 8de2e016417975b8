#include "ngram/format/compact.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ngram/estimate/estimate.hpp"
#include "ngram/format/arpa.hpp"
#include "ngram/format/codebook.hpp"
#include "ngram/format/pack.hpp"
#include "ngram/query/context.hpp"
#include "ngram/query/score.hpp"
#include "tests/check.hpp"
#include "tests/texts.hpp"

using namespace bitmeter;

namespace {

using texts::bytes, texts::text_of, texts::trained;

texts::Draws draw;
std::string made_up(std::size_t lines, unsigned kinds) { return texts::made_up(lines, kinds, draw); }

template <class Model>
std::vector<double> scored(const Model& model, const std::string& text, unsigned threads = 1) {
    const auto ends = line_ends(bytes(text));
    const NgramBytes all{bytes(text), {ends.data(), ends.size()}, ends.size(), nullptr, 0};
    auto found = ngram_score(model, all, Separators(" \n"), NgramEnds::all, true, threads);
    return {found.logprobs.begin(), found.logprobs.end()};
}

/// As a file's map would be.
std::unique_ptr<CompactNgram> reopened(const std::string& file) {
    PageBlock block = PageBlock::zeros(file.size());
    std::memcpy(block.data(), file.data(), file.size());
    return std::make_unique<CompactNgram>(std::move(block));
}

std::string file_of(const CompactNgram& model) {
    std::string result(reinterpret_cast<const char*>(model.bytes().data), model.bytes().size);
    const Bytes more = model.section();
    return result + std::string(reinterpret_cast<const char*>(more.data), more.size);
}

void test_codebook() {
    std::vector<float> few{-1.5f, -0.25f, -1.5f, -std::numeric_limits<float>::infinity(), 0.0f};
    const Codebook exact = Codebook::of_logprobs(few, 4);
    CHECK(exact.values().size() == 4);
    for (float value : few) CHECK(exact.values()[exact.nearest(value)] == value);
    std::vector<float> many{-std::numeric_limits<float>::infinity(), 0.0f};
    for (int i = 0; i < 20000; ++i) many.push_back(-static_cast<float>(draw() % 1000000) / 2e5f - 1e-4f);
    const Codebook book = Codebook::of_logprobs(many, 8), below = Codebook::of_backoffs(many, 8);
    CHECK(book.values().size() <= 256 && below.values().size() <= 256);
    CHECK(std::is_sorted(book.values().begin(), book.values().end()));
    double worst = 0.0;
    bool down = true;
    for (float value : many) {
        const float near = book.values()[book.nearest(value)], under = below.values()[below.below(value)];
        if (std::isfinite(value) && value < -0.5f) worst = std::fmax(worst, std::fabs(near - value));
        down = down && under <= value;
        if (!std::isfinite(value) || value == 0.0f) CHECK(near == value && under == value);
    }
    CHECK(worst < 0.06);  // 5 decades in 254 steps, none wider than twice the even ones of the odds
    CHECK(down);
}

/// The compact form says to the bit what its expansion says, however it is asked.
void test_same() {
    const std::string text = made_up(3000, 60), other = made_up(200, 90);
    for (int order = 1; order <= 5; ++order) {
        const auto model = trained(text_of(text), order);
        const NgramPacker packer(*model, 6, 8, 1);
        const auto compact = packer.pack("{\"about\": 2}");
        compact->verify();
        CHECK(compact->metadata() == "{\"about\": 2}");
        const auto fast = compact->expanded(2);
        fast->verify();
        CHECK(file_of(*NgramPacker(*model, 6, 8, 3).pack("{\"about\": 2}")) == file_of(*compact));
        const auto expected = scored(*fast, other);
        CHECK(scored(*compact, other) == expected && scored(*compact, other, 2) == expected);
        CHECK(scored(*reopened(file_of(*compact)), other) == expected);
        for (std::uint32_t w = 0; w < model->words(); ++w) {
            const Bytes a = model->word(w), b = compact->word(w);
            CHECK(a.size == b.size && std::memcmp(a.data, b.data, a.size) == 0);
        }
        NgramState a, b;
        std::vector<std::int64_t> history;
        std::vector<double> row(model->words()), other_row(model->words());
        for (int i = 0; i < 300; ++i) {
            const auto word = static_cast<std::uint32_t>(draw() % model->words());
            if (word == word_begin) continue;
            CHECK(ngram_step(*fast, a, word) == ngram_step(*compact, b, word) && a.length == b.length && a.place == b.place);
            history.push_back(word);
            ngram_predict(*fast, history.data(), history.size(), row.data());
            ngram_predict(*compact, history.data(), history.size(), other_row.data());
            CHECK(row == other_row);
        }
        std::vector<std::int64_t> bounds{0, static_cast<std::int64_t>(history.size())}, lengths(history.size()), found(history.size());
        std::vector<double> backs(history.size()), found_backs(history.size());
        const NgramDocuments all{history.data(), bounds.data(), 1, nullptr, 0};
        ngram_contexts(*fast, all, lengths.data(), backs.data());
        ngram_contexts(*compact, all, found.data(), found_backs.data());
        CHECK(lengths == found && backs == found_backs);
        CHECK(ngram_sentence(*fast, bytes("w1 w2 w0 what"), Separators(" "), true, true) ==
              ngram_sentence(*compact, bytes("w1 w2 w0 what"), Separators(" "), true, true));
    }
}

/// No context sums to more than one, and to little less.
void test_sums() {
    const auto model = trained(text_of(made_up(4000, 80)), 4);
    for (const unsigned bits : {4u, 8u}) {
        const NgramPacker packer(*model, bits, bits + 2, 1);
        CHECK(packer.unsummed() == 0 && packer.greatest_sum() < 1.0 + 1e-6);  // single words are floats
        const auto compact = packer.pack("{}");
        double least = 2.0, most = 0.0;
        std::vector<double> row(model->words());
        for (int i = 0; i < 500; ++i) {
            std::vector<std::int64_t> history(draw() % 4);
            for (auto& word : history) word = static_cast<std::int64_t>(3 + draw() % 30);
            ngram_predict(*compact, history.data(), history.size(), row.data());
            double sum = 0.0;
            for (double x : row) sum += std::exp(x);
            least = std::fmin(least, sum);
            most = std::fmax(most, sum);
        }
        CHECK(most < 1.0 + 1e-6 && least > packer.least_sum() - 1e-6);
        CHECK(least > (bits == 4 ? 0.8 : 0.98));
    }
    // Scores that are no probabilities stay as they are.
    SmoothingPlan plan;
    plan.method = smoothing_named("stupid-backoff");
    plan.parameter = 0.4;
    const auto scores = trained(text_of(made_up(500, 30)), 3, plan);
    const NgramPacker packer(*scores, 14, 16, 1);
    CHECK(packer.unsummed() > 0);
    CHECK(scored(*packer.pack("{}"), "w1 w2 w3\n") == scored(*scores, "w1 w2 w3\n"));
}

/// Every byte of a small file turned, and every length: an error or figures of some kind, never more.
void test_damage() {
    const std::string text = made_up(40, 12);
    auto compact = NgramPacker(*trained(text_of(text), 3), 4, 6, 1).pack("{}");
    compact->attach({1, 2, 3});
    const std::string file = file_of(*compact);
    reopened(file)->verify();
    std::size_t refused = 0, caught = 0;
    for (std::size_t at = 0; at < file.size(); ++at)
        for (const int turned : {0x01, 0x80, 0xFF}) {
            std::string bad = file;
            bad[at] = static_cast<char>(bad[at] ^ turned);
            try {
                const auto model = reopened(bad);
                try {
                    model->verify();
                } catch (const NgramFormatError&) {
                    ++caught;
                }
                scored(*model, text.substr(0, 200));
                std::vector<double> row(model->words());
                const std::int64_t history[] = {3, 4, 5};
                ngram_predict(*model, history, 3, row.data());
                NgramState place;
                for (std::uint32_t w = 3; w < model->words(); ++w) ngram_step(*model, place, w);
                for (std::uint32_t i = 0; i < model->shape().counts[1]; ++i) {
                    NgramState any{2, i};
                    ngram_step(*model, any, 4);
                }
            } catch (const NgramFormatError&) {
                ++refused;
            }
        }
    CHECK(refused > 100 && caught > 3 * (file.size() - 300));  // all but the unused end of the header and the section
    for (std::size_t size = 0; size + 3 < file.size(); size += 1 + size / 300) {
        bool error = false;
        try {
            if (size) reopened(file.substr(0, size));
        } catch (const NgramFormatError&) {
            error = true;
        }
        CHECK(error || size == 0);
    }
}

/// What a careful forger would write: sound checksums over wrong bytes.
void test_forgery() {
    const std::string text = made_up(60, 12);
    const auto model = trained(text_of(text), 4);
    std::size_t passed = 0;
    for (int round = 0; round < 4000; ++round) {
        auto forged = NgramPacker(*model, 4, 6, 1).pack("{}");
        const Bytes all = forged->bytes();
        auto* body = const_cast<std::uint8_t*>(all.data) + 256;
        for (std::uint64_t many = 1 + draw() % 8; many > 0; --many) body[draw() % (all.size - 256)] = static_cast<std::uint8_t>(draw());
        forged->seal();
        try {
            scored(*forged, text.substr(0, 300));
            std::vector<double> row(forged->words());
            const std::int64_t history[] = {3, 4, 5};
            ngram_predict(*forged, history, 3, row.data());
            for (std::uint32_t i = 0; i < forged->shape().counts[2]; ++i) {
                NgramState any{3, i};
                ngram_step(*forged, any, 4);
            }
        } catch (const NgramFormatError&) {
        }
        try {
            forged->verify();
            ++passed;  // a figure that could be one
        } catch (const NgramFormatError&) {
        }
    }
    CHECK(passed < 4000);
}

/// A map cannot be written to, but a section can be attached.
void test_attach() {
    const auto compact = NgramPacker(*trained(text_of(made_up(20, 5)), 2), 8, 10, 1).pack("{}");
    const auto again = reopened(file_of(*compact));
    again->attach({7, 8});
    CHECK(again->section().size == 2 && file_of(*again).size() == file_of(*compact).size() + 2);
    CHECK(reopened(file_of(*again))->section().data[1] == 8);
    CHECK(again->fingerprint() == compact->fingerprint());
}

}  // namespace

int main() {
    test_codebook();
    test_same();
    test_sums();
    test_damage();
    test_forgery();
    test_attach();
    return check::report();
}
