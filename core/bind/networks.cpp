#include "network/network.hpp"

#include "bind/bind.hpp"

namespace {

namespace network = bitmeter::network;
using Weights = Matrix<float>;
using Biases = Vector<float>;

network::Matrix matrix(const Weights& array) { return {array.data(), array.shape(0), array.shape(1)}; }
network::Vector vector(const Biases& array) { return {array.data(), array.shape(0)}; }

/// What a network keeps of the tokens before, for Python to hold.
struct Kept {
    std::unique_ptr<network::State> state;
};

using LstmWeights = std::tuple<Weights, Weights, Biases, Biases>;
using NormalWeights = std::tuple<Biases, Biases>;
using LinearWeights = std::tuple<Weights, Biases>;
using BlockWeights = std::tuple<NormalWeights, NormalWeights, LinearWeights, LinearWeights, LinearWeights, LinearWeights>;

network::Normal normal(const NormalWeights& weights) { return {vector(std::get<0>(weights)), vector(std::get<1>(weights))}; }

auto lstm(const Weights& embedding, const Biases& bias, std::int64_t never, const std::vector<LstmWeights>& layers) {
    std::vector<network::LstmLayer> made;
    for (const auto& [from_input, from_hidden, input_bias, hidden_bias] : layers)
        made.push_back({matrix(from_input), matrix(from_hidden), vector(input_bias), vector(hidden_bias)});
    return network::make_lstm({matrix(embedding), vector(bias), never}, made, network::kernel_of(bitmeter::cpu()));
}

auto transformer(const Weights& embedding, const Biases& bias, std::int64_t never, std::size_t context,
                 const std::optional<Weights>& positions, const Biases& slopes, const std::optional<Weights>& before, const std::vector<BlockWeights>& blocks, const NormalWeights& last, std::size_t heads) {
    std::vector<network::Block> made;
    for (const auto& [first, second, attend, attended, widen, narrow] : blocks)
        made.push_back({normal(first), normal(second), matrix(std::get<0>(attend)), matrix(std::get<0>(attended)),
                        matrix(std::get<0>(widen)), matrix(std::get<0>(narrow)), vector(std::get<1>(attend)),
                        vector(std::get<1>(attended)), vector(std::get<1>(widen)), vector(std::get<1>(narrow))});
    const network::Places places = {context, positions ? matrix(*positions) : network::Matrix{}, vector(slopes)};
    return network::make_transformer({matrix(embedding), vector(bias), never}, places,
                                     before ? matrix(*before) : network::Matrix{}, made, normal(last), heads,
                                     network::kernel_of(bitmeter::cpu()));
}

}  // namespace

void bind_networks(nb::module_& m) {
    nb::class_<Kept>(m, "NetworkState", "What a network keeps of the tokens before.");
    nb::class_<network::Network>(m, "Network", "A small network token by token, with the same bits on every machine.")
        .def_static("lstm", lstm, "embedding"_a, "bias"_a, "never"_a, "layers"_a,
                    "Of each layer: weights from its input and from its state, and both biases, as PyTorch orders them.")
        .def_static("transformer", transformer, "embedding"_a, "bias"_a, "never"_a, "context"_a, "positions"_a.none(), "slopes"_a,
                    "before"_a.none(), "blocks"_a, "last"_a, "heads"_a,
                    "The table of positions, or the slopes of attention by distance, one for each head; the table for the token before, if there is one. Of each block: two normalisations, then attention in and out, and the two linear layers.")
        .def("begin", [](const network::Network& self) { return Kept{self.begin()}; }, "Before the first token.")
        .def("step",
             [](const network::Network& self, Vector<std::int64_t> ids, Kept& kept) {
                 return to_numpy(without_lock([&] { return self.step(ids.data(), ids.size(), *kept.state); }));
             },
             "ids"_a, "state"_a, "Take at least one token: ln p of each id as the next.");
}
