// The section of a model's file that says how words are spelled, with its checksums repaired.
#include "fuzz/models.hpp"
#include "fuzz/repair.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace bitmeter;
    fuzz::Buffer file(data, data + size);
    fuzz::repair_section(file, 0);
    fuzz::refused([&] {
        const Spelling spelling({file.data(), file.size()});
        const std::string text = "a new-word \xff\x80 and";
        spelling.word(fuzz::bytes_of(text));
        std::vector<double> row(Spelling::symbols);
        Spelling::Place place;
        for (unsigned symbol = 0; symbol < Spelling::symbols; symbol += 5) {
            spelling.predict(place, row.data());
            spelling.push(place, symbol);
        }
        for (unsigned where = 0; where < gap_places; ++where) spelling.gap(static_cast<GapPlace>(where), fuzz::bytes_of(" \t \n"));
        spelling.predict_gap(' ', row.data());
    });
    return 0;
}
