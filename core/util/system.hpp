// The operating system: memory maps, temporary files, file output. Implemented by system_posix.cpp and system_windows.cpp;
// no other file of the core calls the system directly. Paths are UTF-8 on Windows and bytes elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace bitmeter::os {

/// A file descriptor, or a HANDLE of Windows.
using Handle = std::intptr_t;
constexpr Handle no_handle = -1;

/// Mapped memory, which unmap() gives back.
struct View {
    std::uint8_t* data = nullptr;
    std::size_t size = 0;
    bool of_file = false;
};

std::size_t page_size();
/// Physical memory that the process uses now, shared pages included; 0 if unknown.
std::uint64_t resident_bytes();

/// Asks for huge pages, which save misses in the page table; only advice.
void advise_huge(void* data, std::size_t size);
/// Uninitialised memory of at least a huge page, for std::free; nullptr if there is none.
void* allocate_huge(std::size_t size);

/// Zeroed memory. Throws std::bad_alloc.
View map_zeros(std::size_t size);
/// A file that is read and mapped, and may be cut or changed by others meanwhile.
class InputFile {
public:
    /// Throws std::system_error.
    explicit InputFile(const std::string& path);
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile();

    /// All of it, read-only; empty if the file is empty or not a regular one. Where the file was cut after it was mapped,
    /// reading gives zeros and changed() tells; on POSIX systems the process would otherwise end with SIGBUS.
    const View& view() const { return view_; }
    /// The bytes at an offset; fewer than asked for only at the end of the file. Throws std::system_error.
    std::size_t read(std::uint64_t offset, std::uint8_t* data, std::size_t size) const;
    /// Whether bytes read through the view may differ from those that the file had when it was opened: it has another size
    /// or time of modification, or some could not be read. `rarely`: the system is asked only once per tick of its clock,
    /// which is also the resolution of the time of modification. Thread-safe.
    bool changed(bool rarely = false) const;

private:
    struct Guard;
    Handle file_ = no_handle;
    View view_;
    std::int64_t modified_ = 0;
    std::unique_ptr<Guard> guard_;
};

/// A temporary file mapped for reading and writing. Throws std::system_error.
View map_temporary(Handle file, std::size_t size);
/// The same pages and more, possibly elsewhere; `file` is that of a temporary file or no_handle.
View grow(const View& view, Handle file, std::size_t size);
void unmap(const View& view);
/// Removes the pages of a temporary file from memory; the file keeps their content.
void evict(const View& view);
/// Frees the pages [from, to), whose content is lost; both are multiples of the page size or the end.
void discard(const View& view, Handle file, std::size_t from, std::size_t to);

/// A new file in this folder that disappears when it is closed, however the process ends. Throws std::system_error.
Handle temporary_file(const std::string& folder);
/// Extends a temporary file from one size to another with its disk space allocated, so that a full disk is an error here
/// and not a signal when the map is written to. Throws std::system_error.
void reserve(Handle file, std::size_t from, std::size_t to);
void close(Handle file);

/// fopen for such a path; nullptr and errno on failure.
std::FILE* open_file(const std::string& path, const char* mode);

/// A file being written, unbuffered. Throws std::system_error.
class OutputFile {
public:
    explicit OutputFile(const std::string& path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();
    /// Writes at least one of the bytes and returns how many.
    std::size_t write(const std::uint8_t* data, std::size_t size);
    /// Reports what only closing shows.
    void close();

private:
    Handle file_ = no_handle;
};

}  // namespace bitmeter::os
