// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks/robot_formats.hpp"
#include "options.hpp"

namespace graze::apps {

struct RobotPageSettings {
    std::string title;
    bool timeline = false;  ///< the page has a timeline of configurations
    bool random = false;    ///< the configurations do not follow one another
};

/// Writes the page on a run if the output asks for one. `answer` is what --json prints.
Result<void> write_robot_page(const checks::RobotRun& run, const RobotPageSettings& settings, const Output& output,
                              std::string answer);

}  // namespace graze::apps
