// The one place where errors of the core become Python's. All that can be wrong with a file is a FileFormatError of
// bitmeter.errors, so that whoever catches BitmeterError catches it even where no caller adds the name of the file.
#include <system_error>

#include "bind/bind.hpp"
#include "coding/range_coder.hpp"
#include "ngram/estimate/text.hpp"
#include "ngram/format/arpa.hpp"
#include "ngram/format/block.hpp"
#include "overlap/index.hpp"
#include "text/pieces/file.hpp"
#include "universal/model.hpp"

namespace {

/// A message may quote a file, which need not be UTF-8.
nb::object text(const std::string& message) {
    return nb::steal(PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace"));
}

nb::handle new_error(nb::module_& m, const char* name, nb::handle base) {
    const std::string full = std::string("bitmeter._core.") + name;
    nb::object made = nb::steal(PyErr_NewException(full.c_str(), base.ptr(), nullptr));
    m.attr(name) = made;
    return made.release();  // lives as long as the process, as the translator does
}

/// The Python types, by what they stand for.
struct Types {
    nb::handle format, changed, unable, arpa, universal, code, overlap, piece, unsupported;
};

void translate(const std::exception_ptr& p, void* payload) {
    const auto& types = *static_cast<const Types*>(payload);
    const auto raise = [](nb::handle type, const std::exception& error) {
        PyErr_SetObject(type.ptr(), text(error.what()).ptr());
    };
    try {
        std::rethrow_exception(p);
    } catch (const bitmeter::NgramChanged& error) {
        raise(types.changed, error);
    } catch (const bitmeter::NgramUnable& error) {
        raise(types.unable, error);
    } catch (const bitmeter::NgramFormatError& error) {
        raise(types.format, error);
    } catch (const bitmeter::ArpaError& error) {
        PyErr_SetObject(types.arpa.ptr(), types.arpa(text(error.what()), "index"_a = error.line).ptr());
    } catch (const bitmeter::UniversalFormatError& error) {
        raise(types.universal, error);
    } catch (const bitmeter::OverlapFormatError& error) {
        raise(types.overlap, error);
    } catch (const bitmeter::PieceFormatError& error) {
        raise(types.piece, error);
    } catch (const bitmeter::PieceUnsupported& error) {
        raise(types.unsupported, error);
    } catch (const bitmeter::CodeError& error) {
        raise(types.code, error);
    } catch (const bitmeter::ReservedWord& error) {
        PyErr_SetObject(PyExc_LookupError,
                        nb::make_tuple(nb::bytes(error.word.data(), error.word.size()), error.sentence).ptr());
    } catch (const bitmeter::LongWord& error) {
        PyErr_SetObject(PyExc_OverflowError, nb::make_tuple(bitmeter::longest_word, error.sentence).ptr());
    } catch (const std::system_error& error) {
        PyErr_SetObject(PyExc_OSError, nb::make_tuple(error.code().value(), error.code().message()).ptr());
    }
}

}  // namespace

void bind_errors(nb::module_& m) {
    const nb::object base = nb::module_::import_("bitmeter.errors").attr("FileFormatError");
    const nb::handle format = new_error(m, "NgramFormatError", base);
    static Types types{format, new_error(m, "NgramChangedError", format), new_error(m, "NgramUnableError", format), new_error(m, "ArpaError", base),
                       new_error(m, "UniversalFormatError", base), new_error(m, "CodeError", base),
                       new_error(m, "OverlapFormatError", base), new_error(m, "PieceFormatError", base),
                       new_error(m, "PieceUnsupportedError", base)};
    nb::register_exception_translator(translate, &types);
}
