#include "util/parallel.hpp"

#include <stdexcept>
#include <vector>

#include "tests/check.hpp"

using namespace bitmeter;

int main() {
    {   // Every task runs once, also when far more threads are asked for than can be of use.
        std::vector<std::atomic<int>> runs(5000);
        parallel_for(runs.size(), 4000000000u, [&](std::size_t task) { ++runs[task]; });
        for (const auto& times : runs) CHECK(times == 1);
        CHECK(thread_count(4000000000u, 1u << 30) <= 1024);
    }
    {   // What a task throws arrives here, once, after all threads have ended.
        for (unsigned threads : {1u, 3u}) {
            bool thrown = false;
            try {
                parallel_for(100, threads, [](std::size_t task) {
                    if (task >= 50) throw std::invalid_argument("task");
                });
            } catch (const std::invalid_argument&) {
                thrown = true;
            }
            CHECK(thrown);
        }
    }
    return check::report();
}
