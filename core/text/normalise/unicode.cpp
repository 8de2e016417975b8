#include "text/normalise/unicode.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace bitmeter::normalise {

namespace {

struct Range {
    std::int32_t first, last;
};
struct LowerRun {
    std::int32_t first, last, step, distance;
};
struct Pair {
    std::int32_t from, to;
};
struct Longer {
    std::int32_t from, to[3];
};

#include "text/normalise/tables.inc"

template <std::size_t n>
bool holds(const Range (&ranges)[n], std::int32_t c) {
    const auto* after = std::upper_bound(std::begin(ranges), std::end(ranges), c, [](auto x, const Range& r) { return x < r.first; });
    return after != std::begin(ranges) && c <= std::prev(after)->last;
}

template <class Row, std::size_t n>
const Row* row(const Row (&rows)[n], std::int32_t c) {
    const auto* found = std::lower_bound(std::begin(rows), std::end(rows), c, [](const Row& r, auto x) { return r.from < x; });
    return found != std::end(rows) && found->from == c ? found : nullptr;
}

}  // namespace

const char* unicode_version() { return version; }

std::vector<bool> listed_pages() {
    std::vector<bool> pages(0x110000 >> 6);
    const auto list = [&](std::int32_t first, std::int32_t last) {
        for (std::int32_t page = first >> 6; page <= last >> 6; ++page) pages[static_cast<std::size_t>(page)] = true;
    };
    const auto list_ranges = [&](const auto& ranges) {
        for (const auto& range : ranges) list(range.first, range.last);
    };
    const auto list_rows = [&](const auto& rows) {
        for (const auto& one : rows) list(one.from, one.from);
    };
    list_ranges(lower_runs);
    list_rows(decomposed);
    list_rows(decomposed_longer);
    list_rows(late_classes);
    list_ranges(moving_marks);
    list_ranges(fixed_marks);
    list_ranges(digits);
    list_ranges(white);
    list(dotted_i, dotted_i);
    list(first_hangul, last_hangul);
    return pages;
}

std::int32_t lower(std::int32_t c) {
    const auto* after = std::upper_bound(std::begin(lower_runs), std::end(lower_runs), c,
                                         [](auto x, const LowerRun& r) { return x < r.first; });
    if (after == std::begin(lower_runs)) return c;
    const LowerRun& run = *std::prev(after);
    return c <= run.last && (c - run.first) % run.step == 0 ? c + run.distance : c;
}

Several unaccented(std::int32_t c) {
    constexpr std::int32_t leading = 0x1100, vowel = 0x1161, trailing = 0x11A7, vowels = 21, trailings = 28;
    if (c >= first_hangul && c <= last_hangul) {
        const std::int32_t index = c - first_hangul, tail = index % trailings;
        const std::int32_t head = leading + index / (vowels * trailings), middle = vowel + index / trailings % vowels;
        return {{head, middle, trailing + tail}, tail ? 3 : 2};
    }
    if (is_moving_mark(c) || is_fixed_mark(c)) return {};
    if (const Pair* found = row(decomposed, c)) return {{found->to}, 1};
    if (const Longer* found = row(decomposed_longer, c)) {
        Several result;
        while (result.size < 3 && found->to[result.size]) {
            result.points[static_cast<std::size_t>(result.size)] = found->to[result.size];
            ++result.size;
        }
        return result;
    }
    return {{c}, 1};
}

bool is_moving_mark(std::int32_t c) { return holds(moving_marks, c); }
bool is_fixed_mark(std::int32_t c) { return holds(fixed_marks, c); }

int late_class(std::int32_t c) {
    const Pair* found = row(late_classes, c);
    return found ? found->to : 0;
}

bool is_digit(std::int32_t c) { return holds(digits, c); }
bool is_white(std::int32_t c) { return holds(white, c); }
bool is_cased(std::int32_t c) { return holds(cased, c); }
bool is_ignorable(std::int32_t c) { return holds(ignorable, c); }

void append(std::string& out, std::int32_t c) {
    const auto rest = [&](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | c >> 6);
        rest(0);
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | c >> 12);
        rest(6);
        rest(0);
    } else {
        out += static_cast<char>(0xF0 | c >> 18);
        rest(12);
        rest(6);
        rest(0);
    }
}

}  // namespace bitmeter::normalise
