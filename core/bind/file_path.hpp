// The name of a file: a str of Python, in which bytes that are not UTF-8 are surrogates (PEP 383), as the bytes that the
// system knows. The caster of std::string refuses such a str.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

struct FilePath {
    std::string name;
    operator const std::string&() const { return name; }
};

template <>
struct nanobind::detail::type_caster<FilePath> {
    NB_TYPE_CASTER(FilePath, const_name("str"))

    bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
        if (!PyUnicode_Check(source.ptr())) return false;
        PyObject* found = nullptr;
        if (!PyUnicode_FSConverter(source.ptr(), &found)) {
            PyErr_Clear();
            return false;
        }
        const auto encoded = steal<bytes>(found);
        value.name.assign(encoded.c_str(), encoded.size());
        return true;
    }
};
