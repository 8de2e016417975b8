// Blocks of memory that are kept after use.
#include "util/blocks.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "tests/check.hpp"

using namespace bitmeter;

namespace {

void test_reuse() {
    drop_blocks();
    void* const first = take_block(3 * least_block);
    CHECK(first && reinterpret_cast<std::uintptr_t>(first) % alignof(std::max_align_t) == 0);
    std::memset(first, 7, 3 * least_block);
    give_block(first);
    CHECK(kept_bytes() >= 3 * least_block);
    void* const short_one = take_block(least_block);  // less than half of it
    CHECK(short_one != first && kept_bytes() >= 3 * least_block);
    void* const again = take_block(3 * least_block - 100);
    CHECK(again == first && kept_bytes() == 0);
    void* const other = take_block(3 * least_block);
    CHECK(other != again);
    for (void* block : {short_one, again, other}) give_block(block);
    drop_blocks();
    CHECK(kept_bytes() == 0);
}

void test_limits() {
    give_block(nullptr);
    give_block(take_block(0));
    give_block(take_block(least_block / 2));
    CHECK(kept_bytes() == 0);
    CHECK(take_block(std::numeric_limits<std::size_t>::max()) == nullptr);
    std::vector<void*> blocks;
    for (int i = 0; i < 40; ++i) blocks.push_back(take_block(most_kept / 8));
    blocks.push_back(take_block(most_kept));
    for (void* block : blocks) give_block(block);
    CHECK(kept_bytes() > 0 && kept_bytes() <= most_kept);
    drop_blocks();
}

void test_threads() {
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t, &wrong] {
            for (int i = 0; i < 300; ++i) {
                const std::size_t size = least_block + static_cast<std::size_t>(i % 7) * 1000;
                auto* const block = static_cast<unsigned char*>(take_block(size));
                std::memset(block, t, size);
                for (std::size_t k = 0; k < size; k += 997) wrong[static_cast<std::size_t>(t)] += block[k] != t;
                give_block(block);
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4));
    drop_blocks();
}

}  // namespace

int main() {
    test_reuse();
    test_limits();
    test_threads();
    return check::report();
}
