#include "text/normalise/normalise.hpp"
#include "text/normalise/unicode.hpp"

#include "bind/bind.hpp"

namespace {

using bitmeter::normalise::Normaliser;
using bitmeter::normalise::Output;
using bitmeter::normalise::Stream;

auto feed(Stream& stream, const nb::bytes& data, const Vector<std::int64_t>& ends) {
    const std::int64_t last = ends.size() ? ends.data()[ends.size() - 1] : 0;
    const bitmeter::Ends found{ends.data(), ends.size()};
    if (last < 0 || last > static_cast<std::int64_t>(data.size()) || !bitmeter::ends_fit(found, static_cast<std::size_t>(last)))
        throw std::invalid_argument("ends must ascend within the data");
    Output out;
    std::vector<std::int64_t> changed;
    without_lock([&] { stream.feed(view(data), found, out, changed); });
    return std::make_tuple(nb::bytes(out.view().data(), out.size()), to_numpy(std::move(changed)));
}

}  // namespace

void bind_normalising(nb::module_& m) {
    nb::class_<Normaliser>(m, "Normaliser", "A text normaliser by name: ccnet, edugp, roots or datatrove.")
        .def("__init__", [](Normaliser* self, const std::string& name) { new (self) Normaliser(Normaliser::named(name)); },
             "name"_a)
        .def(
            "documents",
            [](const Normaliser& self, const nb::bytes& data, Vector<std::int64_t> ends) {
                if (!bitmeter::ends_fit({ends.data(), ends.size()}, data.size()))
                    throw std::invalid_argument("ends must ascend to the size of the data");
                Stream stream(self);
                return feed(stream, data, ends);
            },
            "data"_a, "ends"_a, "(data, ends) of whole documents, each changed by itself.");
    nb::class_<Stream>(m, "NormaliserStream", "Changes documents that arrive in blocks, which may cut them anywhere.")
        .def(nb::init<const Normaliser&>(), "normaliser"_a, nb::keep_alive<1, 2>())
        .def("feed", &feed, "data"_a, "ends"_a,
             "(data, ends) of the documents that end here, and what is decided of the one that goes on.");
    m.attr("UNICODE_VERSION") = bitmeter::normalise::unicode_version();
}
