#include "theory/rows/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "theory/rows/kernel.hpp"
#include "util/parallel.hpp"
#include "util/sum.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t block_length = 8192;
constexpr std::size_t task_length = 1 << 17;  // entries that are worth handing to another thread

BlockKernel<double> pick(const KernelSet& set, double) { return set.f64; }
BlockKernel<float> pick(const KernelSet& set, float) { return set.f32; }

bool acceptable(double x) { return std::isfinite(x) && x >= 0.0; }

/// Finds the bad entry in a block that the kernel has flagged.
template <class Real>
void locate(const BlockSums& found, const Real* p, const Real* q, std::size_t n, std::size_t offset, RowSums& row) {
    auto first = [&](std::int64_t& place, auto&& odd) {
        for (std::size_t i = 0; i < n && place == no_index; ++i)
            if (odd(i)) place = static_cast<std::int64_t>(offset + i);
    };
    if (found.bad_p) first(row.bad_p, [&](std::size_t i) { return !acceptable(p[i]); });
    if (found.bad_q) first(row.bad_q, [&](std::size_t i) { return !acceptable(q[i]); });
    if (found.impossible) first(row.impossible, [&](std::size_t i) { return p[i] > 0 && q[i] == 0; });
}

}  // namespace

KernelSet rows_kernels(const Cpu& cpu) {
    if (cpu.runs(CpuLevel::avx512, rows_avx512_needs)) return rows_avx512();
    if (cpu.runs(CpuLevel::avx2, cpu_avx2)) return rows_avx2();
    return rows_baseline();
}

template <class Real>
std::vector<RowSums> row_sums(RowMode mode, const Real* p, const Real* q, const double* centre, std::size_t rows,
                              std::size_t length, unsigned threads) {
    std::vector<RowSums> result(rows);
    if (rows == 0 || length == 0) return result;
    const std::size_t blocks = (length + block_length - 1) / block_length;
    std::vector<BlockSums> parts(rows * blocks);
    const std::size_t per_task = std::max<std::size_t>(1, task_length / std::min(length, block_length));
    const std::size_t tasks = (parts.size() + per_task - 1) / per_task;
    const auto kernel = pick(rows_kernels(cpu()), Real{});

    parallel_for(tasks, threads, [&](std::size_t task) {
        for (std::size_t i = task * per_task; i < std::min(parts.size(), (task + 1) * per_task); ++i) {
            std::size_t row = i / blocks, start = (i % blocks) * block_length;
            std::size_t n = std::min(block_length, length - start), at = row * length + start;
            kernel(static_cast<int>(mode), p + at, q ? q + at : nullptr, centre ? centre[row] : 0.0, n, parts[i]);
        }
    });

    for (std::size_t row = 0; row < rows; ++row) {
        Compensated sum_p, sum_q, value;
        RowSums& out = result[row];
        for (std::size_t b = 0; b < blocks; ++b) {
            const BlockSums& part = parts[row * blocks + b];
            sum_p.add(Compensated{part.p[0], part.p[1]});
            sum_q.add(Compensated{part.q[0], part.q[1]});
            value.add(Compensated{part.value[0], part.value[1]});
            if (part.bad_p || part.bad_q || part.impossible) {
                std::size_t start = b * block_length, at = row * length + start;
                locate(part, p + at, q ? q + at : nullptr, std::min(block_length, length - start), start, out);
            }
        }
        out.p = sum_p.value();
        out.q = sum_q.value();
        out.value = mode == RowMode::sum ? out.p : value.value();
        if (out.impossible != no_index) {
            const double infinite = std::numeric_limits<double>::infinity();
            out.value = mode == RowMode::cross ? -infinite : infinite;
        }
    }
    return result;
}

template std::vector<RowSums> row_sums(RowMode, const double*, const double*, const double*, std::size_t, std::size_t,
                                       unsigned);
template std::vector<RowSums> row_sums(RowMode, const float*, const float*, const double*, std::size_t, std::size_t,
                                       unsigned);

}  // namespace bitmeter
