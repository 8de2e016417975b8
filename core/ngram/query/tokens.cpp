#include "ngram/query/tokens.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ngram/format/compact.hpp"
#include "ngram/kenlm/query.hpp"
#include "ngram/follow/follow.hpp"
#include "ngram/query/growing.hpp"
#include "ngram/query/query.hpp"
#include "util/exact.hpp"
#include "util/parallel.hpp"

namespace bitmeter {
namespace {

// Documents of about so many bytes at a time, whose pieces stay in the cache from splitting to scoring.
constexpr std::size_t group_bytes = std::size_t{1} << 17;
constexpr std::size_t groups_per_thread = 8;  // of those that are at work at once

std::int64_t as_int(std::size_t n) { return static_cast<std::int64_t>(n); }
std::int64_t id_of_word(std::uint32_t number) { return number == word_unknown ? unknown_word : std::int64_t{number}; }

/// Documents [first, last) at work: their pieces, and where they belong.
struct Group {
    std::size_t first = 0, last = 0;
    PieceRun run;
    std::size_t offset = 0, units = 0;  // of the first unit in the text; with the ends of documents
    std::vector<std::uint32_t> numbers;
    std::vector<std::int64_t> bounds;  // of its documents among them
    std::vector<double> logprobs;
};

template <class Model>
class TokenScoring {
    using States = NgramStates<Model>;
    using State = typename States::State;

public:
    TokenScoring(const Model& model, const TextEncoder& encoder, const TokenWords& words, const NgramBytes& text,
                 NgramEnds ends, unsigned threads)
        : model_(model), encoder_(encoder), words_(words), text_(text), ends_(ends), bounds_(text.ends.size + 1) {
        std::size_t opened = 0, begin = 0;
        for (std::size_t d = 0; d < text.ends.size; ++d) {
            const auto end = static_cast<std::size_t>(text.ends.data[d]);
            if (end - begin < group_bytes && d + 1 < text.ends.size) continue;
            all_.emplace_back(opened, d + 1);
            opened = d + 1;
            begin = end;
        }
        threads_ = thread_count(threads, all_.size());
        groups_.resize(std::min<std::size_t>(all_.size(), threads_ == 1 ? 1 : threads_ * groups_per_thread));
        bounds_[0] = 0;
    }

    TokenTotals totals(bool class_of_unknown) {
        TokenTotals result;
        result.logprobs.resize(text_.ends.size);
        result.tokens.resize(text_.ends.size);
        result.unknown.resize(text_.ends.size);
        for (std::size_t first = 0; first < all_.size(); first += groups_.size()) {
            const std::size_t many = std::min(groups_.size(), all_.size() - first);
            parallel_for(many, threads_, [&](std::size_t i) {
                std::tie(groups_[i].first, groups_[i].last) = all_[first + i];
                split(groups_[i]);
                add_up(groups_[i], class_of_unknown, result);
            });
            for (std::size_t i = 0; i < many; ++i)
                for (std::size_t unit = 0; unit < groups_[i].units; ++unit)
                    if (!(groups_[i].logprobs[unit] <= result.most)) result.most = groups_[i].logprobs[unit];
        }
        return result;
    }

    TokensScored run(bool class_of_unknown) {
        State before = States::begin(model_);
        for (std::size_t i = 0; i < text_.before_size; ++i)
            ngram_step(model_, before, ngram_word(model_, text_.before[i]));
        for (std::size_t first = 0; first < all_.size(); first += groups_.size()) {
            const std::size_t many = std::min(groups_.size(), all_.size() - first);
            parallel_for(many, threads_, [&](std::size_t i) {
                std::tie(groups_[i].first, groups_[i].last) = all_[first + i];
                split(groups_[i]);
            });
            for (std::size_t i = 0; i < many; ++i) {
                groups_[i].offset = total_;
                total_ += groups_[i].units;
                lossy_ += groups_[i].run.lossy;
            }
            make_room(static_cast<std::size_t>(text_.ends.data[groups_[many - 1].last - 1]));
            parallel_for(many, threads_, [&](std::size_t i) {
                place(groups_[i]);
                score(groups_[i], before, class_of_unknown, logprobs_.data() + groups_[i].offset);
            });
        }
        make_room(text_.text.size);
        cuts_.data()[total_] = as_int(text_.text.size);
        return {{logprobs_.finished(total_), ids_.finished(total_), cuts_.finished(total_ + 1), std::move(bounds_),
                 blank_.finished(total_)},
                lossy_};
    }

private:
    bool is_blank(const Group& group, std::size_t at, std::size_t stop) const { return at < stop && group.run.ids[at] < 0; }
    bool has_end(std::size_t document, bool blank) const {
        return ends_ != NgramEnds::none && document < text_.finished && !blank;
    }

    void split(Group& group) {
        group.run.clear();
        PieceSessions& sessions = words_.pieces ? words_.pieces->sessions() : encoder_.sessions();
        auto session = sessions.take(words_.pieces);
        for (std::size_t d = group.first; d < group.last; ++d) {
            const std::int64_t from = d ? text_.ends.data[d - 1] : 0;
            encoder_.encode({text_.text.data + from, static_cast<std::size_t>(text_.ends.data[d] - from)}, from,
                            text_.text.data + text_.text.size, *session, group.run);
        }
        sessions.give(std::move(session));
        group.units = group.run.size;
        std::size_t at = 0;
        for (std::size_t d = group.first; d < group.last; ++d) {
            const auto stop = static_cast<std::size_t>(group.run.bounds[d - group.first]);
            group.units += has_end(d, is_blank(group, at, stop));
            at = stop;
        }
    }

    /// For all units that are lined up; the first time, for as many as the text will have if it goes on like this.
    void make_room(std::size_t done) {
        std::size_t size = total_ + 1;
        if (size > room_) {
            const double whole = static_cast<double>(text_.text.size) / static_cast<double>(std::max<std::size_t>(done, 1));
            if (done < text_.text.size) size = static_cast<std::size_t>(static_cast<double>(size) * whole * 1.05) + 64;
            room_ = size;
            ids_.reach(size, placed_);
            cuts_.reach(size, placed_);
            blank_.reach(size, placed_);
            logprobs_.reach(size, placed_);
        }
        placed_ = total_;
    }

    std::uint32_t number_of(std::int32_t id) const {
        const auto at = static_cast<std::size_t>(id);
        return at < words_.size ? words_.words[at] : words_.pieces->number_of(at);
    }
    std::int64_t unit_of(std::int32_t id, std::uint32_t number) const {
        return words_.pieces ? id_of_word(number) : std::int64_t{id};
    }

    /// The words of the model, with the ends of documents among them; put(unit, from) says which is which: from is the index
    /// of a piece, or of what follows it for an end, and `kind` which of the three it is. A blank document is its end alone
    /// where all have one.
    enum class Kind { piece, blank, end };
    template <class Put>
    void number(Group& group, Put&& put) {
        if (group.numbers.size() < group.units) group.numbers.resize(group.units);
        std::uint32_t* const numbers = group.numbers.data();
        const std::int32_t* const from = group.run.ids.data();
        std::size_t at = 0, to = 0;
        group.bounds.assign(1, 0);
        const auto put_end = [&](std::size_t piece, std::size_t document) {
            put(Kind::end, to, piece, document);
            numbers[to++] = words_.words[words_.size];
        };
        for (std::size_t d = group.first; d < group.last; ++d) {
            const auto stop = static_cast<std::size_t>(group.run.bounds[d - group.first]);
            if (is_blank(group, at, stop)) {
                if (ends_ == NgramEnds::all) {
                    put_end(at, text_.ends.size);
                } else {
                    put(Kind::blank, to, at, d);
                    numbers[to++] = word_unknown;
                }
            } else {
                for (; at < stop; ++at, ++to) {
                    numbers[to] = number_of(from[at]);
                    put(Kind::piece, to, at, d);
                }
                if (has_end(d, false)) put_end(at, d);
            }
            at = stop;
            group.bounds.push_back(as_int(to));
        }
    }

    /// Stores the units.
    void place(Group& group) {
        std::int64_t *const ids = ids_.data() + group.offset, *const cuts = cuts_.data() + group.offset;
        std::uint8_t* const blank = blank_.data() + group.offset;
        std::fill_n(blank, group.units, std::uint8_t{0});
        const std::int64_t end = words_.pieces ? std::int64_t{word_end} : as_int(words_.size);
        number(group, [&](Kind kind, std::size_t to, std::size_t at, std::size_t document) {
            if (kind == Kind::piece) {
                ids[to] = unit_of(group.run.ids[at], group.numbers[to]);
                cuts[to] = group.run.cuts[at];
            } else if (kind == Kind::blank) {
                blank[to] = 1;
                ids[to] = blank_document;
                cuts[to] = group.run.cuts[at];
            } else {
                ids[to] = end;
                cuts[to] = document < text_.ends.size ? text_.ends.data[document] : group.run.cuts[at];
            }
        });
        for (std::size_t d = group.first; d < group.last; ++d)
            bounds_[d + 1] = as_int(group.offset) + group.bounds[d - group.first + 1];
    }

    /// Scores a group, and sums up each of its documents.
    void add_up(Group& group, bool class_of_unknown, TokenTotals& result) {
        number(group, [](Kind, std::size_t, std::size_t, std::size_t) {});
        if (group.logprobs.size() < group.units) group.logprobs.resize(group.units);
        score(group, States::begin(model_), class_of_unknown, group.logprobs.data());
        ExactSum sum;
        std::size_t at = 0;
        for (std::size_t d = group.first; d < group.last; ++d) {
            const std::int64_t from = group.bounds[d - group.first], to = group.bounds[d - group.first + 1];
            const auto stop = static_cast<std::size_t>(group.run.bounds[d - group.first]);
            if (is_blank(group, at, stop) && ends_ != NgramEnds::all) {
                group.logprobs[static_cast<std::size_t>(from)] = 0.0;  // it costs nothing, and is no unit
            } else {
                result.tokens[d] = to - from;
                for (std::int64_t i = from; i < to; ++i)
                    result.unknown[d] += group.numbers[static_cast<std::size_t>(i)] <= word_begin;
            }
            sum.clear();
            sum.add(group.logprobs.data() + from, to - from);
            result.logprobs[d] = sum.value();
            at = stop;
        }
    }

    void score(const Group& group, const State& before, bool class_of_unknown, double* out) {
        const auto reach = static_cast<std::size_t>(std::max(1, model_.order() - 1));
        std::vector<SpanFrom<State>> spans;
        spans.reserve(group.last - group.first + group.units / longest_span);
        std::size_t begin = 0;
        for (std::size_t d = group.first; d < group.last; ++d) {
            const std::size_t from = begin, stop = static_cast<std::size_t>(group.bounds[d - group.first + 1]);
            for (; begin < stop; begin = std::min(stop, begin + longest_span)) {
                const std::size_t back = std::min(reach, begin - from);
                const bool opens = begin - back == from;
                spans.push_back({begin, std::min(stop, begin + longest_span), begin - back,
                                 !opens ? State{} : d == 0 ? before : States::begin(model_)});
            }
        }
        ngram_follow(model_, group.numbers.data(), spans.data(), spans.data() + spans.size(), class_of_unknown, out);
    }

    const Model& model_;
    const TextEncoder& encoder_;
    const TokenWords& words_;
    const NgramBytes& text_;
    NgramEnds ends_;
    unsigned threads_ = 1;
    std::vector<std::pair<std::size_t, std::size_t>> all_;
    std::vector<Group> groups_;
    std::size_t total_ = 0, placed_ = 0, room_ = 0, lossy_ = 0;
    Growing<double> logprobs_;
    Growing<std::int64_t> ids_, cuts_;
    Growing<std::uint8_t> blank_;
    Array<std::int64_t> bounds_;
};

}  // namespace

template <class Model>
PieceWords::PieceWords(const Model& model, const PieceEncoder& encoder)
    : model_(&model), find_([&model](Bytes piece) { return ngram_word(model, std::int64_t{model.index().find(piece)}); }) {
    if (encoder.size() + model.words() > std::numeric_limits<std::int32_t>::max())
        throw std::length_error("a model and a vocabulary have too many words together");
    for (std::size_t i = 0; i < encoder.size(); ++i) {
        const std::string& piece = encoder.piece(i).text;
        words_.push_back(find_({reinterpret_cast<const std::uint8_t*>(piece.data()), piece.size()}));
    }
    words_.push_back(word_end);
}

PieceSplit PieceWords::split(const PieceEncoder& encoder, Bytes text, Ends ends, unsigned threads) const {
    PieceSplit found = split_pieces(encoder, text, ends, threads, this, sessions_);
    for (std::int64_t& id : found.ids)
        if (id != blank_document) id = id_of_word(number_of(static_cast<std::size_t>(id)));
    return found;
}

template <class Model>
TokensScored ngram_score_tokens(const Model& model, const TextEncoder& encoder, const TokenWords& words,
                                const NgramBytes& text, NgramEnds ends, bool class_of_unknown, unsigned threads) {
    return TokenScoring<Model>(model, encoder, words, text, ends, threads).run(class_of_unknown);
}

template <class Model>
TokenTotals ngram_token_totals(const Model& model, const TextEncoder& encoder, const TokenWords& words, const NgramBytes& text,
                               NgramEnds ends, bool class_of_unknown, unsigned threads) {
    return TokenScoring<Model>(model, encoder, words, text, ends, threads).totals(class_of_unknown);
}

template PieceWords::PieceWords(const NgramModel&, const PieceEncoder&);
template TokensScored ngram_score_tokens(const NgramModel&, const TextEncoder&, const TokenWords&, const NgramBytes&, NgramEnds, bool,
                                         unsigned);
template TokenTotals ngram_token_totals(const NgramModel&, const TextEncoder&, const TokenWords&, const NgramBytes&, NgramEnds, bool,
                                        unsigned);
template PieceWords::PieceWords(const CompactNgram&, const PieceEncoder&);
template TokensScored ngram_score_tokens(const CompactNgram&, const TextEncoder&, const TokenWords&, const NgramBytes&, NgramEnds, bool,
                                         unsigned);
template TokenTotals ngram_token_totals(const CompactNgram&, const TextEncoder&, const TokenWords&, const NgramBytes&, NgramEnds, bool,
                                        unsigned);
template PieceWords::PieceWords(const KenlmModel&, const PieceEncoder&);
template TokensScored ngram_score_tokens(const KenlmModel&, const TextEncoder&, const TokenWords&, const NgramBytes&, NgramEnds, bool,
                                         unsigned);
template TokenTotals ngram_token_totals(const KenlmModel&, const TextEncoder&, const TokenWords&, const NgramBytes&, NgramEnds, bool,
                                        unsigned);

}  // namespace bitmeter
