// The index of a corpus for the substrings of other texts.
#include "overlap/index.hpp"
#include "overlap/search.hpp"

#include "bind/bind.hpp"

namespace {

using bitmeter::OverlapIndex;
using bitmeter::OverlapText;
using Query = Vector<std::uint8_t>;

OverlapText text_of(const OverlapIndex& self, const Query& query, std::int64_t own) {
    if (own < -1 || (own >= 0 && static_cast<std::uint64_t>(own) + query.size() > self.shape().text_bytes))
        throw std::invalid_argument("the text is no part of the corpus");
    return {{query.data(), query.size()}, own < 0 ? bitmeter::overlap_foreign : static_cast<std::uint64_t>(own)};
}

auto py_lengths(const OverlapIndex& self, Query query, std::size_t from, std::size_t to, std::int64_t own, unsigned threads) {
    const OverlapText text = text_of(self, query, own);
    if (from > to || to > query.size()) throw std::invalid_argument("the range lies outside of the text");
    std::vector<std::uint32_t> out(to - from);
    return to_numpy(::query(self, [&] {
        bitmeter::overlap_lengths(self, text, from, to, threads, out.data());
        return std::move(out);
    }));
}

auto py_first(const OverlapIndex& self, Query query, Vector<std::int64_t> places, Vector<std::int64_t> sizes, std::int64_t own) {
    const OverlapText text = text_of(self, query, own);
    if (places.size() != sizes.size()) throw std::invalid_argument("there are not as many sizes as places");
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::int64_t at = places.data()[i], size = sizes.data()[i];
        if (at < 0 || size < 1 || static_cast<std::uint64_t>(at) > query.size() ||
            static_cast<std::uint64_t>(size) > query.size() - static_cast<std::uint64_t>(at))
            throw std::invalid_argument("a match lies outside of the text");
    }
    std::vector<std::int64_t> out(places.size());
    return to_numpy(::query(self, [&] {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<std::int64_t>(bitmeter::overlap_first(
                self, text, static_cast<std::size_t>(places.data()[i]), static_cast<std::size_t>(sizes.data()[i])));
        return std::move(out);
    }));
}

using View = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>;
using Places = nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<1>>;

}  // namespace

void bind_overlap(nb::module_& m) {
    nb::class_<OverlapIndex>(m, "OverlapIndex", "An index of a corpus for the substrings of other texts, mapped.")
        .def_static(
            "open",
            [](const nb::str& path) {
                const std::string name = path_of(path);
                return without_lock([&] { return OverlapIndex::open(name); });
            },
            "path"_a, "A file, all of which is held against its checksum.")
        .def_prop_ro("documents", [](const OverlapIndex& self) { return self.shape().documents; })
        .def_prop_ro("parts", [](const OverlapIndex& self) { return self.shape().parts; })
        .def_prop_ro("longest", [](const OverlapIndex& self) { return self.shape().longest; }, "The most bytes of a match.")
        .def_prop_ro("metadata",
                     [](const OverlapIndex& self) { return nb::bytes(self.metadata().data(), self.metadata().size()); })
        .def_prop_ro(
            "text",
            [](nb::handle_t<OverlapIndex> self) {
                const auto text = nb::cast<const OverlapIndex&>(self).text();
                return View(text.data, {text.size}, nb::borrow(self));
            },
            "The bytes of the corpus, with a separator behind each document.")
        .def_prop_ro(
            "ends",
            [](nb::handle_t<OverlapIndex> self) {
                const auto& index = nb::cast<const OverlapIndex&>(self);
                return Places(index.ends(), {index.shape().documents}, nb::borrow(self));
            },
            "Where the separators stand.")
        .def("lengths", &py_lengths, "text"_a, "first"_a, "last"_a, "own"_a = -1, "threads"_a = 1,
             "The longest match at each byte of text[first:last].")
        .def("first", &py_first, "text"_a, "places"_a, "sizes"_a, "own"_a = -1,
             "The first place in the corpus of each match; -1 if it has none.");
    m.def(
        "overlap_seal",
        [](const nb::str& path, std::uint64_t text, std::uint64_t documents, std::uint64_t parts, std::uint64_t longest,
           std::uint64_t metadata) {
            const std::string name = path_of(path);
            const auto header = without_lock(
                [&] { return bitmeter::overlap_seal(name, {text, documents, parts, longest, metadata}); });
            return nb::bytes(reinterpret_cast<const char*>(header.data()), header.size());
        },
        "path"_a, "text"_a, "documents"_a, "parts"_a, "longest"_a, "metadata"_a,
        "The header of an index whose sections have been written.");
    m.attr("OVERLAP_MAGIC") = nb::bytes(bitmeter::overlap_magic, sizeof bitmeter::overlap_magic - 1);
    m.attr("OVERLAP_HEADER") = bitmeter::overlap_header;
    m.attr("OVERLAP_ALIGNMENT") = bitmeter::overlap_alignment;
    m.attr("OVERLAP_ROW") = bitmeter::overlap_row;
}
