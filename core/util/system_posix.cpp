#if !defined(_WIN32)
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "util/system.hpp"

namespace bitmeter::os {
namespace {

[[noreturn]] void failed(int error) {
    throw std::system_error(error, std::generic_category());
}

int descriptor(Handle file) { return static_cast<int>(file); }

View map(std::size_t size, int protection, int flags, Handle file) {
    void* found = mmap(nullptr, size, protection, flags, descriptor(file), 0);
    if (found == MAP_FAILED) {
        if (file == no_handle) throw std::bad_alloc();
        failed(errno);
    }
    return {static_cast<std::uint8_t*>(found), size, file != no_handle};
}

struct stat status(int file) {
    struct stat about{};
    if (fstat(file, &about) != 0) failed(errno);
    return about;
}

std::int64_t modified(const struct stat& about) {
#ifdef __APPLE__
    const timespec& time = about.st_mtimespec;
#else
    const timespec& time = about.st_mtim;
#endif
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Changes with every tick of the system's clock; cheaper to read than a time.
std::int64_t tick() {
    timespec now{};
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec) >> 20;
#endif
}

// ---- SIGBUS ----------------------------------------------------------------------------------------------------------
// Reading a mapped page that its file no longer has raises SIGBUS, which ends the process by default. The handler replaces
// such pages of our own maps by zeros and notes the loss. A signal handler is one per process and is given nothing but the
// address, so the list of maps has to be global; it is not visible outside of this file. Entries are never freed, only
// used again, so that the handler can go through them without a lock.

struct WatchedMap {
    std::atomic<std::uintptr_t> begin{0}, end{0};  // end 0: not in use
    std::atomic<bool> taken{true}, lost{false};
    WatchedMap* next = nullptr;
};
std::atomic<WatchedMap*> watched_maps{nullptr};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<WatchedMap*>::is_always_lock_free);
struct sigaction previous_action;
std::uintptr_t handler_page_size = 0;  // page_size() is not safe in a handler

/// Calls nothing but system calls.
void on_bus_error(int signal, siginfo_t* info, void* context) {
    const int saved = errno;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const bool by_fault = info->si_code > 0;  // and not sent by a process
    for (WatchedMap* map = watched_maps.load(); by_fault && map; map = map->next) {
        const std::uintptr_t end = map->end.load();
        if (address < map->begin.load() || address >= end) continue;
        map->lost.store(true);
        // A file is cut at its end: what follows is lost too.
        const std::uintptr_t page = address & ~(handler_page_size - 1);
        void* const found = mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        errno = saved;
        if (found != MAP_FAILED) return;
        break;
    }
    if (previous_action.sa_flags & SA_SIGINFO) return previous_action.sa_sigaction(signal, info, context);
    if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN)
        return previous_action.sa_handler(signal);
    // As without us: the fault happens again, or the signal is sent again.
    struct sigaction by_default{};
    by_default.sa_handler = by_fault ? SIG_DFL : previous_action.sa_handler;
    sigaction(SIGBUS, &by_default, nullptr);
    if (!by_fault) raise(signal);
    errno = saved;
}

/// Once, and not again where another handler came later: two that pass a signal on to each other would never end.
bool handle_bus_errors() {
    handler_page_size = page_size();
    struct sigaction ours{};
    ours.sa_sigaction = on_bus_error;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    return sigaction(SIGBUS, &ours, &previous_action) == 0;
}

WatchedMap& watch_map(const View& view) {
    [[maybe_unused]] static const bool once = handle_bus_errors();
    WatchedMap* map = watched_maps.load();
    while (map && map->taken.exchange(true)) map = map->next;
    if (!map) {
        map = new WatchedMap;
        map->next = watched_maps.load();
        while (!watched_maps.compare_exchange_weak(map->next, map)) {
        }
    }
    map->lost.store(false);
    map->begin.store(reinterpret_cast<std::uintptr_t>(view.data));
    map->end.store(reinterpret_cast<std::uintptr_t>(view.data) + view.size);
    return *map;
}

}  // namespace

std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

std::uint64_t resident_bytes() {
#ifdef __linux__
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[128];
    const ssize_t size = read(file, text, sizeof text - 1);
    ::close(file);
    text[std::max<ssize_t>(size, 0)] = '\0';
    unsigned long long all = 0, resident = 0;
    return std::sscanf(text, "%llu %llu", &all, &resident) == 2 ? resident * page_size() : 0;
#else
    return 0;
#endif
}

void advise_huge([[maybe_unused]] void* data, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
    madvise(data, size, MADV_HUGEPAGE);
#endif
}

void* allocate_huge(std::size_t size) {
    constexpr std::size_t huge_page = std::size_t{1} << 21;
    const std::size_t whole = (size + huge_page - 1) / huge_page * huge_page;
    void* found = std::aligned_alloc(huge_page, whole);
    if (found) advise_huge(found, whole);  // all of it: a map that ends within a huge page has none there
    return found;
}

View map_zeros(std::size_t size) { return map(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, no_handle); }

struct InputFile::Guard {
    explicit Guard(const View& view) : map(watch_map(view)), asked(tick()) {}
    ~Guard() {
        map.end.store(0);
        map.taken.store(false);
    }
    WatchedMap& map;
    std::atomic<std::int64_t> asked;  // the tick at which the system was last asked
    std::atomic<bool> changed{false};
};

InputFile::InputFile(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ == no_handle) failed(errno);
    try {
        const struct stat about = status(descriptor(file_));
        if (S_ISDIR(about.st_mode)) failed(EISDIR);
        if (!S_ISREG(about.st_mode) || about.st_size <= 0) return;
        modified_ = modified(about);
        view_ = map(static_cast<std::size_t>(about.st_size), PROT_READ, MAP_SHARED, file_);
        guard_ = std::make_unique<Guard>(view_);
    } catch (...) {
        unmap(view_);
        os::close(file_);
        throw;
    }
}

InputFile::~InputFile() {
    guard_.reset();
    unmap(view_);
    os::close(file_);
}

std::size_t InputFile::read(std::uint64_t offset, std::uint8_t* data, std::size_t size) const {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got = pread(descriptor(file_), data + done, size - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) failed(errno);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

bool InputFile::changed(bool rarely) const {
    if (!guard_) return false;
    if (guard_->map.lost.load(std::memory_order_acquire)) return true;
    const std::int64_t now = tick();
    if (!rarely || guard_->asked.load(std::memory_order_relaxed) != now) {
        guard_->asked.store(now, std::memory_order_relaxed);
        struct stat about{};
        if (fstat(descriptor(file_), &about) != 0 || modified(about) != modified_ ||
            static_cast<std::size_t>(about.st_size) != view_.size)
            guard_->changed.store(true);
    }
    return guard_->changed.load(std::memory_order_acquire);
}

View map_temporary(Handle file, std::size_t size) { return map(size, PROT_READ | PROT_WRITE, MAP_SHARED, file); }

View grow(const View& view, [[maybe_unused]] Handle file, std::size_t size) {
#ifdef __linux__
    void* found = mremap(view.data, view.size, size, MREMAP_MAYMOVE);
    if (found == MAP_FAILED) throw std::bad_alloc();
    return {static_cast<std::uint8_t*>(found), size, view.of_file};
#else
    const View result = view.of_file ? map_temporary(file, size) : map_zeros(size);
    if (!view.of_file) std::memcpy(result.data, view.data, view.size);
    unmap(view);
    return result;
#endif
}

void unmap(const View& view) {
    if (view.data) munmap(view.data, view.size);
}

void evict(const View& view) { madvise(view.data, view.size, MADV_DONTNEED); }

void discard(const View& view, [[maybe_unused]] Handle file, std::size_t from, std::size_t to) {
    if (!view.of_file) {
        madvise(view.data + from, to - from, MADV_DONTNEED);
        return;
    }
#if defined(FALLOC_FL_PUNCH_HOLE)
    // Returns the disk space; a file system that cannot do so returns it when the file is closed.
    (void)fallocate(descriptor(file), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                    static_cast<off_t>(to - from));
#endif
}

Handle temporary_file(const std::string& folder) {
#ifdef O_TMPFILE
    const int direct = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (direct >= 0) return direct;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) failed(errno);
#endif
    std::string name = folder + "/bitmeter-XXXXXX";
    const int file = mkstemp(name.data());
    if (file < 0) failed(errno);
    unlink(name.c_str());
    fcntl(file, F_SETFD, FD_CLOEXEC);
    return file;
}

void reserve(Handle file, std::size_t from, std::size_t to) {
#ifdef __APPLE__
    const std::vector<char> zeros(std::size_t{1} << 20, 0);
    while (from < to) {
        const ssize_t done =
            pwrite(descriptor(file), zeros.data(), std::min(zeros.size(), to - from), static_cast<off_t>(from));
        if (done <= 0 && errno != EINTR) failed(done == 0 ? ENOSPC : errno);
        from += static_cast<std::size_t>(std::max<ssize_t>(done, 0));
    }
#else
    int error = 0;
    do error = posix_fallocate(descriptor(file), static_cast<off_t>(from), static_cast<off_t>(to - from));
    while (error == EINTR);
    if (error != 0) failed(error);
#endif
}

void close(Handle file) { ::close(descriptor(file)); }

std::FILE* open_file(const std::string& path, const char* mode) { return std::fopen(path.c_str(), mode); }

OutputFile::OutputFile(const std::string& path)
    : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (file_ == no_handle) failed(errno);
}

OutputFile::~OutputFile() {
    if (file_ != no_handle) os::close(file_);
}

std::size_t OutputFile::write(const std::uint8_t* data, std::size_t size) {
    ssize_t done;
    do done = ::write(descriptor(file_), data, size);
    while (done < 0 && errno == EINTR);
    if (done <= 0) failed(done == 0 ? ENOSPC : errno);
    return static_cast<std::size_t>(done);
}

void OutputFile::close() {
    if (::close(descriptor(std::exchange(file_, no_handle))) != 0) failed(errno);
}

}  // namespace bitmeter::os
#endif
