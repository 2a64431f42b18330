// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "checks/solid.hpp"

namespace graze::checks {

/// A model with what is asked of it as a solid.
struct Body {
    const Model* model = nullptr;
    Solid solid;
    Box box;  ///< around it, in its own frame
};

/// Bodies of models, each made when it is first asked for; by any thread.
class Bodies {
public:
    explicit Bodies(std::span<const Model> models) : models_(models), slots_(new Slot[models.size()]) {}
    const Body& operator[](std::size_t i) const;
    const Model& model(std::size_t i) const { return models_[i]; }

private:
    struct Slot {
        std::once_flag once;
        Body body;
    };
    std::span<const Model> models_;
    std::unique_ptr<Slot[]> slots_;
};

/// Whether two models (numbers) that meet in these contacts, sorted, reach into each other: two triangles cross by
/// `meeting`, a point of one's surface is inside the other, or a point is inside both; insides are those of closed
/// models, and the point is off the surfaces by more than rounding. Some hundred points about the contacts are tried:
/// true is certain, false is not.
bool reach_into_each_other(const Bodies& bodies, std::uint32_t a, std::uint32_t b, const Affine& a_from_b,
                           const Affine& b_from_a, std::span<const Contact> contacts);

/// Whether a corner of the one is inside the other, a closed one, off its surface by more than rounding. A corner of
/// each component is tried, of some hundred at most.
bool lies_inside(const Body& inner, const Body& outer, const Affine& outer_from_inner);

}  // namespace graze::checks
