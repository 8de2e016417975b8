// Checksums of a mutated file made right again, so that they are not the only thing between its bytes and the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ngram/format/block.hpp"

namespace fuzz {

using Buffer = std::vector<std::uint8_t>;

inline void put(Buffer& file, std::size_t at, std::uint64_t value) { std::memcpy(file.data() + at, &value, sizeof value); }

inline std::uint64_t get(const Buffer& file, std::size_t at) {
    std::uint64_t value;
    std::memcpy(&value, file.data() + at, sizeof value);
    return value;
}

/// An n-gram model in a file of its own or at the end of a section, whose header has so many settings of its form. The
/// checksum of its content becomes 0: it is that of a file of an earlier version.
inline void repair_model(Buffer& file, std::size_t begin, std::size_t extras) {
    const std::size_t used = begin + 32 + 4 * extras + 22 * 8;
    if (file.size() < used + 8) return;
    put(file, used, 0);
    const std::uint64_t size = get(file, used - 24);
    if (size > file.size() - begin || begin + size < used + 8) return;
    put(file, used - 16, bitmeter::block_checksum(file.data() + used, begin + size - used));
    put(file, used - 8, bitmeter::block_checksum(file.data() + begin, used - 8 - begin));
}

/// A section that says how words are spelled: the model of bytes at its end, then the section itself.
inline void repair_section(Buffer& file, std::size_t begin) {
    constexpr std::size_t header = 16 + 8 + 5 * 8 + 9 * 8;
    if (file.size() < begin + header) return;
    const std::uint64_t letters = get(file, begin + 56);
    if (letters <= file.size() - begin - header) repair_model(file, begin + header + letters, 0);
    put(file, begin + 24, file.size() - begin);
    put(file, begin + 32, bitmeter::block_checksum(file.data() + begin + header, file.size() - begin - header));
}

/// A .bmn file with its section.
inline void repair_file(Buffer& file, std::size_t extras) {
    const std::size_t used = 32 + 4 * extras + 22 * 8;
    if (file.size() < used + 8) return;
    const std::uint64_t size = get(file, used - 24);
    if (size < file.size()) repair_section(file, size);
    file[28] = file[29] = file[30] = 0;  // the checksum of the section in the flags: as in a file of an earlier version
    file[31] &= 128;
    repair_model(file, 0, extras);
}

}  // namespace fuzz
