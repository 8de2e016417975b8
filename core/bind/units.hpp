// The Python names of unit rules.
#pragma once

#include <stdexcept>
#include <string>

#include "ngram/estimate/text.hpp"

inline bitmeter::UnitRules unit_rules(const std::string& kind, std::int64_t ids, std::int64_t end_unit, bool closed) {
    using bitmeter::UnitKind;
    if (kind != "bytes" && kind != "characters" && kind != "tokens") throw std::invalid_argument("no such units");
    return {kind == "bytes" ? UnitKind::bytes : kind == "tokens" ? UnitKind::tokens : UnitKind::characters, ids, end_unit,
            closed};
}
