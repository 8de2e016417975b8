// An ARPA file, in two blocks. What is read is a sound model, and its own ARPA file is read as the same.
#include "fuzz/models.hpp"

namespace {

std::unique_ptr<bitmeter::NgramModel> read(bitmeter::Bytes first, bitmeter::Bytes second) {
    bitmeter::ArpaReader reader;
    reader.feed(first);
    reader.feed(second);
    return reader.finish("{}");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace bitmeter;
    const std::size_t cut = size ? data[size - 1] % size : 0;
    std::unique_ptr<NgramModel> model;
    try {
        model = read({data, cut}, {data + cut, size - cut});
    } catch (const ArpaError&) {
        return 0;
    }
    model->verify();
    fuzz::ask(*model);
    ArpaWriter writer(*model);
    std::string again;
    for (std::string part = writer.next(); !part.empty(); part = writer.next()) again += part;
    const auto back = read(fuzz::bytes_of(again), {nullptr, 0});
    for (int o = 0; o < model->order(); ++o)
        if (back->shape().counts[o] != model->shape().counts[o]) __builtin_trap();
    fuzz::rework(*model, static_cast<unsigned>(size));
    return 0;
}
