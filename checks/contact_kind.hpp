// SPDX-License-Identifier: Apache-2.0
// How two models meet: what the library decides, in the words of the commands.
#pragma once

#include <span>
#include <vector>

#include "checks/kind.hpp"
#include "graze/graze.hpp"

namespace graze::checks {

/// The solids of some models. What they know of their models is found out when first asked for.
std::vector<Solid> solids_of(std::span<const Model> models);

/// Says which of two models is wholly inside the other.
enum class Nesting : std::uint8_t { None, AInB, BInA };

/// How two models meet or lie within each other.
struct Manner {
    Kind kind = Kind::Touching;  ///< `Touching` also where nothing is wrong
    Nesting nesting = Nesting::None;

    /// True when the models have more in common than points of their surfaces.
    bool overlaps() const { return kind != Kind::Touching; }
};

/// The relation in the words of the commands. Where one of several bodies of a model is inside the other, they cross.
Manner manner_of(const RelationResult& found);
/// How models A and B meet in these contacts, which are all that a query with this placement has found; they may be
/// none. See `graze::relation`.
Manner manner_of(const Solid& a, const Solid& b, const Affine& a_from_b, std::span<const Contact> contacts);
/// How models A and B meet.
Manner manner_of(const Solid& a, const Solid& b, const Affine& a_from_b);

}  // namespace graze::checks
