#include "ngram/format/compact.hpp"
#include "ngram/format/pack.hpp"

#include "bind/bind.hpp"
#include "bind/ngram/forms.hpp"

namespace {

// ---- the compact form of n-gram models -------------------------------------------------------------------------------

using bitmeter::CompactNgram;
using bitmeter::NgramModel;
using bitmeter::NgramPacker;

/// Packs a model. A mapped file is read where it is; that it did not change meanwhile is confirmed.
struct Packing {
    std::unique_ptr<NgramModel> model;
    bitmeter::PageStore store;
    NgramPacker packer;
    Packing(const NgramModel& from, unsigned logprob_bits, unsigned backoff_bits, unsigned threads, std::uint64_t memory,
            const std::string& folder)
        : model(std::make_unique<NgramModel>(from)), store(memory ? memory + bitmeter::os::resident_bytes() : 0, folder),
          packer(*model, logprob_bits, backoff_bits, threads, &store) {}
};

void bind_packer(nb::module_& m) {
    nb::class_<Packing>(m, "NgramPacker", "Rounds the figures of a model, and packs it.")
        .def(
            "__init__",
            [](Packing* self, const NgramModel& model, unsigned logprob_bits, unsigned backoff_bits, unsigned threads,
               std::uint64_t memory, const std::string& folder) {
                for (unsigned bits : {logprob_bits, backoff_bits})
                    if (bits < bitmeter::least_figure_bits || bits > bitmeter::most_figure_bits)
                        throw std::invalid_argument("figures have 2 to 16 bits");
                bool made = false;
                try {
                    query(model, [&] {
                        new (self) Packing(model, logprob_bits, backoff_bits, threads, memory, folder);
                        made = true;
                    });
                } catch (...) {
                    if (made) self->~Packing();
                    throw;
                }
            },
            "model"_a, "logprob_bits"_a, "backoff_bits"_a, "threads"_a = 0, "memory"_a = 0, "folder"_a = "",
            "`memory`: bytes beside what the process has now, 0 for no limit; what does not fit goes to `folder`.")
        .def(
            "pack",
            [](const Packing& self, const std::string& metadata) {
                return query(*self.model, [&] { return self.packer.pack(metadata); });
            },
            "metadata"_a)
        .def_prop_ro("least_sum", [](const Packing& self) { return self.packer.least_sum(); }, "Of the predictions after a history that sum to one before.")
        .def_prop_ro("unsummed", [](const Packing& self) { return self.packer.unsummed(); }, "Histories that do not sum to one before.");
}

}  // namespace

void bind_compact(nb::module_& m) {
    auto form = nb::class_<CompactNgram>(m, "CompactNgram", "An n-gram model in its compact form.");
    bind_form(form);
    form.def_prop_ro("bits", [](const CompactNgram& self) {
            return std::make_pair(self.shape().logprob_bits, self.shape().backoff_bits);
        }, "Of a probability and of a back-off.")
        .def(
            "save",
            [](const CompactNgram& self, const nb::str& path) {
                const std::string name = path_of(path);
                query(self, [&] { self.save(name); });
            },
            "path"_a)
        .def(
            "expanded",
            [](const CompactNgram& self, unsigned threads) { return query(self, [&] { return self.expanded(threads); }); },
            "threads"_a = 0, "The same model in the fast form.");
    m.attr("COMPACT_MAGIC") = nb::bytes(bitmeter::compact_magic, sizeof bitmeter::compact_magic);
    bind_packer(m);
}
