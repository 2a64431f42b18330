// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks/ledger.hpp"
#include "checks/robot.hpp"

namespace graze::checks {

/// The data that the formats below write.
struct RobotRun {
    const RobotCheck& check;
    const RobotAnswers& answers;
    std::span<const double> values;  ///< the joint values of all configurations
    RobotQuestion question;
    Ledger checked = {};                 ///< `ledger_of` the check
    std::vector<LeftOut> left_out = {};  ///< products of the world's files that are in no part
};

/// `a is inside b` with the names of the bodies.
std::string inside_text(const RobotCheck& check, std::uint32_t pair, Nesting nesting);
/// `0.012 m apart`
std::string apart_text(double distance);
/// The number of configurations in collision. Of those asked with `RobotAsk::Free` also the ones that are too close.
std::size_t collision_count(const RobotAnswers& answers);
/// The number of configurations that are not in collision and in which bodies are too close.
std::size_t close_count(const RobotAnswers& answers);

/// A JSON object. With `RobotAsk::Free` the configurations name the pair that was found first.
std::string to_json(const RobotRun& run);
/// CSV: a head, and a row for each pair that collides in a configuration. With `RobotAsk::Free` a row for each
/// configuration in collision, with the pair that was found first.
std::string to_csv(const RobotRun& run);
/// Text for people. With `path` the configurations follow one another, so those in collision are listed as intervals.
std::string to_text(const RobotRun& run, bool path);

/// How often a pair collides or is too close, and where it has the most contacts, or else the least distance.
struct PairFrequency {
    std::uint32_t pair = 0;
    std::size_t configurations = 0;
    std::size_t inside = 0;       ///< of those, configurations in which one lies inside the other
    std::uint64_t most = 0;       ///< largest number of contacts
    std::size_t close = 0;        ///< configurations in which they are too close
    std::optional<double> least;  ///< the least distance of those
    std::size_t at = 0;  ///< the first configuration with the most contacts, or inside, or with the least distance
    Nesting nesting = Nesting::None;  ///< which lies inside the other, the first time that one does
};
/// The pairs that collide or are too close at all: those that collide most often first.
std::vector<PairFrequency> frequencies(const RobotRun& run);

}  // namespace graze::checks
