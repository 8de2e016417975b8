#include "text/split.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "util/utf8.hpp"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bitmeter {
namespace {

constexpr std::size_t mask_bytes = 64;

/// Calls visit(offset, mask, length) for each 64 bytes: bit i of the mask is set if byte offset + i is in a word.
template <class Visit>
void each_mask(Bytes text, const Separators& separators, Visit&& visit) {
    std::size_t i = 0;
    for (; i + mask_bytes <= text.size; i += mask_bytes) visit(i, ~separators.mask(text.data + i), mask_bytes);
    if (i < text.size) {
        std::uint8_t last[mask_bytes] = {};
        std::size_t length = text.size - i;
        std::memcpy(last, text.data + i, length);
        visit(i, ~separators.mask(last) & ((std::uint64_t{1} << length) - 1), length);
    }
}

std::int64_t as_int(std::size_t n) { return static_cast<std::int64_t>(n); }

}  // namespace

Separators::Separators(std::string_view bytes) {
    for (char c : bytes) table_[static_cast<std::uint8_t>(c)] = true;
    for (int b = 0; b < 256; ++b)
        if (table_[b] && listed_++ < most_listed) std::fill_n(list_[listed_ - 1], 16, static_cast<std::uint8_t>(b));
}

std::uint64_t Separators::plain_mask(const std::uint8_t* p) const {
    std::uint64_t result = 0;
    for (std::size_t i = 0; i < mask_bytes; ++i) result |= std::uint64_t{table_[p[i]]} << i;
    return result;
}

std::uint64_t Separators::mask(const std::uint8_t* p) const {
#if defined(__SSE2__)
    if (listed_ > most_listed) return plain_mask(p);
    __m128i bytes[4], found[4];
    for (int quarter = 0; quarter < 4; ++quarter) {
        bytes[quarter] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + quarter);
        found[quarter] = _mm_setzero_si128();
    }
    for (std::size_t i = 0; i < listed_; ++i) {
        const __m128i wanted = _mm_load_si128(reinterpret_cast<const __m128i*>(list_[i]));
        for (int quarter = 0; quarter < 4; ++quarter)
            found[quarter] = _mm_or_si128(found[quarter], _mm_cmpeq_epi8(bytes[quarter], wanted));
    }
    std::uint64_t result = 0;
    for (int quarter = 0; quarter < 4; ++quarter)
        result |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(found[quarter]))} << (16 * quarter);
    return result;
#else
    return plain_mask(p);
#endif
}

std::size_t word_edges(Bytes text, std::int64_t offset, const Separators& separators, std::int64_t* edges) {
    std::uint64_t before = 0;
    std::int64_t* edge = edges;
    each_mask(text, separators, [&](std::size_t at, std::uint64_t inside, std::size_t length) {
        std::uint64_t changes = inside ^ ((inside << 1) | before);
        if (length < mask_bytes) changes &= (std::uint64_t{1} << length) - 1;
        for (; changes; changes &= changes - 1) *edge++ = offset + as_int(at) + std::countr_zero(changes);
        before = inside >> 63;
    });
    if ((edge - edges) % 2) *edge++ = offset + as_int(text.size);
    return static_cast<std::size_t>(edge - edges);
}

void word_edges(Bytes text, std::int64_t offset, const Separators& separators, std::vector<std::int64_t>& edges) {
    const std::size_t had = edges.size();
    edges.resize(had + text.size + 1);
    edges.resize(had + word_edges(text, offset, separators, edges.data() + had));
}

bool ends_fit(Ends ends, std::size_t size) {
    std::int64_t before = 0;
    for (std::size_t i = 0; i < ends.size; ++i) {
        if (ends.data[i] < before) return false;
        before = ends.data[i];
    }
    return before == as_int(size);
}

CharSplit split_chars(Bytes text, Ends ends) {
    CharSplit result;
    std::size_t total = 0, begin = 0;
    for (std::size_t d = 0; d < ends.size; ++d) {
        const auto end = static_cast<std::size_t>(ends.data[d]);
        utf8::each(text.data + begin, text.data + end, [&](const std::uint8_t*, int, bool) { ++total; },
                   [&](const std::uint8_t*, std::size_t n) { total += n; });
        begin = end;
    }
    result.ids.resize(total);
    result.cuts.resize(total + 1);
    result.bounds.reserve(ends.size + 1);
    result.bounds.push_back(0);
    std::int32_t* id = result.ids.data();
    std::int64_t* cut = result.cuts.data();
    begin = 0;
    for (std::size_t d = 0; d < ends.size; ++d) {
        const auto end = static_cast<std::size_t>(ends.data[d]);
        utf8::each(
            text.data + begin, text.data + end,
            [&](const std::uint8_t* p, int length, bool valid) {
                *cut++ = p - text.data;
                *id++ = valid ? utf8::code_point(p, length) : first_invalid + *p;
            },
            [&](const std::uint8_t* p, std::size_t n) {
                const std::int64_t offset = p - text.data;
                for (std::size_t i = 0; i < n; ++i) id[i] = p[i];
                for (std::size_t i = 0; i < n; ++i) cut[i] = offset + as_int(i);
                id += n;
                cut += n;
            });
        result.bounds.push_back(id - result.ids.data());
        begin = end;
    }
    *cut = as_int(text.size);
    return result;
}

std::size_t chars_cut(Bytes text) {
    const std::size_t most = std::min<std::size_t>(3, text.size);
    for (std::size_t back = 1; back <= most; ++back) {
        const std::uint8_t* p = text.data + text.size - back;
        if ((*p & 0xC0) == 0x80) continue;  // the lead byte is further back
        return utf8::length(p, text.data + text.size) == utf8::cut_off ? text.size - back : text.size;
    }
    return text.size;
}

WordSplit split_words(Bytes text, Ends ends, const Separators& separators, const WordTable* table) {
    WordSplit result;
    const std::size_t guess = text.size / 5 + ends.size + 1;
    result.ids.reserve(guess);
    result.cuts.reserve(guess + 1);
    result.bounds.reserve(ends.size + 1);
    result.bounds.push_back(0);
    std::vector<std::int64_t> edges;
    std::size_t begin = 0;
    // A long document is taken in pieces that end before a word, so that the list of edges stays in the cache.
    constexpr std::size_t piece = 1 << 14;
    for (std::size_t d = 0; d < ends.size; ++d) {
        const auto end = static_cast<std::size_t>(ends.data[d]);
        const std::size_t first = result.ids.size();
        std::size_t from = begin;
        while (from < end) {
            std::size_t to = std::min(end, from + piece);
            while (to < end && !(separators[text.data[to - 1]] && !separators[text.data[to]])) ++to;
            edges.clear();
            word_edges({text.data + from, to - from}, as_int(from), separators, edges);
            for (std::size_t i = 0; i < edges.size(); i += 2) {
                const Bytes word{text.data + edges[i], static_cast<std::size_t>(edges[i + 1] - edges[i])};
                result.cuts.push_back(result.ids.size() == first ? as_int(begin) : edges[i]);
                result.ids.push_back(table ? table->find(word) : hash_word(word));
            }
            from = to;
        }
        if (result.ids.size() == first && begin < end) {
            result.cuts.push_back(as_int(begin));
            result.ids.push_back(blank_document);
        }
        result.bounds.push_back(as_int(result.ids.size()));
        begin = end;
    }
    result.cuts.push_back(as_int(text.size));
    return result;
}

std::size_t words_cut(Bytes text, const Separators& separators) {
    std::size_t i = text.size;
    while (i > 0 && separators[text.data[i - 1]]) --i;
    while (i > 0 && !separators[text.data[i - 1]]) --i;
    const std::size_t last_word = i;
    while (i > 0 && separators[text.data[i - 1]]) --i;
    return i > 0 ? last_word : 0;  // separators before the first word belong to it
}

Spans trim(Bytes text, const std::int64_t* cuts, std::size_t units, const Separators& separators) {
    Spans result;
    result.starts.resize(units);
    result.stops.resize(units);
    for (std::size_t u = 0; u < units; ++u) {
        std::int64_t start = cuts[u], stop = cuts[u + 1];
        while (stop > start && separators[text.data[stop - 1]]) --stop;
        while (start < stop && separators[text.data[start]]) ++start;
        result.starts[u] = start;
        result.stops[u] = stop;
    }
    return result;
}

std::vector<std::int64_t> line_ends(Bytes text) {
    static const Separators newline("\n");
    std::vector<std::int64_t> result;
    each_mask(text, newline, [&](std::size_t at, std::uint64_t inside, std::size_t length) {
        std::uint64_t found = ~inside;
        if (length < mask_bytes) found &= (std::uint64_t{1} << length) - 1;
        for (; found; found &= found - 1) result.push_back(as_int(at) + std::countr_zero(found) + 1);
    });
    return result;
}

std::vector<std::int64_t> Paragraphs::feed(Bytes block) {
    std::vector<std::int64_t> result;
    const std::uint8_t *p = block.data, *end = block.data + block.size;
    const std::int64_t base = position_;
    auto here = [&] { return base + (p - block.data); };
    while (p < end) {
        if (!line_open_) {  // the rest of a line with text
            const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
            if (!newline) break;
            p = static_cast<const std::uint8_t*>(newline) + 1;
            line_start_ = here();
            line_open_ = true;
            continue;
        }
        if (*p == '\n') {
            after_blank_ = text_;
            ++p;
            line_start_ = here();
        } else if ((*p == ' ' || *p == '\t' || *p == '\r') && here() - line_start_ < longest_indent) {
            ++p;
        } else {
            if (after_blank_) result.push_back(line_start_);
            after_blank_ = line_open_ = false;
            text_ = true;
        }
    }
    position_ = base + as_int(block.size);
    return result;
}

TextCounts::Counts TextCounts::feed(Bytes block, Ends ends) {
    Counts result;
    std::size_t begin = 0;
    std::int64_t c = chars, i = invalid, w = words;
    auto row = [&] {
        result.chars.push_back(chars - c);
        result.invalid.push_back(invalid - i);
        result.words.push_back(words - w);
        c = chars, i = invalid, w = words;
    };
    for (std::size_t d = 0; d < ends.size; ++d) {
        const auto end = static_cast<std::size_t>(ends.data[d]);
        count_part({block.data + begin, end - begin});
        close();
        row();
        begin = end;
    }
    count_part({block.data + begin, block.size - begin});
    row();
    return result;
}

std::int64_t TextCounts::finish() {
    const std::int64_t left = pending_size_;
    close();
    return left;
}

void TextCounts::close() {
    chars += pending_size_;
    invalid += pending_size_;
    pending_size_ = 0;
    in_word_ = false;
}

void TextCounts::count_part(Bytes text) {
    bytes += as_int(text.size);
    count_chars(text);
    count_words(text);
}

void TextCounts::settle() {
    while (pending_size_ > 0) {
        int length = utf8::length(pending_.data(), pending_.data() + pending_size_);
        if (length == utf8::cut_off) return;
        ++chars;
        invalid += length == 0;
        length = std::max(length, 1);
        pending_size_ -= length;
        std::memmove(pending_.data(), pending_.data() + length, static_cast<std::size_t>(pending_size_));
    }
}

void TextCounts::count_chars(Bytes text) {
    const std::uint8_t *p = text.data, *end = text.data + text.size;
    while (pending_size_ > 0 && p < end) {
        pending_[static_cast<std::size_t>(pending_size_++)] = *p++;
        settle();
    }
    const std::size_t whole = chars_cut({p, static_cast<std::size_t>(end - p)});
    auto [found, wrong] = utf8::count(p, p + whole);
    chars += found;
    invalid += wrong;
    for (p += whole; p < end; ++p) pending_[static_cast<std::size_t>(pending_size_++)] = *p;
}

void TextCounts::count_words(Bytes text) {
    std::uint64_t before = in_word_;
    std::int64_t found = 0;
    each_mask(text, separators_, [&](std::size_t, std::uint64_t inside, std::size_t length) {
        found += std::popcount(inside & ~((inside << 1) | before));
        before = (inside >> (length - 1)) & 1;
    });
    words += found;
    in_word_ = before != 0;
}

}  // namespace bitmeter
