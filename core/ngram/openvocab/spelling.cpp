#include "ngram/openvocab/spelling.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "coding/quantise.hpp"

namespace bitmeter {
namespace {

constexpr char magic[16] = "bitmeter.spell\n";
constexpr std::uint32_t version = 1;
constexpr std::size_t most_gaps = 255;           // kept of each place
constexpr std::size_t most_rare = 100'000;       // words that the model of bytes is estimated from
constexpr std::size_t enough_rare = 1000;
constexpr double impossible = -std::numeric_limits<double>::infinity();

// White space that no table holds: the next byte is the one before again, the end, or another.
constexpr double gap_again = 0.75, gap_end = 0.125;

struct Header {
    char magic[16];
    std::uint32_t version, lines;
    std::uint64_t size, checksum, ended, unended, letters_at;
    std::uint64_t separators, gaps[gap_places], escaped[gap_places];
};

[[noreturn]] void damaged(const char* what) {
    throw NgramFormatError(std::string("its spelling ") + what + "; fetch or train it again");
}

std::string_view characters(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data), bytes.size};
}

template <class T>
void put(std::vector<std::uint8_t>& out, const T& value) {
    const auto* p = reinterpret_cast<const std::uint8_t*>(&value);
    out.insert(out.end(), p, p + sizeof value);
}

/// Reads a section from its beginning to its end, never beyond.
class Reader {
public:
    explicit Reader(Bytes section) : at_(section.data), end_(section.data + section.size) {}
    template <class T>
    T take() {
        T value;
        std::memcpy(&value, bytes(sizeof value), sizeof value);
        return value;
    }
    const std::uint8_t* bytes(std::size_t size) {
        if (static_cast<std::size_t>(end_ - at_) < size) damaged("ends too early");
        return std::exchange(at_, at_ + size);
    }

private:
    const std::uint8_t *at_, *end_;
};

using Counted = std::pair<std::string, std::uint64_t>;

/// The runs of white space that a table keeps, the most frequent first; one of them is always the plainest at its place.
std::vector<Counted> kept(const GapCounts& gaps, GapPlace place, std::uint64_t& escaped) {
    auto counts = gaps.counts(place);
    counts[place == GapPlace::between ? " " : ""] += 1;
    std::vector<Counted> result(counts.begin(), counts.end());
    std::stable_sort(result.begin(), result.end(), [](const Counted& a, const Counted& b) { return a.second > b.second; });
    const std::size_t size = std::min(result.size(), most_gaps);
    escaped = gaps.overlong(place) + size;  // as often as a new run came: Witten and Bell
    for (std::size_t i = size; i < result.size(); ++i) escaped += result[i].second;
    result.resize(size);
    return result;
}

}  // namespace

// ---- counting -------------------------------------------------------------------------------------------------------

GapCounts::GapCounts(std::string_view separators, bool lines)
    : list_(separators), separators_(separators), lines_(lines) {}

void GapCounts::count(GapPlace place) {
    const auto at = static_cast<unsigned>(place);
    if (too_long_)
        ++overlong_[at];
    else
        ++counts_[at][pending_];
    pending_.clear();
    too_long_ = false;
}

void GapCounts::white(const std::uint8_t* from, const std::uint8_t* to) {
    open_ = true;
    in_word_ = false;
    while (from < to) {
        const auto* newline =
            lines_ ? static_cast<const std::uint8_t*>(std::memchr(from, '\n', static_cast<std::size_t>(to - from)))
                   : nullptr;
        const std::uint8_t* stop = newline ? newline : to;
        if (pending_.size() + static_cast<std::size_t>(stop - from) > longest)
            too_long_ = true;
        else
            pending_.append(reinterpret_cast<const char*>(from), static_cast<std::size_t>(stop - from));
        if (!newline) return;
        count(worded_ ? GapPlace::tail : GapPlace::blank);
        ++ended_;
        worded_ = open_ = false;
        from = newline + 1;
        if (from < to) open_ = true;
    }
}

void GapCounts::take_part(Bytes text) {
    edges_.clear();
    word_edges(text, 0, separators_, edges_);
    const std::uint8_t *at = text.data, *const end = text.data + text.size;
    for (std::size_t i = 0; i < edges_.size(); i += 2) {
        const std::uint8_t *start = text.data + edges_[i], *stop = text.data + edges_[i + 1];
        if (start - at == 1 && *at == ' ' && worded_ && pending_.empty() && !too_long_) {
            ++single_;  // nearly always
        } else if (start > at || !in_word_) {
            if (start > at) white(at, start);
            count(worded_ ? GapPlace::between : GapPlace::lead);
        }
        worded_ = in_word_ = open_ = true;
        at = stop;
    }
    if (at < end) white(at, end);
}

void GapCounts::close() {
    if (open_ || !lines_) {
        count(worded_ ? GapPlace::tail : GapPlace::blank);
        ++(lines_ ? unended_ : ended_);
    }
    worded_ = in_word_ = open_ = false;
}

void GapCounts::feed(Bytes block, Ends ends) {
    constexpr std::size_t piece = 1 << 16;  // so that the list of edges stays in the cache
    auto part = [&](std::size_t from, std::size_t to) {
        for (; from < to; from += std::min(piece, to - from)) take_part({block.data + from, std::min(piece, to - from)});
    };
    std::size_t begin = 0;
    for (std::size_t d = 0; d < ends.size; ++d) {
        part(begin, static_cast<std::size_t>(ends.data[d]));
        close();
        begin = static_cast<std::size_t>(ends.data[d]);
    }
    part(begin, block.size);
}

void GapCounts::finish() {
    if (open_) close();
    if (single_) counts_[static_cast<unsigned>(GapPlace::between)][" "] += std::exchange(single_, 0);
}

std::string rare_words_in_hex(const WordTable& table, const std::vector<std::uint32_t>& counts) {
    std::vector<std::uint32_t> words;
    for (std::size_t w = first_word; w < table.size(); ++w)
        if (w < counts.size() && counts[w]) words.push_back(static_cast<std::uint32_t>(w));
    std::stable_sort(words.begin(), words.end(), [&](auto a, auto b) { return counts[a] < counts[b]; });
    std::size_t size = std::min(words.size(), enough_rare);
    while (size < words.size() && size > 0 && counts[words[size]] == counts[words[size - 1]]) ++size;
    // Too many to keep: every second, third, ... of them.
    const std::size_t step = std::max<std::size_t>(1, (size + most_rare - 1) / most_rare);
    std::string result;
    for (std::size_t i = 0; i < size; i += step) {
        const Bytes word = table.word(words[i]);
        for (std::size_t k = 0; k < word.size; ++k) {
            result += "0123456789abcdef"[word.data[k] >> 4];
            result += "0123456789abcdef"[word.data[k] & 15];
            result += ' ';
        }
        result += '\n';
    }
    return result;
}

// ---- the section ----------------------------------------------------------------------------------------------------

std::vector<std::uint8_t> Spelling::section(const GapCounts& gaps, const NgramModel& letters) {
    Header header{};
    std::memcpy(header.magic, magic, sizeof magic);
    header.version = version;
    header.lines = gaps.lines();
    header.ended = gaps.ended();
    header.unended = gaps.unended();
    header.separators = gaps.separators().size();
    std::vector<std::uint8_t> body(gaps.separators().begin(), gaps.separators().end());
    for (std::size_t p = 0; p < gap_places; ++p) {
        const auto table = kept(gaps, static_cast<GapPlace>(p), header.escaped[p]);
        header.gaps[p] = table.size();
        for (const auto& [bytes, count] : table) {
            put(body, count);
            body.push_back(static_cast<std::uint8_t>(bytes.size()));
            body.insert(body.end(), bytes.begin(), bytes.end());
        }
    }
    header.letters_at = body.size();
    const Bytes model = letters.bytes();
    body.insert(body.end(), model.data, model.data + model.size);
    header.size = sizeof header + body.size();
    header.checksum = block_checksum(body.data(), body.size());
    std::vector<std::uint8_t> result;
    put(result, header);
    result.insert(result.end(), body.begin(), body.end());
    return result;
}

void Spelling::check(Bytes section) {
    const auto header = Reader(section).take<Header>();
    if (std::memcmp(header.magic, magic, sizeof magic) != 0) damaged("does not begin like one");
    if (header.version != version) damaged("is of a version that this program does not read");
    if (header.size != section.size || header.letters_at > section.size - sizeof header)
        damaged("has not the size that it says");
    if (header.checksum != block_checksum(section.data + sizeof header, section.size - sizeof header))
        damaged("has a wrong checksum");
}

Spelling::Spelling(Bytes section) {
    check(section);
    Reader in(section);
    const auto header = in.take<Header>();
    const std::uint8_t* body = section.data + sizeof header;
    std::uint64_t sums[2] = {header.checksum, block_checksum(section.data, sizeof header)};
    fingerprint_ = block_checksum(reinterpret_cast<const std::uint8_t*>(sums), sizeof sums);
    lines_ = header.lines != 0;
    separators_ = Separators({reinterpret_cast<const char*>(in.bytes(header.separators)), header.separators});
    for (unsigned b = 0; b < 256; ++b) gap_bytes_ += in_gap(b);
    if (gap_bytes_ == 0 || gap_bytes_ == 256) damaged("has no white space");
    const double ends = static_cast<double>(header.ended), without = static_cast<double>(header.unended);
    newline_ = std::log((ends + 0.5) / (ends + without + 1.0));
    no_newline_ = std::log((without + 0.5) / (ends + without + 1.0));
    for (std::size_t p = 0; p < gap_places; ++p) {
        Table& table = tables_[p];
        double total = static_cast<double>(header.escaped[p]);
        for (std::uint64_t i = 0; i < header.gaps[p]; ++i) {
            const auto count = in.take<std::uint64_t>();
            const auto size = in.take<std::uint8_t>();
            std::string bytes(reinterpret_cast<const char*>(in.bytes(size)), size);
            for (char byte : bytes)
                if (!in_gap(static_cast<std::uint8_t>(byte))) damaged("has white space that is none");
            total += static_cast<double>(count);
            table.gaps.push_back({std::move(bytes), static_cast<double>(count)});
        }
        if (!(header.escaped[p] > 0)) damaged("lacks a way for new white space");
        table.escape = static_cast<double>(header.escaped[p]) / total;
        for (Gap& gap : table.gaps) {
            if (!(gap.p > 0.0)) damaged("has white space that never came");
            gap.p /= total;
            if (!table.logs.emplace(gap.bytes, std::log(gap.p)).second) damaged("has the same white space twice");
            if (gap.bytes == " ") table.has_single_space = true, table.single_space = std::log(gap.p);
            if (gap.bytes.empty()) table.has_empty = true, table.empty = std::log(gap.p);
        }
        if (static_cast<GapPlace>(p) != GapPlace::between && !table.has_empty) damaged("lacks the empty white space");
    }
    read_letters({body + header.letters_at, section.size - sizeof header - header.letters_at});
}

void Spelling::read_letters(Bytes section) {
    PageBlock block = PageBlock::zeros(std::max<std::size_t>(1, section.size));
    std::memcpy(block.data(), section.data, section.size);
    letters_ = std::make_unique<NgramModel>(std::move(block));
    letters_->verify();
    auto digit = [](std::uint8_t c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        damaged("has a letter that is no byte");
    };
    for (std::uint32_t w = first_word; w < letters_->words(); ++w) {
        const Bytes hex = letters_->word(w);
        if (hex.size != 2) damaged("has a letter that is no byte");
        const auto byte = static_cast<std::uint8_t>(digit(hex.data[0]) * 16 + digit(hex.data[1]));
        if (separators_[byte]) damaged("has white space in a word");
        letter_[byte] = w;
    }
    unsigned unseen = 0;
    for (unsigned b = 0; b < 256; ++b) unseen += !separators_[static_cast<std::uint8_t>(b)] && letter_[b] == word_unknown;
    rest_ = unseen ? -std::log(static_cast<double>(unseen)) : 0.0;
    NgramState state;
    first_ = std::log1p(-std::pow(10.0, ngram_step(*letters_, state, word_end)));
    if (!(first_ > impossible)) damaged("has only empty words");
}

// ---- words ----------------------------------------------------------------------------------------------------------

void Spelling::predict(const Place& place, double* out) const {
    std::vector<double> logs(letters_->words());
    ngram_predict(*letters_, place.history.data(), place.size, logs.data());
    const double scale = place.size ? 0.0 : first_;
    for (unsigned b = 0; b < 256; ++b) {
        const std::uint32_t letter = letter_[b];
        out[b] = separators_[static_cast<std::uint8_t>(b)] ? 0.0
                                                           : portable_exp(logs[letter] - scale + (letter == word_unknown ? rest_ : 0.0));
    }
    out[end] = place.size ? portable_exp(logs[word_end]) : 0.0;
}

double Spelling::push(Place& place, unsigned symbol) const {
    const bool first = place.size == 0;
    if (symbol > end || (symbol == end && first) || (symbol < end && separators_[static_cast<std::uint8_t>(symbol)]))
        return impossible;
    const std::uint32_t letter = symbol == end ? word_end : letter_[symbol];
    const double scored = ngram_step(*letters_, place.state, letter) * std::numbers::ln10;
    if (place.size == place.history.size()) {
        std::copy(place.history.begin() + 1, place.history.end(), place.history.begin());
        --place.size;
    }
    place.history[place.size++] = letter;
    return scored - (first ? first_ : 0.0) + (letter == word_unknown ? rest_ : 0.0);
}

double Spelling::word(Bytes bytes) const {
    Place place;
    double total = 0.0;
    for (std::size_t i = 0; i < bytes.size; ++i) total += push(place, bytes.data[i]);
    return total + push(place, end);
}

// ---- white space ----------------------------------------------------------------------------------------------------

void Spelling::predict_gap(int last, double* out) const {
    std::fill(out, out + symbols, 0.0);
    for (unsigned symbol = 0; symbol < symbols; ++symbol) {
        const double log = push_gap(last, symbol);
        if (log > impossible) out[symbol] = std::exp(log);
    }
}

double Spelling::push_gap(int last, unsigned symbol) const {
    if (symbol > end || (symbol < end && !in_gap(symbol))) return impossible;
    if (last < 0) return symbol == end ? impossible : -std::log(static_cast<double>(gap_bytes_));
    if (symbol == end) return std::log(gap_end);
    const double others = gap_bytes_ - 1.0;
    if (static_cast<int>(symbol) == last) return std::log(others > 0.0 ? gap_again : 1.0 - gap_end);
    return std::log((1.0 - gap_again - gap_end) / others);
}

double Spelling::gap(GapPlace place, Bytes bytes) const {
    const Table& table = tables_[static_cast<unsigned>(place)];
    if (bytes.size == 0 && table.has_empty) return table.empty;
    if (bytes.size == 1 && bytes.data[0] == ' ' && table.has_single_space) return table.single_space;
    const auto found = table.logs.find(characters(bytes));
    if (found != table.logs.end()) return found->second;
    double total = std::log(table.escape);
    int last = -1;
    for (std::size_t i = 0; i < bytes.size; ++i) {
        total += push_gap(last, bytes.data[i]);
        last = bytes.data[i];
    }
    return total + push_gap(last, end);
}

// ---- a text ---------------------------------------------------------------------------------------------------------

namespace {

/// Goes through the units of a piece.
class Speller {
public:
    Speller(const Spelling& spelling, const SpelledPiece& piece) : s_(spelling), in_(piece) {
        const std::uint8_t one_space = ' ';
        space_ = s_.separators()[one_space] ? s_.gap(GapPlace::between, {&one_space, 1}) : 0.0;
        out_.extra.assign(piece.units, 0.0);
        out_.ids.reserve(piece.units + piece.units / 8);
        out_.owner.reserve(piece.units + piece.units / 8);
        out_.bounds.reserve(piece.documents + 1);
        out_.bounds.push_back(0);
    }

    SpelledText run() {
        for (std::size_t d = 0; d < in_.documents; ++d) {
            if (d > 0) close_sentence();
            const auto first = static_cast<std::size_t>(in_.bounds[d]), last = static_cast<std::size_t>(in_.bounds[d + 1]);
            begun_ = d == 0 && in_.continues;  // the white space before its first word has been paid
            clean_ = false;
            const bool finished = !(in_.open && d + 1 == in_.documents);
            std::size_t words_end = last;  // the units that hold text
            while (words_end > first && in_.ids[words_end - 1] == word_end) --words_end;
            for (unit_ = first; unit_ < last; ++unit_) visit(unit_ + 1 >= words_end && finished);
        }
        close_sentence();
        return std::move(out_);
    }

private:
    using Cursor = const std::uint8_t*;

    void visit(bool last) {
        const Cursor from = in_.data.data + in_.cuts[unit_], to = in_.data.data + in_.cuts[unit_ + 1];
        const std::int64_t id = in_.ids[unit_];
        const bool known = id >= first_word && id < static_cast<std::int64_t>(in_.words);
        if (known && begun_ && !last && to - from > 1 && to[-1] == ' ' && !s_.separators()[to[-2]] &&
            !s_.separators()[*from]) [[likely]] {  // most: a word within a sentence, and one space
            add(id);
            pay(space_);
            clean_ = false;
            return;
        }
        if (id == word_end) return explicit_end(from, to);
        if (id == blank_document) return blank(from, to);
        Cursor start = from, stop = to;
        while (start < to && s_.separators()[*start]) ++start;
        while (stop > start && s_.separators()[stop[-1]]) --stop;
        if (start == stop) throw std::invalid_argument("a unit without a word");
        if (!begun_) {
            Cursor rest = lines(from, start, GapPlace::blank);
            pay(s_.gap(GapPlace::lead, span(rest, start)));
        }
        begun_ = true;
        add(id);
        if (!known) pay(s_.word(span(start, stop)));
        after(stop, to, last);
    }

    /// White space after a word.
    void after(Cursor from, Cursor to, bool last) {
        const Cursor rest = lines(from, to, GapPlace::tail);
        const bool ended = rest > from;
        clean_ = last && ended && rest == to;
        if (last && !clean_)
            pay(s_.gap(ended ? GapPlace::blank : GapPlace::tail, span(rest, to)));
        else if (!last)
            pay(s_.gap(ended ? GapPlace::lead : GapPlace::between, span(rest, to)));
    }

    void blank(Cursor from, Cursor to) {
        const Cursor rest = lines(from, to, GapPlace::blank);
        clean_ = rest > from && rest == to;
        if (!clean_) pay(s_.gap(GapPlace::blank, span(rest, to)));
        begun_ = true;
    }

    /// The end of a document, which a newline may have ended already.
    void explicit_end(Cursor from, Cursor to) {
        if (!begun_) blank(from, to);
        if (clean_) {
            out_.owner.back() = static_cast<std::int64_t>(unit_);
        } else {
            add(word_end);
            if (s_.lines()) pay(s_.no_newline());
        }
    }

    /// Ends a sentence at each newline; what is left after the last one.
    Cursor lines(Cursor from, Cursor to, GapPlace place) {
        while (s_.lines() && from < to) {
            const auto* newline = static_cast<Cursor>(std::memchr(from, '\n', static_cast<std::size_t>(to - from)));
            if (!newline) break;
            pay(s_.gap(place, span(from, newline)) + s_.newline());
            add(word_end);
            close_sentence();
            from = newline + 1;
            place = GapPlace::blank;
        }
        return from;
    }

    static Bytes span(Cursor from, Cursor to) { return {from, static_cast<std::size_t>(to - from)}; }
    void pay(double log) { out_.extra[unit_] += log; }
    void add(std::int64_t id) {
        out_.ids.push_back(id);
        out_.owner.push_back(static_cast<std::int64_t>(unit_));
    }
    void close_sentence() {
        const auto size = static_cast<std::int64_t>(out_.ids.size());
        if (out_.bounds.back() < size) out_.bounds.push_back(size);
    }

    const Spelling& s_;
    const SpelledPiece& in_;
    SpelledText out_;
    std::size_t unit_ = 0;
    double space_;  // what one space between two words costs
    bool begun_ = false, clean_ = false;
};

}  // namespace

SpelledText spelled_text(const Spelling& spelling, const SpelledPiece& piece) {
    return Speller(spelling, piece).run();
}

}  // namespace bitmeter
