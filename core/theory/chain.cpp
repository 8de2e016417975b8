#include "theory/chain.hpp"

#include <limits>
#include <stdexcept>

#include "theory/alias.hpp"
#include "util/parallel.hpp"
#include "util/sum.hpp"

namespace bitmeter {

std::size_t ContextShape::rows() const {
    if (symbols == 0) throw std::invalid_argument("chain: the alphabet is empty");
    constexpr std::size_t limit = std::size_t{1} << 40, longest = 1000000;
    if (order > longest) throw std::length_error("chain: the order is too large");
    std::size_t power = 1, total = 1;
    for (std::size_t depth = 0; depth < order; ++depth) {
        if (total > limit || power > limit / symbols) throw std::length_error("chain: too many contexts");
        power *= symbols;
        total += power;
    }
    return total;
}

namespace {

/// Follows a sequence through the rows of the table.
template <class Symbol>
class Walk {
public:
    Walk(const Symbol* x, ContextShape shape) : x_(x), shape_(shape) {
        for (std::size_t depth = 0; depth + 1 < shape.order; ++depth) oldest_ *= shape.symbols;
    }

    std::size_t row() const { return first_ + value_; }

    /// Goes on past symbol x[t].
    void pass(std::size_t t) {
        const auto symbol = static_cast<std::size_t>(x_[t]);
        if (t >= shape_.order) {
            if (shape_.order == 0) return;
            // The oldest symbol leaves the context: it is known, so that no division is needed.
            value_ = (value_ - static_cast<std::size_t>(x_[t - shape_.order]) * oldest_) * shape_.symbols + symbol;
            return;
        }
        value_ = value_ * shape_.symbols + symbol;
        first_ += level_;
        level_ *= shape_.symbols;
    }

private:
    const Symbol* x_;
    ContextShape shape_;
    std::size_t oldest_ = 1;  // weight of the oldest symbol in a full context
    std::size_t value_ = 0;   // the history as a number
    std::size_t first_ = 0;   // the first row of histories of this length
    std::size_t level_ = 1;   // how many histories of this length there are
};

template <class Symbol>
void check_alphabet(std::size_t symbols) {
    if (symbols - 1 > static_cast<std::size_t>(std::numeric_limits<Symbol>::max()))
        throw std::invalid_argument("chain: the alphabet does not fit the integers of the array");
}

}  // namespace

template <class Symbol>
void sample_chain(const double* table, ContextShape shape, const Seed& seed, Symbol* out, std::size_t paths,
                  std::size_t length, unsigned threads) {
    const std::size_t rows = shape.rows();
    check_alphabet<Symbol>(shape.symbols);
    const AliasTables tables(table, rows, shape.symbols, threads);
    parallel_for(paths, threads, [&](std::size_t path) {
        Symbol* x = out + path * length;
        Random random = Random::stream(seed, path);
        Walk<Symbol> walk(x, shape);
        for (std::size_t t = 0; t < length; ++t) {
            x[t] = static_cast<Symbol>(tables.draw(walk.row(), random));
            walk.pass(t);
        }
    });
}

template <class Symbol>
std::vector<double> chain_logprobs(const Symbol* x, std::size_t paths, std::size_t length, const double* table,
                                   ContextShape shape, double* out, unsigned threads) {
    shape.rows();
    std::vector<double> totals(paths);
    parallel_for(paths, threads, [&](std::size_t path) {
        const Symbol* mine = x + path * length;
        double* result = out ? out + path * length : nullptr;
        Walk<Symbol> walk(mine, shape);
        Compensated total;
        for (std::size_t t = 0; t < length; ++t) {
            // A negative symbol becomes a huge one, so one comparison checks both ends.
            const auto symbol = static_cast<std::size_t>(mine[t]);
            if (symbol >= shape.symbols) throw std::invalid_argument("chain: a symbol lies outside of the alphabet");
            const double logprob = table[walk.row() * shape.symbols + symbol];
            if (result) result[t] = logprob;
            total.add(logprob);
            walk.pass(t);
        }
        totals[path] = total.value();
    });
    return totals;
}

std::vector<double> running_sums(const double* x, std::size_t rows, std::size_t length, const std::int64_t* ends,
                                 std::size_t count, unsigned threads) {
    for (std::size_t k = 0; k < count; ++k) {
        const std::int64_t before = k == 0 ? 0 : ends[k - 1];
        if (ends[k] < before || static_cast<std::size_t>(ends[k]) > length)
            throw std::invalid_argument("running sums: the ends must ascend and lie within the rows");
    }
    std::vector<double> sums(rows * count);
    parallel_for(rows, threads, [&](std::size_t row) {
        const double* values = x + row * length;
        Compensated total;
        std::size_t at = 0;
        for (std::size_t k = 0; k < count; ++k) {
            for (; at < static_cast<std::size_t>(ends[k]); ++at) total.add(values[at]);
            sums[row * count + k] = total.value();
        }
    });
    return sums;
}

#define BITMETER_CHAIN(Symbol)                                                                                      \
    template void sample_chain(const double*, ContextShape, const Seed&, Symbol*, std::size_t, std::size_t, unsigned); \
    template std::vector<double> chain_logprobs(const Symbol*, std::size_t, std::size_t, const double*, ContextShape,  \
                                                double*, unsigned);
BITMETER_CHAIN(std::uint8_t)
BITMETER_CHAIN(std::uint16_t)
BITMETER_CHAIN(std::int32_t)
#undef BITMETER_CHAIN

}  // namespace bitmeter
