#include "ngram_compact.hpp"
#include "ngram_pack.hpp"

#include "bind.hpp"
#include "units.hpp"

namespace {

// ---- the compact form of n-gram models -------------------------------------------------------------------------------

using bitmeter::CompactNgram;
using bitmeter::NgramModel;
using bitmeter::NgramPacker;

auto py_logprobs(const CompactNgram& model, Vector<std::int64_t> ids, Vector<std::int64_t> bounds,
                 Vector<std::int64_t> before, bool unknown_class, unsigned threads) {
    if (bounds.size() == 0 || bounds.data()[0] != 0 || !bitmeter::ends_fit({bounds.data(), bounds.size()}, ids.size()))
        throw std::invalid_argument("bounds must ascend from 0 to the number of ids");
    std::vector<double> out(ids.size());
    without_lock([&] {
        bitmeter::ngram_logprobs(model, {ids.data(), bounds.data(), bounds.size() - 1, before.data(), before.size()},
                                 unknown_class, out.data(), threads);
    });
    return to_numpy(std::move(out));
}

auto py_predict(const CompactNgram& model, Vector<std::int64_t> history) {
    std::vector<double> out(model.words());
    without_lock([&] { bitmeter::ngram_predict(model, history.data(), history.size(), out.data()); });
    return to_numpy(std::move(out));
}

void bind_packer(nb::module_& m) {
    nb::class_<NgramPacker>(m, "NgramPacker", "Rounds the figures of a model, and packs it.")
        .def(
            "__init__",
            [](NgramPacker* self, const NgramModel& model, unsigned logprob_bits, unsigned backoff_bits, unsigned threads) {
                for (unsigned bits : {logprob_bits, backoff_bits})
                    if (bits < bitmeter::least_figure_bits || bits > bitmeter::most_figure_bits)
                        throw std::invalid_argument("figures have 2 to 16 bits");
                without_lock([&] { new (self) NgramPacker(model, logprob_bits, backoff_bits, threads); });
            },
            "model"_a, "logprob_bits"_a, "backoff_bits"_a, "threads"_a = 0, nb::keep_alive<1, 2>())
        .def(
            "pack", [](const NgramPacker& self, const std::string& note) { return without_lock([&] { return self.pack(note); }); },
            "note"_a)
        .def_prop_ro("least_sum", &NgramPacker::least_sum, "Of the predictions after a history that sum to one before.")
        .def_prop_ro("greatest_sum", &NgramPacker::greatest_sum)
        .def_prop_ro("unsummed", &NgramPacker::unsummed, "Histories that do not sum to one before.");
}

}  // namespace

void bind_compact(nb::module_& m) {
    nb::class_<CompactNgram>(m, "CompactNgram", "An n-gram model in its compact form.")
        .def_static(
            "open",
            [](const std::string& path) {
                return without_lock([&] { return std::make_unique<CompactNgram>(bitmeter::PageBlock::file(path)); });
            },
            "path"_a)
        .def_prop_ro("order", &CompactNgram::order)
        .def_prop_ro("words", &CompactNgram::words)
        .def_prop_ro("counts",
                     [](const CompactNgram& self) {
                         return std::vector<std::uint64_t>(self.shape().counts, self.shape().counts + self.order());
                     })
        .def_prop_ro("bits", [](const CompactNgram& self) {
            return std::make_pair(self.shape().logprob_bits, self.shape().backoff_bits);
        }, "Of a probability and of a back-off.")
        .def_prop_ro("note", [](const CompactNgram& self) { return nb::bytes(self.note().data(), self.note().size()); })
        .def(
            "word",
            [](const CompactNgram& self, std::uint32_t number) {
                const auto word = self.word(number);
                return nb::bytes(word.data, word.size);
            },
            "number"_a)
        .def(
            "unit_ids",
            [](const CompactNgram& self, const std::string& kind, std::int64_t ids, std::int64_t end_unit) {
                const auto rules = unit_rules(kind, ids, end_unit, true);
                return to_numpy(without_lock([&] { return bitmeter::unit_ids(self, rules); }));
            },
            "kind"_a, "ids"_a, "end_unit"_a, "The id of each word, -1 for those that are none.")
        .def("fingerprint", &CompactNgram::fingerprint, "The checksum of all but its header.")
        .def_prop_ro(
            "has_section", [](const CompactNgram& self) { return self.section().size > 0; },
            "Whether what its words are spelled like follows it in its file.")
        .def(
            "attach",
            [](CompactNgram& self, const nb::bytes& section) {
                const auto bytes = view(section);
                self.attach({bytes.data, bytes.data + bytes.size});
            },
            "section"_a)
        .def("verify", [](const CompactNgram& self) { without_lock([&] { self.verify(); }); })
        .def(
            "save", [](const CompactNgram& self, const std::string& path) { without_lock([&] { self.save(path); }); },
            "path"_a)
        .def(
            "expanded",
            [](const CompactNgram& self, unsigned threads) { return without_lock([&] { return self.expanded(threads); }); },
            "threads"_a = 0, "The same model in the fast form.")
        .def("logprobs", &py_logprobs, "ids"_a, "bounds"_a, "before"_a, "unknown_class"_a, "threads"_a = 0,
             "ln p of each word given those before it in its document.")
        .def("predict", &py_predict, "history"_a, "ln p of every word after this history.");
    m.attr("COMPACT_MAGIC") = nb::bytes(bitmeter::compact_magic, sizeof bitmeter::compact_magic);
    bind_packer(m);
}
