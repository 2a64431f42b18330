// SPDX-License-Identifier: Apache-2.0
// A clash check cut into shards: pieces of work that need nothing from each other.
//
// A plan is a folder. It has the parts' models, each shape once; an index of the parts; and for each shard a file that
// says all that its answer depends on. That file and the shard's result are named by the file's digest, the shard's
// key. So a result belongs to exactly one question, and a new plan finds the results that still answer it.
//
// Space is cut into cells, one per shard. A pair of parts belongs to the shard whose cell holds the lower corner of
// what their boxes have in common, widened by the distance to be kept. Each shard lists all parts whose widened boxes
// touch its cell, so it has both parts of each of its pairs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checks/cuts.hpp"
#include "checks/parts.hpp"
#include "checks/rule_texts.hpp"

namespace graze::checks {

/// A user's question.
struct PlanSettings {
    std::vector<std::string> paths;
    RuleTexts rules;
    double tolerance = 0, clearance = 0;  ///< as in `ClashSettings`
    std::optional<double> error;          ///< `ClashSettings::error`
    bool strict_fits = false;             ///< `ClashSettings::strict_fits`
    files::ReadOptions reading;
    BadFiles bad_files = BadFiles::LeaveOut;
    std::string version;  ///< version of the program, on which answers depend
};

/// A file as it was when the plan was made.
struct InputFile {
    std::string path;
    std::uint64_t size = 0;
    std::int64_t time = 0;  ///< when it was last changed, in the units of the file system's clock

    friend bool operator==(const InputFile&, const InputFile&) = default;
};

struct PlannedShard {
    std::string key;
    std::uint64_t parts = 0;
    double cost = 0;  ///< estimated seconds on one core
};

struct Plan {
    std::string folder;
    PlanSettings settings;
    std::vector<InputFile> inputs;
    Cells cells;
    std::vector<PlannedShard> shards;  ///< one per cell
    Bounds assembly;                   ///< a box around all parts
    double rounding = 0;               ///< `rounding_of` the parts' boxes
    std::string index;                 ///< digest of the index of the parts
};

/// How a plan is made.
struct Planning {
    std::optional<std::size_t> shards;  ///< number of shards; by default one per 128 MB of models, more for small ones
    unsigned threads = 0;
    Progress progress = {};
};

/// A new plan, and how much of an earlier one in the same folder still holds.
struct MadePlan {
    Plan plan;
    Parts parts;           ///< without models
    std::size_t done = 0;  ///< number of shards whose results an earlier run has left
};

/// Reads the files and writes a plan. Cuts of an earlier plan in the folder are kept as long as they balance, so that
/// shards whose parts have not changed keep their results. What the new plan does not need is removed.
Result<MadePlan> make_plan(const std::string& folder, const PlanSettings& settings, const Planning& planning);

/// A fault names the file that is missing or damaged.
Result<Plan> load_plan(const std::string& folder);
/// The index of a plan: all parts, in their order, without models.
Result<Parts> load_parts(const Plan& plan);

/// The files of some paths as they are now.
std::vector<InputFile> inputs_of(const std::vector<std::string>& paths);
/// A fault when a file is not as it was when the plan was made. Names the first.
Result<void> check_inputs(const Plan& plan);

/// One shard: all that its answer depends on, besides the models.
struct ShardWork {
    std::string key;
    RuleTexts rules;
    double tolerance = 0, clearance = 0, rounding = 0;
    std::optional<double> error;
    double reach = 0;  ///< the greatest distance that any pair of the assembly must keep
    Bounds cell;       ///< half open
    Parts parts;       ///< without models, with boxes
};
Result<ShardWork> load_shard(const Plan& plan, std::size_t shard);

/// The box of a part that decides which cells it touches. Two parts that are no further apart than `reach` have such
/// boxes that overlap.
Bounds widened(const Bounds& box, double reach, double rounding);

/// The lower corner of what two boxes have in common. The cell that holds it has the pair.
Vec3 lower_corner(const Bounds& a, const Bounds& b);

std::string model_path(const std::string& folder, const Shape& shape);
std::string result_path(const Plan& plan, std::size_t shard);

}  // namespace graze::checks
