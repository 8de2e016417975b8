#include "adaptive/cache.hpp"
#include "ngram/format/compact.hpp"
#include "ngram/kenlm/query.hpp"
#include "ngram/query/context.hpp"

#include "bind/bind.hpp"

namespace {

using bitmeter::HistoryCache;

/// (ln p, bucket or kind) of each word, which is then added to the cache.
auto py_follow(HistoryCache& self, Vector<std::int64_t> ids, bool kinds) {
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (ids.data()[i] < 0 || ids.data()[i] >= static_cast<std::int64_t>(self.words()))
            throw std::invalid_argument("ids must be those of words");
    std::vector<double> logs(ids.size());
    std::vector<std::int64_t> buckets(ids.size());
    without_lock([&] {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const auto word = static_cast<std::uint32_t>(ids.data()[i]);
            buckets[i] = kinds ? self.kind() : self.bucket();
            logs[i] = self.score(word);
            self.push(word);
        }
    });
    return std::make_tuple(to_numpy(std::move(logs)), to_numpy(std::move(buckets)));
}

template <class Model>
auto py_contexts(const Model& model, Vector<std::int64_t> ids, Vector<std::int64_t> bounds,
                 Vector<std::int64_t> before) {
    if (bounds.size() == 0 || bounds.data()[0] != 0 || !bitmeter::ends_fit({bounds.data(), bounds.size()}, ids.size()))
        throw std::invalid_argument("bounds must ascend from 0 to the number of ids");
    std::vector<std::int64_t> lengths(ids.size());
    std::vector<double> backoffs(ids.size());
    query(model, [&] {
        bitmeter::ngram_contexts(model, {ids.data(), bounds.data(), bounds.size() - 1, before.data(), before.size()},
                                 lengths.data(), backoffs.data());
    });
    return std::make_tuple(to_numpy(std::move(lengths)), to_numpy(std::move(backoffs)));
}

}  // namespace

void bind_caches(nb::module_& m) {
    nb::class_<HistoryCache>(m, "HistoryCache", "Predicts what was said a little while ago.")
        .def(
            "__init__",
            [](HistoryCache* self, int order, std::size_t size, double decay, std::size_t words,
               Vector<double> weights) {
                new (self) HistoryCache({order, size, decay, words},
                                        {weights.data(), weights.data() + weights.size()});
            },
            "order"_a, "size"_a, "decay"_a, "words"_a, "weights"_a)
        .def("follow", &py_follow, "ids"_a, "kinds"_a = false,
             "(ln p, bucket or kind of its history) of each word, which is then remembered.")
        .def("bucket", &HistoryCache::bucket)
        .def("kind", &HistoryCache::kind)
        .def_prop_ro("kinds", &HistoryCache::kinds, "How many kinds of histories there are.")
        .def(
            "predict",
            [](const HistoryCache& self) {
                std::vector<double> out(self.words());
                without_lock([&] { self.predict(out.data()); });
                return to_numpy(std::move(out));
            },
            "The probability of each word.")
        .def("copy", [](const HistoryCache& self) { return HistoryCache(self); });
    constexpr const char* contexts =
        "(how many words of its history are known plus one, log10 of the back-off there) for each word.";
    m.def("ngram_contexts", &py_contexts<bitmeter::NgramModel>, "model"_a, "ids"_a, "bounds"_a, "before"_a, contexts);
    m.def("ngram_contexts", &py_contexts<bitmeter::CompactNgram>, "model"_a, "ids"_a, "bounds"_a, "before"_a, contexts);
    m.def("ngram_contexts", &py_contexts<bitmeter::KenlmModel>, "model"_a, "ids"_a, "bounds"_a, "before"_a, contexts);
}
