#include "ngram/coding/text_coder.hpp"

#include <algorithm>

#include "coding/quantise.hpp"

namespace bitmeter {
namespace {

/// Frequencies of bytes and white space are on a scale of 2^letter_bits.
constexpr int letter_bits = 30;

template <class Sums>
void put(const Sums& sums, std::size_t symbol, RangeEncoder& out, CodedBits& bits) {
    const std::uint64_t size = sums[symbol + 1] - sums[symbol];
    if (size == 0) throw NgramFormatError("its spelling leaves out a byte; fetch or train it again");
    out.encode(sums[symbol], size, sums.back());
    bits.add(size, sums.back());
}

template <class Sums>
std::size_t get(const Sums& sums, RangeDecoder& in) {
    if (sums.back() == 0) throw CodeError("the coded bytes lead to what cannot be spelled");
    const auto found = std::upper_bound(sums.begin() + 1, sums.end(), in.find(sums.back()));
    const auto symbol = static_cast<std::size_t>(found - (sums.begin() + 1));
    in.take(sums[symbol], sums[symbol + 1] - sums[symbol]);
    return symbol;
}

[[noreturn]] void too_long() { throw CodeError("the coded bytes lead beyond the end of the text"); }

}  // namespace

NgramTextCoder::NgramTextCoder(const NgramModel& model, const Spelling& spelling)
    : model_(&model), spelling_(&spelling), words_(model), table_(model.table()) {
    for (std::size_t p = 0; p < gap_places; ++p) {
        const auto place = static_cast<GapPlace>(p);
        GapTable& table = gaps_[p];
        table.sums = {0, frequency_of(spelling.escape(place), letter_bits)};
        for (const auto& gap : spelling.gaps(place)) {
            table.places.emplace(gap.bytes, table.sums.size() - 1);
            table.sums.push_back(table.sums.back() + frequency_of(gap.p, letter_bits));
        }
    }
    newline_ = frequency_of(portable_exp(spelling.newline()), letter_bits);
    no_newline_ = frequency_of(portable_exp(spelling.no_newline()), letter_bits);
}

// ---- there -----------------------------------------------------------------------------------------------------------

std::size_t NgramTextCoder::encode(Bytes data, bool final, RangeEncoder& out, CodedBits& bits) {
    const Separators& white = spelling_->separators();
    const bool lines = spelling_->lines();
    auto part = [&](std::size_t from, std::size_t to) { return Bytes{data.data + from, to - from}; };
    std::size_t& done = reached_;
    done = 0;
    while (done < data.size) {
        std::size_t stop = done;
        while (stop < data.size && white[data.data[stop]] && !(lines && data.data[stop] == '\n')) ++stop;
        if (stop == data.size) {
            if (!final) break;
            put_end(part(done, stop), false, out, bits);
            done = stop;
            break;
        }
        if (lines && data.data[stop] == '\n') {
            put_end(part(done, stop), true, out, bits);
            done = stop + 1;
            continue;
        }
        std::size_t end = stop;
        while (end < data.size && !white[data.data[end]]) ++end;
        if (end == data.size && !final) break;
        put_word(part(stop, end), part(done, stop), out, bits);
        done = end;
    }
    return done;
}

void NgramTextCoder::put_word(Bytes word, Bytes gap, RangeEncoder& out, CodedBits& bits) {
    const std::int64_t found = table_.find(word);
    const bool known = found >= first_word && found < static_cast<std::int64_t>(model_->words());
    words_.encode(known ? static_cast<std::uint32_t>(found) : word_unknown, out, bits);
    put_gap(gap_before_word(), gap, out, bits);
    if (!known) put_spelling(word, out, bits);
    worded_ = true;
}

void NgramTextCoder::put_end(Bytes gap, bool newline, RangeEncoder& out, CodedBits& bits) {
    words_.encode(word_end, out, bits, !newline);  // where no line ends, the score has no end either
    if (spelling_->lines()) {
        const std::array<std::uint64_t, 3> sums{0, newline_, newline_ + no_newline_};
        put(sums, newline ? 0 : 1, out, bits);
    }
    put_gap(gap_before_end(), gap, out, bits);
    words_.begin();
    worded_ = false;
}

void NgramTextCoder::put_gap(GapPlace place, Bytes gap, RangeEncoder& out, CodedBits& bits) {
    const GapTable& table = gaps_[static_cast<unsigned>(place)];
    const auto found = table.places.find({reinterpret_cast<const char*>(gap.data), gap.size});
    put(table.sums, found == table.places.end() ? 0 : found->second, out, bits);
    if (found != table.places.end()) return;
    int last = -1;
    for (std::size_t i = 0; i < gap.size; ++i) {
        next_gap_byte(last);
        put(sums_, gap.data[i], out, bits);
        last = gap.data[i];
    }
    next_gap_byte(last);
    put(sums_, Spelling::end, out, bits);
}

void NgramTextCoder::put_spelling(Bytes word, RangeEncoder& out, CodedBits& bits) {
    Spelling::Place place;
    for (std::size_t i = 0; i <= word.size; ++i) {
        next_byte(place);
        const unsigned symbol = i < word.size ? word.data[i] : Spelling::end;
        put(sums_, symbol, out, bits);
        spelling_->push(place, symbol);
    }
}

// ---- and back --------------------------------------------------------------------------------------------------------

std::vector<std::uint8_t> NgramTextCoder::decode(RangeDecoder& in, std::size_t size) {
    std::vector<std::uint8_t> text;
    while (text.size() < size) {
        const std::uint32_t word = words_.decode(in);
        if (word == word_end) {
            const bool newline = get_newline(in);
            get_gap(gap_before_end(), in, text, size);
            words_.begin();
            worded_ = false;
            if (newline) text.push_back('\n');
            else if (text.size() != size) throw CodeError("the coded text ends too early");
        } else {
            get_gap(gap_before_word(), in, text, size);
            worded_ = true;
            if (word == word_unknown) {
                get_spelling(in, text, size);
            } else {
                const Bytes bytes = model_->word(word);
                if (bytes.size == 0) throw CodeError("the coded bytes lead to a word without bytes");
                if (bytes.size > size - text.size()) too_long();
                text.insert(text.end(), bytes.data, bytes.data + bytes.size);
            }
        }
        if (text.size() > size) too_long();
    }
    return text;
}

bool NgramTextCoder::get_newline(RangeDecoder& in) {
    if (!spelling_->lines()) return false;
    const std::array<std::uint64_t, 3> sums{0, newline_, newline_ + no_newline_};
    return get(sums, in) == 0;
}

void NgramTextCoder::get_gap(GapPlace place, RangeDecoder& in, std::vector<std::uint8_t>& text, std::size_t size) {
    const std::size_t found = get(gaps_[static_cast<unsigned>(place)].sums, in);
    if (found > 0) {
        const std::string& bytes = spelling_->gaps(place)[found - 1].bytes;
        text.insert(text.end(), bytes.begin(), bytes.end());
    } else {
        for (int last = -1;;) {
            next_gap_byte(last);
            const std::size_t symbol = get(sums_, in);
            if (symbol == Spelling::end) break;
            text.push_back(static_cast<std::uint8_t>(symbol));
            if (text.size() > size) too_long();
            last = static_cast<int>(symbol);
        }
    }
    if (text.size() > size) too_long();
}

void NgramTextCoder::get_spelling(RangeDecoder& in, std::vector<std::uint8_t>& text, std::size_t size) {
    Spelling::Place place;
    for (;;) {
        next_byte(place);
        const auto symbol = static_cast<unsigned>(get(sums_, in));
        if (symbol == Spelling::end) return;
        text.push_back(static_cast<std::uint8_t>(symbol));
        if (text.size() > size) too_long();
        spelling_->push(place, symbol);
    }
}

// ---- one byte --------------------------------------------------------------------------------------------------------

void NgramTextCoder::next_byte(const Spelling::Place& place) {
    spelling_->predict(place, shares_.data());
    for (std::size_t i = 0; i < shares_.size(); ++i) sums_[i + 1] = sums_[i] + frequency_of(shares_[i], letter_bits);
}

void NgramTextCoder::next_gap_byte(int last) {
    spelling_->predict_gap(last, shares_.data());
    for (std::size_t i = 0; i < shares_.size(); ++i) sums_[i + 1] = sums_[i] + frequency_of(shares_[i], letter_bits);
}

}  // namespace bitmeter
