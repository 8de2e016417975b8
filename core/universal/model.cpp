#include "universal/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace bitmeter {
namespace {

using universal::Kernels;

Kernels kernels_named(const std::string& name, int size) {
    const universal::Design design = universal::design_of(size);
    if (name == "best") return universal::kernels_of(cpu(), design).back();
    for (const Kernels& k : universal::kernels_of(detect_cpu(), design))
        if (k.name == name) return k;
    throw std::invalid_argument("this processor cannot run the kernel " + name);
}

/// Bytes that the decoder reads ahead.
constexpr std::size_t held = 8;

}  // namespace

std::vector<Kernels> universal::kernels_of(const Cpu& cpu, Design design) {
    struct Family {
        Kernels (*baseline)();
        Kernels (*avx2)();
    };
    const Family family = design == Design::fast  ? Family{fast_baseline, fast_avx2}
                          : design == Design::max ? Family{max_baseline, max_avx2}
                                                  : Family{universal_baseline, universal_avx2};
    std::vector<Kernels> found = {family.baseline()};
    if (cpu.runs(CpuLevel::avx2, cpu_avx2)) found.push_back(family.avx2());
    return found;
}

UniversalModel::UniversalModel(int size, const std::string& kernel)
    : state_(size), kernels_(kernels_named(kernel, size)) {}

UniversalModel::UniversalModel(universal::State state, bool frozen)
    : state_(std::move(state)), kernels_(kernels_named("best", state_.size())), frozen_(frozen) {
    try {
        state_.check();
    } catch (const std::invalid_argument& error) {
        throw UniversalFormatError(error.what());
    }
}

std::vector<std::string> UniversalModel::kernels() {
    std::vector<std::string> names;
    for (const Kernels& k : universal::kernels_of(detect_cpu())) names.emplace_back(k.name);
    return names;
}

void UniversalModel::freeze() {
    frozen_ = true;
    state_.rewind();
}

void UniversalModel::reset() {
    state_.reset();
    frozen_ = false;
}

void UniversalModel::assign(const UniversalModel& other) {
    state_.assign(other.state_);
    frozen_ = other.frozen_;
}

void UniversalModel::begin() {
    if (frozen_) state_.rewind();
}

void UniversalModel::score(const std::uint8_t* data, std::size_t n, const std::int64_t* starts, std::size_t documents,
                          double* out) {
    std::size_t at = 0;
    auto go_to = [&](std::size_t end) {
        kernels_.score(state_, frozen_, data + at, end - at, out + at);
        at = end;
    };
    for (std::size_t i = 0; frozen_ && i < documents; ++i) {
        if (starts[i] < static_cast<std::int64_t>(at) || starts[i] > static_cast<std::int64_t>(n))
            throw std::invalid_argument("the starts of documents do not rise within the text");
        go_to(static_cast<std::size_t>(starts[i]));
        state_.rewind();
    }
    go_to(n);
    for (std::size_t i = 0; i < n; ++i) out[i] = std::log(out[i]);
}

void UniversalModel::predict(double* out) const {
    kernels_.predict(state_, out);
    for (int i = 0; i < 256; ++i) out[i] = std::log(out[i]);
}

void UniversalModel::learn(const std::uint8_t* data, std::size_t n) {
    std::vector<double> unused(std::min<std::size_t>(n, 1 << 16));
    for (std::size_t at = 0; at < n; at += unused.size())
        kernels_.score(state_, frozen_, data + at, std::min(unused.size(), n - at), unused.data());
}

void UniversalModel::encode(const std::uint8_t* data, std::size_t n, universal::BitEncoder& coder) {
    kernels_.encode(state_, frozen_, data, n, coder);
}

void UniversalModel::decode(std::uint8_t* data, std::size_t n, universal::BitDecoder& coder) {
    kernels_.decode(state_, frozen_, data, n, coder);
}

std::vector<std::uint8_t> UniversalCoder::encode(const std::uint8_t* data, std::size_t n) {
    universal::BitEncoder coder;
    model_.encode(data, n, coder);
    bits_ += coder.bits();
    coder.finish();
    return std::move(coder.out());
}

std::vector<std::uint8_t> UniversalCoder::decode(const std::uint8_t* coded, std::size_t size, std::size_t n) {
    universal::BitDecoder coder(coded, size);
    std::vector<std::uint8_t> text;
    while (text.size() < n) {  // in steps, so that a damaged size does not allocate memory
        const std::size_t count = std::min(n - text.size(), std::size_t{1} << 12);
        text.resize(text.size() + count);
        model_.decode(text.data() + text.size() - count, count, coder);
        if (coder.beyond() > held) throw UniversalFormatError("the coded bytes end before the text does");
    }
    if (coder.waiting() > 0) throw UniversalFormatError("the coded bytes go on after the text");
    return text;
}

}  // namespace bitmeter
