// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "graze/hull.hpp"
#include "graze/query.hpp"

namespace graze::detail {

/// A pair of triangles of the models that meet, for two overlapping hulls, if red features near those where the walk
/// ended have such a pair (I-COLLIDE paper, section 4.1.4). The exact predicate decides, so the tree would agree.
/// Without a result, the tree has to be asked. At most `red_tests` pairs of triangles are tested.
std::optional<TrianglePair> red_overlap(const Hull& a, const Model& model_a, const Hull& b, const Model& model_b,
                                        const Affine& a_from_b, const FeaturePair& features);

inline constexpr int red_tests = 12;

}  // namespace graze::detail
