// The kernels of follow.cpp for some instruction sets; that of AVX-512 works on sixteen texts with one instruction.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ngram/follow/follow.hpp"

namespace bitmeter {

/// A model as the loop needs it; arrays count orders from 0.
struct FollowTables {
    const std::uint8_t* ngrams[max_order];
    const std::uint32_t* keys[max_order + 1];  // of the order above: where children are found
    std::uint64_t counts[max_order + 1];
    std::uint32_t order;
    std::uint32_t code_factor, code_mask;
    unsigned bits;
};

struct FollowText {
    const NgramModel* model;
    const std::uint32_t* words;
    const NgramSpan *from, *to;
    double* out;
};

/// The state before the first word of a span that is scored.
NgramState follow_start(const FollowText& text, const NgramSpan& span);
/// Throws: a link leads out of the model.
[[noreturn]] void follow_outside();

/// It takes texts whose indices fit into 31 bits.
constexpr std::size_t most_follow_words = std::size_t{1} << 30;
void follow_avx512(const FollowTables& tables, const FollowText& text);
constexpr CpuFeatures follow_avx512_needs = cpu_avx512f | cpu_avx512dq | cpu_avx512vl | cpu_avx512cd;
void follow_avx2(const FollowTables& tables, const FollowText& text);
constexpr CpuFeatures follow_avx2_needs = cpu_avx2 | cpu_bmi2;

}  // namespace bitmeter
