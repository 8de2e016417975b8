// Packs the fast form of an n-gram model into the compact one. Probabilities are quantised; the back-off of each history is
// then recomputed, so that its predictions sum to one with the quantised probabilities, and rounded down. So no context
// sums above one, and perplexity is never understated.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ngram/format/codebook.hpp"
#include "ngram/format/compact.hpp"
#include "ngram/format/model.hpp"
#include "util/pages.hpp"

namespace bitmeter {

class NgramPacker {
public:
    /// The model must be valid, outlive this, and not change. Throws NgramFormatError if a link in it is broken, as may be
    /// in a mapped file that others change. What does not fit into the store's memory goes to its temporary files.
    NgramPacker(const NgramModel& model, unsigned logprob_bits, unsigned backoff_bits, unsigned threads,
                PageStore* store = nullptr);
    /// Sealed, with the section of the model.
    std::unique_ptr<CompactNgram> pack(std::string_view metadata) const;

    /// The least sum of the predictions after a history, among those that sum to one in the model.
    double least_sum() const { return least_sum_; }
    double greatest_sum() const { return greatest_sum_; }
    /// Histories that do not sum to one in the model; their back-offs are rounded as they are.
    std::uint64_t unsummed() const { return unsummed_; }

private:
    struct Order {
        Codebook logprobs, backoffs;
        PageArray<std::uint16_t> logprob_codes, backoff_codes;
    };
    /// What is known of the histories of one length while their children are rounded.
    struct Histories {
        PageArray<float> backoffs;      // as they should be
        PageArray<std::uint8_t> whole;  // whether it sums to one in the model
        PageArray<double> true_sums;    // in the model
    };

    std::uint64_t needed() const;
    void round_level(int order);
    void round_children(int length, std::uint64_t place, Histories& histories);
    void round_backoffs(int length, const Histories& histories);
    FloatList logprobs(int length) const;
    double rounded(int length, std::uint64_t place) const;
    double original(int length, std::uint64_t place) const;
    float original_backoff(int length, std::uint64_t place) const;
    Between children(int length, std::uint64_t place) const;
    std::uint64_t suffix(int length, std::uint64_t place) const;

    const NgramModel& m_;
    unsigned logprob_bits_, backoff_bits_, threads_;
    mutable PageStore own_store_;
    PageStore& store_;
    std::vector<Order> orders_;                    // by order - 1
    std::vector<std::vector<double>> shares_;      // by order - 1: the probability of each code
    std::vector<float> single_backoffs_;
    PageArray<double> sums_, true_sums_;           // of the histories one word shorter: with rounded figures, and before
    double all_ = 0.0;                             // the sum of single words
    double least_sum_ = 1.0, greatest_sum_ = 0.0;
    std::uint64_t unsummed_ = 0;
};

}  // namespace bitmeter
