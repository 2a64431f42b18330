// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "graze/graze.hpp"

namespace graze::checks {

/// The properties of a mesh that decide whether it can be trusted.
struct Survey {
    Solid solid;
    std::uint64_t duplicates = 0;     ///< triangles with the same corners as an earlier one, in any order
    std::uint64_t flipped_edges = 0;  ///< edges whose two triangles face opposite sides
    std::optional<double> area;       ///< total area of all triangles; nothing when beyond the range of double
    /// The volume inside a closed surface without flipped edges; nothing for other surfaces, and when beyond the range
    /// of double. Negative when the faces look inwards. Zero when it is no larger than rounding, as when faces lie back
    /// to back.
    std::optional<double> volume;
};

/// Examines a model. Takes about 500 ns per triangle.
Survey survey(const Model& model);

/// True when some edge has an odd number of triangles: the surface, or a shell of it, then has no inside. Corners with
/// equal coordinates count as one point. Takes about 10 ns per triangle. An open surface is taken for a closed one with
/// a chance of 2^-64.
bool is_open(const Model& model);

}  // namespace graze::checks
