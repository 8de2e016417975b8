// The universal model: it knows nothing beforehand, learns as it reads, and predicts the bytes of any text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "universal/coder.hpp"
#include "universal/kernel.hpp"
#include "universal/state.hpp"

namespace bitmeter {

/// The file is not one of ours, or it is damaged.
struct UniversalFormatError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class UniversalModel {
public:
    /// Sizes are 0, 1 and 2; kernels are "best", which BITMETER_CPU limits, or one of `kernels()`.
    explicit UniversalModel(int size, const std::string& kernel = "best");

    /// The kernels that this processor can run.
    static std::vector<std::string> kernels();

    int size() const { return state_.size(); }
    std::size_t memory() const { return state_.bytes(); }
    std::uint64_t learned() const { return state_.parts().place->position; }
    bool frozen() const { return frozen_; }
    /// From now on nothing is learned, and every document begins alike.
    void freeze();
    std::uint64_t checksum() const { return state_.checksum(); }

    /// ln p of each byte after the bytes before. A frozen model forgets the text before each document: these begin at
    /// `starts`, in rising order.
    void rate(const std::uint8_t* data, std::size_t n, const std::int64_t* starts, std::size_t documents, double* out);
    /// ln p of all 256 next bytes; nothing changes.
    void predict(double* out) const;
    /// Reads a text only to learn it.
    void learn(const std::uint8_t* data, std::size_t n);
    /// Begins a document: says something only to a frozen model.
    void begin();

    void encode(const std::uint8_t* data, std::size_t n, universal::BitEncoder& coder);
    void decode(std::uint8_t* data, std::size_t n, universal::BitDecoder& coder);

    void save(const std::string& path) const;
    static UniversalModel load(const std::string& path);

private:
    universal::State state_;
    universal::Kernels kernels_;
    bool frozen_ = false;
};

/// A text in stretches, each coded by itself: the model goes on from one to the next.
class UniversalCoder {
public:
    explicit UniversalCoder(const UniversalModel& model) : model_(model) {}
    std::vector<std::uint8_t> encode(const std::uint8_t* data, std::size_t n);
    /// The n bytes of a stretch. Throws UniversalFormatError where it ends before them, or does not end with them.
    std::vector<std::uint8_t> decode(const std::uint8_t* coded, std::size_t size, std::size_t n);
    /// What was encoded, before it became whole bytes.
    double bits() const { return bits_; }

private:
    UniversalModel model_;
    double bits_ = 0.0;
};

}  // namespace bitmeter
