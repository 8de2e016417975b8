#include "util/blocks.hpp"

#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>

#include "util/system.hpp"

namespace bitmeter {
namespace {

constexpr std::size_t large_page = std::size_t{1} << 21, most_blocks = 16;

/// What stands before the memory that is given out.
struct alignas(std::max_align_t) Head {
    std::size_t size;  // of all of it
};

struct Kept {
    // Where a thread holds it, another one asks the system instead: nothing waits, not even the child of a fork.
    std::mutex guard;
    Head* blocks[most_blocks];
    std::size_t many = 0, bytes = 0;
};

Kept& kept() {
    static Kept* const all = new Kept;  // it outlives whatever gives back blocks at the end of the process
    return *all;
}

Head* fresh(std::size_t size) {
    void* const found = size < large_page ? std::malloc(size) : os::allocate_huge(size);
    return found ? new (found) Head{size} : nullptr;
}

}  // namespace

void* take_block(std::size_t size) noexcept {
    if (size > std::numeric_limits<std::size_t>::max() / 2) return nullptr;
    // In steps of a sixteenth or so, so that a block serves for a text that is a little longer.
    std::size_t step = alignof(Head);
    while (step < size / 16) step *= 2;
    const std::size_t whole = (size + sizeof(Head) + step - 1) / step * step;
    Head* found = nullptr;
    if (size >= least_block) {
        Kept& all = kept();
        const std::unique_lock lock(all.guard, std::try_to_lock);
        if (lock) {
            std::size_t best = all.many;
            for (std::size_t i = 0; i < all.many; ++i)
                if (all.blocks[i]->size >= whole && all.blocks[i]->size / 2 <= whole &&
                    (best == all.many || all.blocks[i]->size < all.blocks[best]->size))
                    best = i;
            if (best < all.many) {
                found = all.blocks[best];
                all.blocks[best] = all.blocks[--all.many];
                all.bytes -= found->size;
            }
        }
    }
    if (!found) found = fresh(whole);
    return found ? found + 1 : nullptr;
}

void give_block(void* block) noexcept {
    if (!block) return;
    Head* head = static_cast<Head*>(block) - 1;
    if (head->size >= least_block && head->size <= most_kept / 2) {
        Kept& all = kept();
        const std::unique_lock lock(all.guard, std::try_to_lock);
        if (lock && all.many < most_blocks && all.bytes + head->size <= most_kept) {
            all.bytes += head->size;
            all.blocks[all.many++] = head;
            return;
        }
    }
    std::free(head);
}

std::size_t kept_bytes() noexcept {
    Kept& all = kept();
    const std::lock_guard lock(all.guard);
    return all.bytes;
}

void drop_blocks() noexcept {
    Kept& all = kept();
    const std::lock_guard lock(all.guard);
    while (all.many > 0) std::free(all.blocks[--all.many]);
    all.bytes = 0;
}

}  // namespace bitmeter
