#include "universal/fast/parts.hpp"

#include <stdexcept>

#include "universal/memory.hpp"
#include "universal/tables.hpp"

namespace bitmeter::universal::fast {

Parts parts_of(std::uint8_t* memory, const Size& size, std::size_t& bytes) {
    Parts p{};
    bytes = 0;
    p.place = take<Place>(memory, bytes, 1);
    p.maps = take<std::uint32_t>(memory, bytes, contexts * 256);
    p.match_maps = take<std::uint32_t>(memory, bytes, 128);
    for (int m = 0; m < mixers; ++m) p.weights[m] = take<std::int16_t>(memory, bytes, inputs * mixer_rows[m]);
    p.refined = take<std::uint16_t>(memory, bytes, std::size_t{refined_rows} * cells_of_row);
    p.order1 = take<std::uint8_t>(memory, bytes, 256 * order1_row);
    p.matches = take<std::uint32_t>(memory, bytes, std::size_t{1} << size.matches);
    p.history = take<std::uint8_t>(memory, bytes, std::size_t{1} << size.history);
    p.lines = take<Line>(memory, bytes, std::size_t{1} << size.lines);
    p.line_power = size.lines;
    return p;
}

void fill(const Parts& p) {
    const Tables& t = tables();
    for (int c = 0; c < contexts; ++c)
        for (int s = 0; s < 256; ++s) p.maps[c * 256 + s] = t.histories.start[s];
    for (std::uint32_t length = 0; length < 64; ++length) {
        const std::uint32_t wrong = (1u << 22) / (length + 2);
        p.match_maps[length * 2] = wrong << 10;
        p.match_maps[length * 2 + 1] = ((1u << 22) - 1 - wrong) << 10;
    }
    for (int m = 0; m < mixers; ++m)
        for (int i = 0; i < inputs * mixer_rows[m]; ++i) p.weights[m][i] = 8192 / 3;
    for (int row = 0; row < refined_rows; ++row)
        for (int cell = 0; cell < cells_of_row; ++cell)  // from -7.5 nats
            p.refined[row * cells_of_row + cell] = static_cast<std::uint16_t>(t.squash_fine[272 + cell * 32] >> 16);
}

void check(const Parts& p) {
    for (int c = 0; c < contexts; ++c)
        if (p.maps[c * 256] != 1u << 31) throw std::invalid_argument("it holds predictions of the empty history");
    if (p.place->excess > most_excess || p.place->excess < -most_excess)
        throw std::invalid_argument("it holds an impossible cost of the last bytes");
}

}  // namespace bitmeter::universal::fast
