// Reading and writing the ARPA format, in the dialects of KenLM, SRILM and others, in blocks of bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ngram/format/model.hpp"

namespace bitmeter {

struct ArpaError : std::runtime_error {
    ArpaError(std::uint64_t where, const std::string& what) : std::runtime_error(what), line(where) {}
    std::uint64_t line;  // counted from one
};

/// Takes blocks of any size. Fields are separated by tabs or spaces; a missing back-off is 0; anything before \data\,
/// carriage returns and blank lines are ignored; <UNK> is <unk>; -99 and below is the logarithm of zero.
class ArpaReader {
public:
    ArpaReader();
    void feed(Bytes block);
    /// The model. An n-gram whose history or suffix is missing (as after pruning by entropy) gets them, with what the
    /// model says of them by backing off, so that no probability changes.
    std::unique_ptr<NgramModel> finish(std::string_view metadata);

    // Instead of lines, what another format holds. Words come in the order of their numbers; <unk>, <s> and </s> have theirs.
    void begin(int order);
    /// Returns its number.
    std::uint32_t take_word(std::string_view word, float logprob, float backoff);
    /// An n-gram above order 1 by the numbers of its words, the first one first.
    void take(const std::uint32_t* words, int length, float logprob, float backoff);
    void end();

    std::uint64_t added() const { return added_; }       // n-grams that had to be put in
    bool knows_unknown() const { return has_unknown_; }  // there was an <unk>

private:
    struct Order {
        std::uint64_t announced = 0;
        std::vector<std::uint32_t> words;  // of all n-grams, one after the other
        std::vector<float> logprobs, backoffs;
        std::size_t size() const { return logprobs.size(); }
    };
    struct Level {
        std::vector<std::uint32_t> keys, child, suffix;
        std::vector<float> logprobs, backoffs;
    };
    enum class Part { before, counts, ngrams, after };

    void line(std::string_view text);
    void count_line(std::string_view text);
    void section_line(std::string_view text);
    void ngram_line(std::string_view text);
    void unigram(std::string_view word, float logprob, float backoff);
    std::uint32_t number(std::string_view word) const;
    void close_section();
    bool build(int order);  // false where lower orders must be built again
    void fill_in(int order);
    [[noreturn]] void fail(const std::string& what) const;

    WordTable table_;
    std::vector<std::uint8_t> seen_;  // the reserved words that came
    std::vector<Order> orders_;
    std::vector<Level> levels_;
    std::string begun_;
    Part part_ = Part::before;
    int section_ = 0;
    std::uint64_t line_ = 0, added_ = 0;
    bool has_unknown_ = false;
};

class ArpaWriter {
public:
    explicit ArpaWriter(const NgramModel& model) : model_(model) {}
    /// The next megabyte or so; empty at the end.
    std::string next();
    const NgramModel& model() const { return model_; }

private:
    void line(std::string& out);

    const NgramModel& model_;
    int order_ = 0;  // 0: the head comes next
    std::uint64_t place_ = 0;
    std::uint64_t path_[max_order + 1] = {};  // by length: the n-gram's beginnings
    bool done_ = false;
};

}  // namespace bitmeter
