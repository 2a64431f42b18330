// SPDX-License-Identifier: Apache-2.0
// How often the shells of a model go around a point, by a ray along the x axis and without rounding.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "exact/dyadic.hpp"
#include "graze/query.hpp"
#include "solid/surface.hpp"

namespace graze::detail {

/// A point, and the double next to it.
struct ExactPoint {
    DyadicVec exact;
    Vec3 near;
    double error = 0;  ///< no coordinate is further off than this

    explicit ExactPoint(const Vec3& p) : exact(p), near(p) {}
    /// The point (a + b + w c) / (2 + w) of a triangle, for a weight w = 2^k − 2.
    ExactPoint(const Triangle& t, int k);
    /// The point p + at (q − p).
    ExactPoint(const Vec3& p, const Vec3& q, const Dyadic& at);

private:
    void find_near();
};

/// The sign with which a ray from p along +x passes the triangle: 1 where it leaves what the triangle's normal points
/// away from, -1 where it enters, 0 where it does not pass. p is moved by `moves` times the translation of
/// exact/perturbed.hpp, so that the ray never meets an edge.
int passing(const Triangle& t, const Vec3& p, int moves);
int passing(const Triangle& t, const ExactPoint& p, int moves);

/// True when the closed triangle holds the point.
bool holds(const Triangle& t, const ExactPoint& p);

/// A box in some frame that holds a model. The empty model's is empty.
struct FrameBox {
    Vec3 lo, hi;

    explicit FrameBox(const Box& box) : lo(box.lo()), hi(box.hi()) {}
    /// `box` as it is placed.
    FrameBox(const Box& box, const Affine& frame_from_box);

    bool holds(const Vec3& p) const {
        return p.x >= lo.x && p.x <= hi.x && p.y >= lo.y && p.y <= hi.y && p.z >= lo.z && p.z <= hi.z;
    }
    bool apart(const FrameBox& o) const {
        return lo.x > o.hi.x || o.lo.x > hi.x || lo.y > o.hi.y || o.lo.y > hi.y || lo.z > o.hi.z || o.lo.z > hi.z;
    }
};

/// A model as it is placed in some frame.
struct Placed {
    const Model& model;
    const Surface& surface;
    Affine placement;    ///< into the frame
    bool moved = false;  ///< false when the placement is the identity
    int mirror = 1;      ///< -1 when the placement mirrors
    FrameBox bounds;

    Placed(const Model& m, const Box& box, const Surface& s);
    Placed(const Model& m, const Box& box, const Surface& s, const Affine& frame_from_model);

    Triangle triangle(std::uint32_t i) const;
    Vec3 point(std::uint32_t i) const { return moved ? placement(model.points()[i]) : model.points()[i]; }
    /// 1 when the placed triangle's corners turn as its shell faces, otherwise -1.
    int turn(std::uint32_t i) const { return mirror * surface.turned[i]; }
};

/// A shell and its winding number around a point.
struct Winding {
    std::uint32_t shell = 0;
    int number = 0;
};

/// The shells with an inside whose winding number around p is not zero. When p lies on a triangle, `on_surface` is set.
std::vector<Winding> windings(const Placed& model, const ExactPoint& p, int moves, bool* on_surface = nullptr);

/// The winding number of all shells together: what is not zero is inside.
int total_winding(const Placed& model, const ExactPoint& p, int moves, bool* on_surface = nullptr);

}  // namespace graze::detail
