#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
    void* found = std::aligned_alloc(huge_page, (size + huge_page - 1) / huge_page * huge_page);
    if (found) advise_huge(found, size);
    return found;
}

View map_zeros(std::size_t size) { return map(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, no_handle); }

View map_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) failed(errno);
    struct Closing {
        int file;
        ~Closing() { ::close(file); }
    } closing{file};
    struct stat about{};
    if (fstat(file, &about) != 0) failed(errno);
    if (S_ISDIR(about.st_mode)) failed(EISDIR);
    if (!S_ISREG(about.st_mode) || about.st_size <= 0) return {};
    return map(static_cast<std::size_t>(about.st_size), PROT_READ, MAP_SHARED, file);
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
