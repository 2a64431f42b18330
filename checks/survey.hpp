// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "checks/solid.hpp"

namespace graze::checks {

/// What to know about a mesh before trusting it.
struct Survey {
    Solid solid;
    std::uint64_t duplicates = 0;     ///< triangles with the same corners as an earlier one, in any order
    std::uint64_t flipped_edges = 0;  ///< edges whose two triangles face opposite sides
    double area = 0;                  ///< total area of all triangles
    /// Inside a closed surface without flipped edges; below zero when it looks inwards, zero when it is no more than
    /// rounding: faces lie back to back.
    std::optional<double> volume;
};

/// Takes about 500 ns per triangle.
Survey survey(const Model& model);

}  // namespace graze::checks
