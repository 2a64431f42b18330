// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checks/clash_formats.hpp"

namespace graze::apps {

/// What `graze clash` prints for people: counts, what rules ignored, and a table of the first clashes. States are shown
/// when there was a baseline.
std::string clash_text(const checks::ClashRun& run, bool compared);

}  // namespace graze::apps
