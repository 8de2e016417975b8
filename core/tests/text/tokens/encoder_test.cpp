// Tokens of small files that can be followed by hand.
#include "text/tokens/encoder.hpp"

#include <string>

#include "tests/check.hpp"
#include "text/tokens/json.hpp"

namespace {

using namespace bitmeter;
using Ids = std::vector<std::int64_t>;

Bytes bytes_of(const std::string& text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

PieceSplit split(const TextEncoder& encoder, const std::string& text) {
    const auto size = static_cast<std::int64_t>(text.size());
    return split_pieces(encoder, bytes_of(text), {&size, 1}, 1);
}

/// A character of the alphabet of bytes, as JSON.
std::string written(int byte) {
    for (std::int32_t c = 0x21; c < 0x144; ++c)
        if (byte_of_character(c) == byte) {
            char text[8];
            std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(c));
            return text;
        }
    return "";
}

/// Ids of bytes are their values.
std::string byte_level(const std::string& tokens, const std::string& merges, const std::string& added = "") {
    std::string vocabulary;
    for (int byte = 0; byte < 256; ++byte) vocabulary += "\"" + written(byte) + "\":" + std::to_string(byte) + ",";
    return R"({"version":"1.0","added_tokens":[)" + added + R"(],"normalizer":null,"post_processor":null,"decoder":null,
"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true},
"model":{"type":"BPE","vocab":{)" + vocabulary + tokens + R"(},"merges":[)" + merges + "]}}";
}

void test_merges() {
    // The first merge goes first: "abc" is a + bc, though ab comes from the left.
    const std::string file = byte_level(R"("bc":256,"ab":257,"\u0120a":258)", R"(["b","c"],["a","b"],["\u0120","a"])");
    const auto encoder = make_encoder(read_tokenizer(bytes_of(file)), false);
    auto found = split(*encoder, "abc ab");
    CHECK(found.ids == (Ids{'a', 256, ' ', 257}));  // the space and a are merged last
    CHECK(found.cuts == (Ids{0, 1, 3, 4, 6}));
    CHECK(found.lossy == 0);
    found = split(*encoder, "a\xFF a");  // U+FFFD for a byte that is no character
    CHECK(found.ids == (Ids{'a', 0xEF, 0xBF, 0xBD, 258}));
    CHECK(found.cuts == (Ids{0, 1, 1, 1, 2, 4}));
    CHECK(found.lossy == 4);
    const std::string many(1000, 'b');  // by the heap
    CHECK(split(*encoder, many + "c").ids.back() == 256);
}

void test_added() {
    const std::string token =
        R"({"id":257,"content":"<t>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true})";
    const std::string file = byte_level(R"("bc":256)", R"("b c")", token);
    CHECK(split(*make_encoder(read_tokenizer(bytes_of(file)), true), "a<t>b").ids == (Ids{'a', 257, 'b'}));
    CHECK(split(*make_encoder(read_tokenizer(bytes_of(file)), false), "a<t>b").ids == (Ids{'a', '<', 't', '>', 'b'}));
}

void test_unigram() {
    const std::string file = R"({"added_tokens":[],"normalizer":null,"post_processor":null,"decoder":null,
"pre_tokenizer":{"type":"Metaspace","replacement":"\u2581","prepend_scheme":"always"},
"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["\u2581",-2],["a",-3],["b",-3],["ab",-4.0],["\u2581ab",-75e-1]]}})";
    const auto encoder = make_encoder(read_tokenizer(bytes_of(file)), false);
    auto found = split(*encoder, "ab");  // -2 - 4 is better than -7.5
    CHECK(found.ids == (Ids{1, 4}));
    CHECK(found.cuts == (Ids{0, 0, 2}));
    CHECK(found.lossy == 0);
    found = split(*encoder, "a xy b");  // unknown characters in a row are one
    CHECK(found.ids == (Ids{1, 2, 1, 0, 1, 3}));
    CHECK(found.lossy == 6);
}

template <class Error>
bool refuses(const std::string& file) {
    try {
        make_encoder(read_tokenizer(bytes_of(file)), false);
    } catch (const Error&) {
        return true;
    }
    return false;
}

void test_refusals() {
    for (const char* bad : {"", "{", "[1,]", "{\"a\" 1}", "\"\\x\"", "01", "nul", "{}{}", "\"\\ud800\""})
        CHECK(refuses<PieceFormatError>(bad));
    CHECK(refuses<PieceFormatError>(std::string(100000, '[')));
    CHECK(refuses<PieceUnsupported>("{}"));
    CHECK(refuses<PieceUnsupported>(byte_level(R"("bc":4000000)", "")));
    CHECK(refuses<PieceUnsupported>(byte_level(R"("bc":256)", R"(["b","d"])")));
    CHECK(refuses<PieceUnsupported>(byte_level(R"("bc":7)", "")));
}

void test_numbers() {
    CHECK(json_number("-3.5") == -3.5);
    CHECK(json_number("25e-2") == 0.25);
    CHECK(json_number("1E3") == 1000.0);
    CHECK(json_number("0") == 0.0);
    CHECK(check::close(json_number("-11.513925552368164062500000001"), -11.513925552368164, 1e-15));
    CHECK(json_number("1e-400") == 0.0);
}

}  // namespace

int main() {
    test_merges();
    test_added();
    test_unigram();
    test_refusals();
    test_numbers();
    return check::report();
}
