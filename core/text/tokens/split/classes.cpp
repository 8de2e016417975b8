#include "text/tokens/split/classes.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "util/utf8.hpp"

namespace bitmeter {
namespace {

struct Run {
    std::int32_t first;
    std::uint8_t bits;
};
struct Order {
    std::int32_t first, last;
    std::uint8_t order;  // its combining class, or not_settled
};
constexpr std::uint8_t not_settled = 255;

#include "text/tokens/split/tables.inc"

std::uint8_t order_of(std::int32_t c) {
    const auto* after = std::upper_bound(std::begin(orders), std::end(orders), c, [](auto x, const Order& o) { return x < o.first; });
    return after != std::begin(orders) && c <= std::prev(after)->last ? std::prev(after)->order : std::uint8_t{0};
}

}  // namespace

CharacterClasses::CharacterClasses() {
    std::map<std::vector<std::uint8_t>, std::uint16_t> known;
    const Run* run = std::begin(runs);
    for (std::int32_t page = 0; page < 0x1100; ++page) {
        std::vector<std::uint8_t> bits(256);
        for (std::int32_t i = 0; i < 256; ++i) {
            while (std::next(run) != std::end(runs) && std::next(run)->first <= page * 256 + i) ++run;
            bits[static_cast<std::size_t>(i)] = run->bits;
        }
        const auto [found, fresh] = known.try_emplace(bits, static_cast<std::uint16_t>(known.size()));
        if (fresh) pages_.insert(pages_.end(), bits.begin(), bits.end());
        index_[static_cast<std::size_t>(page)] = found->second;
    }
}

const CharacterClasses& character_classes() {
    static const CharacterClasses classes;
    return classes;
}

bool is_settled(Bytes text) {
    const CharacterClasses& classes = character_classes();
    std::uint8_t before = 0;
    bool settled = true;
    utf8::each(
        text.data, text.data + text.size,
        [&](const std::uint8_t* p, int length, bool) {
            const std::int32_t c = utf8::code_point(p, length);
            if (!(classes[c] & class_unsettled)) [[likely]] {
                before = 0;
                return;
            }
            const std::uint8_t order = order_of(c);
            settled = settled && order != not_settled && order >= before;
            before = order;
        },
        [&](const std::uint8_t*, std::size_t) { before = 0; });
    return settled;
}

}  // namespace bitmeter
