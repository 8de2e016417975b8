// Columns of strings of other packages, without copying them: the C data interface of Arrow, by which pyarrow, polars,
// DuckDB and others hand out their memory, and which asks for none of them to be installed.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bind/bind.hpp"

namespace arrow {

// The three structures of the interface, whose layout its specification fixes.
struct Schema {
    const char *format, *name, *metadata;
    std::int64_t flags, n_children;
    Schema** children;
    Schema* dictionary;
    void (*release)(Schema*);
    void* private_data;
};

struct Array {
    std::int64_t length, null_count, offset, n_buffers, n_children;
    const void** buffers;
    Array** children;
    Array* dictionary;
    void (*release)(Array*);
    void* private_data;
};

struct Stream {
    int (*get_schema)(Stream*, Schema*);
    int (*get_next)(Stream*, Array*);
    const char* (*get_last_error)(Stream*);
    void (*release)(Stream*);
    void* private_data;
};

/// A structure that is released at the end.
template <class T>
struct Owned : T {
    Owned() : T{} {}
    Owned(Owned&& other) noexcept : T(other) { other.release = nullptr; }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
        if (this->release) this->release(this);
    }
};

/// The strings of a column, as views of its memory.
class Texts {
public:
    /// Whether the object hands out its memory by the interface.
    static bool are(nb::handle object) {
        return nb::hasattr(object, "__arrow_c_stream__") || nb::hasattr(object, "__arrow_c_array__");
    }

    /// Throws std::invalid_argument where they are no strings.
    explicit Texts(nb::handle object) {
        if (nb::hasattr(object, "__arrow_c_stream__")) {
            const nb::object capsule = object.attr("__arrow_c_stream__")();
            auto* stream = static_cast<Stream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
            if (!stream) throw nb::python_error();
            Owned<Schema> schema;
            if (stream->get_schema(stream, &schema) != 0) fail(stream);
            for (;;) {
                Owned<Array> part;
                if (stream->get_next(stream, &part) != 0) fail(stream);
                if (!part.release) break;
                add(schema, part);
                parts_.push_back(std::move(part));
            }
        } else {
            const nb::tuple both = nb::cast<nb::tuple>(object.attr("__arrow_c_array__")());
            auto* schema = static_cast<Schema*>(PyCapsule_GetPointer(both[0].ptr(), "arrow_schema"));
            auto* whole = schema ? static_cast<Array*>(PyCapsule_GetPointer(both[1].ptr(), "arrow_array")) : nullptr;
            if (!whole) throw nb::python_error();
            kept_ = both;
            add(*schema, *whole);
        }
    }

    std::vector<bitmeter::Bytes>& views() { return views_; }
    /// The first that is null; -1 if none is.
    std::int64_t null() const { return null_; }

private:
    [[noreturn]] static void fail(Stream* stream) {
        const char* said = stream->get_last_error ? stream->get_last_error(stream) : nullptr;
        throw std::invalid_argument(std::string("the column could not be read: ") + (said ? said : "no reason was given"));
    }

    void add(const Schema& schema, const Array& part) {
        const std::string kind = schema.format ? schema.format : "";
        const auto first = static_cast<std::size_t>(part.offset), size = static_cast<std::size_t>(part.length);
        const auto* valid = static_cast<const std::uint8_t*>(part.n_buffers > 0 ? part.buffers[0] : nullptr);
        const std::size_t before = views_.size();
        for (std::size_t i = 0; valid && part.null_count != 0 && null_ < 0 && i < size; ++i)
            if (!(valid[(first + i) / 8] >> ((first + i) % 8) & 1)) null_ = static_cast<std::int64_t>(before + i);
        if (kind == "u" || kind == "z") return between<std::int32_t>(part, first, size);
        if (kind == "U" || kind == "Z") return between<std::int64_t>(part, first, size);
        if (kind == "vu" || kind == "vz") return viewed(part, first, size);
        throw std::invalid_argument("the column holds no strings (its Arrow format is '" + kind + "')");
    }

    template <class Offset>
    void between(const Array& part, std::size_t first, std::size_t size) {
        const auto* offsets = static_cast<const Offset*>(part.buffers[1]);
        const auto* data = static_cast<const std::uint8_t*>(part.buffers[2]);
        for (std::size_t i = first; i < first + size; ++i)
            views_.push_back({data + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])});
    }

    /// Views: sixteen bytes each, which hold a short string themselves.
    void viewed(const Array& part, std::size_t first, std::size_t size) {
        const auto* records = static_cast<const std::uint8_t*>(part.buffers[1]) + 16 * first;
        for (std::size_t i = 0; i < size; ++i, records += 16) {
            std::int32_t length = 0, buffer = 0, offset = 0;
            std::memcpy(&length, records, 4);
            std::memcpy(&buffer, records + 8, 4);
            std::memcpy(&offset, records + 12, 4);
            const auto* data = length <= 12 ? records + 4 : static_cast<const std::uint8_t*>(part.buffers[2 + buffer]) + offset;
            views_.push_back({data, static_cast<std::size_t>(length)});
        }
    }

    std::vector<Owned<Array>> parts_;
    nb::object kept_;
    std::vector<bitmeter::Bytes> views_;
    std::int64_t null_ = -1;
};

}  // namespace arrow
