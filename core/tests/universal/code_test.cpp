// What is kept of source code: names, marks, kinds of bytes, brackets and lines.
#include "universal/max/code.inc"

#include <string>

#include "tests/check.hpp"

namespace {

namespace maximal = bitmeter::universal::maximal;

maximal::Code after(const std::string& text) {
    maximal::Code code;
    for (const char c : text) maximal::read_code(code, static_cast<std::uint8_t>(c));
    return code;
}

std::uint64_t kinds(const std::string& text) {
    std::uint64_t all = 0;
    for (const char c : text) all = all << 8 | static_cast<std::uint8_t>(c);
    return all;
}

void kinds_are_counted_once() {
    const maximal::Code code = after("int Size2 = (f12)");
    CHECK(code.kinds == kinds(" = (a0)") + (std::uint64_t{'0'} << 56));
    CHECK((code.kinds_before & 0xFFFFFF) == kinds(" Aa"));
    CHECK(after("ab").again == 1 && after("a(").again == 0 && after("((").again == 0);
}

void names_and_marks_are_known() {
    const maximal::Code one = after("first_1.second->third"), other = after("first_1 . second ->third");
    CHECK(one.name == after("third").name && one.name == other.name);
    CHECK(one.names[0] == after("second").name && one.names[1] == after("first_1").name);
    CHECK(one.mark == after("->").mark && one.mark == other.mark && one.mark != after("-").mark);
    CHECK(one.first == one.names[1] && one.token == 5 && other.token == 5);
}

void lines_and_brackets_are_known() {
    const maximal::Code open = after("call(a, b[i], c");
    CHECK(open.depth == 1 && maximal::opener(open, 0) == maximal::opener(after("call("), 0));
    CHECK(maximal::opener(open, 0) != maximal::opener(after("other("), 0));
    const maximal::Code next = after("a = b\nc");
    CHECK(next.lines == 1 && next.token == 0 && next.first == 0 && next.marks == 0);
    CHECK(next.tokens[0][0] == after("a").name && next.tokens[0][1] == '=' && next.tokens[0][2] == after("b").name);
}

/// Brackets that were never opened, and lines of more names than are kept.
void nothing_leads_out_of_the_arrays() {
    std::string text;
    for (int i = 0; i < 100; ++i) text += ")]} x, ([{";
    for (int i = 0; i < 50; ++i) text += "))";
    const maximal::Code code = after(text + "(");
    CHECK(maximal::opener(code, 0) != 0 && code.lines == 0);
}

}  // namespace

int main() {
    kinds_are_counted_once();
    names_and_marks_are_known();
    lines_and_brackets_are_known();
    nothing_leads_out_of_the_arrays();
    return check::report();
}
