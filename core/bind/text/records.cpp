#include "text/records.hpp"

#include "bind/bind.hpp"

namespace {

nb::bytes bytes_of(const std::vector<std::uint8_t>& values) { return nb::bytes(values.data(), values.size()); }

auto py_scan_records(const nb::bytes& data, const nb::bytes& text, const std::optional<nb::bytes>& language,
                     const std::vector<nb::bytes>& refused, const std::vector<nb::bytes>& others) {
    bitmeter::RecordFields fields{std::string(characters(text)), std::nullopt};
    if (language) fields.language = std::string(characters(*language));
    for (const nb::bytes& name : refused) fields.refused.emplace_back(characters(name));
    for (const nb::bytes& name : others) fields.others.emplace_back(characters(name));
    auto found = without_lock([&] { return bitmeter::scan_records(view(data), fields); });
    return std::make_tuple(found.lines, to_numpy(std::move(found.starts)), to_numpy(std::move(found.stops)),
                           to_numpy(std::move(found.numbers)), to_numpy(std::move(found.sound)), bytes_of(found.texts),
                           to_numpy(std::move(found.text_ends)), bytes_of(found.languages),
                           to_numpy(std::move(found.language_ends)), bytes_of(found.others),
                           to_numpy(std::move(found.other_ends)));
}

}  // namespace

void bind_records(nb::module_& m) {
    m.def("scan_records", &py_scan_records, "data"_a, "text"_a, "language"_a, "refused"_a, "others"_a,
          "Lines of JSON that are not blank: (how many lines there are, starts, stops, their numbers, which are sound, and of "
          "the sound ones the texts, where these end, the languages, where these end, the other values as they are written, where these "
          "end).");
}
