// A walk through sentences of another text, along the trie of the n-grams that were counted.
#pragma once

#include <array>
#include <cstdint>

#include "ngram/format/model.hpp"
#include "ngram/format/search.hpp"

namespace bitmeter {

constexpr std::uint32_t no_place = ~std::uint32_t{0};

/// Walks through sentences and finds, for each word, the n-grams of the trie that end in it.
class NgramWalk {
public:
    explicit NgramWalk(const NgramModel& model) : m_(model) { begin(); }

    /// The places by order - 1, no_place where the trie has none; those of `before` are the histories.
    const std::array<std::uint32_t, max_order>& places() const { return now_; }
    const std::array<std::uint32_t, max_order>& before() const { return before_; }

    void step(std::uint32_t word) {
        before_ = now_;
        now_.fill(no_place);
        now_[0] = word;
        for (int o = 2; o <= m_.order(); ++o) {
            const std::uint32_t history = before_[o - 2];
            if (history == no_place) break;  // what was not seen does not grow
            const NgramNode* node = m_.nodes(o - 1) + history;
            const std::uint64_t found =
                find_child(m_.keys(o), node[0].child, node[1].child, m_.codes().code(word), m_.codes().bits());
            if (found != no_child) now_[o - 1] = static_cast<std::uint32_t>(found);
        }
        ended_ = word == word_end;
    }

    void next_sentence() {
        if (ended_) begin();
    }

private:
    void begin() {
        now_.fill(no_place);
        now_[0] = word_begin;
        ended_ = false;
    }

    const NgramModel& m_;
    std::array<std::uint32_t, max_order> now_{}, before_{};
    bool ended_ = false;
};

}  // namespace bitmeter
