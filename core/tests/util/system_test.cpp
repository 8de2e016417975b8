#include "util/system.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tests/check.hpp"

using namespace bitmeter;

namespace {

int error_of_mapping(const std::string& path) {
    try {
        os::InputFile file(path);
    } catch (const std::system_error& error) {
        return error.code().category() == std::generic_category() ? error.code().value() : -1;
    }
    return 0;
}

std::string utf8(const std::filesystem::path& path) {
    const auto text = path.u8string();
    return {text.begin(), text.end()};
}

/// Written and read under a name that is in no code page.
void files(const std::filesystem::path& folder) {
    const auto name = folder / std::filesystem::path(u8"d\u00e9j\u00e0 \u65e5\u672c.bin");
    const std::string path = utf8(name), content = "some bytes\r\n\x1a\n";
    {
        os::OutputFile file(path);
        std::size_t at = 0;
        while (at < content.size())
            at += file.write(reinterpret_cast<const std::uint8_t*>(content.data()) + at, content.size() - at);
        file.close();
    }
    CHECK(std::filesystem::file_size(name) == content.size());
    {
        const os::InputFile input(path);
        const os::View& view = input.view();
        CHECK(view.size == content.size() && std::memcmp(view.data, content.data(), content.size()) == 0);
        std::uint8_t part[64];
        CHECK(input.read(5, part, 5) == 5 && std::memcmp(part, content.data() + 5, 5) == 0);
        CHECK(input.read(5, part, sizeof part) == content.size() - 5 && !input.changed());
    }
    std::FILE* file = os::open_file(path, "rb");
    char found[64];
    CHECK(file && std::fread(found, 1, sizeof found, file) == content.size());
    if (file) std::fclose(file);
    {
        os::OutputFile again(path);  // what was there is gone
        again.close();
    }
    {
        const os::InputFile empty(path);
        CHECK(empty.view().size == 0 && empty.view().data == nullptr && !empty.changed());
    }
    std::filesystem::remove(name);
}

void errors(const std::filesystem::path& folder) {
    CHECK(error_of_mapping(utf8(folder / "absent")) == ENOENT);
    CHECK(error_of_mapping(utf8(folder)) == EISDIR);
    CHECK(os::open_file(utf8(folder / "absent"), "rb") == nullptr && errno == ENOENT);
    bool refused = false;
    try {
        os::OutputFile file(utf8(folder / "absent" / "file"));
    } catch (const std::system_error& error) {
        refused = error.code() == std::errc::no_such_file_or_directory;
    }
    CHECK(refused);
}

#if !defined(_WIN32)  // which refuses to cut a mapped file
void write_bytes(const std::string& path, std::size_t size) {
    std::FILE* file = os::open_file(path, "wb");
    for (std::size_t i = 0; i < size; ++i) std::fputc(static_cast<int>(1 + i % 250), file);
    std::fclose(file);
}

std::size_t zeros_in(const os::View& view) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < view.size; ++i) found += static_cast<const volatile std::uint8_t*>(view.data)[i] == 0;
    return found;
}

/// Pages that a file has lost read as zeros, and are noted; other maps are not touched.
void cut(const std::filesystem::path& folder) {
    const std::string path = utf8(folder / "cut"), other = utf8(folder / "other");
    const std::size_t page = os::page_size();
    write_bytes(path, 5 * page);
    write_bytes(other, 3 * page);
    for (int round = 0; round < 3; ++round) {  // entries of the list are used again
        write_bytes(path, 5 * page);
        const os::InputFile input(path), beside(other);
        const auto time = std::filesystem::last_write_time(path);
        std::filesystem::resize_file(path, 2 * page);
        std::filesystem::last_write_time(path, time);
        CHECK(zeros_in(input.view()) == 3 * page && zeros_in(beside.view()) == 0);
        std::filesystem::resize_file(path, 5 * page);
        std::filesystem::last_write_time(path, time);
        CHECK(input.changed() && input.changed(true) && !beside.changed());
    }
    write_bytes(path, page);
    const os::InputFile input(path);
    CHECK(!input.changed());
    std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
    CHECK(input.changed());
    write_bytes(path, page);
    const os::InputFile shorter(path);
    const auto time = std::filesystem::last_write_time(path);
    std::filesystem::resize_file(path, page - 1);  // within a page: no signal
    std::filesystem::last_write_time(path, time);
    CHECK(zeros_in(shorter.view()) == 1 && shorter.changed());
    std::filesystem::remove(path);
    std::filesystem::remove(other);
}
#endif

void memory() {
    const std::size_t before = os::resident_bytes(), size = std::size_t{1} << 25;
    CHECK(os::page_size() >= 4096);
    const os::View view = os::map_zeros(size);
    std::memset(view.data, 1, size);
    CHECK(before == 0 || os::resident_bytes() >= before + size / 2);
    os::unmap(view);
    auto* block = static_cast<char*>(os::allocate_huge(size + 1));
    CHECK(block != nullptr);
    block[size] = 1;
    std::free(block);
}

}  // namespace

int main() {
    const auto folder = std::filesystem::current_path() / "system_test_folder";
    std::filesystem::create_directories(folder);
    files(folder);
    errors(folder);
#if !defined(_WIN32)
    cut(folder);
#endif
    memory();
    std::filesystem::remove(folder);
    return check::report();
}
