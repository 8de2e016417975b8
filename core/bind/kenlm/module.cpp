// What the Python module of KenLM does, for any form of an n-gram model.
#include "ngram/kenlm/module.hpp"

#include <cmath>
#include <cstring>
#include <optional>

#include "bind/bind.hpp"
#include "bind/kenlm/arrow.hpp"
#include "util/parallel.hpp"

namespace {

using bitmeter::Bytes;
using bitmeter::CompactNgram;
using bitmeter::KenlmModel;
using bitmeter::KenlmState;
using bitmeter::ModuleEdges;
using bitmeter::ModuleTotal;
using bitmeter::NgramFloat;
using bitmeter::NgramModel;

[[noreturn]] void raise(const char* type, const std::string& message, std::int64_t index = -1) {
    const nb::object made = nb::module_::import_("bitmeter.errors").attr(type);
    const nb::object error = index < 0 ? made(message) : made(message, "index"_a = index);
    PyErr_SetObject(made.ptr(), error.ptr());
    throw nb::python_error();
}

/// A state of any model. One that no model has written is that before any word, without <s>.
struct ModuleState {
    KenlmState state;
    std::uint64_t mark = 0;  // of the model that wrote it
};

int order_of(const ModuleState& a, const ModuleState& b) {
    if (a.state.length != b.state.length) return a.state.length < b.state.length ? -1 : 1;
    for (std::uint32_t i = 0; i < bitmeter::max_order - 1; ++i)
        if (a.state.words[i] != b.state.words[i]) return a.state.words[i] < b.state.words[i] ? -1 : 1;
    return 0;
}

std::int64_t hash_of(const ModuleState& own) {
    std::uint64_t hash = own.state.length + 0x9E3779B97F4A7C15ULL;
    for (std::uint32_t word : own.state.words) hash = (hash ^ word) * 0xC6A4A7935BD1E995ULL + (hash >> 29);
    return static_cast<std::int64_t>(hash >> 2);
}

/// The bytes of a str or bytes object, valid while it lives; nothing if it is neither, or with the error of Python that is
/// then set if it cannot be UTF-8.
std::optional<Bytes> text_in(nb::handle text) {
    Py_ssize_t size = 0;
    if (PyUnicode_Check(text.ptr())) {
        if (const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size))
            return Bytes{reinterpret_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size)};
    } else if (PyBytes_Check(text.ptr())) {
        char* data = nullptr;
        if (PyBytes_AsStringAndSize(text.ptr(), &data, &size) == 0)
            return Bytes{reinterpret_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size)};
    }
    return std::nullopt;
}

[[noreturn]] void no_text(nb::handle text, const char* what, std::int64_t index = -1) {
    const std::string where = index < 0 ? what : std::string(what) + "[" + std::to_string(index) + "]";
    if (PyUnicode_Check(text.ptr()) && index < 0) throw nb::python_error();  // UnicodeEncodeError, as in kenlm
    PyErr_Clear();
    if (PyUnicode_Check(text.ptr()))
        raise("InputError", where + " has a lone surrogate, which UTF-8 cannot hold; give its bytes", index);
    const std::string type = nb::cast<std::string>(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(text.ptr()))).attr("__name__"));
    raise("InputTypeError", where + " is of the type " + type + "; it must be a string or bytes", index);
}

Bytes text_of(nb::handle text, const char* what) {
    if (const auto found = text_in(text)) return *found;
    no_text(text, what);
}

/// Whether an object is true, as Python has it: kenlm takes any for bos and eos.
bool truth(nb::handle value) {
    const int result = PyObject_IsTrue(value.ptr());
    if (result < 0) throw nb::python_error();
    return result != 0;
}

/// A model of one of the three forms, which it keeps alive.
class Module {
public:
    explicit Module(nb::object model) : kept_(std::move(model)) {
        if (nb::isinstance<NgramModel>(kept_)) {
            fast_ = nb::cast<const NgramModel*>(kept_);
            mark_ = fast_->content_checksum() | 1;
        } else if (nb::isinstance<CompactNgram>(kept_)) {
            compact_ = nb::cast<const CompactNgram*>(kept_);
            mark_ = compact_->content_checksum() | 1;
        } else if (nb::isinstance<KenlmModel>(kept_)) {
            kenlm_ = nb::cast<const KenlmModel*>(kept_);
            mark_ = kenlm_->mark() | 1;
        } else {
            raise("InputTypeError", "model is no form of an n-gram model");
        }
    }

    template <class Run>
    auto with(Run&& run) const {
        return kenlm_ ? run(*kenlm_) : fast_ ? run(*fast_) : run(*compact_);
    }
    /// The same where the file may be changed by others; see `confirmed`.
    template <class Run>
    auto asked(Run&& run) const {
        return with([&](const auto& model) { return confirmed(model, [&] { return run(model); }, true); });
    }

    int order() const {
        return with([](const auto& model) { return model.order(); });
    }

    double score(nb::handle sentence, nb::handle bos, nb::handle eos) const {
        const ModuleEdges edges{truth(bos), truth(eos)};
        const Bytes text = text_of(sentence, "sentence");
        return asked([&](const auto& model) { return bitmeter::module_total(model, text, edges).logprob; });
    }
    double perplexity(nb::handle sentence) const {
        const Bytes text = text_of(sentence, "sentence");
        const ModuleTotal total = asked([&](const auto& model) { return bitmeter::module_total(model, text, {true, true}); });
        return std::pow(10.0, -total.logprob / static_cast<double>(total.words + 1));
    }
    nb::object full_scores(nb::handle sentence, nb::handle bos, nb::handle eos) const {
        const ModuleEdges edges{truth(bos), truth(eos)};
        const Bytes text = text_of(sentence, "sentence");
        const auto scores = asked([&](const auto& model) { return bitmeter::module_scores(model, text, edges); });
        nb::list rows;
        for (const auto& own : scores) rows.append(nb::make_tuple(static_cast<double>(own.logprob), own.length, own.unknown));
        return nb::iter(rows);
    }

    void begin(ModuleState& state) const {
        state.state = asked([](const auto& model) { return bitmeter::module_begin(model); });
        state.mark = mark_;
    }
    void null(ModuleState& state) const { state = {KenlmState{}, mark_}; }

    struct Step {
        NgramFloat scored;
        bool unknown;
    };
    Step step(const ModuleState& before, nb::handle word, ModuleState& after) const {
        const Bytes text = text_of(word, "word");
        if (before.mark != mark_ && before.state.length != 0)
            raise("InputError", "the state is of another model; write it with BeginSentenceWrite or NullContextWrite of this one");
        return asked([&](const auto& model) {
            if (!bitmeter::module_holds(model, before.state)) raise("InputError", "this is no state of the model");
            const std::uint32_t number = bitmeter::module_word(model, text);
            const NgramFloat scored = bitmeter::module_step(model, before.state, number, after.state);
            after.mark = mark_;
            return Step{scored, number == 0};
        });
    }

    bool contains(nb::handle word) const {
        const Bytes text = text_of(word, "word");
        return asked([&](const auto& model) { return bitmeter::module_word(model, text) != 0; });
    }

    /// (log10 p, words) of many sentences.
    auto totals(nb::handle sentences, nb::handle bos, nb::handle eos, unsigned threads) const {
        const ModuleEdges edges{truth(bos), truth(eos)};
        std::optional<arrow::Texts> column;
        std::vector<Bytes> listed;
        nb::object kept;
        if (arrow::Texts::are(sentences)) {
            try {
                column.emplace(sentences);
            } catch (const std::invalid_argument& error) {
                raise("InputTypeError", std::string("sentences: ") + error.what());
            }
            if (column->null() >= 0) raise("InputError", "sentences[" + std::to_string(column->null()) + "] is null; fill or drop nulls first", column->null());
        } else {
            if (PyUnicode_Check(sentences.ptr()) || PyBytes_Check(sentences.ptr()))
                raise("InputTypeError", "sentences is one string; give a list of them, or use score");
            kept = nb::steal(PySequence_List(sentences.ptr()));
            if (!kept.is_valid()) {
                PyErr_Clear();
                raise("InputTypeError", "sentences must be a list of strings, or an Arrow column of them");
            }
            const Py_ssize_t size = PyList_Size(kept.ptr());
            listed.reserve(static_cast<std::size_t>(size));
            for (Py_ssize_t i = 0; i < size; ++i) {
                const nb::handle text = PyList_GetItem(kept.ptr(), i);
                const auto found = text_in(text);
                if (!found) no_text(text, "sentences", i);
                listed.push_back(*found);
            }
        }
        const std::vector<Bytes>& texts = column ? column->views() : listed;
        std::vector<double> sums(texts.size());
        std::vector<std::int64_t> words(texts.size());
        with([&](const auto& model) {
            query(model, [&] {
                constexpr std::size_t many = 512;
                bitmeter::parallel_blocks(texts.size(), many, threads, [&](std::size_t from, std::size_t to) {
                    ModuleTotal totals[many];
                    bitmeter::module_totals(model, texts.data() + from, to - from, edges, totals);
                    for (std::size_t i = from; i < to; ++i) {
                        sums[i] = totals[i - from].logprob;
                        words[i] = static_cast<std::int64_t>(totals[i - from].words);
                    }
                });
            });
        });
        return std::make_tuple(to_numpy(std::move(sums)), to_numpy(std::move(words)));
    }

private:
    nb::object kept_;
    const NgramModel* fast_ = nullptr;
    const CompactNgram* compact_ = nullptr;
    const KenlmModel* kenlm_ = nullptr;
    std::uint64_t mark_ = 0;
};

struct FullScore {
    double log_prob;
    unsigned ngram_length;
    bool oov;
};

FullScore full(const Module::Step& step) { return {step.scored.logprob, step.scored.length, step.unknown}; }

// The calls of a decoder's innermost loop take more time to find their arguments than to look up a word, the more if these
// have names. So the class in Python has them as methods of the interpreter's own kind, for arguments by position; whatever
// else is given, and whatever goes wrong, is left to the method of the same name above.

PyTypeObject* state_type = nullptr;  // lives as long as the module

/// The C++ object, or null if it is no sound one. The interpreter has seen to the type of `self`.
const Module* quick_model(PyObject* self) { return nb::inst_ready(self) ? nb::inst_ptr<Module>(self) : nullptr; }
ModuleState* quick_state(PyObject* given) {
    return PyObject_TypeCheck(given, state_type) && nb::inst_ready(given) ? nb::inst_ptr<ModuleState>(given) : nullptr;
}

std::optional<Module::Step> quick_step(PyObject* self, PyObject* const* given, Py_ssize_t size) {
    if (size != 3) return std::nullopt;
    const Module* const model = quick_model(self);
    const ModuleState* const before = quick_state(given[0]);
    ModuleState* const after = quick_state(given[2]);
    if (!model || !before || !after) return std::nullopt;
    return model->step(*before, given[1], *after);
}

struct BaseScore {
    static constexpr const char* name = "BaseScore";
    static PyObject* run(PyObject* self, PyObject* const* given, Py_ssize_t size) {
        const auto step = quick_step(self, given, size);
        return step ? PyFloat_FromDouble(static_cast<double>(step->scored.logprob)) : nullptr;
    }
};
struct BaseFullScore {
    static constexpr const char* name = "BaseFullScore";
    static PyObject* run(PyObject* self, PyObject* const* given, Py_ssize_t size) {
        const auto step = quick_step(self, given, size);
        return step ? nb::cast(full(*step)).release().ptr() : nullptr;
    }
};
template <bool begun>
struct Write {
    static constexpr const char* name = begun ? "BeginSentenceWrite" : "NullContextWrite";
    static PyObject* run(PyObject* self, PyObject* const* given, Py_ssize_t size) {
        const Module* const model = quick_model(self);
        ModuleState* const state = size == 1 ? quick_state(given[0]) : nullptr;
        if (!model || !state) return nullptr;
        begun ? model->begin(*state) : model->null(*state);
        return nb::none().release().ptr();
    }
};

template <class Call>
PyObject* quick_call(PyObject* self, PyObject* const* given, Py_ssize_t size, PyObject* names) noexcept {
    if (!names) {
        try {
            if (PyObject* const result = Call::run(self, given, size)) return result;
        } catch (...) {  // raised again below, as Python's
        }
        PyErr_Clear();
    }
    try {
        std::vector<PyObject*> all{self};
        all.insert(all.end(), given, given + size + (names ? PyTuple_Size(names) : 0));
        const nb::object method = nb::type<Module>().attr(Call::name);
        return PyObject_Vectorcall(method.ptr(), all.data(), static_cast<std::size_t>(size + 1), names);
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    }
    return nullptr;
}

template <class Call>
void bind_quick(nb::dict& calls, nb::handle type) {
    static PyMethodDef method{Call::name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&quick_call<Call>)),
                              METH_FASTCALL | METH_KEYWORDS, nullptr};
    const nb::object made = nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &method));
    if (!made.is_valid()) throw nb::python_error();
    calls[Call::name] = made;
}

void bind_quick_calls(nb::module_& m) {
    state_type = reinterpret_cast<PyTypeObject*>(nb::type<ModuleState>().ptr());
    m.def(
        "kenlm_calls",
        [] {
            nb::typed<nb::dict, nb::str, nb::object> calls;
            const nb::handle type = nb::type<Module>();
            bind_quick<BaseScore>(calls, type);
            bind_quick<BaseFullScore>(calls, type);
            bind_quick<Write<true>>(calls, type);
            bind_quick<Write<false>>(calls, type);
            return calls;
        },
        "Methods of KenlmModule by name, in the interpreter's own kind.");
}

void bind_state(nb::module_& m) {
    nb::class_<ModuleState>(m, "KenlmState", "The state of a model after some words; before any word if it is new.")
        .def(nb::init<>())
        .def("__eq__", [](const ModuleState& a, nb::handle b) { return nb::isinstance<ModuleState>(b) && order_of(a, nb::cast<const ModuleState&>(b)) == 0; },
             "other"_a.none())
        .def("__lt__", [](const ModuleState& a, const ModuleState& b) { return order_of(a, b) < 0; })
        .def("__le__", [](const ModuleState& a, const ModuleState& b) { return order_of(a, b) <= 0; })
        .def("__gt__", [](const ModuleState& a, const ModuleState& b) { return order_of(a, b) > 0; })
        .def("__ge__", [](const ModuleState& a, const ModuleState& b) { return order_of(a, b) >= 0; })
        .def("__hash__", &hash_of)
        .def("__copy__", [](const ModuleState& self) { return self; })
        .def("__deepcopy__", [](const ModuleState& self, nb::handle) { return self; }, "memo"_a = nb::none())
        .def("__getstate__", [](const ModuleState& self) {
            return nb::bytes(reinterpret_cast<const char*>(&self), sizeof self);
        })
        .def("__setstate__", [](ModuleState& self, const nb::bytes& data) {
            if (data.size() != sizeof(ModuleState)) raise("InputError", "this is no pickled state of a model");
            new (&self) ModuleState;
            std::memcpy(static_cast<void*>(&self), data.data(), sizeof self);
            bool sound = self.state.length < bitmeter::max_order;
            for (float backoff : self.state.backoffs) sound = sound && std::isfinite(backoff);
            if (!sound) raise("InputError", "this is no pickled state of a model");
        });
}

}  // namespace

void bind_kenlm_module(nb::module_& m) {
    bind_state(m);
    nb::class_<FullScore>(m, "KenlmFullScore", "log10 p of a word, the length of its n-gram, whether it is unknown.")
        .def(
            "__init__",
            [](FullScore* self, double log_prob, unsigned ngram_length, bool oov) {
                new (self) FullScore{log_prob, ngram_length, oov};
            },
            "log_prob"_a, "ngram_length"_a, "oov"_a)
        .def("__repr__",
             [](const FullScore& self) {
                 const auto float_text = nb::cast<std::string>(nb::repr(nb::float_(self.log_prob)));
                 return "FullScoreReturn(" + float_text + ", " + std::to_string(self.ngram_length) + ", " +
                        (self.oov ? "True" : "False") + ")";
             })
        .def_ro("log_prob", &FullScore::log_prob)
        .def_ro("ngram_length", &FullScore::ngram_length)
        .def_ro("oov", &FullScore::oov);
    nb::class_<Module>(m, "KenlmModule", "An n-gram model asked as the module of KenLM is.")
        .def(nb::init<nb::object>(), "model"_a)
        .def_prop_ro("order", &Module::order)
        .def("score", &Module::score, "sentence"_a, "bos"_a.none() = true, "eos"_a.none() = true,
             "log10 p of a sentence, with <s> before it and </s> after it unless it is said otherwise.")
        .def("perplexity", &Module::perplexity, "sentence"_a, "Per word and end of a sentence.")
        .def("full_scores", &Module::full_scores, "sentence"_a, "bos"_a.none() = true, "eos"_a.none() = true,
             "(log10 p, length of the n-gram, whether it is unknown) of each word.")
        .def("BeginSentenceWrite", &Module::begin, "state"_a, "Make a state that before a sentence.")
        .def("NullContextWrite", &Module::null, "state"_a, "Make a state that before any word, without <s>.")
        .def(
            "BaseScore",
            [](const Module& self, const ModuleState& before, nb::handle word, ModuleState& after) {
                return static_cast<double>(self.step(before, word, after).scored.logprob);
            },
            "in_state"_a, "word"_a, "out_state"_a, "log10 p of a word after a state; the last argument becomes the state after it.")
        .def(
            "BaseFullScore",
            [](const Module& self, const ModuleState& before, nb::handle word, ModuleState& after) {
                return full(self.step(before, word, after));
            },
            "in_state"_a, "word"_a, "out_state"_a, "The same with the length of the n-gram, and whether the word is unknown.")
        .def("__contains__", &Module::contains, "Whether the model knows a word.")
        .def("totals", &Module::totals, "sentences"_a, "bos"_a.none(), "eos"_a.none(), "threads"_a, "(log10 p, words) of many sentences.");
    bind_quick_calls(m);
}
