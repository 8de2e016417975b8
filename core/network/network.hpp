// The small networks that are trained in bitmeter, token by token, with the same bits on every machine: single precision
// in a fixed order, and functions that need no library. So what they code is decoded anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "network/functions.hpp"
#include "network/product.hpp"

namespace bitmeter::network {

/// What a network keeps of the tokens before.
struct State {
    virtual ~State() = default;
};

/// The table for tokens in and out, the biases of the head, and the id that never comes (-1 for none).
struct Ends {
    Matrix embedding;
    Vector bias;
    std::int64_t never;
};

class Network {
public:
    Network(const Ends& ends, const Kernel& kernel);
    virtual ~Network() = default;

    std::size_t size() const { return size_; }
    std::size_t width() const { return width_; }
    virtual std::unique_ptr<State> begin() const = 0;
    /// Takes tokens, at least one; ln p of each id as the next. Throws std::invalid_argument for an id that does not exist
    /// and std::length_error for more tokens than the network has positions.
    std::vector<double> step(const std::int64_t* ids, std::size_t n, State& state) const;

protected:
    /// Takes one token, whose row of the table is `in`; `out` is what the head is applied to.
    virtual void take(std::size_t id, const float* in, State& state, float* out) const = 0;

private:
    std::size_t size_, width_;
    std::int64_t never_;
    std::vector<float> embedding_;
    Product head_;
};

/// The weights of one layer, in PyTorch's order of gates: input, forget, cell, output.
struct LstmLayer {
    Matrix from_input, from_hidden;
    Vector input_bias, hidden_bias;
};

std::unique_ptr<Network> make_lstm(const Ends& ends, const std::vector<LstmLayer>& layers, const Kernel& kernel);

struct Normal {
    Vector weight, bias;
};

struct Block {
    Normal first, second;
    Matrix attend, attended, widen, narrow;
    Vector attend_bias, attended_bias, widen_bias, narrow_bias;
};

/// How a transformer knows where its tokens, `context` of them at most, stand: by a table with a row for each position, or,
/// where that has no rows, by how much attention of each head falls from one token to the one before.
struct Places {
    std::size_t context = 0;
    Matrix table;
    Vector slopes;
};

/// `before` is the table for the token before each, without rows where there is none.
std::unique_ptr<Network> make_transformer(const Ends& ends, const Places& places, const Matrix& before,
                                          const std::vector<Block>& blocks, const Normal& last, std::size_t heads,
                                          const Kernel& kernel);

}  // namespace bitmeter::network
