// Arithmetic coding of words with an n-gram model at -log2 p(word | history) bits, without computing the probability of
// every word.
//
// From the longest known history h down: either the word is one of those that h knows (its children, less those that a
// longer history knew and that were ruled out there), or an escape is coded and the next shorter history h' speaks. With
// all probabilities on one scale, a word weighs p(w | h), and an escape backoff(h) times what h' leaves to the words that
// h does not know. The products telescope to p(w | h) of the back-off formula. Since the suffix of each n-gram is an
// n-gram too, what is ruled out at h' are exactly the suffixes of the children of h.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "coding/coded_bits.hpp"
#include "coding/range_coder.hpp"
#include "ngram/format/model.hpp"
#include "ngram/query/query.hpp"

namespace bitmeter {

/// Probabilities of words are whole numbers on a scale of 2^ngram_bits.
constexpr int ngram_bits = 40;

/// One text being coded; the model must live as long. Sums over the children of a history that has many are kept, up to
/// a bound on memory. All of it throws NgramFormatError where the model is damaged.
class NgramCoder {
public:
    explicit NgramCoder(const NgramModel& model);

    /// Codes a word (unknown and end included, not begin), and goes on to the state after it. Throws CodeError where
    /// the model holds it impossible; with `any`, a word that only an escape of probability zero leads to is coded, too.
    void encode(std::uint32_t word, RangeEncoder& out, CodedBits& bits, bool any = false);
    /// Throws CodeError.
    std::uint32_t decode(RangeDecoder& in);
    /// A new document.
    void begin() { state_ = NgramState{}; }

private:
    /// The children of a history: their cumulative frequencies, and those of their suffixes under the shorter history.
    struct Children {
        std::uint64_t begin = 0;
        std::vector<std::uint64_t> sums{0}, suffix_sums{0};
        std::vector<std::uint32_t> suffixes;

        std::size_t size() const { return suffixes.size(); }
        /// What the shorter history leaves to other words.
        std::uint64_t left() const;
    };
    /// What can come at one history: an escape, and children that no longer history has ruled out.
    struct Level {
        const std::vector<std::uint64_t>* sums;
        const Children* ruled_out;  // none at the longest history
        const std::uint32_t* ranks;  // the places of those ruled out among single words; null at other levels
        std::uint64_t begin;
        std::uint64_t escape;

        std::uint64_t own() const;  // frequency of all that is left
        std::uint64_t total() const { return own() + escape; }
        std::uint64_t place(std::size_t i) const;  // of the i-th that is ruled out
        std::uint64_t start(std::uint64_t at) const;
        std::uint64_t find(std::uint64_t target) const;
    };

    const Children& children(int length, std::uint32_t place, Children& spare);
    void fill(int length, std::uint32_t place, Children& out) const;
    std::uint64_t weight(int order, std::uint64_t place) const;
    std::uint64_t escape(int length, std::uint32_t place, const Children& of) const;
    Level level(const NgramState& at, const Children& here, const Children* ruled_out) const;
    Level last_level(const Children& ruled_out) const;
    NgramState shorter(const NgramState& at) const;
    void trim();

    const NgramModel* model_;
    NgramState state_;
    // Single words in the order of their codes, as the children of every history are.
    std::vector<std::uint32_t> ranks_, by_rank_;
    std::vector<std::uint64_t> word_sums_;
    std::unordered_map<std::uint64_t, Children> kept_;
    std::size_t kept_size_ = 0;
    Children spare_[max_order];
};

}  // namespace bitmeter
