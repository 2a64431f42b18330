// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graze/graze.hpp"

namespace graze::files {

/// Seven numbers (x y z qx qy qz qw) or twelve (a 3×4 matrix by rows, used bit for bit).
Result<Pose> parse_pose(std::string_view line);

/// One pose per line; blank lines and `#` comments are skipped. If the first line is a single number n, then n poses
/// follow, each a 3×3 rotation by rows and a translation, in lines of any length. A fault names `name:line`.
/// The bytes of a NumPy file may stand instead of text: an array of shape (n, 4, 4), (n, 3, 4) or (n, 12), or (n, 7)
/// for x y z qx qy qz qw. A fault then names `name: pose i`.
Result<std::vector<Pose>> parse_poses(std::string_view text, const std::string& name);

/// Reads poses from a file. It is a fault if there are none.
Result<std::vector<Pose>> read_poses(const std::string& path);

}  // namespace graze::files
