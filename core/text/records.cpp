#include "text/records.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "util/utf8.hpp"

namespace bitmeter {
namespace {

constexpr std::uint64_t each_byte = 0x0101010101010101u;

/// The high bit of each byte that ends a run of plain characters of a string: a quote, a backslash, a control character, or
/// what is not ASCII. Bits above the first one may be wrong.
std::uint64_t not_plain(std::uint64_t word) {
    const auto equal = [&](std::uint8_t byte) {
        const std::uint64_t x = word ^ (each_byte * byte);
        return (x - each_byte) & ~x;
    };
    return ((word - each_byte * 0x20) | word | equal('"') | equal('\\')) & utf8::high_bits;
}

bool is_white(std::uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }
bool is_digit(std::uint8_t byte) { return byte >= '0' && byte <= '9'; }

int hex_value(std::uint8_t byte) {
    if (is_digit(byte)) return byte - '0';
    const std::uint8_t lower = byte | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// A string between its quotes, as it is written.
struct Written {
    const std::uint8_t* begin = nullptr;
    const std::uint8_t* end = nullptr;
    bool escaped = false;
};

std::uint32_t code_unit(const std::uint8_t* p) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 4 | static_cast<std::uint32_t>(hex_value(p[i]));
    return value;
}

void put(std::uint32_t code, std::vector<std::uint8_t>& into) {
    const auto tail = [&](int shift) { into.push_back(static_cast<std::uint8_t>(0x80 | (code >> shift & 0x3F))); };
    if (code < 0x80) {
        into.push_back(static_cast<std::uint8_t>(code));
    } else if (code < 0x800) {
        into.push_back(static_cast<std::uint8_t>(0xC0 | code >> 6));
        tail(0);
    } else if (code < 0x10000) {
        into.push_back(static_cast<std::uint8_t>(0xE0 | code >> 12));
        tail(6);
        tail(0);
    } else {
        into.push_back(static_cast<std::uint8_t>(0xF0 | code >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

/// Adds a sound string without its escapes. False where a surrogate stands alone.
bool unescape(const Written& string, std::vector<std::uint8_t>& into) {
    if (!string.escaped) {
        into.insert(into.end(), string.begin, string.end);
        return true;
    }
    for (const std::uint8_t* p = string.begin; p < string.end;) {
        const auto left = static_cast<std::size_t>(string.end - p);
        const auto* const found = static_cast<const std::uint8_t*>(std::memchr(p, '\\', left));
        const std::uint8_t* const stop = found ? found : string.end;
        into.insert(into.end(), p, stop);
        if (!found) return true;
        p = found + 2;
        switch (found[1]) {
            case 'b': into.push_back('\b'); break;
            case 'f': into.push_back('\f'); break;
            case 'n': into.push_back('\n'); break;
            case 'r': into.push_back('\r'); break;
            case 't': into.push_back('\t'); break;
            case 'u': {
                std::uint32_t code = code_unit(p);
                p += 4;
                if (code >= 0xD800 && code < 0xE000) {
                    if (code >= 0xDC00 || string.end - p < 6 || p[0] != '\\' || p[1] != 'u') return false;
                    const std::uint32_t low = code_unit(p + 2);
                    if (low < 0xDC00 || low >= 0xE000) return false;
                    code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
                    p += 6;
                }
                put(code, into);
                break;
            }
            default: into.push_back(found[1]);
        }
    }
    return true;
}

/// One line, read once from its beginning to its end.
class Reader {
public:
    Reader(Bytes line, std::vector<std::uint8_t>& scratch) : p_(line.data), end_(line.data + line.size), scratch_(scratch) {}

    /// An object and nothing else; calls member(name, string, written) for each of its members, with null for what is no
    /// string, and the whole value as it is written.
    /// False where it is doubtful, or `member` is.
    template <class Member>
    bool object(Member&& member) {
        skip_white();
        if (!take('{')) return false;
        skip_white();
        if (!take('}')) {
            do {
                skip_white();
                std::string_view name;
                if (!key(name)) return false;
                skip_white();
                const std::uint8_t* const begin = p_;
                Written found;
                const bool is_string = take('"');
                if (is_string ? !string(found) : !value(1)) return false;
                if (!member(name, is_string ? &found : nullptr, Bytes{begin, static_cast<std::size_t>(p_ - begin)})) return false;
                skip_white();
            } while (take(','));
            if (!take('}')) return false;
        }
        skip_white();
        return p_ == end_;
    }

private:
    bool take(std::uint8_t byte) {
        if (p_ == end_ || *p_ != byte) return false;
        ++p_;
        return true;
    }
    void skip_white() {
        while (p_ < end_ && is_white(*p_)) ++p_;
    }
    bool word(std::string_view text) {
        if (static_cast<std::size_t>(end_ - p_) < text.size() || std::memcmp(p_, text.data(), text.size()) != 0) return false;
        p_ += text.size();
        return true;
    }

    /// A name and the colon after it; the view is valid until the next one.
    bool key(std::string_view& name) {
        Written found;
        if (!take('"') || !string(found)) return false;
        if (found.escaped) {
            scratch_.clear();
            if (!unescape(found, scratch_)) return false;
            name = {reinterpret_cast<const char*>(scratch_.data()), scratch_.size()};
        } else {
            name = {reinterpret_cast<const char*>(found.begin), static_cast<std::size_t>(found.end - found.begin)};
        }
        skip_white();
        return take(':');
    }

    /// What follows the quote of a string, with the quote that ends it.
    bool string(Written& found) {
        found.begin = p_;
        for (;;) {
            while (end_ - p_ >= 8) {
                if constexpr (std::endian::native == std::endian::little) {
                    if (const std::uint64_t bits = not_plain(utf8::load(p_))) {
                        p_ += std::countr_zero(bits) >> 3;
                        break;
                    }
                } else if (not_plain(utf8::load(p_))) {
                    break;
                }
                p_ += 8;
            }
            while (p_ < end_ && *p_ >= 0x20 && *p_ < 0x80 && *p_ != '"' && *p_ != '\\') ++p_;
            if (p_ == end_ || *p_ < 0x20) return false;
            if (*p_ == '"') {
                found.end = p_++;
                return true;
            }
            if (*p_ == '\\') {
                found.escaped = true;
                if (!escape()) return false;
            }
            while (p_ < end_ && *p_ >= 0x80) {
                const int size = utf8::length(p_, end_);
                if (size <= 0) return false;
                p_ += size;
            }
        }
    }
    bool escape() {
        if (end_ - p_ < 2) return false;
        const std::uint8_t kind = p_[1];
        p_ += 2;
        if (kind != 'u') return kind == '"' || kind == '\\' || kind == '/' || kind == 'b' || kind == 'f' || kind == 'n' ||
                                kind == 'r' || kind == 't';
        if (end_ - p_ < 4) return false;
        for (int i = 0; i < 4; ++i)
            if (hex_value(*p_++) < 0) return false;
        return true;
    }

    std::size_t digits() {
        const std::uint8_t* const begin = p_;
        while (p_ < end_ && is_digit(*p_)) ++p_;
        return static_cast<std::size_t>(p_ - begin);
    }
    bool number() {
        if (take('-') && p_ < end_ && *p_ == 'I') return word("Infinity");
        const bool zero = p_ < end_ && *p_ == '0';
        const std::size_t whole = digits();
        if (whole == 0 || whole > most_record_digits || (zero && whole > 1)) return false;
        if (take('.') && digits() == 0) return false;
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            if (digits() == 0) return false;
        }
        return true;
    }

    bool value(int depth) {
        if (p_ == end_ || depth > most_record_depth) return false;
        Written ignored;
        switch (*p_) {
            case '"': ++p_; return string(ignored);
            case '{': return members(depth);
            case '[': return elements(depth);
            case 't': return word("true");
            case 'f': return word("false");
            case 'n': return word("null");
            case 'N': return word("NaN");
            case 'I': return word("Infinity");
            default: return number();
        }
    }
    bool members(int depth) {
        ++p_;
        skip_white();
        if (take('}')) return true;
        do {
            skip_white();
            Written ignored;
            if (!take('"') || !string(ignored)) return false;
            skip_white();
            if (!take(':')) return false;
            skip_white();
            if (!value(depth + 1)) return false;
            skip_white();
        } while (take(','));
        return take('}');
    }
    bool elements(int depth) {
        ++p_;
        skip_white();
        if (take(']')) return true;
        do {
            skip_white();
            if (!value(depth + 1)) return false;
            skip_white();
        } while (take(','));
        return take(']');
    }

    const std::uint8_t* p_;
    const std::uint8_t* const end_;
    std::vector<std::uint8_t>& scratch_;
};

/// White space as Python's bytes.isspace() has it.
bool is_blank(const std::uint8_t* p, const std::uint8_t* end) {
    return std::all_of(p, end, [](std::uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); });
}

bool add_record(Bytes line, const RecordFields& fields, std::vector<std::uint8_t>& scratch, std::vector<Bytes>& others,
                RecordScan& scan) {
    Written text, language;
    bool has_text = false, has_language = false;
    others.assign(fields.others.size(), Bytes{});
    const auto keep = [](const Written* string, Written& into, bool& has) {
        has = string != nullptr;
        if (has) into = *string;
    };
    const bool sound = Reader(line, scratch).object([&](std::string_view name, const Written* string, Bytes written) {
        for (const std::string& other : fields.refused)
            if (name == other) return false;
        if (name == fields.text) keep(string, text, has_text);
        if (fields.language && name == *fields.language) keep(string, language, has_language);
        for (std::size_t i = 0; i < others.size(); ++i)
            if (name == fields.others[i]) others[i] = written;
        return true;
    });
    if (!sound || !has_text || (fields.language && !has_language)) return false;
    const std::size_t before = scan.texts.size(), before_language = scan.languages.size();
    if (!unescape(text, scan.texts) || (fields.language && !unescape(language, scan.languages))) {
        scan.texts.resize(before);
        scan.languages.resize(before_language);
        return false;
    }
    scan.text_ends.push_back(static_cast<std::int64_t>(scan.texts.size()));
    if (fields.language) scan.language_ends.push_back(static_cast<std::int64_t>(scan.languages.size()));
    for (const Bytes& other : others) {
        scan.others.insert(scan.others.end(), other.data, other.data + other.size);
        scan.other_ends.push_back(static_cast<std::int64_t>(scan.others.size()));
    }
    return true;
}

}  // namespace

RecordScan scan_records(Bytes block, const RecordFields& fields) {
    RecordScan scan;
    scan.texts.reserve(block.size);
    std::vector<std::uint8_t> scratch;
    std::vector<Bytes> others;
    const std::uint8_t* const end = block.data + block.size;
    for (const std::uint8_t* p = block.data; p < end; ++scan.lines) {
        const auto* const newline = static_cast<const std::uint8_t*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
        const std::uint8_t* const stop = newline ? newline : end;
        if (!is_blank(p, stop)) {
            scan.starts.push_back(p - block.data);
            scan.stops.push_back(stop - block.data);
            scan.numbers.push_back(scan.lines);
            scan.sound.push_back(add_record({p, static_cast<std::size_t>(stop - p)}, fields, scratch, others, scan));
        }
        p = newline ? newline + 1 : end;
    }
    return scan;
}

}  // namespace bitmeter
