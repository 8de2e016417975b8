// All that is done with a model from a file, for the fuzz targets of both forms.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "coding/coded_bits.hpp"
#include "coding/range_coder.hpp"
#include "ngram/coding/text_coder.hpp"
#include "ngram/estimate/entropy.hpp"
#include "ngram/estimate/text.hpp"
#include "ngram/format/arpa.hpp"
#include "ngram/format/pack.hpp"
#include "ngram/kenlm/query.hpp"
#include "ngram/openvocab/spelled.hpp"
#include "ngram/query/context.hpp"
#include "ngram/follow/follow.hpp"
#include "ngram/query/sample.hpp"
#include "ngram/query/score.hpp"

namespace fuzz {

/// Runs something that may say that the model is damaged, and may say nothing else.
template <class Run>
bool refused(Run&& run) {
    try {
        run();
        return false;
    } catch (const bitmeter::NgramFormatError&) {
        return true;
    } catch (const bitmeter::CodeError&) {
        return true;
    }
}

inline const std::string& sample_text() {
    static const std::string text =
        "the cat sat on the mat\n\nto be or not to be \tthat\nis the question unheard-of-words ab\na b c d e f g\n"
        "the the the cat cat\nquestion is that\nbe\nnot\n  two  spaces\nthe end";
    return text;
}

inline bitmeter::Bytes bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// What every form answers, and binaries of KenLM too.
template <class Model>
void ask_words(const Model& model) {
    using namespace bitmeter;
    const std::string& text = sample_text();
    const auto ends = [&] {
        auto found = line_ends(bytes_of(text));
        found.push_back(static_cast<std::int64_t>(text.size()));
        return found;
    }();
    const Separators white("\t\n\v\f\r ");
    const NgramBytes all{bytes_of(text), {ends.data(), ends.size()}, ends.size(), nullptr, 0};
    refused([&] { ngram_score(model, all, white, NgramEnds::all, true, 1); });
    refused([&] { ngram_sentence(model, bytes_of(text), white, true, false); });
    std::vector<std::int64_t> ids, bounds{0};
    for (std::int64_t i = 0; i < 400; ++i) {
        ids.push_back((i * i + 3 * i) % (model.words() + 2));
        if (i % 50 == 49) bounds.push_back(i + 1);
    }
    std::vector<double> out(ids.size()), row(model.words()), backoffs(ids.size());
    std::vector<std::int64_t> lengths(ids.size());
    const NgramDocuments documents{ids.data(), bounds.data(), bounds.size() - 1, ids.data() + 7, 5};
    refused([&] { ngram_logprobs(model, documents, true, out.data(), 1); });
    refused([&] { ngram_contexts(model, documents, lengths.data(), backoffs.data()); });
    refused([&] { ngram_predict(model, ids.data() + 3, 6, row.data()); });
    refused([&] {
        for (std::uint32_t word = 0; word < std::min(model.words(), 50u); ++word) model.word(word);
    });
}

/// Scores texts and words, by every way through the query code.
template <class Model>
void ask(const Model& model) {
    using namespace bitmeter;
    ask_words(model);
    const std::string& text = sample_text();
    const auto ends = [&] {
        auto found = line_ends(bytes_of(text));
        found.push_back(static_cast<std::int64_t>(text.size()));
        return found;
    }();
    const Separators white("\t\n\v\f\r ");
    const NgramBytes all{bytes_of(text), {ends.data(), ends.size()}, ends.size(), nullptr, 0};
    for (int length = 1; length <= std::max(1, model.order() - 1); ++length) {
        const std::uint64_t count = model.shape().counts[length - 1];
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, 8); ++i) {
            NgramState state{length, static_cast<std::uint32_t>((i * 7919) % count)};
            refused([&] {
                for (std::uint32_t word : {4u, 0u, 2u, 5u})
                    if (word < model.words()) ngram_step(model, state, word);
            });
        }
    }
    for (const UnitKind kind : {UnitKind::bytes, UnitKind::characters, UnitKind::tokens})
        refused([&] { unit_ids(model, UnitRules{kind, kind == UnitKind::bytes ? 256 : 300, 10, true}); });
    refused([&] {
        const Spelling spelling(model.section());
        ngram_score_spelled(model, spelling, all, white, NgramEnds::nonblank, false, 1);
        ngram_spelled_nats(model, spelling, bytes_of(text), white);
    });
}

/// The kernels of all processors give the same figures of any file, or all refuse it. Sanitizers see the reads of the
/// plain one.
inline void compare_kernels(const bitmeter::NgramModel& model) {
    using namespace bitmeter;
    std::vector<std::uint32_t> words(600);
    for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = (i * i + 5 * i) % model.words();
    std::vector<NgramSpan> parts;
    for (std::size_t at = 0; at < words.size(); at += 30) parts.push_back({at, at + 30, at, {}});
    std::vector<double> best(words.size(), 1.0), plain(words.size(), 1.0);
    const auto follow = [&](std::vector<double>& out, const Cpu& processor) {
        return refused([&] {
            ngram_follow(model, words.data(), parts.data(), parts.data() + parts.size(), true, out.data(), processor);
        });
    };
    const bool failed = follow(best, detect_cpu()), failed_plainly = follow(plain, Cpu{});
    if (failed != failed_plainly) __builtin_trap();
    if (!failed && std::memcmp(best.data(), plain.data(), best.size() * sizeof(double)) != 0) __builtin_trap();
}

/// The work that reads all of a model of the fast form; one kind for each run, since each is slow.
inline void rework(const bitmeter::NgramModel& model, unsigned kind) {
    using namespace bitmeter;
    switch (kind % 6) {
        case 0: refused([&] { prune_by_entropy(model, 1e-4); }); break;
        case 1: refused([&] { NgramPacker(model, 6, 8, 1).pack("{}"); }); break;
        case 2:
            refused([&] {
                ArpaWriter writer(model);
                while (!writer.next().empty()) {
                }
            });
            break;
        case 3:
            refused([&] {
                NgramSampler sampler(model, 1.0);
                std::vector<std::int64_t> words;
                std::vector<double> logs;
                for (std::uint64_t path = 0; path < 4; ++path) {
                    auto random = Random::stream({1, 2, 3, 4}, path);
                    sampler.sentence(random, 20, words, logs);
                }
            });
            break;
        case 4: refused([&] { model.table(); }); break;
        case 5:
            refused([&] {
                const Spelling spelling(model.section());
                NgramTextCoder coder(model, spelling);
                RangeEncoder out;
                CodedBits bits;
                coder.encode(bytes_of(sample_text()), true, out, bits);
                const auto coded = out.finish();
                NgramTextCoder back(model, spelling);
                RangeDecoder in(coded.data(), coded.size());
                const auto text = back.decode(in, sample_text().size());
                if (std::string(text.begin(), text.end()) != sample_text()) __builtin_trap();  // coded, and not decoded
            });
            break;
    }
}

}  // namespace fuzz
