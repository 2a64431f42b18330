// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/math.hpp"

namespace graze::detail {

/// `graze::first_of_equals`.
std::vector<std::uint32_t> first_of_equals(std::span<const Vec3> points);
/// Writes the indices to `first`. Both vectors keep their memory; `slots` is working memory.
void first_of_equals(std::span<const Vec3> points, std::vector<std::uint32_t>& first,
                     std::vector<std::uint32_t>& slots);

}  // namespace graze::detail
