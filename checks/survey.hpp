// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "checks/solid.hpp"

namespace graze::checks {

/// What one wants to know of a mesh before one trusts it.
struct Survey {
    Solid solid;
    std::uint64_t duplicates = 0;     ///< triangles with the corners of an earlier one, in any order
    std::uint64_t flipped_edges = 0;  ///< of two triangles that look to different sides
    double area = 0;                  ///< of all triangles
    /// Inside a closed surface without flipped edges; below zero when it looks inwards, zero when it is no more than
    /// rounding: faces lie back to back.
    std::optional<double> volume;
};

/// Some 500 ns a triangle.
Survey survey(const Model& model);

}  // namespace graze::checks
