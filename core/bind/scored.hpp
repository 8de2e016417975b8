// What the bindings of scoring over bytes share.
#pragma once

#include "bind/bind.hpp"
#include "ngram/query/score.hpp"

/// Moves an array into a numpy array without a copy.
template <class T>
NewVector<T> given(bitmeter::Array<T>&& values) {
    const std::size_t size = values.size();
    T* data = values.release();
    nb::capsule guard(data, [](void* p) noexcept { std::free(p); });
    return NewVector<T>(data, {size}, guard);
}

inline bitmeter::NgramBytes text_of(const nb::bytes& data, const Vector<std::int64_t>& ends, std::size_t finished,
                             const Vector<std::int64_t>& before) {
    if (!bitmeter::ends_fit({ends.data(), ends.size()}, data.size()))
        throw std::invalid_argument("ends must ascend to the size of the data");
    return {view(data), {ends.data(), ends.size()}, finished, before.data(), before.size()};
}

inline bitmeter::NgramEnds ends_of(const std::string& name) {
    if (name == "no") return bitmeter::NgramEnds::none;
    if (name == "yes") return bitmeter::NgramEnds::all;
    if (name == "nonblank") return bitmeter::NgramEnds::nonblank;
    throw std::invalid_argument("eos must be no, yes or nonblank");
}
