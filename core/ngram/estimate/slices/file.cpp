#include "ngram/estimate/slices/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <tuple>
#include <utility>

namespace bitmeter {
namespace {

constexpr char magic[8] = {'B', 'M', 'S', 'L', 'I', 'C', 'E', 1};

struct Header {
    char magic[8];
    std::uint64_t job;
    std::uint32_t stage, order, partition, unused;
    std::uint64_t entries, table, checksum;  // of the table
};

auto rank(const SliceEntry& entry) { return std::tuple(entry.kind, entry.order, entry.other); }

std::uint64_t sum_of(const std::vector<SliceEntry>& table) {
    return block_checksum(reinterpret_cast<const std::uint8_t*>(table.data()), table.size() * sizeof(SliceEntry));
}

}  // namespace

thread_local SlicePool* SlicePool::current_ = nullptr;

SlicePool::Memory SlicePool::take(std::size_t size) {
    if (size == 0) return {};
    if (current_) {
        auto& free = current_->free_;
        auto best = free.end();
        for (auto it = free.begin(); it != free.end(); ++it)
            if (it->size >= size && (best == free.end() || it->size < best->size)) best = it;
        // Not one that is so much larger that another array will miss it.
        if (best != free.end() && best->size / 4 <= size) {
            Memory found = std::move(*best);
            free.erase(best);
            return found;
        }
    }
    return {std::make_unique_for_overwrite<std::uint8_t[]>(size), size};
}

void SlicePool::give(Memory memory) {
    constexpr std::size_t most = 32, worth = std::size_t{1} << 16;
    if (!current_ || !memory.data || memory.size < worth) return;
    auto& free = current_->free_;
    if (free.size() == most) free.erase(free.begin());
    free.push_back(std::move(memory));
}

SliceWriter::SliceWriter(std::string path, const SliceName& name)
    : path_(std::move(path)), name_(name), file_(os::open_file(path_, "wb")), at_(sizeof(Header)) {
    if (!file_) fail();
    const Header empty{};
    write(&empty, sizeof empty);
}

SliceWriter::~SliceWriter() {
    if (file_) std::fclose(file_);
}

void SliceWriter::fail() const { throw std::system_error(errno, std::generic_category(), path_); }

void SliceWriter::write(const void* data, std::size_t size) {
    if (size && std::fwrite(data, 1, size, file_) != size) fail();
}

void SliceWriter::put_bytes(SliceArrayKind kind, int order, std::size_t other, const std::uint8_t* data, std::size_t size) {
    if (size == 0) return;
    table_.push_back({static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(order), other, at_, size,
                      block_checksum(data, size)});
    write(data, size);
    at_ += size;
}

void SliceWriter::begin(SliceArrayKind kind, int order, std::size_t bytes) {
    table_.push_back({static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(order), 0, at_, bytes, 0});
    at_ += bytes;
    open_ = true;
}

void SliceWriter::end(std::uint64_t checksum) {
    if (std::exchange(open_, false)) table_.back().checksum = checksum;
}

std::uint64_t SliceWriter::close() {
    std::sort(table_.begin(), table_.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); });
    Header header{};
    std::memcpy(header.magic, magic, sizeof magic);
    header.job = name_.job;
    header.stage = static_cast<std::uint32_t>(name_.stage);
    header.order = name_.order;
    header.partition = name_.partition;
    header.entries = table_.size();
    header.table = at_;
    header.checksum = sum_of(table_);
    write(table_.data(), table_.size() * sizeof(SliceEntry));
    std::rewind(file_);
    write(&header, sizeof header);
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
    return at_ + table_.size() * sizeof(SliceEntry);
}

SliceFile::SliceFile(std::string path, const SliceName& name) : path_(std::move(path)) {
    try {
        file_ = std::make_unique<os::InputFile>(path_);
    } catch (const std::system_error& error) {
        damaged(("cannot be read (" + error.code().message() + ")").c_str());
    }
    Header header;
    const std::uint64_t size = file_->view().size;
    if (file_->read(0, reinterpret_cast<std::uint8_t*>(&header), sizeof header) != sizeof header) damaged("is too short");
    if (std::memcmp(header.magic, magic, sizeof magic) != 0) damaged("does not begin like one");
    if (header.job != name.job || header.stage != static_cast<std::uint32_t>(name.stage) || header.order != name.order ||
        header.partition != name.partition)
        damaged("is of another training, stage or partition");
    if (header.table > size || header.entries > (size - header.table) / sizeof(SliceEntry)) damaged("is too short");
    table_.resize(header.entries);
    const std::size_t bytes = table_.size() * sizeof(SliceEntry);
    if (file_->read(header.table, reinterpret_cast<std::uint8_t*>(table_.data()), bytes) != bytes) damaged("is too short");
    if (sum_of(table_) != header.checksum) damaged("has a wrong checksum");
    for (const SliceEntry& entry : table_)
        if (entry.offset > size || entry.bytes > size - entry.offset) damaged("has an array outside of it");
    if (!std::is_sorted(table_.begin(), table_.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); }))
        damaged("has a table out of order");
}

void SliceFile::damaged(const char* why) const {
    throw NgramFormatError(path_ + ", a slice of n-grams, " + why + "; remove its folder, and type the same command again");
}

const SliceEntry* SliceFile::find(SliceArrayKind kind, int order, std::size_t other, std::size_t width) const {
    const SliceEntry wanted{static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(order), other, 0, 0, 0};
    const auto found = std::lower_bound(table_.begin(), table_.end(), wanted,
                                        [](const auto& a, const auto& b) { return rank(a) < rank(b); });
    if (found == table_.end() || rank(*found) != rank(wanted)) return nullptr;
    if (found->bytes % width) damaged("has an array of another size");
    return &*found;
}

std::span<const std::uint32_t> SliceFile::map(SliceArrayKind kind, int order) const {
    const SliceEntry* entry = find(kind, order, 0, sizeof(std::uint32_t));
    if (!entry) return {};
    if (entry->offset % sizeof(std::uint32_t)) damaged("has an array outside of it");
    constexpr std::size_t part = std::size_t{1} << 18;
    std::vector<std::uint8_t> buffer(std::min<std::size_t>(part, entry->bytes));
    BlockSum sum(entry->bytes);
    for (std::uint64_t done = 0; done < entry->bytes;) {
        const std::size_t size = std::min<std::uint64_t>(part, entry->bytes - done);
        if (file_->read(entry->offset + done, buffer.data(), size) != size) damaged("is too short");
        sum.add(buffer.data(), size);
        done += size;
    }
    if (sum.value() != entry->checksum) damaged("has a wrong checksum");
    return {reinterpret_cast<const std::uint32_t*>(file_->view().data + entry->offset), entry->bytes / sizeof(std::uint32_t)};
}

void SliceFile::read_bytes(const SliceEntry& entry, std::uint8_t* data) const {
    if (file_->read(entry.offset, data, entry.bytes) != entry.bytes) damaged("is too short");
    if (block_checksum(data, entry.bytes) != entry.checksum) damaged("has a wrong checksum");
}

}  // namespace bitmeter
