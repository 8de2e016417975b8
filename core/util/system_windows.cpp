#if defined(_WIN32)
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#define PSAPI_VERSION 2  // its functions are in kernel32
// psapi.h needs windows.h before it.
#include <windows.h>

#include <psapi.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "util/system.hpp"

namespace bitmeter::os {
namespace {

/// The caller knows errno values, not those of Windows.
[[noreturn]] void failed(DWORD error = GetLastError()) {
    const auto condition = std::system_category().default_error_condition(static_cast<int>(error));
    const bool known = condition.category() == std::generic_category();
    throw std::system_error(known ? condition.value() : EIO, std::generic_category());
}

HANDLE handle(Handle file) { return reinterpret_cast<HANDLE>(file); }

std::wstring wide(const std::string& path) {
    if (path.empty()) return {};
    const int size = static_cast<int>(path.size());
    const int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), size, nullptr, 0);
    if (length <= 0) failed();
    std::wstring result(static_cast<std::size_t>(length), L'\0');
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), size, result.data(), length);
    return result;
}

View map(Handle file, std::size_t size, DWORD protection, DWORD access) {
    const HANDLE section = CreateFileMappingW(handle(file), nullptr, protection, 0, 0, nullptr);
    if (!section) failed();
    void* found = MapViewOfFile(section, access, 0, 0, size);
    const DWORD error = GetLastError();
    CloseHandle(section);  // the view keeps it
    if (!found) failed(error);
    return {static_cast<std::uint8_t*>(found), size, true};
}

}  // namespace

std::size_t page_size() {
    static const std::size_t size = [] {
        SYSTEM_INFO about;
        GetSystemInfo(&about);
        return static_cast<std::size_t>(about.dwPageSize);
    }();
    return size;
}

std::uint64_t resident_bytes() {
    PROCESS_MEMORY_COUNTERS counters{};
    return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters) ? counters.WorkingSetSize : 0;
}

// Huge pages need a privilege that users do not have by default.
void advise_huge(void*, std::size_t) {}

void* allocate_huge(std::size_t size) { return std::malloc(size); }

View map_zeros(std::size_t size) {
    void* found = VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!found) throw std::bad_alloc();
    return {static_cast<std::uint8_t*>(found), size, false};
}

/// The system refuses to change or cut a file that is open so.
struct InputFile::Guard {};

InputFile::InputFile(const std::string& path) {
    const std::wstring name = wide(path);
    const DWORD kind = GetFileAttributesW(name.c_str());
    if (kind == INVALID_FILE_ATTRIBUTES) failed();
    if (kind & FILE_ATTRIBUTE_DIRECTORY) throw std::system_error(EISDIR, std::generic_category());
    const HANDLE opened = CreateFileW(name.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                                      FILE_ATTRIBUTE_NORMAL, nullptr);
    if (opened == INVALID_HANDLE_VALUE) failed();
    file_ = reinterpret_cast<Handle>(opened);
    try {
        LARGE_INTEGER size{};
        if (GetFileType(opened) != FILE_TYPE_DISK || !GetFileSizeEx(opened, &size) || size.QuadPart <= 0) return;
        view_ = map(file_, static_cast<std::size_t>(size.QuadPart), PAGE_READONLY, FILE_MAP_READ);
    } catch (...) {
        os::close(file_);
        throw;
    }
}

InputFile::~InputFile() {
    unmap(view_);
    os::close(file_);
}

std::size_t InputFile::read(std::uint64_t offset, std::uint8_t* data, std::size_t size) const {
    std::size_t done = 0;
    while (done < size) {
        OVERLAPPED at{};
        at.Offset = static_cast<DWORD>(offset + done);
        at.OffsetHigh = static_cast<DWORD>((offset + done) >> 32);
        DWORD got = 0;
        const auto wanted = static_cast<DWORD>(std::min<std::size_t>(size - done, 1u << 30));
        if (!ReadFile(handle(file_), data + done, wanted, &got, &at)) {
            if (GetLastError() == ERROR_HANDLE_EOF) break;
            failed();
        }
        if (got == 0) break;
        done += got;
    }
    return done;
}

bool InputFile::changed(bool) const { return false; }

View map_temporary(Handle file, std::size_t size) { return map(file, size, PAGE_READWRITE, FILE_MAP_ALL_ACCESS); }

View grow(const View& view, Handle file, std::size_t size) {
    const View result = view.of_file ? map_temporary(file, size) : map_zeros(size);
    if (!view.of_file) std::memcpy(result.data, view.data, view.size);
    unmap(view);
    return result;
}

void unmap(const View& view) {
    if (!view.data) return;
    if (view.of_file)
        UnmapViewOfFile(view.data);
    else
        VirtualFree(view.data, 0, MEM_RELEASE);
}

void evict(const View& view) {
    // Unlocking pages that are not locked fails, but removes them from the working set.
    VirtualUnlock(view.data, view.size);
}

void discard(const View& view, Handle, std::size_t from, std::size_t to) {
    // The disk space of a file is returned when it is closed.
    if (!view.of_file) VirtualAlloc(view.data + from, to - from, MEM_RESET, PAGE_READWRITE);
}

Handle temporary_file(const std::string& folder) {
    static std::atomic<unsigned> made{0};
    const std::wstring start = wide(folder) + L"\\bitmeter-" + std::to_wstring(GetCurrentProcessId()) + L"-";
    for (;;) {
        const std::wstring name = start + std::to_wstring(made++) + L".tmp";
        const HANDLE file = CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_DELETE, nullptr,
                                        CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
        if (file != INVALID_HANDLE_VALUE) return reinterpret_cast<Handle>(file);
        if (GetLastError() != ERROR_FILE_EXISTS) failed();
    }
}

void reserve(Handle file, std::size_t, std::size_t to) {
    // A file that is not sparse has all its clusters; the bytes read as zeros.
    LARGE_INTEGER end{};
    end.QuadPart = static_cast<LONGLONG>(to);
    if (!SetFilePointerEx(handle(file), end, nullptr, FILE_BEGIN) || !SetEndOfFile(handle(file))) failed();
}

void close(Handle file) { CloseHandle(handle(file)); }

std::FILE* open_file(const std::string& path, const char* mode) {
    return _wfopen(wide(path).c_str(), std::wstring(mode, mode + std::strlen(mode)).c_str());
}

OutputFile::OutputFile(const std::string& path)
    : file_(reinterpret_cast<Handle>(CreateFileW(wide(path).c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                                                 nullptr, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr))) {
    if (file_ == no_handle) failed();
}

OutputFile::~OutputFile() {
    if (file_ != no_handle) os::close(file_);
}

std::size_t OutputFile::write(const std::uint8_t* data, std::size_t size) {
    DWORD done = 0;
    const auto wanted = static_cast<DWORD>(std::min<std::size_t>(size, 1u << 30));
    if (!WriteFile(handle(file_), data, wanted, &done, nullptr)) failed();
    if (done == 0) throw std::system_error(ENOSPC, std::generic_category());
    return done;
}

void OutputFile::close() {
    if (!CloseHandle(handle(std::exchange(file_, no_handle)))) failed();
}

}  // namespace bitmeter::os
#endif
