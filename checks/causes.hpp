// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks/clash.hpp"

namespace graze::checks {

/// For each part the last names of its path, as few as distinguish it from all other parts.
std::vector<std::string> short_names(const Parts& parts);

/// Groups the clashes by what has probably caused them. Sets `Clash::cause` and `Clashes::causes`. Clashes of different
/// grades never have one cause. Within a grade
/// 1. clashes between parts of the same two families on the same storey are a cause if there are three or more. Parts
/// are
///    of one family when their types are equal, and their names but for numbers. A part that has three or more of these
///    clashes, and a quarter of them, is a cause by itself with those that it has, the part with the most first;
/// 2. the part that has the most of the clashes left is a cause, with all of these, as long as there are three or more;
/// 3. two clashes left between the same two families on the same storey are a cause;
/// 4. clashes left whose boxes, widened by half of their extents, overlap are a cause;
/// 5. each other clash is a cause by itself.
///
/// Causes with new or worse clashes come first, then graver ones, then those of more clashes. The order of clashes and
/// parts alone decides ties.
void find_causes(const Parts& parts, Clashes& clashes);

}  // namespace graze::checks
