// Long work that is watched: how far it is, whether it should stop, whether it keeps within its memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "util/pages.hpp"

namespace bitmeter {

class Watch {
public:
    /// Told the share that is done, always on the thread that began the stage; it throws to stop the work.
    using Tell = std::function<void(double)>;
    explicit Watch(PageStore* pages = nullptr) : pages_(pages) {}
    void set(Tell tell) { tell_ = std::move(tell); }

    /// A stage of so many steps begins.
    void begin(std::uint64_t total) {
        owner_ = std::this_thread::get_id();
        total_ = total;
        done_ = 0;
        told_ = kept_ = clock();
        if (tell_) tell_(0.0);
    }
    /// So many steps of it are done; called from any thread, every millisecond or so.
    void add(std::uint64_t steps) {
        const std::uint64_t done = done_.fetch_add(steps, std::memory_order_relaxed) + steps;
        const std::int64_t now = clock();
        std::int64_t kept = kept_.load(std::memory_order_relaxed);
        if (pages_ && now - kept > keep_every && kept_.compare_exchange_strong(kept, now)) pages_->keep_within();
        if (!tell_ || now - told_.load(std::memory_order_relaxed) < tell_every) return;
        if (std::this_thread::get_id() != owner_) return;
        told_ = now;
        tell_(total_ ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total_)) : 0.0);
    }

private:
    static constexpr std::int64_t keep_every = 1'000'000, tell_every = 100'000'000;  // nanoseconds
    static std::int64_t clock() {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }

    PageStore* pages_;
    Tell tell_;
    std::thread::id owner_;
    std::uint64_t total_ = 0;
    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::int64_t> told_{0}, kept_{0};
};

}  // namespace bitmeter
