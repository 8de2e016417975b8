#include "ngram/estimate/entropy.hpp"
#include "ngram/estimate/estimate.hpp"
#include "ngram/sort/runs.hpp"
#include "ngram/format/arpa.hpp"
#include "ngram/openvocab/spelling.hpp"
#include "ngram/query/query.hpp"
#include "ngram/query/sample.hpp"
#include "util/watch.hpp"

#include "bind/bind.hpp"
#include "bind/ngram/forms.hpp"
#include "bind/ngram/plans.hpp"
#include "bind/units.hpp"

#include <algorithm>
#include <future>

#include <nanobind/stl/array.h>

namespace {

// ---- n-gram models ---------------------------------------------------------------------------------------------------

/// Reports progress to Python, and cancels on an interrupt.
bitmeter::Watch::Progress progress_to(nb::object report) {
    return [report = std::move(report)](double share) {
        nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!report.is_none()) report(share);
    };
}

bitmeter::UnkInText unk_in_text(const std::string& name) {
    using bitmeter::UnkInText;
    return name == "word" ? UnkInText::word : name == "member" ? UnkInText::member : UnkInText::reserved;
}

/// Resource limits of an estimation.
struct Allowed {
    std::uint64_t memory;  // 0 for no limit
    std::string folder;
    unsigned threads;
};

/// A text and the estimation from it, which must not outlive it.
class Estimation {
public:
    Estimation(const nb::bytes& separators, const std::string& unk, const Allowed& allowed)
        : Estimation(allowed, bitmeter::NgramText(characters(separators), unk_in_text(unk)),
                     bitmeter::NgramText(characters(separators), unk_in_text(unk))) {}
    Estimation(const bitmeter::UnitRules& rules, const Allowed& allowed)
        : Estimation(allowed, bitmeter::NgramText(rules), bitmeter::NgramText(rules)) {}
    Estimation(const Allowed& allowed, bitmeter::NgramText own, bitmeter::NgramText held_out)
        : store(allowed.memory ? allowed.memory + bitmeter::os::resident_bytes() : 0, allowed.folder),
          watch(&store),
          text(std::move(own)),
          heldout(std::move(held_out)),
          threads_(allowed.threads) {
        if (allowed.memory) text.limit(allowed.memory / 4, &store);
    }

    /// Copies the block and processes it while the caller reads the next one.
    void feed(bitmeter::Bytes data, std::vector<std::int64_t> ends) {
        wait();
        block_.assign(data.data, data.data + data.size);
        ends_ = std::move(ends);
        busy_ = std::async(std::launch::async, [this] {
            text.feed({block_.data(), block_.size()}, {ends_.data(), ends_.size()}, threads_);
        });
    }
    /// Waits until all blocks are processed.
    void wait() {
        if (busy_.valid()) busy_.get();
    }
    void finish() {
        wait();
        text.finish();
        block_ = {};
    }
    void begin(int order, bool raw, std::uint64_t most_keys, nb::object report) {
        watch.set(progress_to(std::move(report)));
        without_lock([&] {
            finish();
            estimator = std::make_unique<bitmeter::NgramEstimator>(
                text, order, bitmeter::NgramMeans{threads_, &store, &watch, raw, most_keys});
        });
    }
    bool fits(int order) const { return bitmeter::NgramEstimator::sorts_in_memory(text, order, store); }
    bitmeter::NgramEstimator& running() {
        if (!estimator) throw std::invalid_argument("estimation: begin() comes first");
        return *estimator;
    }

    void weigh(const std::string& smoothing, double parameter, const std::vector<std::uint32_t>& prune) {
        const bitmeter::SmoothingPlan plan = smoothing_plan(smoothing, parameter, prune);
        heldout.finish();
        without_lock([&] { running().weigh(plan, heldout.sentences() ? &heldout : nullptr); });
    }

    bitmeter::PageStore store;
    bitmeter::Watch watch;
    bitmeter::NgramText text, heldout;
    std::unique_ptr<bitmeter::NgramEstimator> estimator;

private:
    unsigned threads_;
    std::vector<std::uint8_t> block_;
    std::vector<std::int64_t> ends_;
    std::future<void> busy_;  // last, so that it ends before what it works on
};

void check_ends(const Vector<std::int64_t>& ends, std::size_t size) {
    const std::int64_t last = ends.size() ? ends.data()[ends.size() - 1] : 0;
    if (last < 0 || last > static_cast<std::int64_t>(size) ||
        !bitmeter::ends_fit({ends.data(), ends.size()}, static_cast<std::size_t>(last)))
        throw std::invalid_argument("ends must ascend within the data");
}

template <class Id>
void feed_ids(Estimation& self, Vector<Id> ids, Vector<std::int64_t> bounds, std::size_t closed, bool heldout) {
    if (bounds.size() == 0 || bounds.data()[0] != 0 || closed > bounds.size() - 1 ||
        !bitmeter::ends_fit({bounds.data(), bounds.size()}, ids.size()))
        throw std::invalid_argument("bounds must ascend from 0 to the number of ids");
    without_lock([&] {
        (heldout ? self.heldout : self.text).feed_ids(ids.data(), bounds.data(), bounds.size() - 1, closed);
    });
}

auto ngram_statistics(Estimation& self) {
    std::vector<std::pair<std::vector<double>, bool>> result;
    for (const auto& s : self.running().statistics())
        result.emplace_back(std::vector<double>(s.discounts.begin() + 1, s.discounts.begin() + 1 + s.last), s.fallback);
    return result;
}

auto py_history_shares(const bitmeter::NgramModel& model) {
    std::vector<NewVector<double>> result;
    for (auto& row : without_lock([&] { return bitmeter::history_shares(*model.in_memory()); }))
        result.push_back(to_numpy(std::move(row)));
    return result;
}

/// Samples sentences from a model, which it keeps in memory of its own: it keeps sums of what it read before.
class Sampling {
public:
    Sampling(const bitmeter::NgramModel& model, Vector<std::uint64_t> seed, double temperature)
        : model_(model.in_memory()), sampler_(*model_, temperature) {
        if (seed.size() != 4) throw std::invalid_argument("seed: four words are needed");
        std::copy(seed.data(), seed.data() + 4, seed_.begin());
    }

    auto sentence(std::size_t most) {
        std::vector<std::int64_t> words;
        std::vector<double> logprobs;
        without_lock([&] {
            auto random = bitmeter::Random::stream(seed_, path_++);
            sampler_.sentence(random, most, words, logprobs);
        });
        return std::make_tuple(to_numpy(std::move(words)), to_numpy(std::move(logprobs)));
    }

private:
    std::unique_ptr<bitmeter::NgramModel> model_;
    bitmeter::NgramSampler sampler_;
    bitmeter::Seed seed_{};
    std::uint64_t path_ = 0;
};

auto ngram_weights(Estimation& self) {
    const auto& found = self.running().heldout();
    std::vector<std::vector<double>> rows;
    for (std::size_t o = 0; o < self.running().statistics().size(); ++o)
        rows.emplace_back(found.weights[o].begin(), found.weights[o].end());
    return std::make_pair(rows, found.words);
}

using Kinds = std::vector<std::array<std::uint64_t, bitmeter::most_discounted + 2>>;

auto settle(Estimation& self, bitmeter::SlicePlan& plan, const Kinds& kinds, const std::vector<std::uint32_t>& last) {
    self.heldout.finish();
    without_lock([&] { self.running().settle(plan, kinds, last, self.heldout.sentences() ? &self.heldout : nullptr); });
    std::vector<std::pair<std::array<double, bitmeter::most_discounted + 2>, int>> result;
    for (const auto& s : self.running().statistics()) result.emplace_back(s.discounts, s.last);
    return std::make_pair(result, plan.smoothing.weights);
}

auto part_of(Estimation& self) {
    struct Part {
        std::string words;
        std::vector<std::int64_t> ends;
        std::vector<std::uint64_t> counts;
        std::vector<std::uint32_t> ids;
    };
    Part part = without_lock([&] {
        self.finish();
        Part made;
        const auto& table = self.text.table();
        for (std::size_t w = bitmeter::first_word; w < table.size(); ++w) {
            const bitmeter::Bytes word = table.word(w);
            made.words.append(reinterpret_cast<const char*>(word.data), word.size);
            made.ends.push_back(static_cast<std::int64_t>(made.words.size()));
        }
        made.counts = self.text.counts();
        made.ids.assign(self.text.ids().begin(), self.text.ids().end());
        return made;
    });
    return std::make_tuple(nb::bytes(part.words.data(), part.words.size()), to_numpy(std::move(part.ends)),
                           to_numpy(std::move(part.counts)), to_numpy(std::move(part.ids)));
}

auto adopt(Estimation& self, const nb::bytes& words, Vector<std::int64_t> ends, Vector<std::uint64_t> counts) {
    check_ends(ends, words.size());
    return to_numpy(without_lock([&] {
        bitmeter::WordTable table;
        const bitmeter::Bytes data = view(words);
        std::int64_t begin = 0;
        for (std::size_t w = 0; w < ends.size(); ++w) {
            const std::int64_t end = ends.data()[w];
            table.add({data.data + begin, static_cast<std::size_t>(end - begin)});
            begin = end;
        }
        return self.text.adopt(table, {counts.data(), counts.size()});
    }));
}

auto py_write_runs(Vector<std::uint32_t> ids, std::uint64_t words, int order, Vector<std::uint32_t> cuts,
                   const nb::str& path, std::uint64_t most_keys, unsigned threads) {
    if (order < 2 || order > bitmeter::max_order) throw std::invalid_argument("order must be in 2..16");
    if (ids.size() && ids.data()[ids.size() - 1] != bitmeter::word_end)
        throw std::invalid_argument("the last sentence is not closed");
    const std::string name = path_of(path);
    bitmeter::LastChain chain;
    const std::size_t runs = without_lock([&] {
        bitmeter::RunPlan plan{{ids.data(), ids.size()}, words, order, {cuts.data(), cuts.data() + cuts.size()}, threads,
                               most_keys};
        bitmeter::Watch watch;
        chain = bitmeter::last_chain(plan.ids, order);
        return bitmeter::write_runs(plan, name, watch);
    });
    return std::make_tuple(runs, std::vector<std::uint32_t>(chain.words.begin(), chain.words.begin() + order),
                           std::vector<std::uint64_t>(chain.times.begin(), chain.times.begin() + order));
}

auto py_merge_runs(const std::vector<nb::str>& runs, std::uint64_t words, int order, std::size_t partition,
                   const nb::str& path) {
    if (order < 2 || order > bitmeter::max_order) throw std::invalid_argument("order must be in 2..16");
    std::vector<std::string> names;
    for (const nb::str& run : runs) names.push_back(path_of(run));
    const std::string name = path_of(path);
    const auto made = without_lock([&] {
        bitmeter::Watch watch;
        return bitmeter::merge_runs(names, words, order, partition, name, watch);
    });
    return std::make_pair(made.ngrams, made.bytes);
}

void bind_ngram_making(nb::module_& m) {
    m.def("write_ngram_runs", &py_write_runs, "ids"_a, "words"_a, "order"_a, "cuts"_a, "path"_a, "most_keys"_a = 0,
          "threads"_a = 1,
          "Sort the n-grams of a part of a text into the files path.0, path.1, …; how many, and the last n-gram of all.");
    m.def("merge_ngram_runs", &py_merge_runs, "runs"_a, "words"_a, "order"_a, "partition"_a, "path"_a,
          "Merge a partition of sorted runs; how many n-grams it has, and bytes.");
    m.def("ngram_key_bytes", &bitmeter::ngram_key_bytes, "words"_a, "order"_a, "Bytes of a packed n-gram.");
    m.def("resident_bytes", &bitmeter::os::resident_bytes, "Bytes of this process in memory; 0 if unknown.");
    using bitmeter::ArpaReader;
    nb::class_<Estimation>(m, "NgramEstimation", "Words taken in, then the stages of an estimation.")
        .def(
            "__init__",
            [](Estimation* self, const nb::bytes& separators, const std::string& unk, std::uint64_t memory,
               const nb::str& folder, unsigned threads) {
                new (self) Estimation(separators, unk, {memory, path_of(folder), threads});
            },
            "separators"_a, "unk"_a, "memory"_a = 0, "folder"_a = "", "threads"_a = 0,
            "Words; <unk> in the text is 'reserved', a 'word', or a 'member' of the unknown.")
        .def_static(
            "of_units",
            [](const std::string& kind, std::int64_t ids, std::int64_t end_unit, bool closed, std::uint64_t memory,
               const nb::str& folder, unsigned threads) {
                return std::make_unique<Estimation>(unit_rules(kind, ids, end_unit, closed),
                                                    Allowed{memory, path_of(folder), threads});
            },
            "kind"_a, "ids"_a, "end_unit"_a, "closed"_a, "memory"_a = 0, "folder"_a = "", "threads"_a = 0, "Units that come as ids: bytes, characters or tokens.")
        .def("feed_ids", &feed_ids<std::uint8_t>, "ids"_a.noconvert(), "bounds"_a, "closed"_a, "heldout"_a = false)
        .def("feed_ids", &feed_ids<std::int32_t>, "ids"_a.noconvert(), "bounds"_a, "closed"_a, "heldout"_a = false)
        .def("feed_ids", &feed_ids<std::int64_t>, "ids"_a.noconvert(), "bounds"_a, "closed"_a, "heldout"_a = false,
             "Take the next units; the first `closed` documents are whole.")
        .def(
            "keep_frequent",
            [](Estimation& self, std::uint64_t least, std::uint64_t most) {
                without_lock([&] {
                    self.finish();
                    self.text.keep_frequent(least, most);
                });
            },
            "least"_a, "most"_a, "Make rarer words unknown.")
        .def(
            "keep_listed",
            [](Estimation& self, const bitmeter::WordTable& list) {
                without_lock([&] {
                    self.finish();
                    self.text.keep_listed(list);
                });
            },
            "list"_a, "Make words that are not listed unknown, and listed ones known.")
        .def_prop_ro("unknown", [](const Estimation& self) { return self.text.unknown(); })
        .def(
            "feed",
            [](Estimation& self, const nb::bytes& data, Vector<std::int64_t> ends) {
                check_ends(ends, data.size());
                std::vector<std::int64_t> own(ends.data(), ends.data() + ends.size());
                without_lock([&] { self.feed(view(data), std::move(own)); });
            },
            "data"_a, "ends"_a, "Take the next bytes; each document that ends is a sentence.")
        .def(
            "feed_heldout",
            [](Estimation& self, const nb::bytes& data, Vector<std::int64_t> ends) {
                check_ends(ends, data.size());
                without_lock([&] { self.heldout.feed(view(data), {ends.data(), ends.size()}); });
            },
            "data"_a, "ends"_a, "Take the next bytes of the text by which the weights of jelinek-mercer are found.")
        .def("wait", [](Estimation& self) { without_lock([&] { self.wait(); }); }, "All that was fed has been taken in.")
        .def("finish", [](Estimation& self) { without_lock([&] { self.finish(); }); }, "The text is complete.")
        .def_prop_ro("words", [](const Estimation& self) { return self.text.words(); })
        .def_prop_ro("sentences", [](const Estimation& self) { return self.text.sentences(); })
        .def_prop_ro("kinds", [](const Estimation& self) { return self.text.table().size(); }, "How many different words.")
        .def("least_memory",
             [](const Estimation& self, int order, unsigned threads) {
                 return bitmeter::NgramEstimator::least_memory(self.text, order, threads);
             },
             "order"_a, "threads"_a)
        .def("most_disk",
             [](const Estimation& self, int order) { return bitmeter::NgramEstimator::most_disk(self.text, order); },
             "order"_a)
        .def("fits", &Estimation::fits, "order"_a, "Whether all n-grams can be sorted in memory.")
        .def_prop_ro("runs", [](Estimation& self) { return self.running().runs(); }, "How many runs were merged.")
        .def_prop_ro("on_disk", [](const Estimation& self) { return self.store.on_disk(); })
        .def("begin", &Estimation::begin, "order"_a, "raw"_a = false, "most_keys"_a = 0, "progress"_a = nb::none(),
             "The stages can be called; each reports its progress.")
        .def("use_runs", [](Estimation& self, std::vector<nb::str> files) {
                 std::vector<std::string> paths;
                 for (const nb::str& file : files) paths.push_back(path_of(file));
                 self.running().use_runs(std::move(paths));
             }, "files"_a, "The merged partitions of a text that was counted in parts, instead of sorting.")
        .def("part", &part_of, "Of a part of a text: its words and where they end, how often each id came, and the ids.")
        .def("adopt", &adopt, "words"_a, "ends"_a, "counts"_a, "Take the words of the next part; their ids here.")
        .def(
            "settled",
            [](const Estimation& self) { return to_numpy(std::vector<std::uint32_t>(self.text.settled())); },
            "The ids of words since the vocabulary was settled, by those that adopt() gave; empty if it was not.")
        .def(
            "counts", [](const Estimation& self) { return to_numpy(self.text.counts()); }, "How often each word came.")
        .def(
            "add_chain",
            [](Estimation& self, const std::vector<std::uint32_t>& words, const std::vector<std::uint64_t>& times) {
                bitmeter::LastChain chain;
                if (words.size() != times.size() || words.size() > chain.words.size())
                    throw std::invalid_argument("a chain has as many words as counts");
                for (const std::uint32_t word : words)
                    if (word >= self.text.table().size()) throw std::invalid_argument("a chain of words that are none");
                std::copy(words.begin(), words.end(), chain.words.begin());
                std::copy(times.begin(), times.end(), chain.times.begin());
                self.text.add_chain(chain, static_cast<int>(words.size()));
            },
            "words"_a, "times"_a, "Take the last n-gram of the next part, as write_ngram_runs gives it.")
        .def("chain",
             [](const Estimation& self, int order) {
                 const auto found = self.text.chain(order);
                 return std::vector<std::uint32_t>(found.words.begin(), found.words.begin() + (found.empty() ? 0 : order));
             },
             "order"_a, "The last n-gram of the text, from its last word to its first.")
        .def_prop_ro("closed", [](const Estimation& self) { return self.text.closed(); }, "Whether nothing is unknown.")
        .def("settle", &settle, "slices"_a, "kinds"_a, "last"_a,
             "The discounts of all orders from the sums of all slices, and the weights of jelinek-mercer.")
        .def(
            "weigh_words",
            [](Estimation& self, const bitmeter::SlicePlan& plan, const nb::str& path) {
                const std::string to = path_of(path);
                without_lock([&] { self.running().weigh_words(plan, to); });
            },
            "slices"_a, "path"_a, "The probabilities of single words, which go to a file for the slices.")
        .def(
            "join",
            [](Estimation& self, const bitmeter::SlicePlan& plan, const std::vector<std::vector<std::uint64_t>>& kept) {
                if (kept.size() != plan.slices()) throw std::invalid_argument("kept: by slice and order");
                for (const auto& row : kept)
                    if (row.size() != static_cast<std::size_t>(plan.order)) throw std::invalid_argument("kept: by slice and order");
                without_lock([&] { self.running().join(plan, kept); });
            },
            "slices"_a, "kept"_a, "The model from finished slices.")
        .def("sort", [](Estimation& self) { without_lock([&] { self.running().sort(); }); })
        .def("grow", [](Estimation& self) { without_lock([&] { self.running().grow(); }); })
        .def("link", [](Estimation& self) { without_lock([&] { self.running().link(); }); })
        .def("weigh", &Estimation::weigh, "smoothing"_a, "parameter"_a, "prune"_a)
        .def(
            "rare_words",
            [](const Estimation& self) {
                const std::string hex = without_lock([&] {
                    const auto found = self.text.counts();
                    return bitmeter::rare_words_in_hex(self.text.table(), {found.begin(), found.end()});
                });
                return nb::bytes(hex.data(), hex.size());
            },
            "The words that came least often, a line each, two digits and a space a byte.")
        .def("statistics", &ngram_statistics, "(discounts by count, whether they could not be estimated) of each order.")
        .def("weights", &ngram_weights, "Those of jelinek-mercer by order and bucket, and how many words were held out.")
        .def(
            "model",
            [](Estimation& self, const std::string& metadata) {
                return without_lock([&] { return self.running().model(metadata); });
            },
            "metadata"_a);
    nb::class_<ArpaReader>(m, "ArpaReader", "Reads an ARPA file that comes block by block.")
        .def(nb::init<>())
        .def(
            "feed", [](ArpaReader& self, const nb::bytes& data) { without_lock([&] { self.feed(view(data)); }); },
            "data"_a)
        .def(
            "finish",
            [](ArpaReader& self, const std::string& metadata) {
                return without_lock([&] { return self.finish(metadata); });
            },
            "metadata"_a)
        .def_prop_ro("added", &ArpaReader::added);
}

void bind_ngram_model(nb::module_& m) {
    using bitmeter::ArpaWriter;
    using bitmeter::NgramModel;
    using bitmeter::PrunedNgrams;
    auto form = nb::class_<NgramModel>(m, "NgramModel", "An n-gram model in memory, or a map of its file.");
    bind_form(form);
    form.def("table",
             [](const NgramModel& self) {
                 return query(self, [&] { return std::make_unique<bitmeter::WordTable>(self.table()); });
             })
        .def(
            "history_shares", [](const NgramModel& self) { return py_history_shares(self); },
            "How often each n-gram stands before the next word, by its length.")
        .def(
            "prune_by_entropy",
            [](const NgramModel& self, double threshold) {
                return without_lock([&] { return std::make_unique<PrunedNgrams>(bitmeter::prune_by_entropy(*self.in_memory(), threshold)); });
            },
            "threshold"_a, "The model without what costs less.")
        .def(
            "save",
            [](const NgramModel& self, const nb::str& path, nb::object report) {
                bitmeter::Watch watch;
                const std::string name = path_of(path);
                watch.set(progress_to(std::move(report)));
                query(self, [&] { self.save(name, &watch); });
            },
            "path"_a, "progress"_a = nb::none());
    nb::class_<PrunedNgrams>(m, "PrunedNgrams", "A smaller model without its metadata yet.")
        .def_ro("divergence", &PrunedNgrams::divergence, "From the whole model, in nats per word, by Stolcke's formula.")
        .def_prop_ro("counts",
                     [](const PrunedNgrams& self) {
                         if (!self.model) throw std::invalid_argument("the model was taken already");
                         return std::vector<std::uint64_t>(self.model->shape().counts,
                                                           self.model->shape().counts + self.model->order());
                     })
        .def(
            "model",
            [](PrunedNgrams& self, const std::string& metadata) {
                if (!self.model) throw std::invalid_argument("the model was taken already");
                without_lock([&] {
                    self.model->set_metadata(metadata);
                    self.model->seal();
                });
                return std::move(self.model);
            },
            "metadata"_a);
    nb::class_<Sampling>(m, "NgramSampler", "Draws sentences; each has random numbers of its own.")
        .def(nb::init<const NgramModel&, Vector<std::uint64_t>, double>(), "model"_a, "seed"_a, "temperature"_a)
        .def("sentence", &Sampling::sentence, "most"_a, "The ids of its words, and ln p of each.");
    nb::class_<ArpaWriter>(m, "ArpaWriter", "Writes a model in the ARPA format.")
        .def(nb::init<const NgramModel&>(), "model"_a, nb::keep_alive<1, 2>())
        .def(
            "next",
            [](ArpaWriter& self) {
                const std::string part = query(self.model(), [&] { return self.next(); });
                return nb::bytes(part.data(), part.size());
            },
            "The next piece; empty at the end.");
}

}  // namespace

void bind_ngrams(nb::module_& m) {
    bind_ngram_making(m);
    bind_ngram_model(m);
}
