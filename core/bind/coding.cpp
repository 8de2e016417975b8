#include "coding/table_coder.hpp"
#include "ngram/coding/text_coder.hpp"

#include <algorithm>

#include "bind/bind.hpp"

namespace {

using bitmeter::CodedBits;
using bitmeter::RangeDecoder;
using bitmeter::RangeEncoder;

nb::bytes as_bytes(const std::vector<std::uint8_t>& data) { return nb::bytes(data.data(), data.size()); }

void check_spent(const RangeDecoder& in) {
    if (!in.spent()) throw bitmeter::CodeError("the coded bytes go on beyond the end of the text");
}

/// A coder with the Krichevsky-Trofimov estimator.
struct Adaptive {
    bitmeter::AdaptiveBytes model;
    CodedBits bits;

    nb::bytes encode(const nb::bytes& data) {
        std::vector<std::uint8_t> coded;
        without_lock([&] {
            RangeEncoder out;
            model.encode(view(data).data, data.size(), out, bits);
            coded = out.finish();
        });
        return as_bytes(coded);
    }
    nb::bytes decode(const nb::bytes& coded, std::size_t size) {
        std::vector<std::uint8_t> data(size);
        without_lock([&] {
            RangeDecoder in(view(coded).data, coded.size());
            model.decode(in, size, data.data());
            check_spent(in);
        });
        return as_bytes(data);
    }
};

/// A coder with a table of frequencies.
struct Fixed {
    bitmeter::FrequencyTable table;
    std::size_t row;
    CodedBits bits;

    explicit Fixed(const Matrix<double>& logs, std::size_t start)
        : table(logs.data(), logs.shape(0), logs.shape(1), start), row(start) {}

    auto encode(Vector<std::int64_t> symbols) {
        std::vector<std::uint8_t> coded;
        const std::size_t done = without_lock([&] {
            RangeEncoder out;
            const std::size_t number = table.encode(symbols.data(), symbols.size(), row, out, bits);
            coded = out.finish();
            return number;
        });
        return std::make_tuple(as_bytes(coded), done);
    }
    auto decode(const nb::bytes& coded, std::size_t size, Vector<std::int64_t> widths) {
        if (widths.size() != table.columns()) throw std::invalid_argument("widths must have one entry per column");
        return to_numpy(without_lock([&] {
            RangeDecoder in(view(coded).data, coded.size());
            auto symbols = table.decode(in, size, widths.data(), row);
            check_spent(in);
            return symbols;
        }));
    }
};

/// A coder for predictions given as whole rows of logarithms.
struct Rows {
    std::vector<std::uint64_t> sums;
    double total = 0.0;

    void read(const Vector<double>& logs) {
        if (logs.size() == 0 || logs.size() > (std::size_t{1} << 28))
            throw std::invalid_argument("a prediction has 1 to 2^28 outcomes");
        sums.resize(logs.size() + 1);
        total = bitmeter::cumulate(logs.data(), logs.size(), sums.data());
    }
};

struct RowEncoder : Rows {
    RangeEncoder out;
    CodedBits bits;

    /// The sum of the probabilities; codes nothing if the symbol is impossible or the sum is NaN.
    std::pair<double, bool> put(const Vector<double>& logs, std::size_t symbol) {
        read(logs);
        if (symbol >= logs.size()) throw std::invalid_argument("the symbol is none of the prediction's");
        const std::uint64_t size = sums[symbol + 1] - sums[symbol];
        const bool possible = size > 0 && total < 2.0;
        if (possible) {
            out.encode(sums[symbol], size, sums.back());
            bits.add(size, sums.back());
        }
        return {total, possible};
    }
};

struct RowDecoder : Rows {
    std::vector<std::uint8_t> data;
    RangeDecoder in;

    explicit RowDecoder(const nb::bytes& coded)
        : data(view(coded).data, view(coded).data + coded.size()), in(data.data(), data.size()) {}

    std::size_t get(const Vector<double>& logs) {
        read(logs);
        if (!(total < 2.0) || sums.back() == 0) throw bitmeter::CodeError("the model's prediction is not a distribution");
        const std::uint64_t place = in.find(sums.back());
        const auto found = std::upper_bound(sums.begin() + 1, sums.end(), place);
        const auto symbol = static_cast<std::size_t>(found - (sums.begin() + 1));
        in.take(sums[symbol], sums[symbol + 1] - sums[symbol]);
        return symbol;
    }
};

/// A coder with an open-vocabulary word model.
struct Worded {
    std::unique_ptr<bitmeter::NgramModel> model;  // in memory: it keeps sums of what it read before
    bitmeter::NgramTextCoder coder;
    CodedBits bits;

    Worded(const bitmeter::NgramModel& from, const bitmeter::Spelling& spelling)
        : model(from.in_memory()), coder(*model, spelling) {}

    auto encode(const nb::bytes& data, bool final) {
        std::vector<std::uint8_t> coded;
        const std::size_t done = without_lock([&] {
            RangeEncoder out;
            const std::size_t number = coder.encode(view(data), final, out, bits);
            coded = out.finish();
            return number;
        });
        return std::make_tuple(as_bytes(coded), done);
    }
    nb::bytes decode(const nb::bytes& coded, std::size_t size) {
        return as_bytes(without_lock([&] {
            RangeDecoder in(view(coded).data, coded.size());
            auto text = coder.decode(in, size);
            check_spent(in);
            return text;
        }));
    }
};

void bind_tables(nb::module_& m) {
    nb::class_<Adaptive>(m, "AdaptiveCoder", "Bytes by the Krichevsky-Trofimov estimator; one direction an object.")
        .def(nb::init<>())
        .def("encode", &Adaptive::encode, "data"_a)
        .def("decode", &Adaptive::decode, "coded"_a, "size"_a)
        .def_prop_ro("bits", [](Adaptive& self) { return self.bits.value(); });
    nb::class_<Fixed>(m, "TableCoder", "Symbols by a table of ln p; one direction an object.")
        .def(nb::init<const Matrix<double>&, std::size_t>(), "logprobs"_a, "start"_a)
        .def("encode", &Fixed::encode, "symbols"_a, "The coded bytes, and how many symbols came before an impossible one.")
        .def("decode", &Fixed::decode, "coded"_a, "size"_a, "widths"_a)
        .def_prop_ro("bits", [](Fixed& self) { return self.bits.value(); });
    nb::class_<RowEncoder>(m, "RowEncoder", "Symbols by one prediction after the other.")
        .def(nb::init<>())
        .def("put", &RowEncoder::put, "logprobs"_a, "symbol"_a,
             "The sum of the probabilities, and whether the symbol was possible and is coded.")
        .def("finish", [](RowEncoder& self) { return as_bytes(self.out.finish()); })
        .def_prop_ro("bits", [](RowEncoder& self) { return self.bits.value(); });
    nb::class_<RowDecoder>(m, "RowDecoder", "Reads what a RowEncoder wrote, given the same predictions.")
        .def(nb::init<const nb::bytes&>(), "coded"_a)
        .def("get", &RowDecoder::get, "logprobs"_a)
        .def("finish", [](RowDecoder& self) { check_spent(self.in); }, "All bytes must have been read.");
}

}  // namespace

void bind_coding(nb::module_& m) {
    bind_tables(m);
    nb::class_<Worded>(m, "NgramTextCoder", "A text by an n-gram model and its spelling; one direction an object.")
        .def(nb::init<const bitmeter::NgramModel&, const bitmeter::Spelling&>(), "model"_a, "spelling"_a,
             nb::keep_alive<1, 3>())
        .def("encode", &Worded::encode, "data"_a, "final"_a,
             "The coded bytes, and how many bytes of the data they hold: whole words and lines unless it is final.")
        .def("decode", &Worded::decode, "coded"_a, "size"_a)
        .def_prop_ro("reached", [](const Worded& self) { return self.coder.reached(); },
                     "How many bytes of the last data were encoded, also where a word was impossible.")
        .def_prop_ro("bits", [](Worded& self) { return self.bits.value(); });
}
