#include "ngram/query/score.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>

#include "ngram/kenlm/query.hpp"
#include "ngram/follow/follow.hpp"
#include "ngram/query/growing.hpp"
#include "ngram/query/pieces.hpp"
#include "ngram/query/query.hpp"
#include "util/parallel.hpp"
#include "util/sum.hpp"

namespace bitmeter {
namespace {

// The task of a thread: small enough that its words stay in the cache from splitting to scoring.
constexpr std::size_t least_piece = std::size_t{1} << 16, most_piece = std::size_t{1} << 18;
constexpr std::size_t pieces_per_thread = 8;  // of those that are at work at once

std::int64_t as_int(std::size_t n) { return static_cast<std::int64_t>(n); }

/// A piece at work: its units, and where they belong.
struct Job {
    NgramUnits units;
    std::size_t offset = 0;  // of the first unit in the text
    std::size_t within = 0;  // units of the document that it begins in that came before it
    std::size_t lead = 0;    // words of the text that stand before the first unit
};

/// What there is to score in a piece: the numbers [lead, lead + units).
template <class State>
std::vector<SpanFrom<State>> spans_of(const Job& job, const NgramPiece& piece, std::size_t reach,
                                             const State& before, const State& begin_state, const State& within_state) {
    std::vector<SpanFrom<State>> result;
    const std::size_t size = job.units.size(), lead = job.lead;
    const auto& bounds = job.units.bounds();
    std::size_t begin = 0;
    for (std::size_t d = 0; d <= bounds.size() && begin < size; ++d) {
        const std::size_t last = d < bounds.size() ? static_cast<std::size_t>(bounds[d]) : size;
        const std::size_t first = begin, came = d == 0 ? job.within : 0;
        for (; begin < last; begin = std::min(last, begin + longest_span)) {
            const std::size_t known = begin - first + came, back = std::min(reach, known);
            const bool from_start = back == known;  // and so from what came before the text, in its first document
            result.push_back({lead + begin, lead + std::min(last, begin + longest_span), lead + begin - back,
                              !from_start ? within_state : piece.first + d == 0 ? before : begin_state});
        }
    }
    return result;
}

/// Scores a text: some pieces at a time are split and scored, and their units stored in order.
template <class Model>
class Scoring {
    using States = NgramStates<Model>;
    using State = typename States::State;

public:
    Scoring(const Model& model, const NgramBytes& text, const Separators& separators, NgramEnds ends, unsigned threads)
        : model_(model), index_(model.index()), text_(text), separators_(separators), ends_(ends),
          threads_(thread_count(threads, text.text.size / least_piece + 1)),
          pieces_(ngram_pieces(text.text, text.ends, separators,
                               std::clamp(text.text.size / (4 * threads_), least_piece, most_piece))),
          jobs_(std::min<std::size_t>(pieces_.size(), threads_ == 1 ? 1 : threads_ * pieces_per_thread)),
          reach_(static_cast<std::size_t>(std::max(1, model.order() - 1))), bounds_(text.ends.size + 1) {
        bounds_[0] = 0;
    }

    NgramScored run(bool scored, bool class_of_unknown) {
        State before = States::begin(model_);
        for (std::size_t i = 0; scored && i < text_.before_size; ++i)
            ngram_step(model_, before, ngram_word(model_, text_.before[i]));
        for (std::size_t first = 0; first < pieces_.size(); first += jobs_.size()) {
            const std::size_t many = std::min(jobs_.size(), pieces_.size() - first);
            parallel_for(many, threads_, [&](std::size_t i) {
                jobs_[i].units.split(index_, text_, pieces_[first + i], separators_, ends_);
            });
            for (std::size_t i = 0; i < many; ++i) line_up(jobs_[i], pieces_[first + i]);
            make_room(pieces_[first + many - 1].end, scored);
            parallel_for(many, threads_, [&](std::size_t i) {
                place(jobs_[i], pieces_[first + i]);
                if (scored) score(jobs_[i], pieces_[first + i], before, class_of_unknown);
            });
        }
        make_room(text_.text.size, scored);
        cuts_.data()[total_] = as_int(text_.text.size);
        return {logprobs_.finished(scored ? total_ : 0), ids_.finished(total_), cuts_.finished(total_ + 1),
                std::move(bounds_), blank_.finished(total_)};
    }

private:
    /// Says where the units of a piece belong and which words come before them.
    void line_up(Job& job, const NgramPiece& piece) {
        const std::size_t size = job.units.size();
        job.offset = total_;
        job.within = within_;
        job.lead = tail_.size();
        std::uint32_t* const numbers = job.units.numbers();
        std::copy(tail_.begin(), tail_.end(), numbers - tail_.size());
        const std::size_t keep = std::min(reach_, job.lead + size);
        tail_.assign(numbers + size - keep, numbers + size);
        const auto& bounds = job.units.bounds();
        within_ = bounds.empty() ? within_ + size : size - static_cast<std::size_t>(bounds.back());
        for (std::size_t i = 0; i < bounds.size(); ++i) bounds_[piece.first + i + 1] = bounds[i] + as_int(total_);
        total_ += size;
    }

    /// For all units that are lined up; the first time, for as many as the text will have if it goes on like this.
    void make_room(std::size_t done, bool scored) {
        std::size_t size = total_ + 1;
        if (size > room_) {
            const double whole = static_cast<double>(text_.text.size) / static_cast<double>(std::max<std::size_t>(done, 1));
            if (done < text_.text.size) size = static_cast<std::size_t>(static_cast<double>(size) * whole * 1.05) + 64;
            room_ = size;
            const std::size_t used = placed_;
            ids_.reach(size, used);
            cuts_.reach(size, used);
            blank_.reach(size, used);
            if (scored) logprobs_.reach(size, used);
        }
        placed_ = total_;
    }

    void place(const Job& job, const NgramPiece&) {
        const std::size_t size = job.units.size();
        const std::uint32_t* const numbers = job.units.numbers();
        std::int64_t* const ids = ids_.data() + job.offset;
        for (std::size_t i = 0; i < size; ++i)
            ids[i] = std::int64_t{numbers[i]} - (numbers[i] == word_unknown);  // an unknown word is none of the model's
        static_assert(unknown_word == std::int64_t{word_unknown} - 1);
        std::copy_n(job.units.cuts(), size, cuts_.data() + job.offset);
        std::uint8_t* const blank = blank_.data() + job.offset;
        std::fill_n(blank, size, std::uint8_t{0});
        for (std::size_t unit : job.units.blanks()) {
            ids[unit] = blank_document;
            blank[unit] = 1;
        }
    }

    void score(const Job& job, const NgramPiece& piece, const State& before, bool class_of_unknown) {
        const auto all = spans_of(job, piece, reach_, before, States::begin(model_), State{});
        ngram_follow(model_, job.units.numbers() - job.lead, all.data(), all.data() + all.size(), class_of_unknown,
                     logprobs_.data() + job.offset - job.lead);
    }

    const Model& model_;
    const decltype(std::declval<const Model&>().index()) index_;
    const NgramBytes& text_;
    const Separators& separators_;
    NgramEnds ends_;
    unsigned threads_;
    std::vector<NgramPiece> pieces_;
    std::vector<Job> jobs_;
    std::size_t reach_;
    std::vector<std::uint32_t> tail_;  // the last words of what was lined up
    std::size_t within_ = 0, total_ = 0, placed_ = 0, room_ = 0;
    Growing<double> logprobs_;
    Growing<std::int64_t> ids_, cuts_;
    Growing<std::uint8_t> blank_;
    Array<std::int64_t> bounds_;
};

}  // namespace

template <class Model>
NgramScored ngram_split(const Model& model, const NgramBytes& text, const Separators& separators, NgramEnds ends,
                       unsigned threads) {
    return Scoring<Model>(model, text, separators, ends, threads).run(false, true);
}

template <class Model>
NgramScored ngram_score(const Model& model, const NgramBytes& text, const Separators& separators, NgramEnds ends,
                      bool class_of_unknown, unsigned threads) {
    return Scoring<Model>(model, text, separators, ends, threads).run(true, class_of_unknown);
}

template <class Model>
double ngram_sentence(const Model& model, Bytes sentence, const Separators& separators, bool ended,
                      bool class_of_unknown) {
    const auto index = model.index();
    const std::uint8_t* const limit = sentence.data + sentence.size;
    auto state = ngram_cursor(model);
    Compensated total;
    bool possible = true;
    for (std::size_t i = 0; i < sentence.size;) {
        while (i < sentence.size && separators[sentence.data[i]]) ++i;
        const std::size_t start = i;
        while (i < sentence.size && !separators[sentence.data[i]]) ++i;
        if (start == i) break;
        const Bytes word{sentence.data + start, i - start};
        const std::uint32_t number = index.find(word, index.key(word, limit));
        possible = possible && (number != word_unknown || class_of_unknown);
        total.add(ngram_step(model, state, number));
    }
    if (ended) total.add(ngram_step(model, state, word_end));
    return possible ? total.value() * std::numbers::ln10 : -std::numeric_limits<double>::infinity();
}

template NgramScored ngram_split(const NgramModel&, const NgramBytes&, const Separators&, NgramEnds, unsigned);
template NgramScored ngram_score(const NgramModel&, const NgramBytes&, const Separators&, NgramEnds, bool, unsigned);
template double ngram_sentence(const NgramModel&, Bytes, const Separators&, bool, bool);
template NgramScored ngram_split(const CompactNgram&, const NgramBytes&, const Separators&, NgramEnds, unsigned);
template NgramScored ngram_score(const CompactNgram&, const NgramBytes&, const Separators&, NgramEnds, bool, unsigned);
template double ngram_sentence(const CompactNgram&, Bytes, const Separators&, bool, bool);
template NgramScored ngram_split(const KenlmModel&, const NgramBytes&, const Separators&, NgramEnds, unsigned);
template NgramScored ngram_score(const KenlmModel&, const NgramBytes&, const Separators&, NgramEnds, bool, unsigned);

}  // namespace bitmeter
