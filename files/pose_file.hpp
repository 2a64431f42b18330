// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graze/graze.hpp"

namespace graze::files {

/// Seven numbers (x y z qx qy qz qw) or twelve (a 3×4 matrix by rows, used bit for bit).
Result<Pose> parse_pose(std::string_view line);

/// One pose a line; blank lines and `#` comments are skipped. Or, where the first line has one number alone: that many
/// poses follow, each a 3×3 rotation by rows and a translation, in lines of any length. A fault names `name:line`.
Result<std::vector<Pose>> parse_poses(std::string_view text, const std::string& name);

/// The same from a file; none at all is a fault.
Result<std::vector<Pose>> read_poses(const std::string& path);

}  // namespace graze::files
