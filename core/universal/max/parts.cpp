#include "universal/max/parts.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "universal/memory.hpp"
#include "universal/tables.hpp"

namespace bitmeter::universal::maximal {
namespace {

constexpr std::uint32_t guess(std::uint32_t p22) { return p22 << 10; }

std::size_t offset(const Parts& p, const void* part) {
    return static_cast<std::size_t>(static_cast<const std::uint8_t*>(part) - reinterpret_cast<const std::uint8_t*>(p.place));
}

/// Entries without a check value: those that an entry is divided into all begin as it was.
template <int Size>
void spread(std::uint32_t* entries, std::size_t count) {
    for (std::size_t i = count; i-- > 0;) {
        std::uint32_t now[Size];
        std::memcpy(now, entries + i * Size, sizeof now);
        for (std::size_t k = 0; k < 4; ++k) std::memcpy(entries + (i * 4 + k) * Size, now, sizeof now);
    }
}

/// The check value holds the sixteen bits of the hash below those of the smallest table's index, so it says which of the
/// four lines that a line is divided into a tree goes to.
void divide(Line* lines, std::size_t count, int level) {
    const int shift = 16 - 2 * level;
    for (std::size_t i = count; i-- > 0;) {
        const Line now = lines[i];
        Line divided[4] = {};
        int filled[4] = {};
        for (int k = 0; k < 3; ++k) {
            if (!now.check[k]) continue;
            const std::size_t which = now.check[k] >> shift & 3;
            const int to = filled[which]++;
            Line& line = divided[which];
            line.check[to] = now.check[k];
            std::memcpy(line.nodes[to], now.nodes[k], sizeof now.nodes[k]);
            line.last[to] = now.last[k];
            line.times[to] = now.times[k];
            line.before[to] = now.before[k];
        }
        std::memcpy(lines + i * 4, divided, sizeof divided);
    }
}

}  // namespace

Parts parts_of(std::uint8_t* memory, std::size_t& bytes) {
    Parts p{};
    bytes = 0;
    constexpr int last = levels - 1;
    p.place = take<Place>(memory, bytes, 1);
    p.reading = take<Reading>(memory, bytes, 1);
    p.following = take<Following>(memory, bytes, 1);
    p.maps = take<std::uint32_t>(memory, bytes, contexts * maps_of_context);
    p.runs = take<std::uint32_t>(memory, bytes, contexts * 256);
    p.match_maps = take<std::uint32_t>(memory, bytes, predictors * 2048);
    p.match_bytes = take<std::uint32_t>(memory, bytes, predictors * 8192);
    p.followers1 = take<std::uint32_t>(memory, bytes, 256);
    p.followers2 = take<std::uint32_t>(memory, bytes, 65536);
    p.followers3 = take<std::uint32_t>(memory, bytes, 65536);
    p.name_followers = take<std::uint32_t>(memory, bytes, 65536);
    p.word_ends = take<std::uint32_t>(memory, bytes, 65536 * 2);
    p.token_followers = take<std::uint32_t>(memory, bytes, 65536);
    p.known = take<Targets>(memory, bytes, 2);
    p.chances = take<std::uint32_t>(memory, bytes, chance_cells);
    for (int i = 0; i < 3; ++i) p.targets[i] = take<std::uint32_t>(memory, bytes, static_cast<std::size_t>(target_rows[i]));
    for (int m = 0; m < mixers; ++m) p.weights[m] = take<Weights>(memory, bytes, static_cast<std::size_t>(mixer_rows[m]));
    for (int f = 0; f < finals; ++f)
        p.final_weights[f] = take<std::int32_t>(memory, bytes, std::size_t{mixers} * final_rows[f]);
    p.pair_maps = take<std::uint32_t>(memory, bytes, pairs * 65536);
    for (auto& map : p.refined) map = take<std::uint32_t>(memory, bytes, std::size_t{refined_rows} * cells_of_row);
    p.direct0 = take<std::uint32_t>(memory, bytes, 256);
    p.direct1 = take<std::uint32_t>(memory, bytes, 65536);
    for (auto& table : p.direct) table = take<std::uint32_t>(memory, bytes, std::size_t{16} << direct_of(last));
    for (auto& table : p.matches) table = take<std::uint32_t>(memory, bytes, std::size_t{1} << matches_of(last));
    p.history = take<std::uint8_t>(memory, bytes, std::size_t{1} << history_power);
    p.lines = take<Line>(memory, bytes, std::size_t{1} << lines_of(last));
    return p;
}

std::vector<Span> used(const Parts& p, std::uint64_t position) {
    const int level = level_of(position);
    std::vector<Span> found{{0, offset(p, p.direct[0])}};
    for (auto* table : p.direct) found.push_back({offset(p, table), std::size_t{64} << direct_of(level)});
    for (auto* table : p.matches) found.push_back({offset(p, table), std::size_t{4} << matches_of(level)});
    const std::uint64_t text = std::min(position, std::uint64_t{1} << history_power);
    found.push_back({offset(p, p.history), (text + 63) / 64 * 64});
    found.push_back({offset(p, p.lines), sizeof(Line) << lines_of(level)});
    return found;
}

void fill(const Parts& p) {
    const Tables& t = tables();
    *p.reading = Reading{};
    *p.following = Following{};
    for (int c = 0; c < contexts; ++c)
        for (int s = 0; s < 256; ++s) {
            for (int last = 0; last < 7; ++last)
                p.maps[c * maps_of_context + last * 256 + s] = s ? (t.histories.start[s] & ~1023u) | map_start : 1u << 31;
            // By how often the byte came in a row, and the depth: first after another byte, then where none was known.
            const std::uint32_t times = static_cast<std::uint32_t>(s) / 8 % 16;
            p.runs[c * 256 + s] = guess(times ? (1u << 22) - (1u << 22) / (times + 2) : 1u << 21) | run_start;
        }
    for (std::uint32_t i = 0; i < chance_cells; ++i)
        p.chances[i] = guess((2 * (i % chance_bins) + 1) * ((1u << 22) / (2 * chance_bins))) | match_start;
    for (int m = 0; m < predictors; ++m) {
        for (std::uint32_t i = 0; i < 2048; ++i) {
            const std::uint32_t length = i >> 6;
            p.match_maps[m * 2048 + i] = guess((1u << 22) - 1 - (1u << 22) / (length + 2)) | match_start;
        }
        for (int i = 0; i < 8192; ++i) p.match_bytes[m * 8192 + i] = guess(3u << 20) | match_start;
    }
}

void rewind(const Parts& p) {
    *p.reading = Reading{};
    *p.following = Following{};
}

void grow(const Parts& p, int level) {
    for (auto* table : p.direct) spread<16>(table, std::size_t{1} << direct_of(level - 1));
    for (auto* table : p.matches) spread<1>(table, std::size_t{1} << matches_of(level - 1));
    divide(p.lines, std::size_t{1} << lines_of(level - 1), level);
}

void check(const Parts& p) {
    for (int c = 0; c < contexts; ++c)
        if (p.maps[c * maps_of_context] != 1u << 31) throw std::invalid_argument("it holds predictions of the empty history");
    if (p.place->excess > most_excess || p.place->excess < -most_excess)
        throw std::invalid_argument("it holds an impossible cost of the last bytes");
    if (p.following->branch.bytes > 3 || p.following->branch.key >= static_cast<std::uint32_t>(target_rows[0]))
        throw std::invalid_argument("it holds an impossible branch");
    if (p.reading->instruction.field >= fields || p.reading->instruction.base >= std::size(p.reading->instruction.displacement))
        throw std::invalid_argument("it holds an impossible instruction");
    for (int k = 0; k < 2; ++k) {
        const Targets& known = p.known[k];
        const auto impossible = [](std::uint32_t weight) { return weight > most_target_weight; };
        if (known.count > most_targets || known.hand >= most_targets ||
            std::any_of(known.weight, known.weight + most_targets, impossible))
            throw std::invalid_argument("it holds impossible targets of branches");
    }
    for (int m = 0; m < mixers; ++m)
        for (int row = 0; row < mixer_rows[m]; ++row) {
            const Weights& weights = p.weights[m][row];
            bool possible = weights.upper[inputs - 1] == 0;
            for (int i = 0; i < inputs - 1; ++i) {
                const std::int32_t weight = weight_of(weights, i);
                possible = possible && weight <= most_weight && weight >= -most_weight;
            }
            if (!possible)
                throw std::invalid_argument("it holds impossible weights");
        }
    for (int f = 0; f < finals; ++f)
        for (int i = 0; i < mixers * final_rows[f]; ++i)
            if (p.final_weights[f][i] > most_final_weight || p.final_weights[f][i] < -most_final_weight)
                throw std::invalid_argument("it holds impossible weights");
}

}  // namespace bitmeter::universal::maximal
