// Shared by the bindings, the only part of the core that knows Python: they check shapes, release the GIL, call the core
// and return arrays. The Python callers check values.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "text/split.hpp"

namespace nb = nanobind;
using namespace nb::literals;


template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// Moves a vector into a numpy array without a copy.
template <class T>
NewVector<T> to_numpy(std::vector<T>&& values) {
    auto* owner = new std::vector<T>(std::move(values));
    nb::capsule guard(owner, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return NewVector<T>(owner->data(), {owner->size()}, guard);
}

template <class Run>
auto without_lock(Run&& run) {
    nb::gil_scoped_release release;
    return run();
}

/// Figures of a model whose file others may cut or change: none is returned, and no error about what was read, unless the
/// file is as it was when it was opened. `rarely` is for queries that take less time than asking the system.
template <class Model, class Run>
auto confirmed(const Model& model, Run&& run, bool rarely = false) {
    try {
        if constexpr (std::is_void_v<decltype(run())>) {
            run();
            model.confirm(rarely);
        } else {
            auto result = run();
            model.confirm(rarely);
            return result;
        }
    } catch (const nb::python_error&) {
        throw;
    } catch (...) {
        model.confirm();
        throw;
    }
}

/// The same without the lock.
template <class Model, class Run>
auto query(const Model& model, Run&& run) {
    return without_lock([&] { return confirmed(model, run); });
}

/// A path as the core takes it: any that the system has, also names that are not UTF-8.
inline std::string path_of(const nb::str& path) {
    PyObject* const encoded = PyUnicode_EncodeFSDefault(path.ptr());
    if (!encoded) throw nb::python_error();
    const auto bytes = nb::steal<nb::bytes>(encoded);
    return {bytes.c_str(), bytes.size()};
}

inline bitmeter::Bytes view(const nb::bytes& data) { return {static_cast<const std::uint8_t*>(data.data()), data.size()}; }

inline std::string_view characters(const nb::bytes& data) { return {data.c_str(), data.size()}; }

// One for each file of this folder.
void bind_errors(nb::module_& m);
void bind_cpu(nb::module_& m);
void bind_sums(nb::module_& m);
void bind_spread(nb::module_& m);
void bind_repeats(nb::module_& m);
void bind_processes(nb::module_& m);
void bind_splitting(nb::module_& m);
void bind_normalising(nb::module_& m);
void bind_pieces(nb::module_& m);
void bind_records(nb::module_& m);
void bind_tokens(nb::module_& m);
void bind_ngrams(nb::module_& m);
void bind_ngram_slices(nb::module_& m);
void bind_spelling(nb::module_& m);
void bind_caches(nb::module_& m);
void bind_coding(nb::module_& m);
void bind_networks(nb::module_& m);
void bind_scoring(nb::module_& m);
void bind_universal(nb::module_& m);
void bind_compact(nb::module_& m);
void bind_kenlm(nb::module_& m);
void bind_kenlm_module(nb::module_& m);
void bind_overlap(nb::module_& m);
