#include "ngram/format/block.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/check.hpp"

using namespace bitmeter;

namespace {

constexpr NgramForm plain{"bitmeter.plain\n", 7, "the format", "make it again", 0, 256};
constexpr NgramForm other{"bitmeter.other\n", 7, "the other format", "make it again", 2, 256};
constexpr std::size_t size = 384;

NgramShape small_shape() {
    NgramShape shape;
    shape.order = 1;
    shape.words = shape.counts[0] = 4;
    shape.word_bytes = 9;
    return shape;
}

/// As if the metadata were the first line behind the header.
NgramBlock::Span metadata_of(const NgramForm& form) { return NgramBlock::metadata_span(form.header_size, 60); }

NgramBlock made(const NgramForm& form) {
    NgramBlock block(form, PageBlock::zeros(size), size);
    for (std::size_t i = form.header_size; i < size; ++i) block.data()[i] = static_cast<std::uint8_t>(i);
    const std::uint32_t extras[] = {5, 6};
    block.seal(small_shape(), extras, metadata_of(form));
    return block;
}

std::string message_of(const NgramForm& form, const std::string& path, std::size_t accepted = size) {
    try {
        NgramBlock block(form, PageBlock::file(path));
        block.accept(accepted, metadata_of(form));
        block.verify();
        return "";
    } catch (const NgramFormatError& error) {
        return error.what();
    }
}

/// The sum does not depend on how the bytes are split.
void test_parts() {
    std::vector<std::uint8_t> data(1000);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * i + 7 * i);
    for (std::size_t all : {0, 1, 31, 32, 33, 64, 1000}) {
        const std::uint64_t whole = block_checksum(data.data(), all);
        for (std::size_t part : {1, 5, 31, 32, 33, 100, 1000}) {
            BlockSum sum(all);
            for (std::size_t at = 0; at < all; at += part) sum.add(data.data() + at, std::min(part, all - at));
            CHECK(sum.value() == whole);
        }
    }
}

}  // namespace

/// What is sealed is read back, and every byte that was changed is noticed.
int main() {
    test_parts();
    const auto folder = std::filesystem::current_path() / "ngram_block_test_folder";
    std::filesystem::create_directory(folder);
    const std::string path = (folder / "block").string();
    for (const NgramForm& form : {plain, other}) {
        NgramBlock block = made(form);
        block.save(path);
        CHECK(message_of(form, path).empty());
        NgramBlock read(form, PageBlock::file(path));
        read.accept(size, metadata_of(form));
        CHECK(read.header().shape.words == 4 && read.header().shape.word_bytes == 9);
        CHECK(read.header().extras[0] == (form.extras ? 5u : 0u));
        CHECK(read.header().body_checksum == block.header().body_checksum);
        CHECK(!read.section().size);

        // The content checksum leaves out the metadata and nothing else.
        NgramBlock renamed = made(form), changed = made(form);
        const std::uint32_t extras[] = {5, 6};
        renamed.data()[form.header_size + 3] ^= 1;
        renamed.seal(small_shape(), extras, metadata_of(form));
        changed.data()[form.header_size + 64] ^= 1;
        changed.seal(small_shape(), extras, metadata_of(form));
        CHECK(block.header().content_checksum != 0);
        CHECK(renamed.header().content_checksum == block.header().content_checksum);
        CHECK(renamed.header().body_checksum != block.header().body_checksum);
        CHECK(changed.header().content_checksum != block.header().content_checksum);

        // A section moves a mapped block into memory, changes the header alone, and comes back from the file.
        CHECK(read.attach({1, 2, 3}));
        CHECK(!read.attach({1, 2, 3, 4}));
        CHECK(read.header().body_checksum == block.header().body_checksum);
        read.save(path);
        NgramBlock again(form, PageBlock::file(path));
        again.accept(size, metadata_of(form));
        again.verify();
        CHECK(again.section().size == 4 && again.section().data[3] == 4);
        CHECK(again.attach({}));
        again.save(path);
        CHECK(std::filesystem::file_size(path) == size);

        std::string bytes(size, '\0');
        std::ifstream(path, std::ios::binary).read(bytes.data(), size);
        for (std::size_t i = 0; i < size; ++i) {
            std::string changed = bytes;
            changed[i] = static_cast<char>(changed[i] ^ 64);
            std::ofstream(path, std::ios::binary) << changed;
            CHECK(!message_of(form, path).empty());
        }
        for (std::size_t cut = 1; cut < size; ++cut) {
            std::ofstream(path, std::ios::binary) << bytes.substr(0, cut);
            CHECK(!message_of(form, path).empty());
        }
        std::ofstream(path, std::ios::binary) << bytes;
        CHECK(message_of(form, path, size + 64).find("bytes where its header says") != std::string::npos);
        CHECK(message_of(form.extras ? plain : other, path) == "it does not begin like one");
    }
    NgramForm newer = plain;
    newer.version = 8;
    made(newer).save(path);
    CHECK(message_of(plain, path) == "it has version 8 of the format; this program reads version 7");
    std::filesystem::remove_all(folder);
    NgramShape shape = small_shape();
    check_shape(shape, 9);
    auto refused = [](const NgramShape& wrong, std::uint64_t most) {
        try {
            check_shape(wrong, most);
        } catch (const NgramFormatError&) {
            return true;
        }
        return false;
    };
    CHECK(refused(shape, 8));
    shape.order = 17;
    CHECK(refused(shape, 9));
    shape = small_shape();
    shape.counts[1] = 1;
    CHECK(refused(shape, 9));
    return check::report();
}
