// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace graze::checks {

/// Largest number of frames that a page shows.
inline constexpr std::size_t most_frames_shown = 5'000;

/// The frames that a page shows, in ascending order: all of them when there are at most `most`. Otherwise frames with a
/// collision come before others, and each kind is thinned evenly. Those in `always` are shown in any case.
std::vector<std::size_t> shown_frames(const std::vector<bool>& collides, std::span<const std::size_t> always,
                                      std::size_t most = most_frames_shown);

}  // namespace graze::checks
