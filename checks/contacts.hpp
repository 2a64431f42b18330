// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "checks/kind.hpp"
#include "files/write.hpp"

namespace graze::checks {

/// Mapped as queries map it.
Triangle placed(const Affine& a_from_b, const Triangle& triangle);

/// What contacts found by a query with this placement are: `Crossing` when any pair crosses by `meeting`, otherwise
/// `Touching`. Exact; ends at the first pair that crosses. It goes by triangles alone: closed boxes of one height that
/// are pushed into each other along their walls share planes and edges, no pair crosses, and they count as touching.
Kind kind_of(const Model& a, const Model& b, const Affine& a_from_b, std::span<const Contact> contacts);

/// The lines along which the contacts' triangles cross, and outlines where they overlap in one plane: in A's frame,
/// joined where ends are within 1e-9 of the models' size. For display.
std::vector<files::Curve> crossing_curves(const Model& a, const Model& b, const Affine& a_from_b,
                                          std::span<const Contact> contacts);

/// The triangles of both that are part of a contact, each once, as two parts with these names; no part without
/// contacts. B's are placed by `a_from_b`, rounded as queries round them.
files::Assembly contact_triangles(const Model& a, const Model& b, const Affine& a_from_b,
                                  std::span<const Contact> contacts, std::string name_a, std::string name_b);

/// `count` of the contacts' pairs, or all, spread over them: for display.
std::vector<TrianglePair> spread(std::span<const Contact> contacts, std::size_t count);

}  // namespace graze::checks
