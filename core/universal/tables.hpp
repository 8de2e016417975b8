// Tables of the universal model: logistic functions in fixed point, and the states of bit histories. They are computed in
// integers, so that they are the same on every machine.
#pragma once

#include <array>
#include <cstdint>

namespace bitmeter::universal {

/// Log-odds are whole numbers of 1/2048 nat, from -32767 to 32767.
constexpr int logit_limit = 32767;

/// Bit history states of one byte; 0 is the empty history.
struct Histories {
    std::array<std::array<std::uint8_t, 256>, 2> next;  // after a bit more: next[bit][now]
    std::array<std::uint32_t, 256> start;               // a first guess of p(1), in 1/2^32
    std::array<std::uint8_t, 256> seen;                 // how many bits it stands for
    int sure;                                           // from here on all bits were the same
    int size;                                           // how many there are
};

struct Tables {
    std::array<std::int16_t, 4096 + 1> input; // p(1) in 1/4096 -> log-odds in 1/512 nat; one more, for reads of two
    std::array<std::uint16_t, 2048 + 1> squash;   // log-odds in 1/64 nat -> p(1) in 1/32768
    std::array<std::uint32_t, 1025> squash_fine;  // log-odds in 1/32 nat -> p(1) in 1/2^32, to be interpolated
    std::array<std::uint16_t, 1024 + 1> rate;     // 8192/(n + 1.6): how fast a guess of n bits moves
    std::array<std::uint16_t, 2048> cost;         // log-odds in 1/64 nat -> -log2 p(1), in 1/256 bit
    Histories histories;
};

/// The one copy, made at first use.
const Tables& tables();

}  // namespace bitmeter::universal
