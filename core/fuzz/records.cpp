// JSON lines of any bytes: every line that holds more than white space is listed, texts are UTF-8, and what is found of a line
// does not depend on the lines around it.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "text/records.hpp"
#include "util/utf8.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace bitmeter;
    if (size == 0) return 0;
    RecordFields fields{"text", std::nullopt};
    if (data[0] & 1) fields.language = "lang";
    if (data[0] & 2) fields.refused = {"score"};
    if (data[0] & 4) fields.others = {"id", "text"};
    const Bytes block{data + 1, size - 1};
    const RecordScan all = scan_records(block, fields);
    if (all.stops.size() != all.starts.size() || all.sound.size() != all.starts.size()) __builtin_trap();
    if (utf8::count(all.texts.data(), all.texts.data() + all.texts.size()).second) __builtin_trap();
    std::size_t good = 0, at = 0, at_other = 0;
    const auto same = [](const std::vector<std::uint8_t>& joined, std::size_t from, std::size_t to,
                         const std::vector<std::uint8_t>& one) {
        return from <= to && to <= joined.size() && std::equal(joined.begin() + static_cast<std::ptrdiff_t>(from),
                                                               joined.begin() + static_cast<std::ptrdiff_t>(to), one.begin(), one.end());
    };
    for (std::size_t i = 0; i < all.starts.size(); ++i) {
        const auto from = static_cast<std::size_t>(all.starts[i]), to = static_cast<std::size_t>(all.stops[i]);
        if (from >= to || to > block.size || (i && all.starts[i] <= all.stops[i - 1])) __builtin_trap();
        // A copy of its own, so that the sanitizer sees what is read beyond it.
        const std::vector<std::uint8_t> line(block.data + from, block.data + to);
        const RecordScan one = scan_records({line.data(), line.size()}, fields);
        if (one.lines != 1 || one.sound.size() != 1 || one.sound[0] != all.sound[i]) __builtin_trap();
        if (!all.sound[i]) continue;
        const auto end = static_cast<std::size_t>(all.text_ends[good++]);
        if (!same(all.texts, at, end, one.texts)) __builtin_trap();
        if (const std::size_t many = fields.others.size()) {
            const auto other = static_cast<std::size_t>(all.other_ends.at(good * many - 1));
            if (!same(all.others, at_other, other, one.others)) __builtin_trap();
            at_other = other;
        }
        at = end;
    }
    if (good != all.text_ends.size() || at != all.texts.size()) __builtin_trap();
    if (all.language_ends.size() != (fields.language ? good : 0)) __builtin_trap();
    if (all.other_ends.size() != good * fields.others.size() || at_other != all.others.size()) __builtin_trap();
    return 0;
}
