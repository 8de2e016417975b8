// The file format of a universal model, `.bmu`: a header, a bit map of the 64-byte blocks of the state that are not all
// zero, and these blocks. Numbers are little-endian. The checksum is that of the state, and since version 3 the seal is
// that of the header, the flag `frozen` included; in version 2 it was zero.
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "universal/model.hpp"
#include "util/system.hpp"

namespace bitmeter {
namespace {

constexpr char magic[8] = {'b', 'm', 'u', 'n', 'i', 'v', '\r', '\n'};
constexpr std::uint32_t version = 3, unsealed = 2;
constexpr std::size_t block = 64;

struct Header {
    char magic[8];
    std::uint32_t version, size, frozen, seal;
    std::uint64_t memory, blocks, checksum;
};
static_assert(sizeof(Header) == 48);

struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Close>;

File open(const std::string& path, const char* mode) {
    File file(os::open_file(path, mode));
    if (!file) throw std::system_error(errno, std::generic_category(), path);
    return file;
}

void put(std::FILE* file, const void* data, std::size_t n) {
    if (n && std::fwrite(data, 1, n, file) != n) throw std::system_error(errno, std::generic_category(), "writing");
}

void get(std::FILE* file, void* data, std::size_t n) {
    if (n && std::fread(data, 1, n, file) != n) throw UniversalFormatError("it ends too early");
}

bool empty(const std::uint8_t* p) {
    static const std::array<std::uint8_t, block> zeros{};
    return std::memcmp(p, zeros.data(), block) == 0;
}

/// Never zero, so that no sealed header becomes one without a seal by another version alone.
std::uint32_t seal_of(Header header) {
    header.seal = 0;
    std::uint64_t words[sizeof(Header) / 8], sum = 1;
    std::memcpy(words, &header, sizeof header);
    for (const std::uint64_t word : words) {
        sum = (sum ^ word) * 0x9E3779B97F4A7C15ull;
        sum ^= sum >> 29;
    }
    const auto seal = static_cast<std::uint32_t>(sum ^ sum >> 32);
    return seal ? seal : 1;
}

void check(const Header& header) {
    if (std::memcmp(header.magic, magic, sizeof magic) != 0) throw UniversalFormatError("it does not begin as one");
    if (header.version != version && header.version != unsealed)
        throw UniversalFormatError("it has version " + std::to_string(header.version) + ", and this program reads versions " +
                                   std::to_string(unsealed) + " and " + std::to_string(version));
    if (header.size >= universal::sizes || header.frozen > 1 || (header.version == unsealed && header.seal != 0))
        throw UniversalFormatError("its header holds impossible settings");
    if (header.version == version && header.seal != seal_of(header))
        throw UniversalFormatError("the checksum of its header is wrong: the file is damaged");
}

}  // namespace

void UniversalModel::save(const std::string& path) const {
    const std::uint8_t* memory = state_.data();
    const std::size_t count = state_.bytes() / block;
    std::vector<std::uint8_t> used((count + 7) / 8);
    std::uint64_t blocks = 0;
    for (const universal::Span& part : state_.used())
        for (std::size_t i = part.start / block; i < (part.start + part.size) / block; ++i) {
            if (empty(memory + i * block)) continue;
            used[i / 8] |= static_cast<std::uint8_t>(1u << (i % 8));
            ++blocks;
        }
    Header header{};
    std::memcpy(header.magic, magic, sizeof magic);
    header.version = version;
    header.size = static_cast<std::uint32_t>(size());
    header.frozen = frozen_;
    header.memory = state_.bytes();
    header.blocks = blocks;
    header.checksum = checksum();
    header.seal = seal_of(header);
    File file = open(path, "wb");
    put(file.get(), &header, sizeof header);
    put(file.get(), used.data(), used.size());
    for (std::size_t i = 0; i < count; ++i)
        if (used[i / 8] >> (i % 8) & 1) put(file.get(), memory + i * block, block);
    if (std::fflush(file.get()) != 0) throw std::system_error(errno, std::generic_category(), "writing");
}

UniversalModel UniversalModel::load(const std::string& path) {
    static_assert(std::endian::native == std::endian::little, "the file is read as it lies in memory");
    File file = open(path, "rb");
    Header header{};
    get(file.get(), &header, sizeof header);
    check(header);
    // The header's sizes are checked before memory is allocated.
    std::size_t expected = universal::State::bytes_of(static_cast<int>(header.size));
    if (header.memory != expected) throw UniversalFormatError("its header holds an impossible size");
    const std::size_t count = expected / block;
    std::vector<std::uint8_t> used((count + 7) / 8);
    get(file.get(), used.data(), used.size());
    std::uint64_t blocks = 0;
    for (std::uint8_t byte : used) blocks += static_cast<std::uint64_t>(std::popcount(byte));
    if (blocks != header.blocks || (count % 8 && used.back() >> (count % 8)))
        throw UniversalFormatError("its list of blocks is damaged");
    universal::State state(static_cast<int>(header.size));
    std::uint8_t* memory = state.data();
    state.clear();
    for (std::size_t i = 0; i < count; ++i)
        if (used[i / 8] >> (i % 8) & 1) get(file.get(), memory + i * block, block);
    std::uint64_t reached = 0;
    for (const universal::Span& part : state.used())
        for (std::size_t i = part.start / block; i < (part.start + part.size) / block; ++i) reached += used[i / 8] >> (i % 8) & 1;
    if (reached != blocks) throw UniversalFormatError("its list of blocks is damaged");
    if (std::fgetc(file.get()) != EOF) throw UniversalFormatError("it goes on after its end");
    if (state.checksum() != header.checksum) throw UniversalFormatError("its checksum is wrong: the file is damaged");
    return {std::move(state), header.frozen != 0};
}

}  // namespace bitmeter
