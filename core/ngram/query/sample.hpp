// Sampling sentences from an n-gram model.
//
// A word is drawn by the structure of the model: either one that the longest known history has seen, or, with the mass
// that is left to the back-off, one that the shorter history gives, drawn again as long as the longer one has seen it.
// That is the model's distribution, exactly, without going through the vocabulary; drawing again costs as many turns in
// the mean as the back-off's factor, whatever is left to it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ngram/query/query.hpp"
#include "util/random.hpp"

namespace bitmeter {

class NgramSampler {
public:
    /// Probabilities are taken to the power 1/temperature and made to sum to one again. Throws std::invalid_argument.
    NgramSampler(const NgramModel& model, double temperature);

    /// Adds the words of one sentence, word_end included, and ln p of each (by the model itself, at temperature 1). Goes
    /// on for `most` words at most. Throws NgramFormatError where the model is damaged or gives nothing a chance.
    void sentence(Random& random, std::size_t most, std::vector<std::int64_t>& words, std::vector<double>& logprobs);

private:
    /// A history; of length 0 the one before which nothing is known.
    struct Place {
        int length;
        std::uint32_t at;
    };
    /// The masses after a history.
    struct Masses {
        double seen = 0.0, total = 0.0;
        std::vector<double> sums;  // of the words seen, one after the other
    };

    const Masses& masses(Place h);
    Masses computed(Place h);
    Place shorter(Place h) const;
    std::uint64_t first_child(Place h) const;
    std::uint64_t size(Place h) const;
    double weight(Place h, std::uint64_t child) const;
    double weight_below(Place h, std::uint64_t child) const;
    std::uint32_t word(Place h, std::uint64_t child) const;
    bool has_seen(Place h, std::uint32_t word) const;
    std::uint32_t draw(Place h, Random& random);
    std::uint32_t pick(Place h, const Masses& m, double at) const;
    std::uint32_t draw_unseen(Place h, Random& random);

    const NgramModel& model_;
    double power_;
    std::unordered_map<std::uint64_t, Masses> known_;
    std::size_t held_ = 0;
};

}  // namespace bitmeter
