#include <algorithm>
#include <cmath>

#include "network/network.hpp"

namespace bitmeter::network {
namespace {

/// Layer normalisation, with PyTorch's default for what is added to the variance.
class LayerNorm {
public:
    LayerNorm(const Normal& normal, std::size_t width)
        : weight_(normal.weight.shaped(width).data, normal.weight.data + width),
          bias_(normal.bias.shaped(width).data, normal.bias.data + width) {}

    void apply(const float* x, float* out) const {
        const std::size_t n = weight_.size();
        double mean = 0.0, square = 0.0;
        for (std::size_t i = 0; i < n; ++i) mean += x[i];
        mean /= static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i) square += (x[i] - mean) * (x[i] - mean);
        const double scale = 1.0 / std::sqrt(square / static_cast<double>(n) + 1e-5);
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>((x[i] - mean) * scale * weight_[i] + bias_[i]);
    }

private:
    std::vector<float> weight_, bias_;
};

struct Layer {
    LayerNorm first, second;
    Product attend, attended, widen, narrow;
};

struct TransformerState : State {
    std::vector<std::vector<float>> keys, values;  // of each layer: one row for each token
    std::size_t tokens = 0, previous = 0;
};

class Transformer : public Network {
public:
    Transformer(const Ends& ends, const Places& places, const Matrix& before, const std::vector<Block>& blocks,
                const Normal& last, std::size_t heads, const Kernel& kernel)
        : Network(ends, kernel), heads_(heads), context_(places.context), slopes_(heads), last_(last, width()) {
        const Matrix& table = places.table;
        if (table.rows)
            positions_.assign(table.shaped(context_, width()).data, table.data + context_ * width());
        else
            slopes_.assign(places.slopes.shaped(heads).data, places.slopes.data + heads);
        if (before.rows) before_.assign(before.shaped(size(), width()).data, before.data + size() * width());
        if (heads == 0 || width() % heads != 0) throw std::invalid_argument("the heads do not share the width equally");
        const std::size_t n = width();
        for (const Block& block : blocks)
            layers_.push_back({{block.first, n},
                               {block.second, n},
                               {{block.attend.shaped(3 * n, n)}, {block.attend_bias}, kernel},
                               {{block.attended.shaped(n, n)}, {block.attended_bias}, kernel},
                               {{block.widen.shaped(4 * n, n)}, {block.widen_bias}, kernel},
                               {{block.narrow.shaped(n, 4 * n)}, {block.narrow_bias}, kernel}});
    }

    std::unique_ptr<State> begin() const override {
        auto state = std::make_unique<TransformerState>();
        state->keys.resize(layers_.size());
        state->values.resize(layers_.size());
        return state;
    }

protected:
    void take(std::size_t id, const float* in, State& state, float* out) const override {
        auto& kept = static_cast<TransformerState&>(state);
        if (kept.tokens >= context_) throw std::length_error("the network has no position for another token");
        const std::size_t n = width();
        std::vector<float> x(n), normal(n), three(3 * n), seen(n), added(n), wide(4 * n);
        std::copy_n(in, n, x.begin());
        if (!positions_.empty())
            for (std::size_t i = 0; i < n; ++i) x[i] += positions_[kept.tokens * n + i];
        if (!before_.empty()) {  // the first token stands before itself
            const float* row = before_.data() + (kept.tokens ? kept.previous : id) * n;
            for (std::size_t i = 0; i < n; ++i) x[i] += row[i];
            kept.previous = id;
        }
        ++kept.tokens;
        for (std::size_t number = 0; number < layers_.size(); ++number) {
            const Layer& layer = layers_[number];
            auto &keys = kept.keys[number], &values = kept.values[number];
            layer.first.apply(x.data(), normal.data());
            layer.attend.apply(normal.data(), three.data());
            keys.insert(keys.end(), three.begin() + static_cast<std::ptrdiff_t>(n), three.begin() + static_cast<std::ptrdiff_t>(2 * n));
            values.insert(values.end(), three.begin() + static_cast<std::ptrdiff_t>(2 * n), three.end());
            attention(three.data(), keys, values, kept.tokens, seen.data());
            layer.attended.apply(seen.data(), added.data());
            for (std::size_t i = 0; i < n; ++i) x[i] += added[i];
            layer.second.apply(x.data(), normal.data());
            layer.widen.apply(normal.data(), wide.data());
            for (float& value : wide) value = static_cast<float>(gelu(value));
            layer.narrow.apply(wide.data(), added.data());
            for (std::size_t i = 0; i < n; ++i) x[i] += added[i];
        }
        last_.apply(x.data(), out);
    }

private:
    void attention(const float* query, const std::vector<float>& keys, const std::vector<float>& values, std::size_t tokens,
                   float* out) const {
        const std::size_t n = width(), each = n / heads_;
        const double scale = 1.0 / std::sqrt(static_cast<double>(each));
        std::vector<double> weights(tokens), mean(each);
        for (std::size_t first = 0; first < n; first += each) {
            const double slope = slopes_[first / each];
            double top = -std::numeric_limits<double>::infinity(), sum = 0.0;
            for (std::size_t t = 0; t < tokens; ++t) {
                double dot = 0.0;
                for (std::size_t i = first; i < first + each; ++i) dot += static_cast<double>(query[i]) * keys[t * n + i];
                weights[t] = dot * scale - slope * static_cast<double>(tokens - 1 - t);
                top = weights[t] > top ? weights[t] : top;
            }
            std::fill(mean.begin(), mean.end(), 0.0);
            for (std::size_t t = 0; t < tokens; ++t) {
                const double weight = portable_exp(weights[t] - top);
                sum += weight;
                for (std::size_t i = 0; i < each; ++i) mean[i] += weight * values[t * n + first + i];
            }
            for (std::size_t i = 0; i < each; ++i) out[first + i] = static_cast<float>(mean[i] / sum);
        }
    }

    std::size_t heads_, context_;
    std::vector<float> slopes_, positions_, before_;
    std::vector<Layer> layers_;
    LayerNorm last_;
};

}  // namespace

std::unique_ptr<Network> make_transformer(const Ends& ends, const Places& places, const Matrix& before,
                                          const std::vector<Block>& blocks, const Normal& last, std::size_t heads,
                                          const Kernel& kernel) {
    return std::make_unique<Transformer>(ends, places, before, blocks, last, heads, kernel);
}

}  // namespace bitmeter::network
