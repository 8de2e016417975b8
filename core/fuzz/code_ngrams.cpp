// Coded bytes of an n-gram model with spelling. What they decode to is coded and decoded as the same again.
#include "fuzz/models.hpp"
#include "tests/texts.hpp"

namespace {

struct Fixed {
    std::unique_ptr<bitmeter::NgramModel> model;
    std::unique_ptr<bitmeter::Spelling> spelling;
    Fixed() {
        using namespace bitmeter;
        const std::string text = fuzz::sample_text() + "\n" + texts::made_up(60, 20);
        const NgramText words = texts::text_of(text);
        model = texts::trained(words, 3);
        std::vector<std::uint32_t> counts(words.table().size());
        for (std::uint32_t word : words.ids()) ++counts[word];
        const auto letters = texts::trained(texts::text_of(rare_words_in_hex(words.table(), counts)), 3);
        GapCounts gaps("\t\n\v\f\r ", true);
        gaps.feed(fuzz::bytes_of(text), {nullptr, 0});
        gaps.finish();
        const auto section = Spelling::section(gaps, *letters);
        spelling = std::make_unique<Spelling>(Bytes{section.data(), section.size()});
    }
};

std::vector<std::uint8_t> decoded(const Fixed& fixed, const std::uint8_t* data, std::size_t size, std::size_t wanted) {
    bitmeter::NgramTextCoder coder(*fixed.model, *fixed.spelling);
    bitmeter::RangeDecoder in(data, size);
    return coder.decode(in, wanted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Fixed fixed;
    if (size < 2) return 0;
    fuzz::refused([&] {
        const auto text = decoded(fixed, data + 1, size - 1, data[0] * std::size_t{4});
        bitmeter::NgramTextCoder coder(*fixed.model, *fixed.spelling);
        bitmeter::RangeEncoder out;
        bitmeter::CodedBits bits;
        coder.encode({text.data(), text.size()}, true, out, bits);
        const auto coded = out.finish();
        if (decoded(fixed, coded.data(), coded.size(), text.size()) != text) __builtin_trap();
    });
    return 0;
}
