// SPDX-License-Identifier: Apache-2.0
// The files of a plan.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "checks/plan.hpp"
#include "checks/records.hpp"

namespace graze::checks {

/// Entries of the folder of a plan.
inline constexpr std::array<std::string_view, 5> plan_folders = {"index", "logs", "models", "results", "shards"};
inline constexpr std::array<std::string_view, 3> plan_entries = {"plan", "answer.json", "slurm.json"};

/// Writes what a shard has to do. Returns its key.
Result<std::string> write_shard(const Plan& plan, double reach, const Bounds& cell, const Parts& parts,
                                std::span<const std::uint32_t> of_shard);
/// Writes the index of all parts. Returns its digest.
Result<std::string> write_index(const Plan& plan, const Parts& parts);
/// Writes the file that makes the folder a plan, so it comes last.
Result<void> write_plan(const Plan& plan);

/// Corners and points as lists of numbers.
Json json_of(const Bounds& box);
Bounds bounds_of(const Json& json);
Vec3 vector_of(const Json& json);

}  // namespace graze::checks
