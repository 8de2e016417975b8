#include "universal/tables.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace bitmeter::universal {
namespace {

using Wide = unsigned __int128;

/// Powers e^-x as 64-bit fractions; products are rounded down in the same way on every machine.
constexpr std::uint64_t exp_minus_1_128 = 0xFE01FEAB551127CBull;   // e^(-1/128)
constexpr std::uint64_t exp_minus_1_2048 = 0xFFE001FFEAAB5551ull;  // e^(-1/2048)

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return static_cast<std::uint64_t>((Wide{a} * b) >> 64); }

void fill_squash(Tables& t) {
    const Wide one = Wide{1} << 64;
    std::array<std::uint32_t, 4097> fine{};  // at every 1/128 nat
    std::uint64_t power = 0;                 // e^(-i/128); 0 stands for the 1 that does not fit
    for (int i = 0; i <= 2048; ++i) {
        Wide e = i == 0 ? one : Wide{power};
        Wide p = ((one << 32) + (one + e) / 2) / (one + e);  // 1/(1 + e^-x), rounded
        auto high = static_cast<std::uint32_t>(std::min<Wide>(p, 0xFFFFFFFFu));
        fine[2048 + i] = high;
        fine[2048 - i] = static_cast<std::uint32_t>((std::uint64_t{1} << 32) - high);
        power = i == 0 ? exp_minus_1_128 : times(power, exp_minus_1_128);
    }
    for (int i = 0; i <= 1024; ++i) t.squash_fine[i] = fine[4 * i];
    for (int i = 0; i < 2048; ++i)
        t.squash[i] = static_cast<std::uint16_t>((std::uint64_t{fine[2 * i + 1]} + (1u << 16)) >> 17);
}

void fill_logits(Tables& t) {
    t.input[2048] = 0;
    std::uint64_t power = exp_minus_1_2048;  // e^(-x/2048) at x = 1
    int x = 1;
    for (int i = 2049; i <= 4096; ++i) {
        // The first x whose odds against, e^(-x/2048), are at most (1 - p)/p; the last cell has half a step in hand.
        Wide against = i == 4096 ? 1 : 2 * (4096 - i), in_favour = i == 4096 ? 8191 : 2 * i;
        while (Wide{power} * in_favour > (against << 64)) {
            power = times(power, exp_minus_1_2048);
            ++x;
        }
        if (i < 4096) t.input[i] = static_cast<std::int16_t>((x + 2) / 4);
        t.input[4096 - i] = static_cast<std::int16_t>(-((x + 2) / 4));
    }
}

/// -log2 of p/2^32 in 1/256, bit by bit: the next bit of log2 x, for x from 1 to 2, is whether x² is at least 2.
std::uint16_t cost_of(std::uint32_t p) {
    int whole = 0;
    for (; p < 1u << 31; p <<= 1) ++whole;
    std::uint64_t x = p >> 1, log = 0;  // from 1 to 2, in 1/2^30
    for (int bit = 0; bit < 8; ++bit) {
        x = x * x >> 30;
        log = log << 1 | x >> 31;
        x >>= x >> 31;
    }
    return static_cast<std::uint16_t>(256 * (whole + 1) - static_cast<int>(log));
}

/// A bit history: the exact bits while they are few, then discounted counts and the last bit.
struct History {
    int zeros = 0, ones = 0, length = 0, bits = 0, last = 0;
    bool operator<(const History& o) const {
        return std::tie(zeros, ones, length, bits, last) < std::tie(o.zeros, o.ones, o.length, o.bits, o.last);
    }
};

constexpr int in_full = 4;
constexpr std::array<int, 5> most = {40, 24, 12, 6, 5};  // of the commoner bit, by the count of the rarer

History after(const History& h, int bit) {
    int count[2] = {h.zeros, h.ones};
    ++count[bit];
    int& other = count[!bit];
    if (other > 2) other = 2 + (other - 2) / 2;
    History r;
    if (h.length >= 0 && h.length < in_full && count[0] + count[1] <= in_full) {
        r = {count[0], count[1], h.length + 1, h.bits << 1 | bit, 0};
        return r;
    }
    int& common = count[0] > count[1] ? count[0] : count[1];
    int& rare = count[0] > count[1] ? count[1] : count[0];
    rare = std::min(rare, static_cast<int>(most.size()) - 1);
    common = std::min(common, most[rare]);
    rare = std::min(rare, common);
    r = {count[0], count[1], -1, 0, count[0] == 0 ? 1 : count[1] == 0 ? 0 : bit};
    return r;
}

bool sure(const History& h) { return (h.zeros == 0) != (h.ones == 0); }

std::vector<History> all_histories() {
    std::vector<History> found{History{}};
    for (std::size_t i = 0; i < found.size(); ++i)
        for (int bit = 0; bit < 2; ++bit) {
            History next = after(found[i], bit);
            auto same = [&](const History& h) { return !(h < next) && !(next < h); };
            if (std::none_of(found.begin(), found.end(), same)) found.push_back(next);
        }
    if (found.size() > 256) throw std::logic_error("bit histories do not fit in a byte");
    std::stable_partition(found.begin(), found.end(), [](const History& h) { return !sure(h); });
    return found;
}

void fill_histories(Histories& h) {
    const std::vector<History> found = all_histories();
    std::map<History, std::uint8_t> numbers;
    for (std::size_t i = 0; i < found.size(); ++i) numbers[found[i]] = static_cast<std::uint8_t>(i);
    h.size = static_cast<int>(found.size());
    h.sure = static_cast<int>(std::find_if(found.begin(), found.end(), sure) - found.begin());
    h.start.fill(1u << 31);
    h.seen = {};
    h.next = {};
    for (std::size_t i = 0; i < found.size(); ++i) {
        const History& x = found[i];
        for (int bit = 0; bit < 2; ++bit) h.next[bit][i] = numbers.at(after(x, bit));
        std::uint32_t p = static_cast<std::uint32_t>((10 * x.ones + 4) * 4194303ull / (10 * (x.zeros + x.ones) + 8));
        if (i > 0) h.start[i] = p << 10;
        h.seen[i] = static_cast<std::uint8_t>(x.zeros + x.ones);
    }
}

Tables make() {
    Tables t;
    fill_squash(t);
    fill_logits(t);
    for (int n = 0; n < 1024; ++n) t.rate[n] = static_cast<std::uint16_t>(81920 / (10 * n + 16));
    for (int i = 0; i < 2048; ++i) t.cost[i] = cost_of(std::min<std::uint32_t>(t.squash[i], 32767) << 17 | 1u << 16);
    fill_histories(t.histories);
    return t;
}

}  // namespace

const Tables& tables() {
    static const Tables made = make();
    return made;
}

}  // namespace bitmeter::universal
