// A .bmn file of the fast form: of words, bytes, characters or tokens, with and without its spelling.
#include "fuzz/models.hpp"
#include "fuzz/repair.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace bitmeter;
    if (size == 0) return 0;
    fuzz::Buffer file(data + 1, data + size);
    if (data[0] & 128) fuzz::repair_file(file, 0);
    fuzz::refused([&] {
        PageBlock block = PageBlock::zeros(file.size());
        std::copy(file.begin(), file.end(), block.data());
        const NgramModel model(std::move(block));
        fuzz::refused([&] { model.verify(); });
        fuzz::ask(model);
        fuzz::compare_kernels(model);
        fuzz::rework(model, data[0]);
    });
    return 0;
}
