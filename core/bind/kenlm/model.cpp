// Binaries of KenLM as a form of n-gram model.
#include "ngram/kenlm/model.hpp"

#include "bind/bind.hpp"
#include "bind/ngram/forms.hpp"
#include "ngram/kenlm/query.hpp"

void bind_kenlm(nb::module_& m) {
    using bitmeter::KenlmModel;
    auto form = nb::class_<KenlmModel>(m, "KenlmModel", "A binary of KenLM, mapped.");
    bind_form(form);
    form.def_prop_ro("kind", [](const KenlmModel& self) { return std::string(bitmeter::kenlm_kind_name(self.kind())); })
        .def_prop_ro(
            "is_quantised", [](const KenlmModel& self) { return bitmeter::is_quantised(self.kind()); },
            "Whether KenLM rounded its figures.")
        .def_prop_ro("has_words", &KenlmModel::has_words, "Whether it lists its words, and not only their hashes.")
        .def_static(
            "read",
            [](const nb::str& path) {
                const std::string name = path_of(path);
                return without_lock([&] { return KenlmModel::open(name, true); });
            },
            "path"_a, "A file, read into memory of its own.")
        .def("set_metadata", &KenlmModel::set_metadata, "metadata"_a)
        .def(
            "expanded",
            [](const KenlmModel& self, unsigned threads, std::uint64_t trials) {
                return query(self, [&] { return self.expanded(trials, threads); });
            },
            "threads"_a = 0, "trials"_a = std::uint64_t{1} << 33, "The same model in the fast form, where its words can be found.");
    m.attr("KENLM_MAGIC") = nb::bytes(bitmeter::kenlm_magic, sizeof bitmeter::kenlm_magic - 1);
}
