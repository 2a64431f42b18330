// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks/clash.hpp"

namespace graze::checks {

/// The clashes that an earlier run's JSON (`to_json`) lists, resolved ones left out. A fault names the place.
Result<std::vector<Gone>> parse_baseline(std::string_view json, const std::string& name);

/// Sets the states: a clash of two parts that the baseline has too is persistent, whatever its kind (a change of kind
/// goes into the note); what the baseline has and the run has not is resolved, unless a rule ignores it.
void compare(const Parts& parts, const std::vector<Gone>& baseline, Clashes& clashes);

}  // namespace graze::checks
