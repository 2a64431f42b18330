// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks/clash_formats.hpp"
#include "checks/parts.hpp"
#include "report/report.hpp"

namespace graze::apps {

/// Pictures of clashes, and why some are missing.
struct Pictures {
    checks::Snapshots of;            ///< PNG by the ids of clashes
    std::vector<std::string> notes;  ///< one line each
};

/// Lets Chromium, if it is in PATH, draw the page's gravest clashes without a window: at most `most` of them, 800×600.
/// A browser draws twenty, and two run at a time: its start takes longer than a picture.
Pictures take_pictures(const report::Document& page, std::size_t most, const checks::Progress& progress = {});

}  // namespace graze::apps
