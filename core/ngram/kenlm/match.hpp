// Follows texts through a binary of KenLM: for each word the longest n-gram that ends in it, and what it costs.
//
// The n-grams that end in a word depend on the words of the text alone, not on what was found for the words before. So a
// block of words is taken together, one order after the other: the memory of all of them is asked for before any is read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ngram/kenlm/model.hpp"

namespace bitmeter {

/// The longest n-gram that ends in a word, and the back-offs of all that do, shortest first.
struct KenlmMatch {
    float logprob;
    std::uint8_t length;  // of the longest n-gram
    std::uint8_t known;   // back-offs
    float backoffs[max_order];
};

[[noreturn, gnu::cold]] inline void kenlm_no_number() {
    throw NgramFormatError("a probability or a back-off in it is not a number; fetch it or build it again");
}

/// log10 p of a word after the one before, in double precision.
inline double kenlm_cost(const KenlmMatch& before, const KenlmMatch& own) {
    double result = own.logprob;
    for (unsigned i = own.length; i <= before.known; ++i) result += before.backoffs[i - 1];
    if (!(result < HUGE_VAL)) [[unlikely]]
        kenlm_no_number();
    return result;
}

/// The same as KenLM adds it: in single precision, from the shortest history on.
inline float kenlm_float_cost(const KenlmMatch& before, const KenlmMatch& own) {
    float result = own.logprob;
    for (unsigned i = own.length; i <= before.known; ++i) result += before.backoffs[i - 1];
    if (!(result < HUGE_VALF)) [[unlikely]]
        kenlm_no_number();
    return result;
}

/// Words go in one after the other; emit(tag, before, match) is called for each that has a tag, in the same order.
template <class Search, class Emit>
class KenlmMatcher {
public:
    using Tag = std::uint64_t;
    static constexpr Tag untagged = ~Tag{0};
    static constexpr std::size_t block = 64;

    KenlmMatcher(const Search& search, unsigned order, Emit emit) : search_(search), order_(order), emit_(emit) {}

    /// The next word does not depend on those before.
    void restart() { room_now_ = 0; }
    /// A word by its number in the file, below the model's bound.
    void push(std::uint32_t code, Tag tag) {
        if (used_ == lead + block) flush();
        search_.ask_unigram(code);
        codes_[used_] = code;
        tags_[used_] = tag;
        rooms_[used_++] = static_cast<std::uint8_t>(room_now_);
        if (room_now_ + 1 < order_) ++room_now_;
    }
    /// Scores what has been pushed.
    void flush() {
        const std::size_t many = used_ - lead;
        if (many == 0) return;
        find(many);
        for (std::size_t i = 0; i < many; ++i)
            if (tags_[lead + i] != untagged)
                emit_(tags_[lead + i], rooms_[lead + i] ? matches_[i] : nothing_, matches_[i + 1]);
        matches_[0] = matches_[many];
        std::copy(codes_ + used_ - lead, codes_ + used_, codes_);  // what later words look back to
        used_ = lead;
    }

private:
    static constexpr std::size_t lead = max_order;

    /// matches_[i + 1] for each word i of the block.
    void find(std::size_t many) {
        std::size_t left = 0;
        for (std::size_t i = 0; i < many; ++i) {
            const KenlmEntry own = search_.unigram(codes_[lead + i], nodes_[i]);
            KenlmMatch& match = matches_[i + 1];
            match.logprob = own.logprob;
            match.length = match.known = 1;
            match.backoffs[0] = own.backoff;
            if (rooms_[lead + i] > 0 && own.extends_left) {
                search_.ask(2, nodes_[i], codes_[lead + i - 1]);
                going_[left++] = static_cast<std::uint8_t>(i);
            }
        }
        for (unsigned o = 2; o <= order_ && left > 0; ++o) {
            std::size_t kept = 0;
            for (std::size_t k = 0; k < left; ++k) {
                const std::size_t i = going_[k];
                const std::uint32_t* const word = codes_ + lead + i;
                const KenlmEntry own = search_.entry(o, nodes_[i], *(word - (o - 1)));
                if (!own.found) continue;
                KenlmMatch& match = matches_[i + 1];
                match.logprob = own.logprob;
                match.length = static_cast<std::uint8_t>(o);
                if (o == order_) continue;
                match.backoffs[o - 1] = own.backoff;
                match.known = static_cast<std::uint8_t>(o);
                if (own.extends_left && rooms_[lead + i] >= o) {
                    search_.ask(o + 1, nodes_[i], *(word - o));
                    going_[kept++] = static_cast<std::uint8_t>(i);
                }
            }
            left = kept;
        }
    }

    const Search& search_;
    unsigned order_;
    Emit emit_;
    unsigned room_now_ = 0;
    std::size_t used_ = lead;
    std::uint32_t codes_[lead + block] = {};
    Tag tags_[lead + block];
    std::uint8_t rooms_[lead + block];  // how many words before it belong to its text, up to order - 1
    std::uint8_t going_[block];
    typename Search::Node nodes_[block];
    KenlmMatch matches_[block + 1];
    const KenlmMatch nothing_{};  // before a word that depends on none
};

}  // namespace bitmeter
