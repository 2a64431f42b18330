// SPDX-License-Identifier: Apache-2.0
// The work on the shards of a plan (checks/plan.hpp), and their results put together.
#pragma once

#include <map>
#include <mutex>

#include "checks/clash.hpp"
#include "checks/plan.hpp"

namespace graze::checks {

/// Half of the machine's memory in bytes.
std::uint64_t half_of_memory();

struct ShardSettings {
    std::uint64_t memory = 0;  ///< bytes to stay below where possible; 0 for half of the machine's memory
    unsigned threads = 0;
    Progress progress = {};
};

/// Finds the clashes of a shard and writes its result, unless there is a good one already. The result appears whole or
/// not at all, and it always has the same bytes. A shard that needs too much memory is worked on in pieces.
Result<void> run_shard(const Plan& plan, std::size_t shard, const ShardSettings& settings = {});

/// A fault when the result of a shard is missing or damaged.
Result<void> check_result(const Plan& plan, std::size_t shard);

/// All that `find_clashes` finds in all parts, fits among the clashes, without `Clash::pairs` and `Clash::measures`.
/// `parts` is the plan's index. A fault names the shard whose result is missing or damaged.
Result<FoundPairs> merge_shards(const Plan& plan, const Parts& parts);

/// Solids of the parts of a plan, read when they are asked for.
class PlannedSolids {
public:
    PlannedSolids(const Plan& plan, const Parts& parts) : plan_(plan), parts_(parts) {}

    /// The solid of a part; an empty one when its model cannot be read.
    Solid operator()(std::uint32_t part);
    /// The first model that could not be read.
    const std::optional<Fault>& fault() const { return fault_; }

private:
    const Plan& plan_;
    const Parts& parts_;
    std::mutex mutex_;
    std::map<std::uint32_t, Solid> solids_;  ///< by model
    std::optional<Fault> fault_;
};

/// Loads the models of some parts of a plan, unless they are loaded.
Result<void> load_models(const Plan& plan, Parts& parts, std::span<const std::uint32_t> some, unsigned threads = 0);

}  // namespace graze::checks
