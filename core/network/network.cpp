#include "network/network.hpp"

namespace bitmeter::network {

Kernel kernel_of(const Cpu& cpu) {
    return cpu.runs(CpuLevel::avx2, cpu_avx2) ? kernel_avx2() : kernel_baseline();
}

Network::Network(const Ends& ends, const Kernel& kernel)
    : size_(ends.embedding.rows),
      width_(ends.embedding.columns),
      never_(ends.never),
      embedding_(ends.embedding.data, ends.embedding.data + ends.embedding.rows * ends.embedding.columns),
      head_({ends.embedding}, {ends.bias}, kernel) {
    if (size_ == 0 || width_ == 0 || never_ >= static_cast<std::int64_t>(size_))
        throw std::invalid_argument("the network has no ids, or one that never comes is none of them");
}

std::vector<double> Network::step(const std::int64_t* ids, std::size_t n, State& state) const {
    if (n == 0) throw std::invalid_argument("a network predicts after at least one token");
    for (std::size_t i = 0; i < n; ++i)
        if (ids[i] < 0 || static_cast<std::size_t>(ids[i]) >= size_) throw std::invalid_argument("there is no such id");
    std::vector<float> hidden(width_), logits(size_);
    for (std::size_t i = 0; i < n; ++i) {
        const auto id = static_cast<std::size_t>(ids[i]);
        take(id, embedding_.data() + id * width_, state, hidden.data());
    }
    head_.apply(hidden.data(), logits.data());
    std::vector<double> row(logits.begin(), logits.end());
    if (never_ >= 0) row[static_cast<std::size_t>(never_)] = -std::numeric_limits<double>::infinity();
    log_softmax(row.data(), size_, row.data());
    return row;
}

}  // namespace bitmeter::network
