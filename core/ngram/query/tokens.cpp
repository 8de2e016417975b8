#include "ngram/query/tokens.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "ngram/format/compact.hpp"
#include "ngram/query/follow.hpp"
#include "ngram/query/growing.hpp"
#include "ngram/query/query.hpp"
#include "util/parallel.hpp"

namespace bitmeter {
namespace {

// Documents of about so many bytes at a time, whose pieces stay in the cache from splitting to scoring.
constexpr std::size_t group_bytes = std::size_t{1} << 17;
constexpr std::size_t groups_per_thread = 8;  // of those that are at work at once

std::int64_t as_int(std::size_t n) { return static_cast<std::int64_t>(n); }

/// Documents [first, last) at work: their pieces, and where they belong.
struct Group {
    std::size_t first = 0, last = 0;
    PieceRun run;
    std::size_t offset = 0, units = 0;  // of the first unit in the text; with the ends of documents
    std::vector<std::uint32_t> numbers;
};

template <class Model>
class TokenScoring {
    using States = NgramStates<Model>;
    using State = typename States::State;

public:
    TokenScoring(const Model& model, const PieceEncoder& encoder, const TokenWords& words, const NgramBytes& text,
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
                score(groups_[i], before, class_of_unknown);
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
        auto session = encoder_.take();
        for (std::size_t d = group.first; d < group.last; ++d) {
            const std::int64_t from = d ? text_.ends.data[d - 1] : 0;
            encoder_.encode({text_.text.data + from, static_cast<std::size_t>(text_.ends.data[d] - from)}, from,
                            text_.text.data + text_.text.size, *session, group.run);
        }
        encoder_.give(std::move(session));
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

    /// Stores the units, with the ends of documents among them. A blank document is its end alone where all have one.
    void place(Group& group) {
        if (group.numbers.size() < group.units) group.numbers.resize(group.units);
        std::uint32_t* const numbers = group.numbers.data();
        std::int64_t *const ids = ids_.data() + group.offset, *const cuts = cuts_.data() + group.offset;
        std::uint8_t* const blank = blank_.data() + group.offset;
        std::fill_n(blank, group.units, std::uint8_t{0});
        const std::int32_t* const from = group.run.ids.data();
        std::size_t at = 0, to = 0;
        const auto put_end = [&](std::int64_t cut) {
            ids[to] = as_int(words_.size);
            cuts[to] = cut;
            numbers[to++] = words_.words[words_.size];
        };
        for (std::size_t d = group.first; d < group.last; ++d) {
            const auto stop = static_cast<std::size_t>(group.run.bounds[d - group.first]);
            if (is_blank(group, at, stop)) {
                if (ends_ == NgramEnds::all) {
                    put_end(group.run.cuts[at]);
                } else {
                    blank[to] = 1;
                    ids[to] = blank_document;
                    cuts[to] = group.run.cuts[at];
                    numbers[to++] = word_unknown;
                }
            } else {
                const std::size_t many = stop - at;
                for (std::size_t i = 0; i < many; ++i) {
                    ids[to + i] = from[at + i];
                    numbers[to + i] = words_.words[from[at + i]];
                }
                std::copy_n(group.run.cuts.data() + at, many, cuts + to);
                to += many;
                if (has_end(d, false)) put_end(text_.ends.data[d]);
            }
            at = stop;
            bounds_[d + 1] = as_int(group.offset + to);
        }
    }

    void score(const Group& group, const State& before, bool class_of_unknown) {
        const auto reach = static_cast<std::size_t>(std::max(1, model_.order() - 1));
        std::vector<SpanFrom<State>> spans;
        spans.reserve(group.last - group.first + group.units / longest_span);
        std::size_t begin = 0;
        for (std::size_t d = group.first; d < group.last; ++d) {
            const std::size_t from = begin, stop = static_cast<std::size_t>(bounds_[d + 1]) - group.offset;
            for (; begin < stop; begin = std::min(stop, begin + longest_span)) {
                const std::size_t back = std::min(reach, begin - from);
                const bool opens = begin - back == from;
                spans.push_back({begin, std::min(stop, begin + longest_span), begin - back,
                                 !opens ? State{} : d == 0 ? before : States::begin(model_)});
            }
        }
        ngram_follow(model_, group.numbers.data(), spans.data(), spans.data() + spans.size(), class_of_unknown,
                     logprobs_.data() + group.offset);
    }

    const Model& model_;
    const PieceEncoder& encoder_;
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
TokensScored ngram_score_tokens(const Model& model, const PieceEncoder& encoder, const TokenWords& words,
                                const NgramBytes& text, NgramEnds ends, bool class_of_unknown, unsigned threads) {
    return TokenScoring<Model>(model, encoder, words, text, ends, threads).run(class_of_unknown);
}

template TokensScored ngram_score_tokens(const NgramModel&, const PieceEncoder&, const TokenWords&, const NgramBytes&,
                                         NgramEnds, bool, unsigned);
template TokensScored ngram_score_tokens(const CompactNgram&, const PieceEncoder&, const TokenWords&, const NgramBytes&,
                                         NgramEnds, bool, unsigned);

}  // namespace bitmeter
