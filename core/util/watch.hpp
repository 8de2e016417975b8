// Progress, cancellation and memory limits of long passes.
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
    /// Called with the share that is done, always on the thread that began the stage; throws to cancel the pass.
    using Progress = std::function<void(double)>;
    explicit Watch(PageStore* pages = nullptr) : pages_(pages) {}
    void set(Progress progress) { progress_ = std::move(progress); }

    /// Begins a stage of `total` steps.
    void begin(std::uint64_t total) {
        owner_ = std::this_thread::get_id();
        total_ = total;
        done_ = 0;
        reported_ = kept_ = clock();
        if (progress_) progress_(0.0);
    }
    /// Adds finished steps. Thread-safe; to be called every millisecond or so.
    void add(std::uint64_t steps) {
        const std::uint64_t done = done_.fetch_add(steps, std::memory_order_relaxed) + steps;
        const std::int64_t now = clock();
        std::int64_t kept = kept_.load(std::memory_order_relaxed);
        if (pages_ && now - kept > keep_every && kept_.compare_exchange_strong(kept, now)) pages_->keep_within();
        if (!progress_ || now - reported_.load(std::memory_order_relaxed) < report_every) return;
        if (std::this_thread::get_id() != owner_) return;
        reported_ = now;
        progress_(total_ ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total_)) : 0.0);
    }

private:
    static constexpr std::int64_t keep_every = 1'000'000, report_every = 100'000'000;  // nanoseconds
    static std::int64_t clock() {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }

    PageStore* pages_;
    Progress progress_;
    std::thread::id owner_;
    std::uint64_t total_ = 0;
    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::int64_t> reported_{0}, kept_{0};
};

}  // namespace bitmeter
