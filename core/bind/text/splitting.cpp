#include "text/split.hpp"
#include "util/sum.hpp"

#include "bind/bind.hpp"

namespace {

// ---- splitting text --------------------------------------------------------------------------------------------------

/// The ends of all documents of a block, checked.
bitmeter::Ends checked(const Vector<std::int64_t>& ends, std::size_t size) {
    bitmeter::Ends result{ends.data(), ends.size()};
    if (!bitmeter::ends_fit(result, size)) throw std::invalid_argument("ends must ascend to the size of the data");
    return result;
}

/// Spans inside of the data, checked.
void check_spans(const Vector<std::int64_t>& starts, const Vector<std::int64_t>& stops, std::size_t size) {
    if (starts.size() != stops.size()) throw std::invalid_argument("spans: starts and stops have different lengths");
    for (std::size_t i = 0; i < starts.size(); ++i)
        if (starts.data()[i] < 0 || stops.data()[i] < starts.data()[i] || stops.data()[i] > static_cast<std::int64_t>(size))
            throw std::invalid_argument("spans must lie inside of the data");
}

/// Calls number(word) for each span; the results as an array.
template <class Number>
NewVector<std::int64_t> number_spans(const nb::bytes& data, const Vector<std::int64_t>& starts,
                                     const Vector<std::int64_t>& stops, Number&& number) {
    check_spans(starts, stops, data.size());
    std::vector<std::int64_t> ids(starts.size());
    without_lock([&] {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const std::int64_t from = starts.data()[i];
            ids[i] = number(bitmeter::Bytes{view(data).data + from, static_cast<std::size_t>(stops.data()[i] - from)});
        }
    });
    return to_numpy(std::move(ids));
}

auto py_split_chars(const nb::bytes& data, Vector<std::int64_t> ends) {
    auto fit = checked(ends, data.size());
    auto found = without_lock([&] { return bitmeter::split_chars(view(data), fit); });
    return std::make_tuple(to_numpy(std::move(found.ids)), to_numpy(std::move(found.cuts)), to_numpy(std::move(found.bounds)));
}

auto py_split_words(const nb::bytes& data, Vector<std::int64_t> ends, const nb::bytes& separators,
                    const bitmeter::WordTable* table) {
    auto fit = checked(ends, data.size());
    bitmeter::Separators between(characters(separators));
    auto found = without_lock([&] { return bitmeter::split_words(view(data), fit, between, table); });
    return std::make_tuple(to_numpy(std::move(found.ids)), to_numpy(std::move(found.cuts)), to_numpy(std::move(found.bounds)));
}

auto py_trim(const nb::bytes& data, Vector<std::int64_t> cuts, const nb::bytes& separators) {
    if (cuts.size() == 0 || cuts.data()[0] != 0 || !bitmeter::ends_fit({cuts.data(), cuts.size()}, data.size()))
        throw std::invalid_argument("cuts must ascend from 0 to the size of the data");
    bitmeter::Separators between(characters(separators));
    auto found = without_lock([&] { return bitmeter::trim(view(data), cuts.data(), cuts.size() - 1, between); });
    return std::make_tuple(to_numpy(std::move(found.starts)), to_numpy(std::move(found.stops)));
}

auto py_feed_counts(bitmeter::TextCounts& self, const nb::bytes& data, Vector<std::int64_t> ends) {
    const std::int64_t last = ends.size() ? ends.data()[ends.size() - 1] : 0;
    if (last > static_cast<std::int64_t>(data.size()) || !bitmeter::ends_fit({ends.data(), ends.size()}, static_cast<std::size_t>(last < 0 ? 0 : last)))
        throw std::invalid_argument("ends must ascend within the data");
    auto found = without_lock([&] { return self.feed(view(data), {ends.data(), ends.size()}); });
    return std::make_tuple(to_numpy(std::move(found.chars)), to_numpy(std::move(found.invalid)), to_numpy(std::move(found.words)));
}

}  // namespace

void bind_splitting(nb::module_& m) {
    using bitmeter::Paragraphs;
    using bitmeter::TextCounts;
    using bitmeter::WordTable;
    nb::class_<WordTable>(m, "WordTable", "Words and their ids, from zero.")
        .def(nb::init<>())
        .def("__len__", &WordTable::size)
        .def(
            "add",
            [](WordTable& self, const nb::bytes& data, Vector<std::int64_t> starts, Vector<std::int64_t> stops) {
                return number_spans(data, starts, stops, [&](bitmeter::Bytes word) { return self.add(word); });
            },
            "data"_a, "starts"_a, "stops"_a, "The id of each span's bytes; new ones get the next ids.")
        .def(
            "find",
            [](const WordTable& self, const nb::bytes& data, Vector<std::int64_t> starts, Vector<std::int64_t> stops) {
                return number_spans(data, starts, stops, [&](bitmeter::Bytes word) { return self.find(word); });
            },
            "data"_a, "starts"_a, "stops"_a, "The id of each span's bytes, -1 where there is none.");
    nb::class_<TextCounts>(m, "TextCounts", "Counts characters and words of a text that comes block by block.")
        .def("__init__", [](TextCounts* self, const nb::bytes& separators) { new (self) TextCounts(characters(separators)); },
             "separators"_a)
        .def("feed", &py_feed_counts, "data"_a, "ends"_a,
             "(chars, invalid, words) of each document that ends here, and of what follows the last end.")
        .def(
            "take",
            [](TextCounts& self, const nb::bytes& document) {
                const auto end = static_cast<std::int64_t>(document.size());
                self.feed(view(document), {&end, 1});
            },
            "document"_a, "Count a whole document.")
        .def("finish", &TextCounts::finish, "End the open document; how many invalid bytes it ended in.")
        .def_ro("bytes", &TextCounts::bytes)
        .def_ro("chars", &TextCounts::chars)
        .def_ro("invalid", &TextCounts::invalid)
        .def_ro("words", &TextCounts::words);
    nb::class_<Paragraphs>(m, "Paragraphs", "Finds paragraphs in a text that comes block by block.")
        .def(nb::init<>())
        .def(
            "feed",
            [](Paragraphs& self, const nb::bytes& data) {
                return to_numpy(without_lock([&] { return self.feed(view(data)); }));
            },
            "data"_a, "The ends that this block decides, as offsets into the whole text.")
        .def_prop_ro("decided", &Paragraphs::decided);
    m.def("split_chars", &py_split_chars, "data"_a, "ends"_a, "(ids, cuts, bounds) of the characters.");
    m.def("split_words", &py_split_words, "data"_a, "ends"_a, "separators"_a, "table"_a = nb::none(),
          "(ids, cuts, bounds) of the words.");
    m.def("trim", &py_trim, "data"_a, "cuts"_a, "separators"_a, "(starts, stops) of each unit without separators around it.");
    m.def("chars_cut", [](const nb::bytes& data) { return bitmeter::chars_cut(view(data)); }, "data"_a,
          "How many bytes of an unfinished document are whole characters.");
    m.def(
        "words_cut",
        [](const nb::bytes& data, const nb::bytes& separators) {
            return bitmeter::words_cut(view(data), bitmeter::Separators(characters(separators)));
        },
        "data"_a, "separators"_a, "How many bytes of an unfinished document are whole words.");
    m.def(
        "hash_spans",
        [](const nb::bytes& data, Vector<std::int64_t> starts, Vector<std::int64_t> stops) {
            return number_spans(data, starts, stops, [](bitmeter::Bytes word) { return bitmeter::hash_word(word); });
        },
        "data"_a, "starts"_a, "stops"_a, "63 bits of hash of each span's bytes.");
    m.def(
        "line_ends", [](const nb::bytes& data) { return to_numpy(without_lock([&] { return bitmeter::line_ends(view(data)); })); },
        "data"_a, "The offset after each newline.");
}
