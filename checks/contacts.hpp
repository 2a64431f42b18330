// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "files/write.hpp"

namespace graze::checks {

/// The triangle with its corners mapped, rounded as queries round them.
Triangle placed(const Affine& a_from_b, const Triangle& triangle);

/// The points mapped from A's frame to the world. The distance stays as it is: the placement must be rigid.
Closest placed(const Affine& world_from_a, const Closest& closest);

/// Appends the outline of what two triangles have in common, two ends per segment. A point is a segment of no length.
void append_outline(const Triangle& s, const Triangle& t, std::vector<Vec3>& ends);

/// The curves along which the triangles cross, and the outlines where they overlap in one plane, in A's frame. For
/// display.
std::vector<files::Curve> crossing_curves(const Model& a, const Model& b, const Affine& a_from_b,
                                          std::span<const Contact> contacts);

/// The triangles in contact, each once, as two parts with these names. Without contacts there are no parts. B's
/// triangles are placed by `a_from_b`, rounded as queries round them.
files::Assembly contact_triangles(const Model& a, const Model& b, const Affine& a_from_b,
                                  std::span<const Contact> contacts, std::string name_a, std::string name_b);

/// At most `count` triangle pairs, spread over all contacts. For display.
std::vector<TrianglePair> spread(std::span<const Contact> contacts, std::size_t count);

}  // namespace graze::checks
