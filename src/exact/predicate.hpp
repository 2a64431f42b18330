// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graze/triangle.hpp"

namespace graze::detail {

/// `graze::meet`. Sets `used_exact` (and never clears it) when double arithmetic did not decide some sign.
bool meet(const Triangle& s, const Triangle& t, bool& used_exact);

}  // namespace graze::detail
