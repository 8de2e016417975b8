#include "universal/model.hpp"

#include "bind/bind.hpp"

namespace {

using bitmeter::UniversalModel;

nb::bytes to_bytes(const std::vector<std::uint8_t>& data) {
    return nb::bytes(reinterpret_cast<const char*>(data.data()), data.size());
}

auto py_score(UniversalModel& model, Vector<std::uint8_t> data, Vector<std::int64_t> starts) {
    std::vector<double> out(data.size());
    without_lock([&] { model.score(data.data(), data.size(), starts.data(), starts.size(), out.data()); });
    return to_numpy(std::move(out));
}

/// The whole prediction before each byte: one row of 256 per byte.
auto py_rows(UniversalModel& model, Vector<std::uint8_t> data, Vector<std::int64_t> starts) {
    const std::size_t n = data.size();
    auto* owner = new std::vector<double>(n * 256);
    nb::capsule guard(owner, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    without_lock([&] {
        std::size_t next = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (; next < starts.size() && starts.data()[next] <= static_cast<std::int64_t>(i); ++next) model.begin();
            model.predict(owner->data() + i * 256);
            model.learn(data.data() + i, 1);
        }
    });
    return nb::ndarray<nb::numpy, double, nb::ndim<2>>(owner->data(), {n, 256}, guard);
}

auto py_predict(const UniversalModel& model) {
    std::vector<double> out(256);
    without_lock([&] { model.predict(out.data()); });
    return to_numpy(std::move(out));
}

}  // namespace

void bind_universal(nb::module_& m) {
    nb::class_<UniversalModel>(m, "Universal", "The universal model in the middle of a text.")
        .def(nb::init<int, const std::string&>(), "size"_a, "kernel"_a = "best")
        .def("copy", [](const UniversalModel& model) { return without_lock([&] { return UniversalModel(model); }); })
        .def_prop_ro("size", &UniversalModel::size)
        .def_prop_ro("memory", &UniversalModel::memory)
        .def_prop_ro("learned", &UniversalModel::learned)
        .def_prop_ro("frozen", &UniversalModel::frozen)
        .def("freeze", &UniversalModel::freeze, "Stop learning; every document then starts in the same state.")
        .def("begin", &UniversalModel::begin, "Begin a document.")
        .def("reset", [](UniversalModel& model) { without_lock([&] { model.reset(); }); }, "Forget all, in the same memory.")
        .def(
            "assign",
            [](UniversalModel& model, const UniversalModel& other) { without_lock([&] { model.assign(other); }); },
            "other"_a, "Become a copy of another of the same size, in the same memory.")
        .def("checksum", [](const UniversalModel& model) { return without_lock([&] { return model.checksum(); }); })
        .def("score", &py_score, "data"_a, "starts"_a, "ln p of each byte; a frozen model starts afresh at the starts.")
        .def("rows", &py_rows, "data"_a, "starts"_a, "ln p of all 256 bytes before each of these; goes on as rate does.")
        .def("predict", &py_predict, "ln p of all 256 next bytes.")
        .def(
            "learn",
            [](UniversalModel& model, const nb::bytes& data) {
                auto text = view(data);
                without_lock([&] { model.learn(text.data, text.size); });
            },
            "data"_a, "Learn a text without scoring it.")
        .def(
            "save",
            [](const UniversalModel& model, const nb::str& path) {
                const std::string name = path_of(path);
                without_lock([&] { model.save(name); });
            },
            "path"_a)
        .def_static(
            "load",
            [](const nb::str& path) {
                const std::string name = path_of(path);
                return without_lock([&] { return UniversalModel::load(name); });
            },
            "path"_a);

    nb::class_<bitmeter::UniversalCoder>(m, "UniversalCoder", "A text in blocks, each with a code of its own.")
        .def(nb::init<int>(), "size"_a)
        .def(nb::init<const UniversalModel&>(), "model"_a)
        .def(
            "encode",
            [](bitmeter::UniversalCoder& coder, const nb::bytes& data) {
                auto text = view(data);
                return to_bytes(without_lock([&] { return coder.encode(text.data, text.size); }));
            },
            "data"_a)
        .def(
            "decode",
            [](bitmeter::UniversalCoder& coder, const nb::bytes& coded, std::size_t size) {
                auto bytes = view(coded);
                return to_bytes(without_lock([&] { return coder.decode(bytes.data, bytes.size, size); }));
            },
            "coded"_a, "size"_a)
        .def(
            "learn",
            [](bitmeter::UniversalCoder& coder, const nb::bytes& data) {
                auto text = view(data);
                without_lock([&] { coder.learn(text.data, text.size); });
            },
            "data"_a, "Learn a block that has no code.")
        .def_prop_ro("bits", &bitmeter::UniversalCoder::bits);

    m.def("universal_kernels", &UniversalModel::kernels, "The kernels of the universal model that this processor can run.");
    m.def("universal_memory", [](int size) { return bitmeter::universal::State::bytes_of(size); }, "size"_a,
          "Bytes that a universal model of this size takes.");
}
