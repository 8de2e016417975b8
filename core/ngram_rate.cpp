#include "ngram_rate.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>

#include "ngram_follow.hpp"
#include "ngram_query.hpp"
#include "parallel.hpp"
#include "sum.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t piece_bytes = 1 << 16;  // the work of a thread at a time
constexpr std::size_t part_bytes = 1 << 12;   // what is known of the words of so much text stays near
constexpr std::size_t group = 16;             // words looked up at once, so that one waits for memory while others go on

std::int64_t as_int(std::size_t n) { return static_cast<std::int64_t>(n); }

/// A stretch of the text that ends with a document or before a word. `first` is the document that it begins in.
struct Piece {
    std::size_t begin, end, first;
};

/// Separators before a document's first word belong to that word, so a piece never ends before it.
std::size_t word_start(Bytes text, std::size_t from, std::size_t to, std::size_t end, const Separators& separators) {
    while (from < end && separators[text.data[from]]) ++from;
    for (to = std::max(to, from + 1); to < end; ++to)
        if (separators[text.data[to - 1]] && !separators[text.data[to]]) return to;
    return end;
}

std::vector<Piece> pieces_of(Bytes text, Ends ends, const Separators& separators) {
    std::vector<Piece> result;
    std::size_t begin = 0, from = 0, first = 0;
    for (std::size_t d = 0; d < ends.size; ++d) {
        const auto end = static_cast<std::size_t>(ends.data[d]);
        while (end - begin >= 2 * piece_bytes) {  // a long document
            const std::size_t to = word_start(text, from, begin + piece_bytes, end, separators);
            if (to >= end) break;
            result.push_back({begin, to, first});
            begin = from = to;
            first = d;
        }
        if (end - begin >= piece_bytes) {
            result.push_back({begin, end, first});
            begin = end;
            first = d + 1;
        }
        from = end;
    }
    if (first < ends.size) result.push_back({begin, text.size, first});
    return result;
}

/// A word of a piece: its bytes, and which unit it is.
struct Span {
    std::size_t start, size, unit;
};

/// The units of a piece: all words and ends have their number, and 0 stands for what is unknown.
struct Units {
    std::vector<std::uint32_t> numbers;
    std::vector<std::int64_t> cuts;
    std::vector<std::int64_t> bounds;  // for each document that ends here, how many units have come
    std::vector<std::size_t> blanks;
    std::size_t offset = 0;  // of the first unit in the text
};

/// Walks through the words of a piece and the ends of documents between them.
class Walk {
public:
    Walk(const NgramBytes& text, const Piece& piece, NgramEnds ends, Units& out)
        : text_(text), ends_(ends), out_(out), document_(piece.first), open_(piece.begin) {
        // A piece within a document begins with a word, and so does not open it.
        const std::size_t before = document_ ? static_cast<std::size_t>(text.ends.data[document_ - 1]) : 0;
        worded_ = piece.begin > before;
        close_ = end_of(document_);
    }

    void word(std::size_t start, std::size_t stop) {
        while (start < stop) {
            while (start >= close_) end_document();
            const std::size_t until = std::min(stop, close_);  // a document may end within what looks like a word
            out_.cuts.push_back(as_int(worded_ ? start : open_));
            spans.push_back({start, until - start, out_.numbers.size()});
            out_.numbers.push_back(word_unknown);
            worded_ = true;
            start = until;
        }
    }

    /// No more words come before `end`, where the piece ends.
    void finish(std::size_t end) {
        while (document_ < text_.ends.size && close_ <= end) end_document();
    }

    std::vector<Span> spans;

private:
    std::size_t end_of(std::size_t document) const {
        return document < text_.ends.size ? static_cast<std::size_t>(text_.ends.data[document]) : text_.text.size + 1;
    }

    void special(std::uint32_t number, std::size_t cut) {
        out_.cuts.push_back(as_int(cut));
        out_.numbers.push_back(number);
    }

    void end_document() {
        const bool blank = !worded_ && open_ < close_, finished = document_ < text_.finished;
        if (blank && ends_ == NgramEnds::all) {
            special(word_end, open_);
        } else if (blank) {
            out_.blanks.push_back(out_.numbers.size());
            special(word_unknown, open_);
        } else if (finished && ends_ != NgramEnds::none) {
            special(word_end, close_);
        }
        out_.bounds.push_back(as_int(out_.numbers.size()));
        open_ = close_;
        worded_ = false;
        close_ = end_of(++document_);
    }

    const NgramBytes& text_;
    NgramEnds ends_;
    Units& out_;
    std::size_t document_, open_, close_ = 0;
    bool worded_;
};

void number_words(const WordIndex& index, Bytes text, const std::vector<Span>& spans, Units& out) {
    const std::uint8_t* limit = text.data + text.size;
    WordKey keys[group];
    for (std::size_t i = 0; i < spans.size(); i += group) {
        const std::size_t many = std::min(group, spans.size() - i);
        for (std::size_t k = 0; k < many; ++k) {
            keys[k] = word_key({text.data + spans[i + k].start, spans[i + k].size}, limit);
            index.prefetch(keys[k]);
        }
        for (std::size_t k = 0; k < many; ++k) {
            const Span& span = spans[i + k];
            out.numbers[span.unit] = index.find({text.data + span.start, span.size}, keys[k]);
        }
    }
}

Units split_piece(const NgramModel& model, const NgramBytes& text, const Piece& piece, const Separators& separators,
                  NgramEnds ends) {
    Units result;
    const std::uint8_t* const bytes = text.text.data;
    const std::size_t guess = (piece.end - piece.begin) / 5 + 16;
    result.numbers.reserve(guess);
    result.cuts.reserve(guess);
    std::vector<std::int64_t> edges;
    edges.reserve(part_bytes + 2);
    Walk walk(text, piece, ends, result);
    walk.spans.reserve(part_bytes);
    const WordIndex index = model.index();
    for (std::size_t begin = piece.begin, end; begin < piece.end; begin = end) {
        end = std::min(piece.end, begin + part_bytes);
        while (end < piece.end && !separators[bytes[end]]) ++end;  // words stay whole
        edges.clear();
        word_edges({bytes + begin, end - begin}, as_int(begin), separators, edges);
        for (std::size_t i = 0; i < edges.size(); i += 2)
            walk.word(static_cast<std::size_t>(edges[i]), static_cast<std::size_t>(edges[i + 1]));
        number_words(index, text.text, walk.spans, result);
        walk.spans.clear();
    }
    walk.finish(piece.end);
    return result;
}

/// Puts the units of a piece where they belong among those of the text.
void place_units(const Units& units, std::size_t first_document, const Array<std::uint32_t>& numbers, NgramRated& out) {
    const std::size_t at = units.offset;
    for (std::size_t i = 0; i < units.numbers.size(); ++i) {
        const std::uint32_t number = units.numbers[i];
        numbers[at + i] = number;
        out.ids[at + i] = number == word_unknown ? unknown_word : std::int64_t{number};
    }
    std::copy(units.cuts.begin(), units.cuts.end(), out.cuts.data() + at);
    for (std::size_t i = 0; i < units.bounds.size(); ++i)
        out.bounds[first_document + i + 1] = units.bounds[i] + as_int(at);
    std::fill_n(out.blank.data() + at, units.numbers.size(), std::uint8_t{0});
    for (std::size_t unit : units.blanks) {
        out.ids[at + unit] = blank_document;
        out.blank[at + unit] = 1;
    }
}

/// What there is to rate in the units [begin, end), where a document goes on from before or not.
std::vector<NgramStretch> stretches_of(const NgramRated& units, std::size_t begin, std::size_t end, std::size_t reach,
                                       const NgramState& before) {
    std::vector<NgramStretch> result;
    const auto& bounds = units.bounds;
    auto next = std::upper_bound(bounds.begin(), bounds.end(), as_int(begin));
    while (begin < end) {
        const auto first = static_cast<std::size_t>(*(next - 1));
        const std::size_t last = next == bounds.end() ? end : std::min(end, static_cast<std::size_t>(*next));
        const bool in_first = first == 0 && bounds[1] > 0;
        for (; begin < last; begin = std::min(last, begin + longest_stretch)) {
            const std::size_t from = begin - std::min(reach, begin - first);
            result.push_back({begin, std::min(last, begin + longest_stretch), from,
                              in_first && from == 0 ? before : NgramState{}});
        }
        while (next != bounds.end() && static_cast<std::size_t>(*next) <= begin) ++next;
    }
    return result;
}

}  // namespace

namespace {

struct Numbered {
    NgramRated result;
    Array<std::uint32_t> words;
    std::vector<std::size_t> pieces;  // where the units of each begin, and where all end
};

Numbered number_text(const NgramModel& model, const NgramBytes& text, const Separators& separators, NgramEnds ends,
                     unsigned threads, bool rated) {
    const auto pieces = pieces_of(text.text, text.ends, separators);
    std::vector<Units> split(pieces.size());
    parallel_for(pieces.size(), threads,
                 [&](std::size_t i) { split[i] = split_piece(model, text, pieces[i], separators, ends); });
    Numbered found;
    std::size_t total = 0;
    for (Units& units : split) {
        found.pieces.push_back(total);
        units.offset = total;
        total += units.numbers.size();
    }
    found.pieces.push_back(total);
    found.words = Array<std::uint32_t>(total);
    found.result = {Array<double>(rated ? total : 0), Array<std::int64_t>(total), Array<std::int64_t>(total + 1),
                    Array<std::int64_t>(text.ends.size + 1), Array<std::uint8_t>(total)};
    found.result.cuts[total] = as_int(text.text.size);
    found.result.bounds[0] = 0;
    parallel_for(split.size(), threads, [&](std::size_t i) {
        place_units(split[i], pieces[i].first, found.words, found.result);
        split[i] = {};
    });
    return found;
}

}  // namespace

NgramRated ngram_split(const NgramModel& model, const NgramBytes& text, const Separators& separators, NgramEnds ends,
                       unsigned threads) {
    return number_text(model, text, separators, ends, threads, false).result;
}

NgramRated ngram_rate(const NgramModel& model, const NgramBytes& text, const Separators& separators, NgramEnds ends,
                      bool class_of_unknown, unsigned threads) {
    Numbered found = number_text(model, text, separators, ends, threads, true);
    NgramState before;
    for (std::size_t i = 0; i < text.before_size; ++i) ngram_step(model, before, ngram_word(model, text.before[i]));
    const auto reach = static_cast<std::size_t>(std::max(1, model.order() - 1));
    parallel_for(found.pieces.size() - 1, threads, [&](std::size_t i) {
        const auto all = stretches_of(found.result, found.pieces[i], found.pieces[i + 1], reach, before);
        ngram_follow(model, found.words.data(), all.data(), all.data() + all.size(), class_of_unknown,
                     found.result.logprobs.data());
    });
    return std::move(found.result);
}

double ngram_sentence(const NgramModel& model, Bytes sentence, const Separators& separators, bool ended,
                      bool class_of_unknown) {
    const WordIndex index = model.index();
    NgramState state;
    Compensated total;
    bool possible = true;
    for (std::size_t i = 0; i < sentence.size;) {
        while (i < sentence.size && separators[sentence.data[i]]) ++i;
        const std::size_t start = i;
        while (i < sentence.size && !separators[sentence.data[i]]) ++i;
        if (start == i) break;
        const std::uint32_t number = index.find({sentence.data + start, i - start});
        possible = possible && (number != word_unknown || class_of_unknown);
        total.add(ngram_step(model, state, number));
    }
    if (ended) total.add(ngram_step(model, state, word_end));
    return possible ? total.value() * std::numbers::ln10 : -std::numeric_limits<double>::infinity();
}

}  // namespace bitmeter
