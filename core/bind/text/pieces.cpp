#include "text/pieces/encoder.hpp"
#include "text/tokens/encoder.hpp"

#include "bind/bind.hpp"

namespace {

using bitmeter::PieceEncoder;
using bitmeter::TextEncoder;

auto py_split(const TextEncoder& self, const nb::bytes& data, Vector<std::int64_t> ends, unsigned threads) {
    if (!bitmeter::ends_fit({ends.data(), ends.size()}, data.size()))
        throw std::invalid_argument("ends must ascend to the size of the data");
    auto found = without_lock(
        [&] { return bitmeter::split_pieces(self, view(data), {ends.data(), ends.size()}, threads); });
    return std::make_tuple(to_numpy(std::move(found.ids)), to_numpy(std::move(found.cuts)),
                           to_numpy(std::move(found.bounds)), found.lossy);
}

nb::list py_tokens(const TextEncoder& self) {
    nb::list result;
    for (std::size_t i = 0; i < self.size(); ++i)
        if (self.has_token(i))
            result.append(nb::bytes(self.token(i).data(), self.token(i).size()));
        else
            result.append(nb::none());
    return result;
}

/// The library knows pieces as text, and so does a file of words.
nb::str text_of(const std::string& piece) { return nb::steal<nb::str>(PyUnicode_DecodeUTF8(piece.data(), static_cast<Py_ssize_t>(piece.size()), "replace")); }

nb::list py_pieces(const PieceEncoder& self) {
    nb::list result;
    for (std::size_t i = 0; i < self.size(); ++i) result.append(text_of(self.piece(i).text));
    return result;
}

nb::list py_written(const PieceEncoder& self, const nb::bytes& document) {
    const auto found = without_lock([&] { return self.written(view(document)); });
    nb::list result;
    for (const auto& piece : found) result.append(text_of(piece));
    return result;
}

}  // namespace

void bind_pieces(nb::module_& m) {
    nb::class_<TextEncoder>(m, "TextEncoder", "Splits texts into the ids of a vocabulary.")
        .def("__len__", &TextEncoder::size)
        .def("tokens", &py_tokens, nb::sig("def tokens(self) -> list[bytes | None]"),
             "The bytes of each id; None for one that stands for no bytes.")
        .def("split", &py_split, "data"_a, "ends"_a, "threads"_a = 1,
             "(ids, cuts, bounds, how many bytes are in documents that the ids do not give back).");
    nb::class_<PieceEncoder, TextEncoder>(m, "PieceEncoder", "The pieces of a SentencePiece model.")
        .def(
            "__init__",
            [](PieceEncoder* self, const nb::bytes& data) {
                without_lock([&] { new (self) PieceEncoder(bitmeter::read_pieces(view(data))); });
            },
            "data"_a, "From the bytes of a .model file.")
        .def_prop_ro("begin_mark", &PieceEncoder::begin_mark)
        .def_prop_ro("end_mark", &PieceEncoder::end_mark)
        .def("pieces", &py_pieces, nb::sig("def pieces(self) -> list[str]"), "The pieces as they are written in the file.")
        .def("written", &py_written, "document"_a, nb::sig("def written(self, document: bytes) -> list[str]"),
             "The pieces of a document as they are written; what has no piece in its own characters.");
    m.def(
        "tokenizer_encoder",
        [](const nb::bytes& data, bool special) {
            return without_lock([&] {
                const bitmeter::TokenizerFile file = bitmeter::read_tokenizer(view(data));
                bool any = false;
                for (const auto& token : file.added) any = any || token.special;
                return std::make_pair(bitmeter::make_encoder(file, special), any);
            });
        },
        "data"_a, "special"_a,
        "What splits by the bytes of a tokenizer.json, and whether it has special tokens; with `special` their names in a text "
        "are those tokens.");
}
