#include "util/pages.hpp"

#include <algorithm>
#include <utility>

namespace bitmeter {

PageBlock::Mapping::~Mapping() {
    if (!input) os::unmap(view);
    if (file != os::no_handle) os::close(file);
}

PageBlock PageBlock::zeros(std::size_t size) {
    PageBlock result;
    result.mapping_ = std::make_shared<Mapping>();
    result.mapping_->view = os::map_zeros(std::max<std::size_t>(size, 1));
    os::advise_huge(result.data(), result.size());
    return result;
}

PageBlock PageBlock::file(const std::string& path) {
    PageBlock result;
    result.mapping_ = std::make_shared<Mapping>();
    result.mapping_->input = std::make_unique<os::InputFile>(path);
    result.mapping_->view = result.mapping_->input->view();
    if (result.size() > 0) os::advise_huge(result.data(), result.size());
    return result;
}

PageBlock PageBlock::temporary(const std::string& folder, std::size_t size, bool huge) {
    PageBlock result;
    result.mapping_ = std::make_shared<Mapping>();
    Mapping& own = *result.mapping_;
    own.file = os::temporary_file(folder);
    size = std::max<std::size_t>(size, 1);
    os::reserve(own.file, 0, size);
    own.view = os::map_temporary(own.file, size);
    if (huge) os::advise_huge(own.view.data, own.view.size);
    return result;
}

void PageBlock::grow(std::size_t size) {
    Mapping& own = *mapping_;
    if (size <= own.view.size) return;
    if (on_disk()) os::reserve(own.file, own.view.size, size);
    own.view = os::grow(own.view, own.file, size);
    if (!on_disk()) os::advise_huge(own.view.data, size);
}

void PageBlock::release() const {
    if (on_disk()) os::evict(mapping_->view);
}

void PageBlock::drop(std::size_t from, std::size_t to) const {
    const std::size_t page = os::page_size();
    from = (from + page - 1) / page * page;
    to = to == size() ? to : to / page * page;
    if (from < to) os::discard(mapping_->view, mapping_->file, from, to);
}

bool PageStore::fits(std::uint64_t bytes) const {
    return allowance_ == 0 || bytes <= left();
}

std::uint64_t PageStore::left() const {
    if (allowance_ == 0) return ~std::uint64_t{0};
    const std::uint64_t used = os::resident_bytes();
    return used < allowance_ ? allowance_ - used : 0;
}

PageBlock PageStore::take(std::size_t bytes) {
    if (!on_disk_) return PageBlock::zeros(bytes);
    PageBlock result = PageBlock::temporary(folder_, bytes, huge());
    watch(result);
    return result;
}

void PageStore::watch(const PageBlock& block) {
    const std::lock_guard lock(guard_);
    std::erase_if(blocks_, [](const auto& other) { return other.expired(); });
    if (block.on_disk() || block.input()) blocks_.push_back(block.mapping_);
}

void PageStore::keep_within() {
    if (allowance_ == 0) return;
    const std::unique_lock lock(guard_, std::try_to_lock);
    if (!lock.owns_lock() || blocks_.empty()) return;
    const std::uint64_t used = os::resident_bytes();
    if (used != 0 && used < allowance_ - allowance_ / 8) return;
    for (const auto& block : blocks_)
        if (const auto own = block.lock()) os::evict(own->view);
}

}  // namespace bitmeter
