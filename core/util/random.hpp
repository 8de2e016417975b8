// Random numbers that are the same on every machine: xoshiro256++ (Blackman and Vigna, 2019) with one stream per path.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace bitmeter {

/// The seed of a whole sample, drawn by the caller from numpy's generator.
using Seed = std::array<std::uint64_t, 4>;

/// The finaliser of SplitMix64: neighbouring numbers become unrelated ones.
inline std::uint64_t scramble(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

class Random {
public:
    explicit Random(const Seed& state) : state_(state) {
        if ((state_[0] | state_[1] | state_[2] | state_[3]) == 0) state_[0] = 1;  // zero would stay zero for ever
    }

    /// The generator of one path: streams of one seed do not overlap in any practical sense (2^256 states).
    static Random stream(const Seed& seed, std::uint64_t path) {
        Seed state;
        for (unsigned i = 0; i < 4; ++i) state[i] = scramble(seed[i] + scramble(4 * path + i));
        return Random(state);
    }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

private:
    Seed state_;
};

}  // namespace bitmeter
