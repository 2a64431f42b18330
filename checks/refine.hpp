// SPDX-License-Identifier: Apache-2.0
// Fits that finer meshes may decide.
#pragma once

#include <string>
#include <vector>

#include "checks/measure.hpp"

namespace graze::checks {

/// Looks again at fits of parts of STEP and IGES files, with meshes a tenth as coarse: at most twice, and until the
/// error is below a micrometre or a mesh has thousands of triangles. Pairs that overlap by more than the finer meshes
/// can be off are crossings. The band of a pair that stays a fit is that of its finest meshes. Returns the number of
/// pairs that were looked at. A file that cannot be read again leaves its fits as they are, and a note says so.
std::size_t refine_fits(const Parts& parts, const SolidOf& solid, std::vector<Clash>& clashes,
                        const ClashSettings& settings, std::vector<std::string>& notes);

}  // namespace graze::checks
