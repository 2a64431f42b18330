// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graze/triangle.hpp"

namespace graze::detail {

/// Whether two triangles of one model meet in more than the corners and edges that they share. Corners with equal
/// coordinates are shared. Sets `used_exact` (and never clears it) when double arithmetic did not decide some sign.
bool meet_beyond_shared(const Triangle& s, const Triangle& t, bool& used_exact);

}  // namespace graze::detail
