// The universal model: an adaptive byte-level model that mixes the predictions of many contexts.
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

/// A file or code that is not a universal model's, or is damaged.
struct UniversalFormatError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class UniversalModel {
public:
    /// Sizes are those of universal::size_of; kernels are "best", which BITMETER_CPU limits, or one of `kernels()`.
    explicit UniversalModel(int size, const std::string& kernel = "best");

    /// From a state of unknown origin. Throws UniversalFormatError where it holds values that no model reaches.
    UniversalModel(universal::State state, bool frozen);

    /// The kernels that this processor can run.
    static std::vector<std::string> kernels();

    int size() const { return state_.size(); }
    std::size_t memory() const { return state_.bytes(); }
    std::uint64_t learned() const { return state_.parts().place->position; }
    bool frozen() const { return frozen_; }
    /// Stops learning; every document then starts in the same state.
    void freeze();
    /// As a model that has learned nothing, in the memory that it has.
    void reset();
    /// As another model of the same size, in the memory that it has.
    void assign(const UniversalModel& other);
    std::uint64_t checksum() const { return state_.checksum(); }

    /// ln p of each byte given the bytes before it. A frozen model restarts at each document; these begin at `starts`, in
    /// ascending order.
    void score(const std::uint8_t* data, std::size_t n, const std::int64_t* starts, std::size_t documents, double* out);
    /// ln p of all 256 next bytes; nothing changes.
    void predict(double* out) const;
    /// Learns a text without scoring it.
    void learn(const std::uint8_t* data, std::size_t n);
    /// Begins a document; only a frozen model restarts.
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

/// Encodes or decodes a text in blocks. Each has a code of its own; the model continues from block to block.
class UniversalCoder {
public:
    /// By a model that has learned nothing, or by a copy of one.
    explicit UniversalCoder(int size) : model_(size) {}
    explicit UniversalCoder(const UniversalModel& model) : model_(model) {}
    std::vector<std::uint8_t> encode(const std::uint8_t* data, std::size_t n);
    /// The n bytes of a block. Throws UniversalFormatError if the code is shorter or longer than theirs.
    std::vector<std::uint8_t> decode(const std::uint8_t* coded, std::size_t size, std::size_t n);
    /// Learns a block that has no code, as encoding or decoding it would.
    void learn(const std::uint8_t* data, std::size_t n) { model_.learn(data, n); }
    /// -log2 p of all that was encoded, before rounding to whole bytes.
    double bits() const { return bits_; }

private:
    UniversalModel model_;
    double bits_ = 0.0;
};

}  // namespace bitmeter
