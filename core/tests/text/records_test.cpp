#include "text/records.hpp"

#include <string>

#include "tests/check.hpp"

using namespace bitmeter;

namespace {

RecordScan scan(const std::string& text, const RecordFields& fields = {"text", std::nullopt}) {
    return scan_records({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, fields);
}

std::string texts(const RecordScan& found) { return {found.texts.begin(), found.texts.end()}; }

bool is_sound(const std::string& line) {
    const RecordScan found = scan(line);
    return found.sound.size() == 1 && found.sound[0];
}

void lines() {
    const RecordScan found = scan("{\"text\": \"one\"}\r\n\n \t\v\n{\"text\": 1}\n{\"id\": 3, \"text\": \"two\"}");
    CHECK(found.lines == 5);
    CHECK((found.numbers == std::vector<std::int64_t>{0, 3, 4}));
    CHECK((found.sound == std::vector<std::uint8_t>{1, 0, 1}));
    CHECK(texts(found) == "onetwo");
    CHECK((found.text_ends == std::vector<std::int64_t>{3, 6}));
    CHECK(found.starts[0] == 0 && found.stops[0] == 16);
    CHECK(scan("").lines == 0 && scan("\n\n").lines == 2);
}

// The escapes of RFC 8259, and what UTF-8 makes of them.
void escapes() {
    CHECK(texts(scan(R"({"text": "\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00"})")) ==
          "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    CHECK(texts(scan(R"({"te\u0078t": "a"})")) == "a");
    for (const char* text : {R"(\ud800)", R"(\udc00)", R"(\ud800\ud800)", R"(\ud83dx)", R"(\x41)", R"(\u12g4)", R"(\u12)", "\xFF",
                             "\xED\xA0\x80", "\t"})
        CHECK(!is_sound(std::string("{\"text\": \"") + text + "\"}"));
    CHECK(is_sound(R"({"other": "\ud800", "text": ""})"));  // which is not asked for
    // Of every length, so that each part of a word of eight bytes ends a string once.
    for (std::size_t size = 0; size < 40; ++size) {
        const std::string plain(size, 'a');
        CHECK(texts(scan("{\"text\": \"" + plain + "\"}")) == plain);
        CHECK(texts(scan("{\"text\": \"" + plain + "\\n\xC3\xA9" + plain + "\"}")) == plain + "\n\xC3\xA9" + plain);
        CHECK(!is_sound("{\"text\": \"" + plain));
    }
}

void values() {
    for (const char* value : {"0", "-0", "-1.5e+3", "1E9", "true", "false", "null", "NaN", "Infinity", "-Infinity", "[]", "{}",
                              "[1, [2, {\"a\": []}]]", "\"\"", "{\"text\": 1}"})
        CHECK(is_sound(std::string("{\"a\": ") + value + " , \"text\":\"\"}"));
    for (const char* value : {"", "01", "-", "+1", "1.", ".5", "1e", "0x1", "tru", "nan", "[1,]", "{,}", "{\"a\"}", "[", "'a'", "1 2"})
        CHECK(!is_sound(std::string("{\"a\": ") + value + ", \"text\": \"\"}"));
    const auto nested = [](int depth) {
        return "{\"a\": " + std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']') +
               ", \"text\": \"\"}";
    };
    CHECK(is_sound(nested(most_record_depth)) && !is_sound(nested(most_record_depth + 1)) && !is_sound(nested(100000)));
    CHECK(is_sound("{\"text\": \"\", \"n\": " + std::string(most_record_digits, '1') + "}"));
    CHECK(!is_sound("{\"text\": \"\", \"n\": " + std::string(most_record_digits + 1, '1') + "}"));
}

void members() {
    CHECK(texts(scan(R"({"text": 1, "text": "last"})")) == "last");
    CHECK(!is_sound(R"({"text": "first", "text": 1})"));
    const RecordFields fields{"text", "lang", {"score"}};
    const RecordScan found = scan("{\"lang\": \"e\\u006e\", \"text\": \"a\"}\n{\"text\": \"b\"}\n{\"text\": \"c\", \"lang\": "
                                  "\"de\", \"score\": 1}\n{\"text\": \"\\ud800\", \"lang\": \"fr\"}",
                                  fields);
    CHECK((found.sound == std::vector<std::uint8_t>{1, 0, 0, 0}));
    CHECK(std::string(found.languages.begin(), found.languages.end()) == "en" && texts(found) == "a");
    CHECK((found.language_ends == std::vector<std::int64_t>{2}));
}

void others() {
    const RecordFields fields{"text", std::nullopt, {}, {"id", "url"}};
    const RecordScan found = scan("{\"url\": \"a\\n\", \"text\": \"x\", \"id\" : [1, {}] }\n{\"id\":1,\"id\":-2.5,\"text\":\"y\"}\n"
                                  "{\"text\": 1, \"id\": 3}\n{\"text\": \"z\", \"url\": null}",
                                  fields);
    CHECK((found.sound == std::vector<std::uint8_t>{1, 1, 0, 1}));
    CHECK(std::string(found.others.begin(), found.others.end()) == "[1, {}]\"a\\n\"-2.5null");
    CHECK((found.other_ends == std::vector<std::int64_t>{7, 12, 16, 16, 16, 20}));
}

}  // namespace

int main() {
    lines();
    escapes();
    values();
    members();
    others();
    return check::report();
}
