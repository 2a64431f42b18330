// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks/robot.hpp"

namespace graze::checks {

/// All that the formats below write.
struct RobotRun {
    const RobotCheck& check;
    const RobotAnswers& answers;
    std::span<const double> values;  ///< of all configurations
    RobotAsk ask = RobotAsk::Contacts;
};

/// One object. With `RobotAsk::Free` configurations have no pairs.
std::string to_json(const RobotRun& run);
/// A head and a row for each pair that meets in a configuration; with `RobotAsk::Free` for each configuration that
/// hits.
std::string to_csv(const RobotRun& run);
/// For a reader. `path`: configurations follow each other, so that those in collision are listed as runs.
std::string to_text(const RobotRun& run, bool path);

/// How often a pair meets, and where most.
struct PairFrequency {
    std::uint32_t pair = 0;
    std::size_t configurations = 0;
    std::uint64_t most = 0;  ///< contacts
    std::size_t at = 0;      ///< the first configuration with that many
};
/// Of the pairs that meet at all, the most frequent first.
std::vector<PairFrequency> frequencies(const RobotRun& run);

}  // namespace graze::checks
