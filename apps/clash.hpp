// SPDX-License-Identifier: Apache-2.0
// Shared by `graze clash` and its commands for shards: the same options, and one way from clashes to answers.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checks/baseline.hpp"
#include "checks/clash.hpp"
#include "checks/clash_formats.hpp"
#include "checks/plan.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace graze::apps {

/// Options that decide which pairs clash, and how.
struct CheckArguments {
    std::vector<std::string> paths;
    std::vector<std::string> rules, ignore;  ///< files of rules, and single rules as text
    std::vector<std::pair<std::string, std::string>> between;
    checks::Length tolerance, clearance;
    std::optional<checks::Length> error;
    bool strict_fits = false;
    bool strict = false;
    unsigned threads = 0;
    files::ReadOptions reading;
};
void add_check_arguments(CLI::App& command, CheckArguments& arguments);
/// Reads the files of rules.
Result<checks::PlanSettings> settings_of(const CheckArguments& arguments);

/// Options for the answers about the clashes, and where they go.
struct AnswerArguments {
    std::vector<std::string> only, without;  ///< kinds to report, and kinds to leave out; empty means all and none
    std::vector<std::string> baselines;
    std::optional<double> worse_by;
    std::string junit, bcf, write;
    checks::BcfVersion bcf_version = checks::BcfVersion::V2_1;
    std::size_t snapshots = 0;  ///< number of pictures in the BCF file at most
    std::size_t measured = checks::ClashSettings().measured;
    bool list = false;
    std::string save;  ///< file for the answer in JSON; empty for none
    Output output;

    bool needs_page() const { return !output.html.empty() || snapshots > 0; }
    /// Number of clashes to be measured. None when nobody sees it; a baseline compares depths.
    std::size_t to_measure() const {
        const bool seen = !output.quiet || needs_page() || !bcf.empty() || !junit.empty() || !save.empty();
        return seen || !baselines.empty() ? measured : 0;
    }
};
/// A fault when a length has a unit that the parts do not have.
Result<void> check_lengths(const CheckArguments& arguments, const checks::Parts& parts);
void add_answer_arguments(CLI::App& command, AnswerArguments& arguments);

/// The answers that the arguments ask for, read and checked.
struct Wanted {
    checks::Choice choice;
    checks::Baseline baseline;
};
Result<Wanted> wanted_of(const AnswerArguments& arguments, const checks::Rules& rules, double clearance);

/// An assembly that was checked.
struct Checked {
    const checks::Parts& parts;
    checks::Clashes& found;
    const checks::Rules& rules;
    const checks::PlanSettings& settings;
    const Wanted& wanted;
    std::function<std::string()> times;  ///< what took how long, for --verbose
    /// Brings the models of some parts into `parts`, and the contacts of their clashes; empty when all are there.
    std::function<Result<void>(std::span<const std::uint32_t>)> load = {};
};

/// Compares with the baseline, looks for causes, writes and prints. Returns the exit code.
int give_answer(const Checked& checked, const AnswerArguments& arguments);

/// Calls `work` with something that shows progress.
template <class F>
auto with_bar(const Output& output, F&& work) {
    ProgressBar bar(1, output.progress());
    return work([&](std::size_t done, std::size_t total) { bar.show(done, total); });
}

}  // namespace graze::apps
