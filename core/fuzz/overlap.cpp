// An index of a corpus: its bytes are searched for in itself and by another text, whatever the file says.
#include <algorithm>
#include <vector>

#include "fuzz/repair.hpp"
#include "overlap/search.hpp"

namespace {

/// The checksums of the header and the body made right again, so that they do not hide the reader.
void repair(fuzz::Buffer& file) {
    constexpr std::size_t body_sum = 72, header_sum = 80;
    if (file.size() < bitmeter::overlap_header) return;
    fuzz::put(file, 64, file.size());
    fuzz::put(file, body_sum, bitmeter::block_checksum(file.data() + bitmeter::overlap_header, file.size() - bitmeter::overlap_header));
    fuzz::put(file, header_sum, bitmeter::block_checksum(file.data(), header_sum));
}

void search(const bitmeter::OverlapIndex& index, const bitmeter::OverlapText& text) {
    std::vector<std::uint32_t> lengths(text.bytes.size);
    bitmeter::overlap_lengths(index, text, 0, lengths.size(), 1, lengths.data());
    for (std::size_t i = 0; i < lengths.size(); i += 7) {
        if (lengths[i] > text.bytes.size - i || lengths[i] > index.shape().longest) __builtin_trap();
        if (lengths[i]) bitmeter::overlap_first(index, text, i, lengths[i]);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace bitmeter;
    fuzz::Buffer file(data, data + size);
    // The last byte chooses: a file with its own checksums, or with those that fit.
    if (size == 0) return 0;
    file.pop_back();
    if (data[size - 1] & 1) repair(file);
    PageBlock block = PageBlock::zeros(std::max<std::size_t>(file.size(), 1));
    std::copy(file.begin(), file.end(), block.data());
    try {
        const OverlapIndex index(std::move(block));
        index.verify();
        static constexpr std::uint8_t text[] = "the cat sat on the mat\377to be or not to be";
        search(index, {{text, sizeof text - 1}});
        search(index, {index.text(), 0});
    } catch (const OverlapFormatError&) {
    }
    return 0;
}
