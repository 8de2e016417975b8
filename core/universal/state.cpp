#include "universal/state.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#include "universal/fast/parts.hpp"
#include "universal/max/parts.hpp"
#include "universal/memory.hpp"
#include "universal/tables.hpp"
#include "util/system.hpp"

namespace bitmeter::universal {
namespace {

constexpr Size all_sizes[sizes] = {
    {16, 20, 16, 14}, {21, 24, 20, 18}, {24, 26, 22, 20}, {19, 22, 18, 0},
    {maximal::lines_of(maximal::levels - 1), maximal::history_power, maximal::matches_of(maximal::levels - 1),
     maximal::direct_of(maximal::levels - 1)}};
constexpr std::size_t page = std::size_t{1} << 21;
/// Weights stay far within these bounds; a file that goes beyond them is not one of ours.
constexpr std::int32_t most_weight = 1 << 21;

Parts part(std::uint8_t* memory, const Size& size, std::size_t& at) {
    Parts p{};
    at = 0;
    p.place = take<Place>(memory, at, 1);
    p.maps = take<std::uint32_t>(memory, at, contexts * 256);
    p.match_maps = take<std::uint32_t>(memory, at, 128 + 4096);
    p.direct0 = take<std::uint32_t>(memory, at, 256);
    p.direct1 = take<std::uint32_t>(memory, at, 65536);
    for (int m = 0; m < mixers; ++m) p.weights[m] = take<std::int16_t>(memory, at, std::size_t{inputs} * mixer_rows[m]);
    for (int f = 0; f < finals; ++f) p.final_weights[f] = take<std::int32_t>(memory, at, std::size_t{mixers} * final_rows[f]);
    for (auto& map : p.refined) map = take<std::uint16_t>(memory, at, std::size_t{refined_rows} * refined_cells);
    p.order1 = take<std::uint8_t>(memory, at, 65536);
    p.direct2 = take<std::uint32_t>(memory, at, std::size_t{16} << size.direct);
    p.matches = take<std::uint32_t>(memory, at, std::size_t{1} << size.matches);
    p.history = take<std::uint8_t>(memory, at, std::size_t{1} << size.history);
    p.lines = take<Line>(memory, at, std::size_t{1} << size.lines);
    return p;
}

/// Where everything of a state is, and its bytes.
struct Layout {
    Parts parts;
    fast::Parts fast;
    maximal::Parts max;
    std::size_t bytes = 0;
};

Layout layout_of(int size, std::uint8_t* memory) {
    Layout made{};
    const Size powers = size_of(size);
    if (design_of(size) == Design::mixed) {
        made.parts = part(memory, powers, made.bytes);
    } else if (design_of(size) == Design::fast) {
        made.fast = fast::parts_of(memory, powers, made.bytes);
        made.parts.place = made.fast.place;
        made.parts.history = made.fast.history;
        made.parts.matches = made.fast.matches;
    } else {
        made.max = maximal::parts_of(memory, made.bytes);
        made.parts.place = made.max.place;
        made.parts.history = made.max.history;
    }
    made.parts.tables = made.fast.tables = made.max.tables = &tables();
    return made;
}

/// Copies into memory that is zero. Where the source is zero, nothing is written, so that a model that has read little
/// takes little memory for its copy, too.
void copy_written(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
    constexpr std::size_t block = 4096;
    static constexpr std::uint8_t zeros[block] = {};
    for (std::size_t at = 0; at < size; at += block) {
        const std::size_t count = std::min(block, size - at);
        if (std::memcmp(from + at, zeros, count) != 0) std::memcpy(to + at, from + at, count);
    }
}

constexpr std::uint32_t guess(std::uint32_t p22) { return p22 << 10; }

void fill(const Parts& p, const Size& size) {
    const Tables& t = tables();
    for (int c = 0; c < contexts; ++c)
        for (int s = 0; s < 256; ++s) p.maps[c * 256 + s] = t.histories.start[s];
    for (std::uint32_t length = 0; length < 64; ++length) {
        std::uint32_t wrong = (1u << 22) / (length + 2);
        p.match_maps[length * 2] = guess(wrong);
        p.match_maps[length * 2 + 1] = guess((1u << 22) - 1 - wrong);
    }
    for (int i = 0; i < 4096; ++i) p.match_maps[128 + i] = guess(3u << 20);
    for (int i = 0; i < 256; ++i) p.direct0[i] = guess(1u << 21);
    for (int i = 0; i < 65536; ++i) p.direct1[i] = guess(1u << 21);
    for (std::size_t i = 0; i < std::size_t{16} << size.direct; ++i) p.direct2[i] = guess(1u << 21);
    for (int m = 0; m < mixers; ++m)
        for (int row = 0; row < mixer_rows[m]; ++row)
            for (int i = 0; i < inputs; ++i)
                p.weights[m][row * inputs + i] = i <= 16 || i >= 30 ? 1229 : 0;
    for (int f = 0; f < finals; ++f)
        for (int i = 0; i < mixers * final_rows[f]; ++i) p.final_weights[f][i] = 65536 / mixers;
    for (auto* map : p.refined)
        for (int row = 0; row < refined_rows; ++row)
            for (int cell = 0; cell < refined_cells; ++cell)
                map[row * refined_cells + cell] = static_cast<std::uint16_t>(t.squash_fine[cell * 32] >> 16);
}

}  // namespace

Size size_of(int number) {
    if (number < 0 || number >= sizes) throw std::invalid_argument("no such size of the universal model");
    return all_sizes[number];
}

Design design_of(int number) { return number < 3 ? Design::mixed : number == 3 ? Design::fast : Design::max; }

void State::Free::operator()(std::uint8_t* p) const { std::free(p); }

std::size_t State::bytes_of(int size) {
    return layout_of(size, nullptr).bytes;
}

void State::lay_out() {
    bytes_ = bytes_of(size_);
    // Zeroed lazily by the system: a short text pays only for what it uses.
    memory_.reset(static_cast<std::uint8_t*>(std::calloc(bytes_ + page, 1)));
    if (!memory_) throw std::bad_alloc();
    auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
    start_ = memory_.get() + (page - address % page) % page;
    os::advise_huge(start_, bytes_ / page * page);
    const Layout layout = layout_of(size_, start_);
    parts_ = layout.parts;
    if (design() == Design::fast) fast_ = std::make_shared<const fast::Parts>(layout.fast);
    if (design() == Design::max) max_ = std::make_shared<const maximal::Parts>(layout.max);
}

void State::fill_all() {
    *parts_.place = Place{};
    parts_.place->rate = first_rate;
    switch (design()) {
        case Design::mixed: return fill(parts_, powers_);
        case Design::fast: return fast::fill(*fast_);
        case Design::max: return maximal::fill(*max_);
    }
}

State::State(int size) : size_(size), powers_(size_of(size)) {
    lay_out();
    fill_all();
}

State::State(const State& other) : size_(other.size_), powers_(other.powers_) {
    lay_out();
    for (const Span& part : other.used()) copy_written(start_ + part.start, other.start_ + part.start, part.size);
}

std::vector<Span> State::used() const {
    if (design() == Design::max) return maximal::used(*max_, parts_.place->position);
    return {{0, bytes_}};
}

void State::clear() {
    for (const Span& part : used()) std::memset(start_ + part.start, 0, part.size);
}

void State::reset() {
    clear();
    fill_all();
}

void State::assign(const State& other) {
    if (other.size_ != size_) throw std::invalid_argument("the universal models differ in size");
    if (&other == this) return;
    if (design() == Design::max) clear();  // it may have used more
    for (const Span& part : other.used()) std::memcpy(start_ + part.start, other.start_ + part.start, part.size);
}

void State::rewind() {
    Place& place = *parts_.place;
    Place fresh;
    fresh.position = place.position;
    fresh.rate = place.rate;
    place = fresh;
    if (design() == Design::max) maximal::rewind(*max_);
}

std::uint64_t State::checksum() const {
    std::uint64_t sum[4] = {1, 2, 3, 4};
    for (const Span& part : used())
        for (std::size_t i = part.start; i < part.start + part.size; i += 32) {
            std::uint64_t word[4];
            std::memcpy(word, start_ + i, 32);
            for (int k = 0; k < 4; ++k) {
                sum[k] = (sum[k] ^ word[k]) * 0x9E3779B97F4A7C15ull;
                sum[k] ^= sum[k] >> 29;
            }
        }
    std::uint64_t all = bytes_;
    for (std::uint64_t s : sum) {
        all = (all ^ s) * 0xD6E8FEB86659FD93ull;
        all ^= all >> 32;
    }
    return all;
}

void State::check() const {
    const Parts& p = parts_;
    if (p.place->rate > first_rate) throw std::invalid_argument("it holds an impossible learning rate");
    if (design() == Design::fast) return fast::check(*fast_);
    if (design() == Design::max) return maximal::check(*max_);
    for (int f = 0; f < finals; ++f)
        for (int i = 0; i < mixers * final_rows[f]; ++i)
            if (p.final_weights[f][i] < -most_weight || p.final_weights[f][i] > most_weight)
                throw std::invalid_argument("it holds impossible weights");
    for (int c = 0; c < contexts; ++c)
        if (p.maps[c * 256] != 1u << 31) throw std::invalid_argument("it holds predictions of the empty history");
}

}  // namespace bitmeter::universal
