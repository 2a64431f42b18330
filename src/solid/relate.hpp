// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "graze/solid.hpp"
#include "solid/winding.hpp"

namespace graze::detail {

/// How two solids lie to each other, with all pairs of triangles that meet.
struct Related {
    Relation relation = Relation::Disjoint;
    std::vector<TrianglePair> met;
    std::optional<Placed> a, b;  ///< in A's frame; nothing when a model is empty

    Related(const Solid& solid_a, const Solid& solid_b, const Affine& a_from_b, const QuerySettings& settings);
};

/// True when the solids have more in common than points of their surfaces.
bool have_common_part(const Solid& a, const Solid& b, const Affine& a_from_b);

/// Diagonal of the box of the solid's triangles.
double size_of(const Solid& solid);

}  // namespace graze::detail
