#include "ngram/format/compact.hpp"
#include "ngram/openvocab/spelling.hpp"

#include "bind/bind.hpp"

namespace {

using bitmeter::GapCounts;
using bitmeter::GapPlace;
using bitmeter::Spelling;

GapPlace place_of(const std::string& name) {
    static constexpr const char* names[bitmeter::gap_places] = {"lead", "between", "tail", "blank"};
    for (unsigned i = 0; i < bitmeter::gap_places; ++i)
        if (name == names[i]) return static_cast<GapPlace>(i);
    throw std::invalid_argument("place must be lead, between, tail or blank");
}

void check_bounds(const Vector<std::int64_t>& bounds, std::size_t size, const char* message) {
    if (bounds.size() == 0 || bounds.data()[0] != 0 || !bitmeter::ends_fit({bounds.data(), bounds.size()}, size))
        throw std::invalid_argument(message);
}

auto py_expand(const Spelling& self, const nb::bytes& data, Vector<std::int64_t> ids, Vector<std::int64_t> cuts,
               Vector<std::int64_t> bounds, std::size_t words, bool continues, bool open) {
    check_bounds(bounds, ids.size(), "bounds must ascend from 0 to the number of ids");
    check_bounds(cuts, data.size(), "cuts must ascend from 0 to the size of the data");
    if (cuts.size() != ids.size() + 1) throw std::invalid_argument("cuts must be one more than ids");
    auto found = without_lock([&] {
        return bitmeter::spelled_text(self, {view(data), ids.data(), cuts.data(), bounds.data(), ids.size(),
                                             bounds.size() - 1, words, continues, open});
    });
    return std::make_tuple(to_numpy(std::move(found.ids)), to_numpy(std::move(found.bounds)),
                           to_numpy(std::move(found.owner)), to_numpy(std::move(found.extra)));
}

auto py_predict(const Spelling& self, const nb::bytes& prefix) {
    std::vector<double> out(Spelling::symbols);
    Spelling::Place place;
    for (std::size_t i = 0; i < prefix.size(); ++i) self.push(place, view(prefix).data[i]);
    self.predict(place, out.data());
    return to_numpy(std::move(out));
}

auto py_predict_gap(const Spelling& self, int last) {
    std::vector<double> out(Spelling::symbols);
    self.predict_gap(last, out.data());
    return to_numpy(std::move(out));
}

auto py_gaps(const Spelling& self, const std::string& place) {
    std::vector<std::tuple<nb::bytes, double>> result;
    for (const auto& gap : self.gaps(place_of(place)))
        result.emplace_back(nb::bytes(gap.bytes.data(), gap.bytes.size()), gap.p);
    return result;
}

template <class Model>
Spelling read_section(const Model& model) {
    return query(model, [&] { return Spelling(model.section()); });
}

template <class Model>
void check_section(const Model& model) {
    query(model, [&] { Spelling::check(model.section()); });
}

}  // namespace

void bind_spelling(nb::module_& m) {
    nb::class_<GapCounts>(m, "GapCounts", "Counts the white space of a text that comes block by block.")
        .def(
            "__init__",
            [](GapCounts* self, const nb::bytes& separators, bool lines) {
                new (self) GapCounts(characters(separators), lines);
            },
            "separators"_a, "lines"_a)
        .def(
            "feed",
            [](GapCounts& self, const nb::bytes& data, Vector<std::int64_t> ends) {
                const std::int64_t last = ends.size() ? ends.data()[ends.size() - 1] : 0;
                if (last < 0 || last > static_cast<std::int64_t>(data.size()) ||
                    !bitmeter::ends_fit({ends.data(), ends.size()}, static_cast<std::size_t>(last)))
                    throw std::invalid_argument("ends must ascend within the data");
                without_lock([&] { self.feed(view(data), {ends.data(), ends.size()}); });
            },
            "data"_a, "ends"_a)
        .def(
            "counted",
            [](GapCounts& self) {
                self.finish();
                nb::list places;
                for (std::size_t p = 0; p < bitmeter::gap_places; ++p) {
                    const auto place = static_cast<bitmeter::GapPlace>(p);
                    nb::list gaps;
                    for (const auto& [gap, count] : self.counts(place))
                        gaps.append(nb::make_tuple(nb::bytes(gap.data(), gap.size()), count));
                    places.append(nb::make_tuple(gaps, self.overlong(place)));
                }
                return nb::make_tuple(self.ended(), self.unended(), places);
            },
            nb::sig("def counted(self) -> tuple[int, int, list[tuple[list[tuple[bytes, int]], int]]]"),
            "Ends of lines, documents without one, and the gaps of each place: their counts, and how many were too long.")
        .def(
            "add",
            [](GapCounts& self, std::uint64_t ended, std::uint64_t unended,
               const std::vector<std::pair<std::vector<std::pair<nb::bytes, std::uint64_t>>, std::uint64_t>>& places) {
                if (places.size() != bitmeter::gap_places) throw std::invalid_argument("gaps: there are four places");
                self.add_ends(ended, unended);
                for (std::size_t p = 0; p < places.size(); ++p) {
                    const auto place = static_cast<bitmeter::GapPlace>(p);
                    self.add(place, places[p].second);
                    for (const auto& [gap, count] : places[p].first)
                        self.add(place, std::string(gap.c_str(), gap.size()), count);
                }
            },
            "ended"_a, "unended"_a, "places"_a, "Add what another counted in its part of the text.")
        .def(
            "section",
            [](GapCounts& self, const bitmeter::NgramModel& letters) {
                const auto made = without_lock([&] {
                    self.finish();
                    return Spelling::section(self, letters);
                });
                return nb::bytes(made.data(), made.size());
            },
            "letters"_a, "What goes into a model's file.");
    nb::class_<Spelling>(m, "Spelling", "What unknown words and white space cost.")
        .def(
            "__init__",
            [](Spelling* self, const bitmeter::NgramModel& model) { new (self) Spelling(read_section(model)); }, "model"_a)
        .def(
            "__init__",
            [](Spelling* self, const bitmeter::CompactNgram& model) { new (self) Spelling(read_section(model)); },
            "model"_a)
        .def_static("check", &check_section<bitmeter::NgramModel>, "model"_a,
                    "Raises where what follows the model in its file is not this, or its checksum is wrong.")
        .def_static("check", &check_section<bitmeter::CompactNgram>, "model"_a)
        .def_prop_ro("lines", &Spelling::lines, "Whether a newline ends a sentence.")
        .def("fingerprint", &Spelling::fingerprint)
        .def("expand", &py_expand, "data"_a, "ids"_a, "cuts"_a, "bounds"_a, "words"_a, "continues"_a, "open"_a,
             "(ids, bounds, owner, extra): what the n-gram model must score, who pays for it, and what else is paid.")
        .def("word", [](const Spelling& self, const nb::bytes& word) { return self.word(view(word)); }, "word"_a,
             "ln p of a word's bytes and their end.")
        .def("predict", &py_predict, "prefix"_a, "The probability of each byte after a prefix, and of the end.")
        .def("gap", [](const Spelling& self, const std::string& place,
                       const nb::bytes& gap) { return self.gap(place_of(place), view(gap)); },
             "place"_a, "gap"_a, "ln p of white space: lead, between, tail or blank.")
        .def("gaps", &py_gaps, "place"_a, "What the table of a place holds, with its probability.")
        .def("escape", [](const Spelling& self, const std::string& place) { return self.escape(place_of(place)); },
             "place"_a)
        .def("predict_gap", &py_predict_gap, "last"_a, "The probability of each byte of new white space after a byte.")
        .def_prop_ro("newline", &Spelling::newline)
        .def_prop_ro("no_newline", &Spelling::no_newline);
}
