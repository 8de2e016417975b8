#include "ngram/estimate/text.hpp"

#include <algorithm>
#include <charconv>

#include "ngram/format/compact.hpp"
#include "util/parallel.hpp"

namespace bitmeter {
namespace {

Bytes literal(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

constexpr std::size_t piece = 1 << 14;  // so that the list of edges stays in the cache

/// A code point's bytes into `out`; how many there are.
std::size_t encode_utf8(std::uint32_t point, char* out) {
    if (point < 0x80) {
        out[0] = static_cast<char>(point);
        return 1;
    }
    const std::size_t size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static constexpr std::uint32_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (std::size_t i = size - 1; i > 0; --i, point >>= 6) out[i] = static_cast<char>(0x80 | (point & 0x3F));
    out[0] = static_cast<char>(lead[size] | point);
    return size;
}

}  // namespace

NgramText::NgramText(std::string_view separators, UnkInText unk) : separators_(separators), unk_(unk) {
    table_.add(literal(unk == UnkInText::word ? "\n0" : "<unk>"));  // no word has a newline in it
    table_.add(literal("<s>"));
    table_.add(literal("</s>"));
}

void NgramText::add(Bytes word) {
    if (word.size > longest_word) throw LongWord(sentences_ + 1);
    const auto number = static_cast<std::uint64_t>(table_.add(word));
    if (number < first_word && (number != word_unknown || unk_ != UnkInText::member))
        throw ReservedWord(std::string(reinterpret_cast<const char*>(word.data), word.size), sentences_ + 1);
    if (number >= std::uint64_t{1} << 31) throw std::length_error("more than 2^31 different words");
    ids_.push_back(static_cast<std::uint32_t>(number));
}

void NgramText::close() {
    if (!begun_.empty()) {
        add({begun_.data(), begun_.size()});
        begun_.clear();
    }
    ids_.push_back(word_end);
    ++sentences_;
    open_ = false;
}

void NgramText::take_part(Bytes text, bool closed) {
    const std::uint8_t *p = text.data, *const end = text.data + text.size;
    open_ = open_ || text.size > 0;
    if (!begun_.empty()) {  // the rest of the word that was cut
        const std::uint8_t* stop = p;
        while (stop < end && !separators_[*stop]) ++stop;
        begun_.insert(begun_.end(), p, stop);
        if (begun_.size() > longest_word) throw LongWord(sentences_ + 1);
        if (stop == end) return;
        add({begun_.data(), begun_.size()});
        begun_.clear();
        p = stop;
    }
    while (p < end) {
        const std::uint8_t* stop = p + std::min<std::size_t>(piece, static_cast<std::size_t>(end - p));
        while (stop < end && !separators_[*stop]) ++stop;
        edges_.clear();
        word_edges({p, static_cast<std::size_t>(stop - p)}, 0, separators_, edges_);
        for (std::size_t i = 0; i < edges_.size(); i += 2) {
            const Bytes word{p + edges_[i], static_cast<std::size_t>(edges_[i + 1] - edges_[i])};
            if (!closed && word.data + word.size == end)
                begun_.assign(word.data, end);
            else
                add(word);
        }
        p = stop;
    }
}

void NgramText::feed_in_order(Bytes block, Ends ends) {
    std::size_t begin = 0;
    for (std::size_t d = 0; d < ends.size; ++d) {
        const auto stop = static_cast<std::size_t>(ends.data[d]);
        take_part({block.data + begin, stop - begin}, true);
        close();
        begin = stop;
    }
    take_part({block.data + begin, block.size - begin}, false);
}

// ---- several threads
// ------------------------------------------------------------------------------------------------

namespace {

/// What one thread makes of its part of a block: the numbers of the words that the table has already, and the others, to
/// be numbered in the order of the text when all are done.
struct Part {
    std::vector<std::uint32_t> ids;
    std::vector<std::pair<std::size_t, Bytes>> others;  // their places in `ids`
};

void split_part(Bytes text, Ends ends, std::int64_t offset, const Separators& separators, const WordTable& table,
                Part& part) {
    std::vector<std::int64_t> edges;
    std::size_t begin = 0;
    for (std::size_t d = 0; d <= ends.size; ++d) {
        const std::size_t end = d < ends.size ? static_cast<std::size_t>(ends.data[d] - offset) : text.size;
        while (begin < end) {
            std::size_t stop = std::min(begin + piece, end);
            while (stop < end && !separators[text.data[stop]]) ++stop;
            edges.clear();
            word_edges({text.data + begin, stop - begin}, static_cast<std::int64_t>(begin), separators, edges);
            for (std::size_t i = 0; i < edges.size(); i += 2) {
                const Bytes word{text.data + edges[i], static_cast<std::size_t>(edges[i + 1] - edges[i])};
                const std::int64_t number = table.find(word);
                if (number < first_word) part.others.emplace_back(part.ids.size(), word);
                part.ids.push_back(static_cast<std::uint32_t>(number));
            }
            begin = stop;
        }
        if (d < ends.size) part.ids.push_back(word_end);
    }
}

}  // namespace

/// A text that begins with a separator and has one after it.
void NgramText::feed_parts(Bytes text, Ends ends, std::int64_t offset, unsigned threads) {
    if (!begun_.empty()) {
        add({begun_.data(), begun_.size()});
        begun_.clear();
    }
    constexpr std::size_t least = 1 << 16;
    const std::size_t parts = std::max<std::size_t>(1, std::min<std::size_t>(threads, text.size / least));
    std::vector<std::size_t> cuts{0};
    for (std::size_t p = 1; p < parts; ++p) {
        std::size_t at = std::max(cuts.back(), text.size * p / parts);
        while (at < text.size && !separators_[text.data[at]]) ++at;
        cuts.push_back(at);
    }
    cuts.push_back(text.size);
    auto end_after = [&](std::size_t place) {  // the first end behind a place
        return std::upper_bound(ends.data, ends.data + ends.size, offset + static_cast<std::int64_t>(place));
    };
    std::vector<Part> made(parts);
    parallel_for(parts, threads, [&](std::size_t p) {
        const std::int64_t *from = end_after(cuts[p]), *to = end_after(cuts[p + 1]);
        split_part({text.data + cuts[p], cuts[p + 1] - cuts[p]}, {from, static_cast<std::size_t>(to - from)},
                   offset + static_cast<std::int64_t>(cuts[p]), separators_, table_, made[p]);
    });
    for (const Part& part : made) {
        std::size_t done = 0;
        auto copy_until = [&](std::size_t place) {
            const std::uint32_t* own = part.ids.data();
            ids_.append(own + done, place - done);
            sentences_ += static_cast<std::uint64_t>(std::count(own + done, own + place, word_end));
            done = place;
        };
        for (const auto& [place, word] : part.others) {
            copy_until(place);
            add(word);
            ++done;
        }
        copy_until(part.ids.size());
    }
    open_ = ends.size == 0 || ends.data[ends.size - 1] < offset + static_cast<std::int64_t>(text.size);
}

void NgramText::feed(Bytes block, Ends ends, unsigned threads) {
    threads = thread_count(threads, block.size >> 16);
    // From the first separator to the last one no word is cut by the borders of the block.
    std::size_t head = 0, tail = block.size;
    while (head < block.size && !separators_[block.data[head]]) ++head;
    while (tail > head && !separators_[block.data[tail - 1]]) --tail;
    if (threads <= 1 || tail <= head + 1) {
        feed_in_order(block, ends);
        return;
    }
    --tail;
    const std::int64_t* const last = ends.data + ends.size;
    const std::int64_t *from = std::upper_bound(ends.data, last, static_cast<std::int64_t>(head)),
                       *to = std::upper_bound(from, last, static_cast<std::int64_t>(tail));
    feed_in_order({block.data, head}, {ends.data, static_cast<std::size_t>(from - ends.data)});
    feed_parts({block.data + head, tail - head}, {from, static_cast<std::size_t>(to - from)},
               static_cast<std::int64_t>(head), threads);
    std::vector<std::int64_t> rest(to, last);
    for (std::int64_t& end : rest) end -= static_cast<std::int64_t>(tail);
    feed_in_order({block.data + tail, block.size - tail}, {rest.data(), rest.size()});
}

void NgramText::finish() {
    if (open_) close();
    if (!closed_) return;
    if (adopted_) {
        for (std::int64_t id = 0; id < rules_.ids; ++id) {
            char name[16];
            const std::size_t size = id == rules_.end_unit ? 0 : name_of(id, name);
            if (size) table_.add({reinterpret_cast<const std::uint8_t*>(name), size});
        }
        counts_.resize(table_.size());
        return;
    }
    for (std::int64_t id = 0; id < rules_.ids; ++id)
        if (id != rules_.end_unit && numbers_[static_cast<std::size_t>(id)] == 0) {
            add_id(id);
            ids_.pop_back();  // known, but it did not come
        }
}

std::uint64_t NgramText::unknown() const {
    if (adopted_) return counts_.empty() ? 0 : counts_[word_unknown];
    return static_cast<std::uint64_t>(std::count(ids_.begin(), ids_.end(), word_unknown));
}

// ---- units that come as ids
// ------------------------------------------------------------------------------------------

NgramText::NgramText(const UnitRules& rules) : separators_(""), rules_(rules), closed_(rules.closed) {
    constexpr std::int64_t most = (std::int64_t{1} << 31) - 1 - first_word;
    if (rules.ids < 1 || rules.ids > most || rules.end_unit < -1 || rules.end_unit >= rules.ids)
        throw std::invalid_argument("units: their number is impossible");
    // Longer than the name of any unit, so that none is taken for them.
    for (const char* reserved : {"\nunknown....", "\nbegin......", "\nend........"}) table_.add(literal(reserved));
    numbers_.assign(static_cast<std::size_t>(rules.ids), 0);
}

/// The bytes by which a unit is known, into at least 16; how many there are.
std::size_t NgramText::name_of(std::int64_t id, char* name) const {
    if (rules_.kind == UnitKind::tokens) return static_cast<std::size_t>(std::to_chars(name, name + 16, id).ptr - name);
    if (rules_.kind == UnitKind::characters && id < first_invalid) return encode_utf8(static_cast<std::uint32_t>(id), name);
    name[0] = static_cast<char>(rules_.kind == UnitKind::characters ? id - first_invalid : id);
    return 1;
}

void NgramText::add_id(std::int64_t id) {
    std::uint32_t& number = numbers_[static_cast<std::size_t>(id)];
    if (number == 0) {
        char name[16];
        const std::size_t size = name_of(id, name);
        number = static_cast<std::uint32_t>(table_.add({reinterpret_cast<const std::uint8_t*>(name), size}));
    }
    ids_.push_back(number);
}

template <class Id>
void NgramText::feed_ids(const Id* ids, const std::int64_t* bounds, std::size_t documents, std::size_t closed) {
    for (std::size_t d = 0; d < documents; ++d) {
        for (std::int64_t i = bounds[d]; i < bounds[d + 1]; ++i) {
            const auto id = static_cast<std::int64_t>(ids[i]);
            if (id >= rules_.ids) throw std::invalid_argument("an id is above the number of units");
            open_ = true;
            if (id == rules_.end_unit && id >= 0)
                close();
            else if (id >= 0)
                add_id(id);
        }
        // Where a unit ends sentences, a document that ends in it has been closed.
        if (d < closed && (open_ || rules_.end_unit < 0)) close();
    }
}

template void NgramText::feed_ids(const std::uint8_t*, const std::int64_t*, std::size_t, std::size_t);
template void NgramText::feed_ids(const std::int32_t*, const std::int64_t*, std::size_t, std::size_t);
template void NgramText::feed_ids(const std::int64_t*, const std::int64_t*, std::size_t, std::size_t);

template <class Model>
std::vector<std::int64_t> unit_ids(const Model& model, const UnitRules& rules) {
    std::vector<std::int64_t> result(model.words(), -1);
    result[word_end] = rules.end_unit;
    std::vector<bool> seen(static_cast<std::size_t>(std::max<std::int64_t>(rules.ids, 1)), false);
    for (std::uint32_t w = first_word; w < model.words(); ++w) {
        const Bytes name = model.word(w);
        std::int64_t id = -1;
        if (rules.kind == UnitKind::tokens) {
            const char *from = reinterpret_cast<const char*>(name.data), *to = from + name.size;
            const auto [end, error] = std::from_chars(from, to, id);
            if (error != std::errc{} || end != to) id = -1;
        } else if (rules.kind == UnitKind::bytes) {
            if (name.size == 1) id = name.data[0];
        } else {
            const std::int64_t whole[] = {static_cast<std::int64_t>(name.size)};
            const CharSplit found = split_chars(name, {whole, 1});
            if (found.ids.size() == 1) id = found.ids[0];
        }
        if (id < 0 || id >= rules.ids || id == rules.end_unit || seen[static_cast<std::size_t>(id)])
            throw NgramFormatError("its list of units names one that is none, or one twice");
        seen[static_cast<std::size_t>(id)] = true;
        result[w] = id;
    }
    return result;
}

template std::vector<std::int64_t> unit_ids(const NgramModel&, const UnitRules&);
template std::vector<std::int64_t> unit_ids(const CompactNgram&, const UnitRules&);

}  // namespace bitmeter
