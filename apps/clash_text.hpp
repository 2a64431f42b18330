// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checks/clash_formats.hpp"

namespace graze::apps {

/// What `graze clash` prints for people: counts, what rules ignored, and a table of the clashes, or of their causes
/// when there are many. States are shown when there was a baseline. With `list` the table always has every clash.
std::string clash_text(const checks::ClashRun& run, bool compared, bool list);

}  // namespace graze::apps
