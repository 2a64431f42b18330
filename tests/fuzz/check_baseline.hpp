// SPDX-License-Identifier: Apache-2.0
// What the readers of a clash check promise of any bytes: as in check_files.hpp.
#pragma once

#include "check_files.hpp"
#include "checks/baseline.hpp"

namespace graze::fuzz {

/// As an earlier run's answer, and as rules; those are tried on names that the same bytes have.
inline void check_baseline(std::string_view bytes) {
    const Result<checks::Baseline> baseline = checks::parse_baseline(bytes, "name");
    if (!baseline) check_line(baseline.fault());
    const Result<std::vector<checks::Rule>> rules = checks::parse_rules(bytes, "name");
    if (!rules) return check_line(rules.fault());
    require(rules->size() <= bytes.size() / 5 + 1, "no more than the bytes hold");  // three words, blanks between
    const std::string_view half = bytes.substr(0, bytes.size() / 2), rest = bytes.substr(bytes.size() / 2);
    for (const checks::Rule& rule : *rules) {
        require(!rule.a.empty() && !rule.b.empty() && !rule.reason.empty(), "rules have patterns and a reason");
        require(checks::matches(rule, half, rest) == checks::matches(rule, rest, half), "either way round");
    }
}

}  // namespace graze::fuzz
