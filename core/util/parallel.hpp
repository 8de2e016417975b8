// Parallel loops over independent tasks, whose results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bitmeter {

/// Threads to use: what the caller allows (0 = all of the machine's), never more than there are tasks.
inline unsigned thread_count(unsigned allowed, std::size_t tasks) {
    if (allowed == 1 || tasks <= 1) return 1;  // hardware_concurrency() takes microseconds
    unsigned available = std::max(1u, std::thread::hardware_concurrency());
    constexpr unsigned most = 1024;  // beyond this a request can only be a mistake
    unsigned wanted = std::min(most, allowed == 0 ? available : allowed);
    return static_cast<unsigned>(std::min<std::size_t>(wanted, std::max<std::size_t>(tasks, 1)));
}

/// Calls `run(task)` for each task in [0, tasks). The first exception is thrown again in the caller.
template <class Run>
void parallel_for(std::size_t tasks, unsigned allowed, Run&& run) {
    unsigned threads = thread_count(allowed, tasks);
    if (threads <= 1) {
        for (std::size_t task = 0; task < tasks; ++task) run(task);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex guard;
    auto worker = [&] {
        try {
            for (std::size_t task = next++; task < tasks; task = next++) run(task);
        } catch (...) {
            std::lock_guard lock(guard);
            if (!failure) failure = std::current_exception();
            next = tasks;
        }
    };
    std::vector<std::thread> pool;
    try {
        for (unsigned i = 1; i < threads; ++i) pool.emplace_back(worker);
    } catch (const std::exception&) {
        // No more threads available: those that run do the work.
    }
    worker();
    for (auto& thread : pool) thread.join();
    if (failure) std::rethrow_exception(failure);
}

/// Calls `run(from, to)` for successive blocks of [0, size), all of this length except the last.
template <class Run>
void parallel_blocks(std::size_t size, std::size_t length, unsigned allowed, Run&& run) {
    parallel_for((size + length - 1) / length, allowed,
                 [&](std::size_t task) { run(task * length, std::min(size, (task + 1) * length)); });
}

}  // namespace bitmeter
