// JSON (RFC 8259), read whole and strictly: of a stranger's file, so that depth and sizes are bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "text/split.hpp"

namespace bitmeter {

class Json;

/// One value of a document, which must outlive it.
class JsonValue {
public:
    enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

    Kind kind() const;
    bool is_null() const { return kind() == Kind::null; }
    bool is(Kind wanted) const { return kind() == wanted; }
    /// Of a string its characters; of a number or a truth value as it is written.
    std::string_view text() const;
    /// How many values an array has, or pairs an object.
    std::size_t size() const;

    /// Calls each(value) for the values of an array.
    template <class Each>
    void values(Each&& each) const {
        JsonValue child{document_, at_ + 1};
        for (std::size_t i = 0, many = size(); i < many; ++i, child = child.after()) each(child);
    }
    /// Calls each(key, value) for the pairs of an object.
    template <class Each>
    void pairs(Each&& each) const {
        JsonValue child{document_, at_ + 1};
        for (std::size_t i = 0, many = size(); i < many; ++i) {
            const std::string_view key = child.text();
            child = child.after();
            each(key, child);
            child = child.after();
        }
    }

private:
    friend class Json;
    JsonValue(const Json* document, std::size_t at) : document_(document), at_(at) {}
    JsonValue after() const;

    const Json* document_;
    std::size_t at_;
};

class Json {
public:
    /// Throws PieceFormatError, with the byte at which the text is no JSON. The text must outlive it.
    explicit Json(Bytes text);

    JsonValue root() const { return {this, 0}; }

private:
    friend class JsonValue;
    struct Node {
        std::string_view text;
        std::uint32_t size = 0, after = 0;  // the node behind it and all that it holds
        JsonValue::Kind kind = JsonValue::Kind::null;
    };

    void value(int depth);
    void list(bool object, int depth);
    std::string_view string();
    void escape(std::string& into);
    std::uint32_t four_digits();
    void number();
    void word(std::string_view text, JsonValue::Kind kind);
    void white();
    [[noreturn]] void fail(const char* why) const;
    std::uint8_t here() const { return at_ < text_.size ? text_.data[at_] : std::uint8_t{0}; }

    Bytes text_;
    std::size_t at_ = 0;
    std::vector<Node> nodes_;
    std::deque<std::string> written_;  // strings that had escapes
};

/// The number of a JSON text, in the arithmetic of the library that reads tokenizer files: digits beyond those that fit 64
/// bits are ignored, and the rest is scaled by one power of ten.
double json_number(std::string_view text);

}  // namespace bitmeter
