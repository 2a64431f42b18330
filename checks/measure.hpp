// SPDX-License-Identifier: Apache-2.0
// How large clashes are, and how to get rid of them.
#pragma once

#include <vector>

#include "checks/clash.hpp"

namespace graze::checks {

/// Measures clashes of parts that overlap, the gravest first, at most `ClashSettings::measured` of them. Ends early
/// when the settings say so.
void measure_gravest(const Parts& parts, const SolidOf& solid, Clashes& clashes, const ClashSettings& settings);

/// Looks for parts that clear two or more crossings when they are moved: along the way out of one of them, and no more
/// than twice as far as the longest of these ways. Queries have confirmed that nothing overlaps then by more than its
/// band. Looks at clashes that were measured. `boxes` are those of the parts in the world.
void find_moves(const Parts& parts, const SolidOf& solid, const std::vector<Bounds>& boxes, Clashes& clashes,
                const ClashSettings& settings);

}  // namespace graze::checks
