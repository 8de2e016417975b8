#include "util/pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "ngram/format/model.hpp"

namespace bitmeter {
namespace {

[[noreturn]] void failed(int error) {
    throw std::system_error(error, std::generic_category());
}

std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

void advise_huge([[maybe_unused]] void* data, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
    madvise(data, size, MADV_HUGEPAGE);  // only advice: fewer misses in the table of pages
#endif
}

std::uint8_t* map(std::size_t size, int protection, int flags, int handle) {
    void* found = mmap(nullptr, size, protection, flags, handle, 0);
    if (found == MAP_FAILED) {
        if (handle < 0) throw std::bad_alloc();
        failed(errno);
    }
    return static_cast<std::uint8_t*>(found);
}

/// A file without a name.
int nameless(const std::string& folder) {
#ifdef O_TMPFILE
    const int direct = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (direct >= 0) return direct;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) failed(errno);
#endif
    std::string name = folder + "/bitmeter-XXXXXX";
    const int handle = mkstemp(name.data());
    if (handle < 0) failed(errno);
    unlink(name.c_str());
    fcntl(handle, F_SETFD, FD_CLOEXEC);
    return handle;
}

/// Makes a file larger, with its space on the disk reserved: a map of a file with holes would end the program by a signal
/// where the disk is full.
void reserve(int handle, std::size_t from, std::size_t to) {
#ifdef __APPLE__
    const std::vector<char> zeros(std::size_t{1} << 20, 0);
    while (from < to) {
        const ssize_t done =
            pwrite(handle, zeros.data(), std::min(zeros.size(), to - from), static_cast<off_t>(from));
        if (done <= 0 && errno != EINTR) failed(done == 0 ? ENOSPC : errno);
        from += static_cast<std::size_t>(std::max<ssize_t>(done, 0));
    }
#else
    int error = 0;
    do error = posix_fallocate(handle, static_cast<off_t>(from), static_cast<off_t>(to - from));
    while (error == EINTR);
    if (error != 0) failed(error);
#endif
}

}  // namespace

std::uint64_t resident_bytes() {
#ifdef __linux__
    const int handle = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (handle < 0) return 0;
    char text[128];
    const ssize_t size = read(handle, text, sizeof text - 1);
    close(handle);
    text[std::max<ssize_t>(size, 0)] = '\0';
    unsigned long long all = 0, resident = 0;
    return std::sscanf(text, "%llu %llu", &all, &resident) == 2 ? resident * page_size() : 0;
#else
    return 0;
#endif
}

PageBlock::Mapping::~Mapping() {
    if (data) munmap(data, size);
    if (handle >= 0) close(handle);
}

PageBlock PageBlock::zeros(std::size_t size) {
    PageBlock result;
    auto mapping = std::make_shared<Mapping>();
    size = std::max<std::size_t>(size, 1);
    mapping->data = map(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    mapping->size = size;
    advise_huge(mapping->data, size);
    result.mapping_ = std::move(mapping);
    return result;
}

PageBlock PageBlock::file(const std::string& path) {
    const int handle = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (handle < 0) failed(errno);
    struct stat about{};
    if (fstat(handle, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0) {
        const int error = errno;
        close(handle);
        if (S_ISDIR(about.st_mode)) failed(EISDIR);
        if (about.st_mode != 0) throw NgramFormatError("it is empty or no regular file");
        failed(error);
    }
    const auto size = static_cast<std::size_t>(about.st_size);
    void* found = mmap(nullptr, size, PROT_READ, MAP_SHARED, handle, 0);
    const int error = errno;
    close(handle);
    if (found == MAP_FAILED) failed(error);
    advise_huge(found, size);
    PageBlock result;
    result.mapping_ = std::make_shared<Mapping>();
    result.mapping_->data = static_cast<std::uint8_t*>(found);
    result.mapping_->size = size;
    return result;
}

PageBlock PageBlock::temporary(const std::string& folder, std::size_t size) {
    auto mapping = std::make_shared<Mapping>();
    mapping->handle = nameless(folder);
    size = std::max<std::size_t>(size, 1);
    reserve(mapping->handle, 0, size);
    mapping->data = map(size, PROT_READ | PROT_WRITE, MAP_SHARED, mapping->handle);
    mapping->size = size;
    PageBlock result;
    result.mapping_ = std::move(mapping);
    return result;
}

void PageBlock::grow(std::size_t size) {
    Mapping& own = *mapping_;
    if (size <= own.size) return;
    if (on_disk()) reserve(own.handle, own.size, size);
#ifdef __linux__
    void* found = mremap(own.data, own.size, size, MREMAP_MAYMOVE);
    if (found == MAP_FAILED) throw std::bad_alloc();
#else
    void* found = map(size, PROT_READ | PROT_WRITE, on_disk() ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, own.handle);
    if (!on_disk()) std::memcpy(found, own.data, own.size);
    munmap(own.data, own.size);
#endif
    own.data = static_cast<std::uint8_t*>(found);
    own.size = size;
    if (!on_disk()) advise_huge(own.data, size);
}

void PageBlock::release() const {
    if (on_disk()) madvise(mapping_->data, mapping_->size, MADV_DONTNEED);
}

void PageBlock::drop(std::size_t from, std::size_t to) const {
    const std::size_t page = page_size();
    from = (from + page - 1) / page * page;
    to = to == size() ? to : to / page * page;
    if (from >= to) return;
    if (!on_disk()) {
        madvise(mapping_->data + from, to - from, MADV_DONTNEED);
        return;
    }
#if defined(FALLOC_FL_PUNCH_HOLE)
    // The space goes back to the disk; where the system cannot, it does so at the end.
    (void)fallocate(mapping_->handle, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                    static_cast<off_t>(to - from));
#endif
}

bool PageStore::fits(std::uint64_t bytes) const {
    return allowance_ == 0 || bytes <= left();
}

std::uint64_t PageStore::left() const {
    if (allowance_ == 0) return ~std::uint64_t{0};
    const std::uint64_t used = resident_bytes();
    return used < allowance_ ? allowance_ - used : 0;
}

PageBlock PageStore::take(std::size_t bytes) {
    if (!on_disk_) return PageBlock::zeros(bytes);
    PageBlock result = PageBlock::temporary(folder_, bytes);
    watch(result);
    return result;
}

void PageStore::watch(const PageBlock& block) {
    const std::lock_guard lock(guard_);
    std::erase_if(blocks_, [](const auto& other) { return other.expired(); });
    if (block.on_disk()) blocks_.push_back(block.mapping_);
}

void PageStore::keep_within() {
    if (allowance_ == 0) return;
    const std::unique_lock lock(guard_, std::try_to_lock);
    if (!lock.owns_lock() || blocks_.empty()) return;
    const std::uint64_t used = resident_bytes();
    if (used != 0 && used < allowance_ - allowance_ / 8) return;
    for (const auto& block : blocks_)
        if (const auto own = block.lock()) madvise(own->data, own->size, MADV_DONTNEED);
}

}  // namespace bitmeter
