#include "text/pieces/rules.hpp"

#include <algorithm>
#include <cstring>

#include "text/pieces/file.hpp"
#include "util/utf8.hpp"

namespace bitmeter {
namespace {

// A unit of the trie: its label, whether a value hangs on it, and the distance to its children; or a value.
constexpr std::size_t longest_text = 1024;  // some thirty times what a rule of Unicode makes of a character
constexpr std::uint32_t value_bit = std::uint32_t{1} << 31;
std::uint32_t label_of(std::uint32_t unit) { return unit & (value_bit | 0xFF); }
bool has_value(std::uint32_t unit) { return unit >> 8 & 1; }
std::uint32_t offset_of(std::uint32_t unit) { return (unit >> 10) << ((unit & (1u << 9)) >> 6); }

}  // namespace

PieceRules::PieceRules(std::string_view compiled) {
    if (compiled.empty()) return;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(compiled.data());
    const auto word = [&](std::size_t at) {
        return std::uint32_t{bytes[at]} | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
               std::uint32_t{bytes[at + 3]} << 24;
    };
    if (compiled.size() < 8) throw PieceFormatError("the rules of its normaliser are cut off");
    const std::size_t size = word(0);
    if (size > compiled.size() - 4 || size % 4 != 0 || size == 0)
        throw PieceFormatError("the rules of its normaliser are longer than the file says");
    units_.resize(size / 4);
    for (std::size_t i = 0; i < units_.size(); ++i) units_[i] = word(4 + 4 * i);
    texts_ = compiled.substr(4 + size);
    check();
}

std::size_t PieceRules::base(std::size_t unit) const { return unit ^ offset_of(units_[unit]); }

std::size_t PieceRules::child(std::size_t base, std::uint8_t byte) const {
    const std::size_t at = base ^ byte;
    return at < units_.size() && label_of(units_[at]) == byte ? at : nowhere;
}

/// Goes through all of the trie, of which parts may be shared: what it leads to must be there.
void PieceRules::check() {
    const std::size_t size = texts_.rfind('\0') + 1;  // 0 if there is none
    const auto* texts = reinterpret_cast<const std::uint8_t*>(texts_.data());
    if (utf8::count(texts, texts + size).second) throw PieceFormatError("a rule of its normaliser is not UTF-8");
    // The units that are children, by the base that they stand at.
    constexpr std::uint32_t absent = ~std::uint32_t{0};
    std::vector<std::uint32_t> eldest(units_.size() + 256, absent), sibling(units_.size(), absent);
    for (std::size_t unit = units_.size(); unit-- > 0;) {
        const std::uint32_t label = label_of(units_[unit]);
        if (label > 255) continue;
        sibling[unit] = eldest[unit ^ label];
        eldest[unit ^ label] = static_cast<std::uint32_t>(unit);
    }
    std::vector<bool> seen(units_.size());
    std::vector<std::size_t> open{0};
    seen[0] = true;
    while (!open.empty()) {
        const std::size_t unit = open.back();
        open.pop_back();
        const std::size_t from = base(unit);
        if (unit != 0 && has_value(units_[unit])) {
            if (from >= units_.size()) throw PieceFormatError("a rule of its normaliser leads out of the rules");
            const std::size_t at = units_[from] & ~value_bit;
            if (at >= size || (texts[at] & 0xC0) == 0x80)
                throw PieceFormatError("a rule of its normaliser leads out of the rules");
            if (!std::memchr(texts + at, 0, std::min(size - at, longest_text + 1)))
                throw PieceFormatError("a rule of its normaliser makes more of a text than any rule does");
        }
        for (std::size_t next = from < eldest.size() ? eldest[from] : absent; next != absent; next = sibling[next]) {
            if (unit != 0) inside_[label_of(units_[next])] = true;
            if (!seen[next]) {
                seen[next] = true;
                open.push_back(next);
            }
        }
    }
    const std::size_t space = child(base(0), ' ');
    for (unsigned byte = 0; space != nowhere && byte < 256; ++byte)
        after_space_[byte] = child(base(space), static_cast<std::uint8_t>(byte)) != nowhere;
}

PieceRules::Match PieceRules::longest(const std::uint8_t* p, const std::uint8_t* end) const {
    Match found;
    if (units_.empty()) return found;
    std::size_t at = base(0), value = nowhere;
    for (const std::uint8_t* q = p; q < end; ++q) {
        const std::size_t unit = child(at, *q);
        if (unit == nowhere) break;
        at = base(unit);
        if (has_value(units_[unit])) {
            value = at;
            found.length = static_cast<std::size_t>(q - p) + 1;
        }
    }
    if (found.length) found.text = std::string_view(texts_.c_str() + (units_[value] & ~value_bit));
    return found;
}

PieceRules::Match PieceRules::shortest(const std::uint8_t* p, const std::uint8_t* end) const {
    std::size_t at = base(0);
    for (const std::uint8_t* q = p; q < end && *q; ++q) {
        const std::size_t unit = child(at, *q);
        if (unit == nowhere) break;
        at = base(unit);
        if (has_value(units_[unit]))
            return {static_cast<std::size_t>(q - p) + 1, std::string_view(texts_.c_str() + (units_[at] & ~value_bit))};
    }
    return {};
}

}  // namespace bitmeter
