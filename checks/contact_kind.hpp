// SPDX-License-Identifier: Apache-2.0
// How two models meet: the one definition of "crossing", "touching" and "inside" for all commands.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "checks/bounds.hpp"
#include "checks/kind.hpp"
#include "checks/solid.hpp"

namespace graze::checks {

/// A model with what is known about it as a solid.
struct SolidBody {
    const Model* model = nullptr;
    Solid solid;
    Bounds box;           ///< the model's box in its own frame
    double smallest = 0;  ///< the least diagonal of a component's box
    /// A point of each component, as a triangle with its number. Empty where components are few.
    Model markers;
};

/// The solid bodies of some models. Each is made when a thread first asks for it.
class SolidBodies {
public:
    explicit SolidBodies(std::span<const Model> models)
        : models_(models.begin(), models.end()), slots_(new Slot[models.size()]) {}
    const SolidBody& operator[](std::size_t i) const;
    const Model& model(std::size_t i) const { return models_[i]; }

private:
    struct Slot {
        std::once_flag once;
        SolidBody body;
    };
    std::vector<Model> models_;
    std::unique_ptr<Slot[]> slots_;
};

/// How models `a` and `b` (numbers into `bodies`) meet in these contacts, which a query with this placement has found.
///
/// `Crossing` when
/// - two triangles cross by `meeting`; or
/// - a point on the surface of one lies inside the other, or a point lies inside both. Only closed components have an
///   inside (see `side_of`), and the point must be off the surfaces by more than rounding. This finds boxes that
///   overlap with their sides flush, where no pair of triangles crosses.
/// `Touching` otherwise, and where there are no contacts.
///
/// `Crossing` is proven. `Touching` does not rule out that two solids overlap: some hundred points near the contacts
/// are tried. The order of the contacts does not matter where all of them are given. With fewer contacts the answer is
/// about those.
Kind contact_kind(const SolidBodies& bodies, std::size_t a, std::size_t b, const Affine& a_from_b,
                  std::span<const Contact> contacts);

/// Whether a component of `inner` lies inside `outer`, off its surface by more than rounding, when their surfaces do
/// not meet. The inside is that of `side_of`.
bool lies_inside(const SolidBody& inner, const SolidBody& outer, const Affine& outer_from_inner);

/// Which of two models has a component inside the other.
enum class Nesting : std::uint8_t { None, AInB, BInA };

/// How models `a` and `b`, whose surfaces do not meet in this placement, lie in each other. `AInB` when both do. Takes
/// less than 100 ns where boxes tell.
Nesting nesting(const SolidBodies& bodies, std::size_t a, std::size_t b, const Affine& a_from_b);

}  // namespace graze::checks
