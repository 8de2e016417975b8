// Texts and models that the tests of n-grams share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ngram/estimate/estimate.hpp"

namespace texts {

constexpr const char* white = "\t\n\v\f\r ";
/// What every model here says about itself.
constexpr const char* metadata = "{\"about\": 1}";

inline bitmeter::Bytes bytes(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// A text of lines, fed in blocks of so many bytes.
inline bitmeter::NgramText text_of(const std::string& text, const char* separators = white, bool unk_word = false,
                                   std::size_t block = std::size_t{1} << 22, unsigned threads = 1) {
    bitmeter::NgramText result(separators, unk_word);
    for (std::size_t at = 0; at < text.size(); at += block) {
        const std::string part = text.substr(at, block);
        const auto ends = bitmeter::line_ends(bytes(part));
        result.feed(bytes(part), {ends.data(), ends.size()}, threads);
    }
    result.finish();
    return result;
}

/// The same numbers on every machine.
struct Draws {
    std::uint64_t state = 88172645463325252ULL;
    std::uint64_t operator()() {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        return state;
    }
};

/// Lines of fewer than `longest` made-up words, skewed like a language's, so that counts of all sizes come.
inline std::string made_up(std::size_t lines, unsigned kinds, Draws& draw, unsigned longest = 9) {
    std::string result;
    for (std::size_t i = 0; i < lines; ++i) {
        for (std::uint64_t words = draw() % longest, w = 0; w < words; ++w)
            result += "w" + std::to_string((draw() % kinds) * (draw() % kinds) / kinds) + " ";
        result += "\n";
    }
    return result;
}

inline std::string made_up(std::size_t lines, unsigned kinds) {
    Draws draw;
    return made_up(lines, kinds, draw);
}

inline std::unique_ptr<bitmeter::NgramModel> trained(const bitmeter::NgramText& text, int order,
                                                     const bitmeter::SmoothingPlan& plan = {}, unsigned threads = 1,
                                                     const bitmeter::NgramText* heldout = nullptr) {
    bitmeter::NgramEstimator estimator(text, order, threads);
    estimator.sort();
    estimator.grow();
    estimator.link();
    estimator.weigh(plan, heldout);
    return estimator.model(metadata);
}

}  // namespace texts
