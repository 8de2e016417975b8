// Bindings that both forms of an n-gram model share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bind/bind.hpp"
#include "bind/units.hpp"
#include "ngram/kenlm/query.hpp"
#include "ngram/query/query.hpp"

template <class Model>
auto form_logprobs(const Model& model, Vector<std::int64_t> ids, Vector<std::int64_t> bounds, Vector<std::int64_t> before,
                   bool unknown_class, unsigned threads) {
    if (bounds.size() == 0 || bounds.data()[0] != 0 || !bitmeter::ends_fit({bounds.data(), bounds.size()}, ids.size()))
        throw std::invalid_argument("bounds must ascend from 0 to the number of ids");
    std::vector<double> out(ids.size());
    query(model, [&] {
        bitmeter::ngram_logprobs(model, {ids.data(), bounds.data(), bounds.size() - 1, before.data(), before.size()},
                                 unknown_class, out.data(), threads);
    });
    return to_numpy(std::move(out));
}

template <class Model>
auto form_predict(const Model& model, Vector<std::int64_t> history) {
    std::vector<double> out(model.words());
    query(model, [&] { bitmeter::ngram_predict(model, history.data(), history.size(), out.data()); });
    return to_numpy(std::move(out));
}

template <class Model>
void bind_form(nb::class_<Model>& form) {
    if constexpr (!std::is_same_v<Model, bitmeter::KenlmModel>)  // whose units are words always
        form.def(
            "unit_ids",
            [](const Model& self, const std::string& kind, std::int64_t ids, std::int64_t end_unit) {
                const auto rules = unit_rules(kind, ids, end_unit, true);
                return to_numpy(query(self, [&] { return bitmeter::unit_ids(self, rules); }));
            },
            "kind"_a, "ids"_a, "end_unit"_a, "The id of each word, -1 for those that are none.");
    form.def_static(
            "open",
            [](const nb::str& path) {
                const std::string name = path_of(path);
                return without_lock([&] { return Model::open(name); });
            },
            "path"_a, "A file, all of which is held against its checksums.")
        .def_prop_ro("order", &Model::order)
        .def_prop_ro("words", &Model::words)
        .def_prop_ro("counts",
                     [](const Model& self) {
                         return std::vector<std::uint64_t>(self.shape().counts, self.shape().counts + self.order());
                     })
        .def_prop_ro("metadata", [](const Model& self) {
            return confirmed(self, [&] { return nb::bytes(self.metadata().data(), self.metadata().size()); });
        })
        .def(
            "word",
            [](const Model& self, std::uint32_t id) {
                return confirmed(
                    self,
                    [&] {
                        const auto word = self.word(id);
                        return nb::bytes(word.data, word.size);
                    },
                    true);
            },
            "id"_a)
        .def("fingerprint", &Model::fingerprint, "The checksum of all but its header, as it was read.")
        .def("content_checksum", &Model::content_checksum,
             "The checksum of all that can change a probability; 0 in files of earlier versions.")
        .def_prop_ro(
            "has_section", [](const Model& self) { return self.section().size > 0; },
            "Whether what its words are spelled like follows it in its file.")
        .def(
            "attach",
            [](Model& self, const nb::bytes& section) {
                const auto bytes = view(section);
                confirmed(self, [&] { self.attach({bytes.data, bytes.data + bytes.size}); });
            },
            "section"_a)
        .def("verify", [](const Model& self) { query(self, [&] { self.verify(); }); })
        .def("logprobs", &form_logprobs<Model>, "ids"_a, "bounds"_a, "before"_a, "unknown_class"_a, "threads"_a = 0,
             "ln p of each word given those before it in its document.")
        .def("predict", &form_predict<Model>, "history"_a, "ln p of every word after this history.");
}
