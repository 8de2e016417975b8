// The trie of a slice, as its file has it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ngram/estimate/slices/slices.hpp"
#include "ngram/estimate/walk.hpp"

namespace bitmeter {

/// A slice's n-grams by places of its own. Of all that is read here, children are checked: they ascend from 0 to the
/// number of n-grams of the next order, so that none leads outside.
class SliceTrie {
public:
    SliceTrie(const SlicePlan& plan, std::size_t slice) : plan_(plan), slice_(slice), file_(plan.grown(slice)) {}

    const SliceFile& file() const { return file_; }
    /// How many n-grams of an order there are; the children of the order below, or its keys, must be there.
    std::uint64_t size(int order) const {
        if (order == 1) return plan_.cuts[slice_ + 1] - plan_.cuts[slice_];
        return child_[order - 1].size() ? child_[order - 1].back() : key_[order].size();
    }
    const std::uint32_t* child(int order) const { return child_[order].data(); }
    const std::uint32_t* keys(int order) const { return key_[order].data(); }

    void read_children(int from, int to);
    void read_keys(int from, int to);
    /// Of order 2, and that all are of words.
    void read_second_words();
    /// An array with one entry for each n-gram of an order.
    template <class T>
    SliceArray<T> array(const SliceFile& file, SliceArrayKind kind, int order) const {
        SliceArray<T> found = file.read<T>(kind, order);
        if (found.size() != size(order)) file.damaged("has an array of another size");
        return found;
    }
    /// [begin, end) of the n-grams of an order that begin a sentence; none in most slices. The children of all orders below
    /// must be there.
    std::array<std::uint64_t, 2> begins(int order) const;
    bool has_begin() const { return plan_.cuts[slice_] <= word_begin && word_begin < plan_.cuts[slice_ + 1]; }

    /// Calls run(slice, begin, end) for the n-grams of an order from 3 on below each bigram in turn: the slice of its second
    /// word, in which their suffixes are. Second words and the children of orders 2 up to this one must be there.
    template <class Run>
    void below_bigrams(int order, Run&& run) const {
        std::uint64_t begin = 0;
        for (std::uint64_t b = 0; b < key_[2].size(); ++b) {
            std::uint64_t end = b + 1;
            for (int o = 2; o < order; ++o) end = child_[o][end];
            if (begin < end) run(plan_.slice_of(codes_.word(key_[2][b])), begin, end);
            begin = end;
        }
    }
    /// What others have for the n-grams of an order, in the order of the trie: read(slice) gives it by slice, and
    /// take(slice, value) what becomes of it.
    template <class T, class Read, class Take>
    SliceArray<T> gathered(int order, Read&& read, Take&& take) const {
        std::vector<SliceArray<T>> found;
        for (std::size_t other = 0; other < plan_.slices(); ++other) found.push_back(read(other));
        std::vector<std::size_t> at(plan_.slices(), 0);
        SliceArray<T> result(size(order));
        below_bigrams(order, [&](std::size_t other, std::uint64_t begin, std::uint64_t end) {
            if (end - begin > found[other].size() - at[other]) file_.damaged("does not fit what other slices have");
            const T* next = found[other].data() + at[other];
            for (std::uint64_t i = begin; i < end; ++i) result[i] = take(other, *next++);
            at[other] += end - begin;
        });
        for (std::size_t other = 0; other < plan_.slices(); ++other)
            if (at[other] != found[other].size()) file_.damaged("does not fit what other slices have");
        return result;
    }
    const WordCodes& codes() const { return codes_; }

private:
    const SlicePlan& plan_;
    std::size_t slice_;
    SliceFile file_;
    WordCodes codes_{plan_.words};
    std::array<SliceArray<std::uint32_t>, max_order + 1> child_, key_;
};

/// All slices of a text as one trie, by places in all of them, for a walk through a held-out text. Arrays stay in their
/// files, whose checksums were read; nothing outside of them is read whatever becomes of them then.
class SlicedTrie final : public CountedTrie {
public:
    /// `words`: the counts of order 1.
    SlicedTrie(const SlicePlan& plan, const std::vector<std::uint32_t>& words);
    int order() const override { return plan_.order; }
    std::uint32_t words() const override { return static_cast<std::uint32_t>(plan_.words); }
    std::uint32_t find(int order, std::uint32_t history, std::uint32_t word) const override;
    std::uint32_t count(int order, std::uint32_t place) const override;
    std::span<const std::uint32_t> counts_after(int order, std::uint32_t history) const override;

private:
    using Numbers = std::span<const std::uint32_t>;
    struct Slice {
        SliceFile grown, linked;
        std::array<Numbers, max_order + 1> child, key, count;
    };
    /// The slice of a place, and that place within it.
    std::pair<std::size_t, std::uint64_t> at(int order, std::uint32_t place) const;
    std::pair<std::uint64_t, std::uint64_t> children(int order, std::size_t slice, std::uint64_t place) const;

    const SlicePlan& plan_;
    const std::vector<std::uint32_t>& words_;
    WordCodes codes_;
    std::vector<Slice> slices_;
    std::array<std::vector<std::uint64_t>, max_order + 1> starts_;  // of each slice, and where the last ends
};

/// Whether children ascend from 0 to the number of n-grams of the next order.
bool children_fit(const SliceArray<std::uint32_t>& child, std::uint64_t size, std::uint64_t next);

}  // namespace bitmeter
