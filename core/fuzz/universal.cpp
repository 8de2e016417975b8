// A .bmu file, and a model whose state is not what its makers wrote. Inputs whose first byte is even are a file as it is.
// Others are changes to the state of a sound model, as a file with a right checksum would hold it: the first byte, then any
// number of offsets (four bytes) and values (eight).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "universal/model.hpp"

using namespace bitmeter;

namespace {

/// A file that is gone when the program ends.
struct File {
    std::string path;
    File() {
        const char* folder = std::getenv("TMPDIR");
        path = std::string(folder ? folder : "/tmp") + "/bitmeter-fuzz-" + std::to_string(getpid()) + ".bmu";
    }
    ~File() { std::remove(path.c_str()); }
    void write(const std::uint8_t* data, std::size_t size) const {
        std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
        if (std::fwrite(data, 1, size, file.get()) != size) std::abort();
    }
};

UniversalModel changed(const std::uint8_t* data, std::size_t size, bool frozen) {
    static const universal::State sound(0);
    universal::State state(sound);
    for (; size >= 12; data += 12, size -= 12) {
        std::uint32_t offset;
        std::memcpy(&offset, data, 4);
        // Half of the changes go to the beginning, where the small parts are.
        const std::size_t reach = offset & 1 ? state.bytes() : std::size_t{1} << 16;
        std::memcpy(state.data() + (offset >> 1) % (reach - 8), data + 4, 8);
    }
    return {std::move(state), frozen};
}

void use(UniversalModel model, bool coded) {
    static const std::string text = std::string("to be or not to be, that is the question; to be or not to be \xff\x00 is", 66);
    const auto* data = reinterpret_cast<const std::uint8_t*>(text.data());
    if (coded) {
        UniversalCoder coder(model), back(model);
        const auto code = coder.encode(data, text.size());
        const auto decoded = back.decode(code.data(), code.size(), text.size());
        if (std::string(decoded.begin(), decoded.end()) != text) __builtin_trap();
        return;
    }
    std::vector<double> logs(text.size()), row(256);
    const std::int64_t starts[] = {0, 20};
    model.score(data, text.size(), starts, 2, logs.data());
    model.predict(row.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const File file;
    if (size == 0) return 0;
    try {
        if (data[0] % 2) {
            use(changed(data + 1, size - 1, data[0] & 2), (data[0] & 12) == 0);
        } else {
            file.write(data + 1, size - 1);
            use(UniversalModel::load(file.path), false);
        }
    } catch (const UniversalFormatError&) {
    }
    return 0;
}
