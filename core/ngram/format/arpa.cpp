#include "ngram/format/arpa.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "ngram/format/search.hpp"

namespace bitmeter {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
constexpr float log_zero = -99.0f;  // SRILM's sign for it, which other readers take for a very small probability
constexpr float log_no_unknown = -100.0f;  // what KenLM gives an <unk> that a model lacks
constexpr std::uint64_t most_words = (std::uint64_t{1} << 31) - 1;

Bytes bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

bool space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/// The next field, taken off the text; empty at the end.
std::string_view field(std::string_view& text) {
    std::size_t from = 0;
    while (from < text.size() && space(text[from])) ++from;
    std::size_t to = from;
    while (to < text.size() && !space(text[to])) ++to;
    const auto found = text.substr(from, to - from);
    text.remove_prefix(to);
    return found;
}

/// Up to 40 bytes, and no half of a character.
std::string shown(std::string_view text) {
    std::size_t size = std::min<std::size_t>(text.size(), 40);
    if (size < text.size())
        while (size > 37 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
    return "'" + std::string(text.substr(0, size)) + "'";
}

template <class Int>
bool parse_count(std::string_view text, Int& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

/// A decimal number such as -1.25 or 3e-7, or an infinity. By hand, since not every standard library has from_chars for
/// floats, and strtod depends on the locale; up to 18 digits are taken, more than a float holds.
bool parse_number(std::string_view text, float& value) {
    bool negative = false;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    if (text == "inf" || text == "Inf" || text == "infinity") {
        value = negative ? minus_infinity : -minus_infinity;
        return true;
    }
    std::uint64_t digits = 0;
    int exponent = 0, found = 0;
    bool point = false;
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
        if (text[i] == '.' && !point) {
            point = true;
        } else if (text[i] >= '0' && text[i] <= '9') {
            ++found;
            if (digits < 100'000'000'000'000'000ULL) {
                digits = digits * 10 + static_cast<std::uint64_t>(text[i] - '0');
                exponent -= point;
            } else {
                exponent += !point;
            }
        } else {
            break;
        }
    }
    if (found == 0) return false;
    if (i < text.size()) {
        int more = 0;
        if (text[i] != 'e' && text[i] != 'E') return false;
        std::string_view rest = text.substr(i + 1);
        if (!rest.empty() && rest[0] == '+') rest.remove_prefix(1);
        if (!parse_count(rest, more) || more > 400 || more < -400) return false;
        exponent += more;
    }
    // Powers of ten up to 22 are exact, and so is a quotient of two exact numbers but for one rounding.
    const double size = static_cast<double>(digits);
    const double result = exponent < 0 ? size / std::pow(10.0, -exponent) : size * std::pow(10.0, exponent);
    value = static_cast<float>(negative ? -result : result);
    return true;
}

}  // namespace

// ---- reading
// ---------------------------------------------------------------------------------------------------------

ArpaReader::ArpaReader() : seen_(first_word, 0) {
    for (const char* hidden : {"<unk>", "<s>", "</s>"}) table_.add(bytes_of(hidden));
}

void ArpaReader::fail(const std::string& what) const {
    throw ArpaError(line_, what);
}

void ArpaReader::feed(Bytes block) {
    std::string_view text(reinterpret_cast<const char*>(block.data), block.size);
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            begun_ += text;
            return;
        }
        if (begun_.empty()) {
            line(text.substr(0, end));
        } else {
            begun_ += text.substr(0, end);
            const std::string whole = std::exchange(begun_, {});
            line(whole);
        }
        text.remove_prefix(end + 1);
    }
}

void ArpaReader::line(std::string_view text) {
    ++line_;
    while (!text.empty() && space(text.back())) text.remove_suffix(1);
    while (!text.empty() && space(text.front())) text.remove_prefix(1);
    if (part_ == Part::before) {
        if (text == "\\data\\") part_ = Part::counts;
        return;
    }
    if (text.empty() || part_ == Part::after) return;
    if (text[0] == '\\' && (text == "\\end\\" || text.ends_with("-grams:")))
        section_line(text);
    else if (part_ == Part::counts)
        count_line(text);
    else
        ngram_line(text);
}

void ArpaReader::count_line(std::string_view text) {
    std::string_view rest = text;
    int order = 0;
    std::uint64_t count = 0;
    if (field(rest) != "ngram") fail("found " + shown(text) + " where a line such as 'ngram 1=100' should stand");
    const std::size_t sign = rest.find('=');
    std::string_view left = rest.substr(0, sign), right = sign == std::string_view::npos ? "" : rest.substr(sign + 1);
    if (!parse_count(field(left), order) || !parse_count(field(right), count))
        fail("cannot read " + shown(text) + "; it should be like 'ngram 1=100'");
    if (order != static_cast<int>(orders_.size()) + 1) fail("the counts do not come in the order 1, 2, 3…");
    if (order > max_order) fail("its order is above 16, the highest that can be read");
    orders_.emplace_back().announced = count;
}

void ArpaReader::close_section() {
    if (section_ == 0) return;
    const Order& order = orders_[static_cast<std::size_t>(section_ - 1)];
    if (order.size() != order.announced)
        fail("there are " + std::to_string(order.size()) + " " + std::to_string(section_) +
             "-grams where the head says " + std::to_string(order.announced) + "; the file may be cut short");
    if (section_ == 1) has_unknown_ = seen_[word_unknown];
}

void ArpaReader::section_line(std::string_view text) {
    if (orders_.empty()) fail("there are no counts after \\data\\");
    close_section();
    if (text == "\\end\\") {
        if (section_ != static_cast<int>(orders_.size()))
            fail("the file ends before its " + std::to_string(section_ + 1) + "-grams");
        part_ = Part::after;
        return;
    }
    int order = 0;
    if (!parse_count(text.substr(1, text.size() - 8), order) || order != section_ + 1 ||
        order > static_cast<int>(orders_.size()))
        fail("found " + shown(text) + " where the " + std::to_string(section_ + 1) + "-grams should begin");
    section_ = order;
    part_ = Part::ngrams;
}

std::uint32_t ArpaReader::number(std::string_view word) const {
    if (word == "<UNK>") word = "<unk>";
    const std::int64_t found = table_.find(bytes_of(word));
    if (found < 0) fail("the word " + shown(word) + " is not among the 1-grams");
    return static_cast<std::uint32_t>(found);
}

void ArpaReader::unigram(std::string_view word, float logprob, float backoff) {
    if (word == "<UNK>") word = "<unk>";
    const auto count = static_cast<std::int64_t>(table_.size());
    const std::int64_t found = table_.add(bytes_of(word));
    const bool reserved = found < first_word;
    if (reserved ? seen_[static_cast<std::size_t>(found)] != 0 : found != count)
        fail("the word " + shown(word) + " comes twice");
    if (static_cast<std::uint64_t>(found) > most_words) fail("there are more than 2^31 words");
    if (reserved) seen_[static_cast<std::size_t>(found)] = 1;
    orders_[0].words.push_back(static_cast<std::uint32_t>(found));
    orders_[0].logprobs.push_back(logprob);
    orders_[0].backoffs.push_back(backoff);
}

void ArpaReader::ngram_line(std::string_view text) {
    Order& order = orders_[static_cast<std::size_t>(section_ - 1)];
    if (order.size() >= order.announced)
        fail("there are more " + std::to_string(section_) + "-grams than the head says");
    std::string_view rest = text;
    float logprob = 0.0f, backoff = 0.0f;
    const std::string_view first = field(rest);
    if (!parse_number(first, logprob) || std::isnan(logprob))
        fail("cannot read " + shown(first) + " as a log-probability");
    if (logprob > 0.0f) fail("the log-probability " + std::string(first) + " is above 0, a probability above 1");
    if (logprob <= log_zero) logprob = minus_infinity;
    std::string_view words[max_order];
    for (int i = 0; i < section_; ++i) {
        words[i] = field(rest);
        if (words[i].empty())
            fail("there are only " + std::to_string(i) + " words; a " + std::to_string(section_) + "-gram has more");
    }
    const std::string_view last = field(rest);
    if (!last.empty()) {
        if (!parse_number(last, backoff) || std::isnan(backoff) || backoff == -minus_infinity)
            fail("cannot read " + shown(last) + " as a back-off");
        if (!field(rest).empty()) fail("there are more words than in a " + std::to_string(section_) + "-gram");
    }
    if (section_ == 1) return unigram(words[0], logprob, backoff);
    for (int i = 0; i < section_; ++i) order.words.push_back(number(words[i]));
    order.logprobs.push_back(logprob);
    order.backoffs.push_back(backoff);
}

void ArpaReader::begin(int order) {
    orders_.assign(static_cast<std::size_t>(order), {});
    section_ = 1;
    part_ = Part::ngrams;
}

std::uint32_t ArpaReader::take_word(std::string_view word, float logprob, float backoff) {
    unigram(word, logprob <= log_zero ? minus_infinity : logprob, backoff);
    return orders_[0].words.back();
}

void ArpaReader::take(const std::uint32_t* words, int length, float logprob, float backoff) {
    Order& order = orders_[static_cast<std::size_t>(length - 1)];
    order.words.insert(order.words.end(), words, words + length);
    order.logprobs.push_back(logprob <= log_zero ? minus_infinity : logprob);
    order.backoffs.push_back(backoff);
}

void ArpaReader::end() {
    has_unknown_ = seen_[word_unknown];
    part_ = Part::after;
}

/// Arranges the n-grams of one order below those of the order before.
bool ArpaReader::build(int o) {
    const Order& order = orders_[static_cast<std::size_t>(o - 1)];
    const WordCodes codes(table_.size());
    auto child = [&](int length, std::uint32_t place, std::uint32_t word) {
        const Level& above = levels_[static_cast<std::size_t>(length - 2)];
        const std::uint64_t from = above.child[place], to = above.child[place + 1];
        return from == to ? no_child
                          : find_child(levels_[static_cast<std::size_t>(length - 1)].keys.data(), from, to,
                                       codes.code(word), codes.bits());
    };
    auto walk = [&](const std::uint32_t* words, int length) -> std::uint64_t {
        std::uint64_t place = words[0];
        for (int i = 2; i <= length && place != no_child; ++i)
            place = child(i, static_cast<std::uint32_t>(place), words[i - 1]);
        return place;
    };
    std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted(order.size());
    std::vector<std::uint32_t> suffixes(order.size());
    std::vector<std::vector<std::uint32_t>> missing;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint32_t* words = order.words.data() + i * static_cast<std::size_t>(o);
        const std::uint64_t history = walk(words, o - 1), suffix = walk(words + 1, o - 1);
        if (history == no_child) missing.emplace_back(words, words + o - 1);
        if (suffix == no_child) missing.emplace_back(words + 1, words + o);
        sorted[i] = {history << 32 | codes.code(words[o - 1]), static_cast<std::uint32_t>(i)};
        suffixes[i] = static_cast<std::uint32_t>(suffix);
    }
    if (!missing.empty()) {
        std::sort(missing.begin(), missing.end());
        missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
        Order& lower = orders_[static_cast<std::size_t>(o - 2)];
        for (const auto& words : missing) {
            lower.words.insert(lower.words.end(), words.begin(), words.end());
            lower.logprobs.push_back(std::numeric_limits<float>::quiet_NaN());  // until its parts are known
            lower.backoffs.push_back(0.0f);
        }
        added_ += missing.size();
        return false;
    }
    std::sort(sorted.begin(), sorted.end());
    Level& level = levels_[static_cast<std::size_t>(o - 1)];
    Level& above = levels_[static_cast<std::size_t>(o - 2)];
    level = {};
    above.child.assign(above.logprobs.size() + 1, 0);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto [key, from] = sorted[i];
        if (i > 0 && key == sorted[i - 1].first) {
            std::string name;
            for (int j = 0; j < o; ++j) {
                const Bytes word =
                    table_.word(order.words[from * static_cast<std::size_t>(o) + static_cast<std::size_t>(j)]);
                if (j > 0) name += ' ';
                name.append(reinterpret_cast<const char*>(word.data), word.size);
            }
            fail("the " + std::to_string(o) + "-gram " + shown(name) + " comes twice");
        }
        ++above.child[(key >> 32) + 1];
        level.keys.push_back(static_cast<std::uint32_t>(key));
        level.suffix.push_back(suffixes[from]);
        level.logprobs.push_back(order.logprobs[from]);
        level.backoffs.push_back(order.backoffs[from]);
    }
    for (std::size_t i = 1; i < above.child.size(); ++i) above.child[i] += above.child[i - 1];
    return true;
}

/// The probability of each n-gram that was put in: its history's back-off and what its suffix says.
void ArpaReader::fill_in(int o) {
    Level& level = levels_[static_cast<std::size_t>(o - 1)];
    const Level& above = levels_[static_cast<std::size_t>(o - 2)];
    for (std::size_t h = 0; h + 1 < above.child.size(); ++h)
        for (std::size_t c = above.child[h]; c < above.child[h + 1]; ++c)
            if (std::isnan(level.logprobs[c]))
                level.logprobs[c] = std::min(0.0f, above.backoffs[h] + above.logprobs[level.suffix[c]]);
}

std::unique_ptr<NgramModel> ArpaReader::finish(std::string_view metadata) {
    if (!begun_.empty()) {
        const std::string last = std::exchange(begun_, {});
        line(last);
    }
    if (part_ == Part::before) fail("there is no line \\data\\: this is no ARPA file");
    if (part_ != Part::after) fail("the file ends without \\end\\; it is cut short");
    const int highest = static_cast<int>(orders_.size());
    const std::size_t words = table_.size();
    levels_.resize(orders_.size());
    Level& first = levels_[0];
    first.logprobs.assign(words, minus_infinity);
    first.backoffs.assign(words, 0.0f);
    first.child.assign(words + 1, 0);
    for (std::size_t i = 0; i < orders_[0].size(); ++i) {
        first.logprobs[orders_[0].words[i]] = orders_[0].logprobs[i];
        first.backoffs[orders_[0].words[i]] = orders_[0].backoffs[i];
    }
    for (int o = 2; o <= highest;) o = build(o) ? o + 1 : o - 1;
    for (int o = 2; o <= highest; ++o) fill_in(o);

    NgramShape shape;
    shape.order = static_cast<std::uint32_t>(highest);
    shape.words = words;
    shape.metadata_bytes = metadata_size;
    for (std::size_t w = 0; w < words; ++w) shape.word_bytes += table_.word(w).size;
    for (std::size_t o = 0; o < levels_.size(); ++o) shape.counts[o] = levels_[o].logprobs.size();
    auto model = std::make_unique<NgramModel>(shape);
    std::uint64_t at = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Bytes word = table_.word(w);
        model->word_offsets()[w] = at;
        std::memcpy(model->word_text() + at, word.data, word.size);
        at += word.size;
    }
    model->word_offsets()[words] = at;
    for (int o = 1; o <= highest; ++o) {
        const Level& level = levels_[static_cast<std::size_t>(o - 1)];
        for (std::size_t i = 0; i < level.logprobs.size(); ++i) {
            if (o > 1) model->keys(o)[i] = level.keys[i];
            const std::uint32_t suffix = o > 1 ? level.suffix[i] : 0;
            if (o == highest && o > 1)
                model->leaves()[i] = {level.logprobs[i], suffix};
            else
                model->nodes(o)[i] = {level.logprobs[i], level.backoffs[i], suffix, level.child[i]};
        }
        if (o < highest || o == 1) model->nodes(o)[level.logprobs.size()].child = level.child.back();
    }
    model->set_metadata(metadata);
    model->seal();
    return model;
}

// ---- writing
// ---------------------------------------------------------------------------------------------------------

std::string ArpaWriter::next() {
    constexpr std::size_t enough = 1 << 20;
    std::string out;
    if (done_) return out;
    if (order_ == 0) {
        out += "\\data\\\n";
        for (int o = 1; o <= model_.order(); ++o)
            out += "ngram " + std::to_string(o) + "=" + std::to_string(model_.shape().counts[o - 1]) + "\n";
    }
    while (out.size() < enough) {
        if (order_ == 0 || place_ == model_.shape().counts[order_ - 1]) {
            if (order_ == model_.order()) {
                out += "\n\\end\\\n";
                done_ = true;
                break;
            }
            ++order_;
            place_ = 0;
            std::fill(std::begin(path_), std::end(path_), 0);
            out += "\n\\" + std::to_string(order_) + "-grams:\n";
            continue;
        }
        line(out);
        ++place_;
    }
    return out;
}

void ArpaWriter::line(std::string& out) {
    auto number = [&](float value, float zero = log_zero) {
        // As short as brings the same float back. By hand, since not every standard library has to_chars for floats.
        char text[32];
        const float plain = std::isinf(value) ? zero : value == 0.0f ? 0.0f : value;
        int size = 0;
        for (int digits = 7; digits <= 9; ++digits) {
            size = std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(plain));
            float back = 0.0f;
            if (parse_number({text, static_cast<std::size_t>(size)}, back) && back == plain) break;
        }
        out.append(text, static_cast<std::size_t>(size));
    };
    const bool leaf = order_ == model_.order() && order_ > 1;
    number(leaf ? model_.leaves()[place_].logprob : model_.nodes(order_)[place_].logprob,
           order_ == 1 && place_ == word_unknown ? log_no_unknown : log_zero);
    path_[order_] = place_;
    for (int o = order_ - 1; o >= 1; --o) {
        // The n-grams stand in the order of their beginnings, so each beginning only ever moves on.
        while (path_[o] < model_.shape().counts[o - 1] && model_.nodes(o)[path_[o] + 1].child <= path_[o + 1])
            ++path_[o];
        if (path_[o] >= model_.shape().counts[o - 1]) throw NgramFormatError("an n-gram has no beginning");
    }
    for (int o = 1; o <= order_; ++o) {
        const std::uint32_t word =
            o == 1 ? static_cast<std::uint32_t>(path_[1]) : model_.codes().word(model_.keys(o)[path_[o]]);
        const Bytes text = model_.word(word);
        out += o == 1 ? '\t' : ' ';
        out.append(reinterpret_cast<const char*>(text.data), text.size);
    }
    if (!leaf && model_.order() > 1) {
        out += '\t';
        number(model_.nodes(order_)[place_].backoff);
    }
    out += '\n';
}

}  // namespace bitmeter
