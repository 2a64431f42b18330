// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checks/clash_formats.hpp"

namespace graze::apps {

struct ClashTextSettings {
    bool compared = false;  ///< there was a baseline: states are shown
    bool list = false;      ///< tables have every clash and fit
    bool metres = false;    ///< lengths are in metres
};

/// The text that `graze clash` prints for people: counts, what rules ignored, a table of the clashes, or of their
/// causes when there are many, which moves would clear several, and the fits.
std::string clash_text(const checks::ClashRun& run, const ClashTextSettings& settings);

}  // namespace graze::apps
