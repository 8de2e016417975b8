// A .bmu file and coded bytes of the universal model. Inputs whose first byte is even are a file as it is. Others are
// changes to the state of a sound model, which is written with a right checksum: the first byte, then any number of
// offsets (four bytes) and values (eight).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "universal/model.hpp"

using namespace bitmeter;

namespace {

constexpr std::size_t block = 64;
constexpr std::size_t header_size = 48;

std::vector<std::uint8_t> read(const std::string& path) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    std::vector<std::uint8_t> all(std::size_t{1} << 24);
    all.resize(std::fread(all.data(), 1, all.size(), file.get()));
    return all;
}

void write(const std::string& path, const std::uint8_t* data, std::size_t size) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
    if (std::fwrite(data, 1, size, file.get()) != size) std::abort();
}

struct Fixed {
    std::string path;
    std::vector<std::uint8_t> file;  // of a model that has learned a little
    Fixed() {
        const char* folder = std::getenv("TMPDIR");
        path = std::string(folder ? folder : "/tmp") + "/bitmeter-fuzz-" + std::to_string(getpid()) + ".bmu";
        UniversalModel model(0);
        const std::string text = "to be or not to be, that is the question; to be or not to be\n";
        model.learn(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
        model.save(path);
        file = read(path);
    }
    ~Fixed() { std::remove(path.c_str()); }
};

/// The state that the file holds, changed; and the file of that.
std::vector<std::uint8_t> changed(const Fixed& fixed, const std::uint8_t* data, std::size_t size) {
    universal::State state(0);
    const std::size_t blocks = state.bytes() / block;
    std::memset(state.data(), 0, state.bytes());
    const std::uint8_t* at = fixed.file.data() + header_size + (blocks + 7) / 8;
    for (std::size_t i = 0; i < blocks; ++i)
        if (fixed.file[header_size + i / 8] >> (i % 8) & 1) {
            std::memcpy(state.data() + i * block, at, block);
            at += block;
        }
    for (; size >= 12; data += 12, size -= 12) {
        std::uint32_t offset;
        std::memcpy(&offset, data, 4);
        std::memcpy(state.data() + offset % (state.bytes() - 8), data + 4, 8);
    }
    std::vector<std::uint8_t> result(fixed.file.begin(), fixed.file.begin() + header_size + static_cast<std::ptrdiff_t>((blocks + 7) / 8));
    std::fill(result.begin() + header_size, result.end(), 0);
    std::uint64_t used = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
        const std::uint8_t* own = state.data() + i * block;
        if (std::all_of(own, own + block, [](std::uint8_t byte) { return byte == 0; })) continue;
        result[header_size + i / 8] |= static_cast<std::uint8_t>(1u << (i % 8));
        result.insert(result.end(), own, own + block);
        ++used;
    }
    const std::uint64_t sums[] = {used, state.checksum()};
    std::memcpy(result.data() + 32, sums, sizeof sums);
    return result;
}

void use(UniversalModel model) {
    static const std::string text = "to be or not to be, that \xff\x00 is";
    const auto* data = reinterpret_cast<const std::uint8_t*>(text.data());
    std::vector<double> logs(text.size()), row(256);
    UniversalCoder coder(model), back(model);
    model.score(data, text.size(), nullptr, 0, logs.data());
    model.predict(row.data());
    const auto coded = coder.encode(data, text.size());
    const auto decoded = back.decode(coded.data(), coded.size(), text.size());
    if (std::string(decoded.begin(), decoded.end()) != text) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Fixed fixed;
    if (size == 0) return 0;
    if (data[0] % 2) {
        const auto file = changed(fixed, data + 1, size - 1);
        write(fixed.path, file.data(), file.size());
    } else {
        write(fixed.path, data + 1, size - 1);
    }
    try {
        use(UniversalModel::load(fixed.path));
    } catch (const UniversalFormatError&) {
    }
    return 0;
}
