#include "text/tokens/json.hpp"

#include <cmath>
#include <limits>

#include "text/pieces/file.hpp"
#include "util/utf8.hpp"

namespace bitmeter {
namespace {

constexpr int deepest = 100;  // values within values; tokenizer files have about ten
constexpr std::size_t most_bytes = std::size_t{1} << 30;

bool is_digit(std::uint8_t c) { return c >= '0' && c <= '9'; }

void append_character(std::string& out, std::uint32_t c) {
    const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (c < 0x80) return put(c);
    if (c < 0x800) {
        put(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            put(0xE0 | c >> 12);
        } else {
            put(0xF0 | c >> 18);
            put(0x80 | (c >> 12 & 0x3F));
        }
        put(0x80 | (c >> 6 & 0x3F));
    }
    put(0x80 | (c & 0x3F));
}

}  // namespace

JsonValue::Kind JsonValue::kind() const { return document_->nodes_[at_].kind; }
std::string_view JsonValue::text() const { return document_->nodes_[at_].text; }
std::size_t JsonValue::size() const { return document_->nodes_[at_].size; }
JsonValue JsonValue::after() const { return {document_, document_->nodes_[at_].after}; }

Json::Json(Bytes text) : text_(text) {
    if (text.size > most_bytes) throw PieceFormatError("it has more than a gigabyte, which no tokenizer file has");
    if (utf8::count(text.data, text.data + text.size).second) throw PieceFormatError("it is not UTF-8");
    white();
    value(0);
    white();
    if (at_ < text_.size) fail("something follows the end");
}

void Json::fail(const char* why) const {
    throw PieceFormatError(std::string("it is not JSON at byte ") + std::to_string(at_) + ": " + why);
}

void Json::white() {
    while (at_ < text_.size && (here() == ' ' || here() == '\n' || here() == '\r' || here() == '\t')) ++at_;
}

void Json::value(int depth) {
    const std::size_t node = nodes_.size();
    nodes_.emplace_back();
    if (at_ >= text_.size) fail("a value is missing");
    switch (here()) {
        case '{': list(true, depth); break;
        case '[': list(false, depth); break;
        case '"':
            nodes_[node].kind = JsonValue::Kind::string;
            nodes_[node].text = string();
            break;
        case 't': word("true", JsonValue::Kind::boolean); break;
        case 'f': word("false", JsonValue::Kind::boolean); break;
        case 'n': word("null", JsonValue::Kind::null); break;
        default: number();
    }
    nodes_[node].after = static_cast<std::uint32_t>(nodes_.size());
}

void Json::list(bool object, int depth) {
    if (depth == deepest) fail("values are nested too deeply");
    const std::size_t node = nodes_.size() - 1;
    const std::uint8_t close = object ? '}' : ']';
    nodes_[node].kind = object ? JsonValue::Kind::object : JsonValue::Kind::array;
    ++at_;
    white();
    if (here() == close) {
        ++at_;
        return;
    }
    for (std::uint32_t size = 1;; ++size) {
        if (object) {
            if (here() != '"') fail("a key is missing");
            const std::size_t key = nodes_.size();
            nodes_.emplace_back();
            nodes_[key].kind = JsonValue::Kind::string;
            nodes_[key].text = string();
            nodes_[key].after = static_cast<std::uint32_t>(key + 1);
            white();
            if (here() != ':') fail("a colon is missing");
            ++at_;
            white();
        }
        value(depth + 1);
        white();
        nodes_[node].size = size;
        if (here() == close) break;
        if (here() != ',') fail("a comma is missing");
        ++at_;
        white();
    }
    ++at_;
}

std::string_view Json::string() {
    const std::size_t start = ++at_;
    std::string* written = nullptr;
    for (;; ++at_) {
        if (at_ >= text_.size) fail("a string does not end");
        const std::uint8_t c = here();
        if (c == '"') break;
        if (c < 0x20) fail("a string holds a control character");
        if (c == '\\') {
            if (!written) written = &written_.emplace_back(reinterpret_cast<const char*>(text_.data) + start, at_ - start);
            ++at_;
            escape(*written);
        } else if (written) {
            written->push_back(static_cast<char>(c));
        }
    }
    const std::string_view found =
        written ? std::string_view(*written)
                : std::string_view(reinterpret_cast<const char*>(text_.data) + start, at_ - start);
    ++at_;
    return found;
}

/// What follows a backslash; stands at its last character afterwards.
void Json::escape(std::string& into) {
    switch (here()) {
        case '"': case '\\': case '/': into.push_back(static_cast<char>(here())); return;
        case 'b': into.push_back('\b'); return;
        case 'f': into.push_back('\f'); return;
        case 'n': into.push_back('\n'); return;
        case 'r': into.push_back('\r'); return;
        case 't': into.push_back('\t'); return;
        case 'u': break;
        default: fail("an escape is none");
    }
    std::uint32_t c = four_digits();
    if (c >= 0xDC00 && c < 0xE000) fail("half of a pair of surrogates stands alone");
    if (c >= 0xD800 && c < 0xDC00) {
        if (at_ + 2 >= text_.size || text_.data[at_ + 1] != '\\' || text_.data[at_ + 2] != 'u')
            fail("half of a pair of surrogates stands alone");
        at_ += 2;
        const std::uint32_t low = four_digits();
        if (low < 0xDC00 || low >= 0xE000) fail("half of a pair of surrogates stands alone");
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    append_character(into, c);
}

std::uint32_t Json::four_digits() {
    std::uint32_t c = 0;
    for (int i = 0; i < 4; ++i) {
        ++at_;
        const std::uint8_t digit = here(), small = digit | 0x20;
        if (is_digit(digit))
            c = 16 * c + (digit - '0');
        else if (small >= 'a' && small <= 'f')
            c = 16 * c + (small - 'a' + 10u);
        else
            fail("an escape has not four digits");
    }
    return c;
}

void Json::number() {
    const std::size_t start = at_;
    const auto digits = [&] {
        if (!is_digit(here())) fail("a value is missing");
        while (is_digit(here())) ++at_;
    };
    if (here() == '-') ++at_;
    if (here() == '0')
        ++at_;
    else
        digits();
    if (here() == '.') {
        ++at_;
        digits();
    }
    if (here() == 'e' || here() == 'E') {
        ++at_;
        if (here() == '+' || here() == '-') ++at_;
        digits();
    }
    Node& node = nodes_.back();
    node.kind = JsonValue::Kind::number;
    node.text = {reinterpret_cast<const char*>(text_.data) + start, at_ - start};
}

void Json::word(std::string_view text, JsonValue::Kind kind) {
    const std::string_view rest(reinterpret_cast<const char*>(text_.data) + at_, text_.size - at_);
    if (rest.substr(0, text.size()) != text) fail("a value is missing");
    Node& node = nodes_.back();
    node.kind = kind;
    node.text = rest.substr(0, text.size());
    at_ += text.size();
}

double json_number(std::string_view text) {
    std::uint64_t digits = 0;
    int exponent = 0;
    std::size_t at = 0;
    const bool negative = !text.empty() && text[0] == '-';
    if (negative) ++at;
    bool fraction = false, full = false;
    for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
        if (text[at] == '.') {
            fraction = true;
            continue;
        }
        const auto digit = static_cast<std::uint64_t>(text[at] - '0');
        full = full || digits > (std::numeric_limits<std::uint64_t>::max() - digit) / 10;
        if (full) {
            if (!fraction) ++exponent;
            continue;
        }
        digits = 10 * digits + digit;
        if (fraction) --exponent;
    }
    if (at < text.size()) {
        ++at;
        const bool minus = at < text.size() && text[at] == '-';
        if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
        int power = 0;
        for (; at < text.size(); ++at) power = power > 99999 ? power : 10 * power + (text[at] - '0');
        exponent += minus ? -power : power;
    }
    auto value = static_cast<double>(digits);
    for (; exponent < -308 && value != 0.0; exponent += 308) value /= 1e308;
    if (value != 0.0) {
        if (exponent > 308) return negative ? -INFINITY : INFINITY;
        // Powers of ten up to 10^22 are exact; greater ones are the nearest, as written.
        static const double* const powers = [] {
            static double made[309];
            for (int i = 0; i <= 308; ++i) made[i] = std::stod("1e" + std::to_string(i));
            return made;
        }();
        if (exponent >= 0)
            value *= powers[exponent];
        else
            value /= powers[-exponent];
    }
    return negative ? -value : value;
}

}  // namespace bitmeter
