// Texts of any bytes: split into words, characters, lines and paragraphs, counted, and estimated from.
#include <cstdlib>
#include <string>
#include <vector>

#include "ngram/openvocab/spelling.hpp"
#include "tests/texts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace bitmeter;
    if (size == 0) return 0;
    const Bytes text{data + 1, size - 1};
    const Separators white("\t\n\v\f\r ");
    std::vector<std::int64_t> ends = line_ends(text);
    if (ends.empty() || ends.back() != static_cast<std::int64_t>(text.size)) ends.push_back(static_cast<std::int64_t>(text.size));
    const Ends all{ends.data(), ends.size()};
    const auto chars = split_chars(text, all);
    const auto words = split_words(text, all, white, nullptr);
    for (const auto* cuts : {&chars.cuts, &words.cuts})
        if (cuts->empty() || cuts->front() != 0 || cuts->back() != static_cast<std::int64_t>(text.size)) __builtin_trap();
    trim(text, words.cuts.data(), words.ids.size(), white);
    if (chars_cut(text) > text.size || words_cut(text, white) > text.size) __builtin_trap();
    // Counts do not depend on where the blocks end.
    const std::size_t cut = text.size ? data[0] % text.size : 0;
    TextCounts whole("\t\n\v\f\r "), parts("\t\n\v\f\r ");
    whole.feed(text, {nullptr, 0});
    parts.feed({text.data, cut}, {nullptr, 0});
    parts.feed({text.data + cut, text.size - cut}, {nullptr, 0});
    whole.finish();
    parts.finish();
    if (whole.chars != parts.chars || whole.words != parts.words || whole.invalid != parts.invalid) __builtin_trap();
    Paragraphs paragraphs;
    paragraphs.feed({text.data, cut});
    paragraphs.feed({text.data + cut, text.size - cut});
    GapCounts gaps("\t\n\v\f\r ", data[0] & 1);
    gaps.feed(text, {nullptr, 0});
    gaps.finish();
    if (text.size > 2000) return 0;
    try {
        texts::trained(texts::text_of({reinterpret_cast<const char*>(text.data), text.size}), 3)->verify();
    } catch (const ReservedWord&) {
    } catch (const std::invalid_argument&) {  // nothing to estimate from
    }
    return 0;
}
