// SPDX-License-Identifier: Apache-2.0
// Checks on any bytes that the readers of a clash check keep their promises, as check_files.hpp does for meshes.
#pragma once

#include <cmath>

#include "check_files.hpp"
#include "checks/baseline.hpp"

namespace graze::fuzz {

/// As an earlier run's answer, and as rules; those are tried on names that the same bytes have.
inline void check_baseline(std::string_view bytes) {
    const Result<checks::Baseline> baseline = checks::parse_baseline(bytes, "name");
    if (!baseline) check_line(baseline.fault());
    const Result<checks::Rules> rules = checks::parse_rules(bytes, "name");
    if (!rules) return check_line(rules.fault());
    const std::size_t lines =
        rules->rules.size() + rules->between.size() + rules->clearances.size() + rules->groups.size();
    require(lines <= bytes.size() / 5 + 1 + checks::Rules::built_in, "no more than the bytes hold");
    checks::Parts parts;
    for (const std::string_view path : {bytes.substr(0, bytes.size() / 2), bytes.substr(bytes.size() / 2)})
        parts.parts.push_back({.path = std::string(path)});
    for (const checks::Rule& rule : rules->rules) {
        require(!rule.a.text.empty() && !rule.b.text.empty() && !rule.reason.empty(),
                "rules have patterns and a reason");
        const checks::ChosenPairs pairs(parts, *rules, rule.a, rule.b);
        require(pairs(0, 1) == pairs(1, 0), "either way round");
    }
    for (const checks::ClearanceRule& rule : rules->clearances)
        require(std::isfinite(rule.length.value) && rule.length.value >= 0, "clearances are lengths");
    const checks::Clearances clearances(parts, *rules, 1);
    require(clearances(0, 1) == clearances(1, 0) && clearances(0, 1) <= clearances.most(), "one clearance per pair");
}

}  // namespace graze::fuzz
