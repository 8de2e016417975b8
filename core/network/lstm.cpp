#include <algorithm>
#include <cmath>

#include "network/network.hpp"

namespace bitmeter::network {
namespace {

struct LstmState : State {
    std::vector<float> hidden, cell;  // one layer after the other
};

class Lstm : public Network {
public:
    Lstm(const Ends& ends, const std::vector<LstmLayer>& layers, const Kernel& kernel)
        : Network(ends, kernel), scale_(static_cast<float>(std::sqrt(static_cast<double>(width())))) {
        for (const LstmLayer& layer : layers) {
            const std::size_t gates = 4 * width();
            gates_.emplace_back(std::vector<Matrix>{layer.from_input.shaped(gates, width()), layer.from_hidden.shaped(gates, width())},
                                std::vector<Vector>{layer.input_bias, layer.hidden_bias}, kernel);
        }
    }

    std::unique_ptr<State> begin() const override {
        auto state = std::make_unique<LstmState>();
        state->hidden.resize(width() * gates_.size());
        state->cell.resize(width() * gates_.size());
        return state;
    }

protected:
    void take(std::size_t, const float* in, State& state, float* out) const override {
        auto& kept = static_cast<LstmState&>(state);
        const std::size_t n = width();
        std::vector<float> input(2 * n), gates(4 * n);
        for (std::size_t i = 0; i < n; ++i) input[i] = in[i] * scale_;
        for (std::size_t layer = 0; layer < gates_.size(); ++layer) {
            float *hidden = kept.hidden.data() + layer * n, *cell = kept.cell.data() + layer * n;
            std::copy_n(hidden, n, input.begin() + static_cast<std::ptrdiff_t>(n));
            gates_[layer].apply(input.data(), gates.data());
            for (std::size_t i = 0; i < n; ++i) {
                const double now = sigmoid(gates[n + i]) * cell[i] + sigmoid(gates[i]) * hyperbolic_tangent(gates[2 * n + i]);
                cell[i] = static_cast<float>(now);
                hidden[i] = static_cast<float>(sigmoid(gates[3 * n + i]) * hyperbolic_tangent(cell[i]));
            }
            std::copy_n(hidden, n, input.begin());
        }
        std::copy_n(input.begin(), n, out);
    }

private:
    float scale_;  // of the table's rows, as in training
    std::vector<Product> gates_;
};

}  // namespace

std::unique_ptr<Network> make_lstm(const Ends& ends, const std::vector<LstmLayer>& layers, const Kernel& kernel) {
    if (layers.empty()) throw std::invalid_argument("an LSTM has at least one layer");
    return std::make_unique<Lstm>(ends, layers, kernel);
}

}  // namespace bitmeter::network
