// SPDX-License-Identifier: Apache-2.0
// Engines that work on the shards of a plan: processes of this machine, Slurm, or Dask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checks/plan.hpp"
#include "options.hpp"

namespace graze::apps {

struct EngineSettings {
    std::string folder;        ///< the plan's folder
    unsigned jobs = 0;         ///< shards worked on at the same time on this machine; 0 means one per core
    std::uint64_t memory = 0;  ///< megabytes per shard; 0 means half of the machine's, shared by the jobs on it
    std::string scheduler;     ///< address of Dask's
    bool watch = false;        ///< wait for the jobs of Slurm
    Output output;
};

constexpr unsigned attempts = 3;  ///< per shard

/// The file that has what a shard's processes said.
std::string log_path(const std::string& folder, std::size_t shard);

/// Each of these works on some shards of a plan. A shard that fails is tried again, three times in all, and the others
/// go on. What was done shows in the results. A fault means that the engine could not start.
Result<void> run_locally(const checks::Plan& plan, const std::vector<std::size_t>& shards,
                         const EngineSettings& settings);
Result<void> run_by_dask(const checks::Plan& plan, const std::vector<std::size_t>& shards,
                         const EngineSettings& settings);

/// Submits an array of jobs and a job that merges when the array has ended, unless such jobs are still in the queue.
/// Prints their numbers. True when the queue has none of them any more, which is so only after watching.
Result<void> submit_to_slurm(const checks::Plan& plan, const std::vector<std::size_t>& shards,
                             const EngineSettings& settings, bool& ended);

}  // namespace graze::apps
