// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graze/triangle.hpp"

namespace graze::detail {

/// `graze::meet`; sets `used_exact` (never clears it) when double arithmetic left some sign open.
bool meet(const Triangle& s, const Triangle& t, bool& used_exact);

}  // namespace graze::detail
