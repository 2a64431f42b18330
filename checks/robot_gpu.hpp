// SPDX-License-Identifier: Apache-2.0
// Robots on a GPU.
#pragma once

#include "checks/robot.hpp"

namespace graze::checks {

/// `check_all` on a GPU: the same answers, but for which pair `RobotAsk::Free` names where several collide. A fault
/// when there is no GPU, when a clearance is asked for, or when the robot exceeds the GPU's limits. The CPU counts
/// contacts, and tells which body lies inside which.
Result<RobotAnswers> check_all_on_gpu(const RobotCheck& check, std::size_t configurations,
                                      std::span<const double> values, const RobotQuestion& question,
                                      unsigned threads = 0, const std::function<void(std::size_t)>& progress = {},
                                      const std::atomic<bool>* stop = nullptr);

}  // namespace graze::checks
