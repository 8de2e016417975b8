// Coded bytes of the universal model.
#include <memory>
#include <vector>

#include "universal/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace bitmeter;
    static const UniversalModel model(0);
    if (size < 2) return 0;
    try {
        UniversalCoder coder(model);
        const auto text = coder.decode(data + 1, size - 1, data[0]);
        if (data[0] % 8) return 0;  // each coder copies the model, which takes most of the time
        UniversalCoder again(model), back(model);
        const auto coded = again.encode(text.data(), text.size());
        if (back.decode(coded.data(), coded.size(), text.size()) != text) __builtin_trap();
    } catch (const UniversalFormatError&) {
    }
    return 0;
}
