// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "graze/hull.hpp"
#include "graze/query.hpp"

namespace graze::detail {

/// Of two overlapping hulls, a pair of triangles of their models that meet, if red features near those where the walk
/// ended have one (I-COLLIDE paper, section 4.1.4). The exact predicate has the word, so that the tree would say the
/// same; nothing means that the tree has to look. At most `red_tests` pairs of triangles are tested.
std::optional<TrianglePair> red_overlap(const Hull& a, const Model& model_a, const Hull& b, const Model& model_b,
                                        const Affine& a_from_b, const FeaturePair& features);

inline constexpr int red_tests = 12;

}  // namespace graze::detail
