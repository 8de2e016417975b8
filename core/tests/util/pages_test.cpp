// Memory of whole pages, temporary files, and the list of numbers that grows into one.
#include "util/pages.hpp"

#include <cstring>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <vector>

#include "ngram/estimate/id_list.hpp"
#include "tests/check.hpp"
#include "util/watch.hpp"

using namespace bitmeter;

namespace {

std::size_t files_in(const std::filesystem::path& folder) {
    std::size_t found = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++found;
    return found;
}

void test_blocks(const std::string& folder) {
    for (bool disk : {false, true}) {
        PageBlock block = disk ? PageBlock::temporary(folder, 10000) : PageBlock::zeros(10000);
        CHECK(block.size() == 10000 && block.on_disk() == disk && block.data()[9999] == 0);
#if !defined(_WIN32)  // where a temporary file has its name until it is closed
        CHECK(files_in(folder) == 0);
#endif
        std::memset(block.data(), 7, 10000);
        block.release();
        CHECK(block.data()[0] == 7 && block.data()[9999] == 7);
        block.grow(5'000'000);
        CHECK(block.size() == 5'000'000 && block.data()[9999] == 7 && block.data()[10000] == 0);
        block.data()[4'999'999] = 9;
        block.release();
        CHECK(block.data()[4'999'999] == 9);
        block.drop(0, 8192);
        CHECK(block.data()[9000] == 7 && block.data()[4'999'999] == 9);
        const PageBlock other = block;  // shares the pages
        CHECK(other.data() == block.data());
    }
    CHECK(files_in(folder) == 0);
    bool refused = false;
    try {
        PageBlock::temporary(folder + "/absent", 1);
    } catch (const std::system_error&) {
        refused = true;
    }
    CHECK(refused);
    refused = false;
    try {
        PageBlock::temporary(folder, std::size_t{1} << 60);  // no disk has so much
    } catch (const std::system_error&) {
        refused = true;
    }
    CHECK(refused && files_in(folder) == 0);
}

void test_store(const std::string& folder) {
    PageStore store(1, folder);  // everything is too much
    CHECK(!store.fits(1) && store.left() == 0);
    store.use_disk(true);
    const auto numbers = store.array<std::uint64_t>(100000);
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
    store.keep_within();
    bool same = true;
    for (std::size_t i = 0; i < numbers.size(); ++i) same = same && numbers[i] == i;
    CHECK(same);
    PageStore free_store;
    CHECK(free_store.fits(~std::uint64_t{0}) && !free_store.array<int>(3).data()[2]);
}

void test_ids(const std::string& folder) {
    PageStore store(1, folder);
    for (std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1} << 19, ~std::uint64_t{0}}) {
        IdList ids;
        ids.limit(limit, &store);
        std::vector<std::uint32_t> plain;
        for (std::uint32_t i = 0; i < 300000; ++i) {
            ids.push_back(i * 7919);
            plain.push_back(i * 7919);
        }
        const std::vector<std::uint32_t> more(100000, 5);
        ids.append(more.data(), more.size());
        ids.push_back(1);
        ids.pop_back();
        plain.insert(plain.end(), more.begin(), more.end());
        CHECK(ids.on_disk() == (limit < (std::uint64_t{1} << 30)));
        CHECK(ids.size() == plain.size() && std::equal(ids.begin(), ids.end(), plain.begin()));
        const IdList moved = std::move(ids);
        CHECK(moved.size() == plain.size() && moved[299999] == plain[299999] && ids.empty());
    }
}

void test_watch() {
    Watch watch;
    std::vector<double> reported;
    watch.set([&](double share) { reported.push_back(share); });
    watch.begin(10);
    CHECK(reported == std::vector<double>{0.0});
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    watch.add(5);
    watch.add(5);  // too soon for a report
    CHECK((reported == std::vector<double>{0.0, 0.5}));
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    std::thread other([&] { watch.add(0); });  // reported on the first thread only
    other.join();
    CHECK(reported.size() == 2);
}

}  // namespace

int main() {
    const auto folder = std::filesystem::current_path() / "pages_test_folder";
    std::filesystem::create_directories(folder);
    test_blocks(folder.string());
    test_store(folder.string());
    test_ids(folder.string());
    test_watch();
    std::filesystem::remove(folder);
    return check::report();
}
