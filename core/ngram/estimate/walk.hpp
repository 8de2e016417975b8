// A walk through sentences of another text, along the trie of the n-grams that were counted.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ngram/format/model.hpp"
#include "ngram/format/search.hpp"

namespace bitmeter {

constexpr std::uint32_t no_place = ~std::uint32_t{0};

/// The n-grams that were counted, with one of their counts, by order and place.
class CountedTrie {
public:
    virtual ~CountedTrie() = default;
    virtual int order() const = 0;
    virtual std::uint32_t words() const = 0;
    /// Where the n-gram of an order from 2 on is that ends in a word after a history; no_place if nowhere.
    virtual std::uint32_t find(int order, std::uint32_t history, std::uint32_t word) const = 0;
    virtual std::uint32_t count(int order, std::uint32_t place) const = 0;
    /// The counts of all n-grams of an order from 2 on after a history.
    virtual std::span<const std::uint32_t> counts_after(int order, std::uint32_t history) const = 0;
};

/// Those of a model that is being estimated.
class ModelTrie final : public CountedTrie {
public:
    ModelTrie(const NgramModel& model, const std::array<const std::uint32_t*, max_order>& counts)
        : m_(model), counts_(counts) {}
    int order() const override { return m_.order(); }
    std::uint32_t words() const override { return m_.words(); }
    std::uint32_t find(int order, std::uint32_t history, std::uint32_t word) const override {
        const NgramNode* node = m_.nodes(order - 1) + history;
        const std::uint64_t found =
            find_child(m_.keys(order), node[0].child, node[1].child, m_.codes().code(word), m_.codes().bits());
        return found == no_child ? no_place : static_cast<std::uint32_t>(found);
    }
    std::uint32_t count(int order, std::uint32_t place) const override { return counts_[order - 1][place]; }
    std::span<const std::uint32_t> counts_after(int order, std::uint32_t history) const override {
        const NgramNode* node = m_.nodes(order - 1) + history;
        return {counts_[order - 1] + node[0].child, counts_[order - 1] + node[1].child};
    }

private:
    const NgramModel& m_;
    const std::array<const std::uint32_t*, max_order>& counts_;
};

/// Walks through sentences and finds, for each word, the n-grams of the trie that end in it.
class NgramWalk {
public:
    explicit NgramWalk(const CountedTrie& trie) : trie_(trie) { begin(); }

    /// The places by order - 1, no_place where the trie has none; those of `before` are the histories.
    const std::array<std::uint32_t, max_order>& places() const { return now_; }
    const std::array<std::uint32_t, max_order>& before() const { return before_; }

    void step(std::uint32_t word) {
        before_ = now_;
        now_.fill(no_place);
        now_[0] = word;
        for (int o = 2; o <= trie_.order(); ++o) {
            const std::uint32_t history = before_[o - 2];
            if (history == no_place) break;  // what was not seen does not grow
            now_[o - 1] = trie_.find(o, history, word);
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

    const CountedTrie& trie_;
    std::array<std::uint32_t, max_order> now_{}, before_{};
    bool ended_ = false;
};

}  // namespace bitmeter
