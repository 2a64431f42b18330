// SPDX-License-Identifier: Apache-2.0
// The poses that `collide` and `distance` place B at.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "pair.hpp"

namespace graze::apps {

struct PoseArguments {
    std::optional<std::string> pose;   ///< B in A's frame, as text; the identity by default
    std::optional<std::string> poses;  ///< a file of poses, or the number of random poses
    std::uint64_t seed = 1;

    /// The number of random poses asked for: --poses is a number and not the name of a file.
    std::optional<std::size_t> random_count() const;
};

/// Adds --pose, --poses and --seed. Returns --poses, which some options exclude.
CLI::Option* add_poses(CLI::App& command, PoseArguments& arguments);

Result<std::vector<Pose>> poses_of(const PoseArguments& arguments, const LoadedPair& pair);

/// Appends the 3×4 matrix by rows, in numbers that read back bit for bit.
void append_matrix(fmt::memory_buffer& out, const Pose& pose);
/// Appends `[x, y, z]`, in numbers that read back bit for bit.
void append_vector(fmt::memory_buffer& out, const Vec3& v);

}  // namespace graze::apps
