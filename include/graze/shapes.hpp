// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "graze/box.hpp"
#include "graze/closest.hpp"
#include "graze/query.hpp"
#include "graze/solid.hpp"
#include "graze/triangle.hpp"

namespace graze {

namespace detail {
struct ShapePair;
}

/// All points no further than a radius from a core. Spheres and capsules are points and segments with a radius, so they
/// are round without a mesh: queries compare the distance of the cores with the sum of the radii, without rounding.
///
/// Spheres, capsules and boxes are solid: what lies wholly within them meets them. A shape that is made of a `Model` is
/// its surface alone; one made of a `Solid` has its inside too. Copies share memory. Making a shape takes some
/// microseconds: make it once and place it by a pose.
class Shape {
public:
    /// A ball around a point. A radius of zero makes it the point. Here and below, a fault for numbers that are not
    /// finite or beyond `max_coordinate`, and for a negative radius.
    static Result<Shape> sphere(const Vec3& center, double radius);
    /// All points no further than `radius` from the segment between two points.
    static Result<Shape> capsule(const Vec3& from, const Vec3& to, double radius);
    /// All points no further than `radius` from a triangle, which may have no area.
    static Result<Shape> triangle(const Triangle& triangle, double radius = 0);
    /// A solid box in the shape's frame, its edges and corners rounded by `radius` outside of it. A pose makes it an
    /// oriented box. The bounds must be finite.
    static Result<Shape> box(const Box& box, double radius = 0);

    /// A model's surface.
    explicit Shape(const Model& surface);
    /// A model's surface and all that it encloses. Shells without inside are surfaces.
    explicit Shape(const Solid& solid);
    /// This shape's core with another radius.
    Result<Shape> with_radius(double radius) const;

    /// The point, segment, triangle, box or model that the radius goes around.
    const Model& core() const { return core_.model(); }
    double radius() const { return radius_; }
    /// True when the core has an inside: that of a box or a `Solid`. What lies wholly in there meets the shape.
    bool core_is_solid() const { return kind_ == Kind::Box || kind_ == Kind::Solid; }

private:
    friend struct detail::ShapePair;
    enum class Kind : std::uint8_t { Simple, Box, Surface, Solid };  // a simple core has one piece and no inside
    Shape(const Solid& core, Kind kind, double radius) : core_(core), radius_(radius), kind_(kind) {}
    static Result<Shape> around(const SoupView& soup, Kind kind, double radius);

    Solid core_;
    double radius_ = 0;
    Kind kind_;
};

/// Settings of a query with a shape. They never change an answer.
struct ShapeSettings {
    QueryStats* stats = nullptr;  ///< receives the work done, added to what it holds
    Scratch* scratch = nullptr;   ///< working memory to reuse
};

/// Settings of a distance between shapes.
struct ShapeDistanceSettings {
    double max_distance = std::numeric_limits<double>::infinity();  ///< shapes further apart count as infinitely far
    QueryStats* stats = nullptr;                                    ///< receives the work done, added to what it holds
    Scratch* scratch = nullptr;                                     ///< working memory to reuse
};

// The pose places B in A's frame. It maps the corners of B's core as every query maps points. Radii are lengths in A's
// frame, which no pose changes: that is why these queries take a `Pose` and no `Affine`. In place of one of the two
// shapes a `Model` or `Solid` will do. Make a `Shape` once of a model that is asked again and again: it keeps what
// queries find out about the surface.

/// True when A and B have a point in common. Exact: the distance of the cores, as `distance` defines it, is compared
/// with the sum of the radii without rounding either.
bool intersects(const Shape& a, const Shape& b, const Pose& a_from_b, const ShapeSettings& settings = {});

/// True when a point of A and a point of B are no further apart than `length`, decided without rounding. False for a
/// negative length; true for one that is infinite or not a number, unless a core is empty.
bool within(const Shape& a, const Shape& b, const Pose& a_from_b, double length, const ShapeSettings& settings = {});

/// The least distance between a point of A and a point of B, and where it is attained: the distance of the cores less
/// the radii, each operation rounded to double. Zero exactly when `intersects` is true: both points are then near a
/// common point, or where the cores' surfaces are closest when one core is inside the other. Infinite when a core is
/// empty or the shapes are further apart than `max_distance`.
Closest distance(const Shape& a, const Shape& b, const Pose& a_from_b, const ShapeDistanceSettings& settings = {});

namespace detail {
template <class T>
concept SurfaceOrSolid = std::same_as<T, Model> || std::same_as<T, Solid>;
template <class A, class B>
concept ShapeAndOther = (std::same_as<A, Shape> && SurfaceOrSolid<B>) || (SurfaceOrSolid<A> && std::same_as<B, Shape>);
}  // namespace detail

/// `intersects` of a shape and a `Model` or `Solid`, which is made a shape for the call.
template <class A, class B>
    requires detail::ShapeAndOther<A, B>
bool intersects(const A& a, const B& b, const Pose& a_from_b, const ShapeSettings& settings = {}) {
    return intersects(Shape(a), Shape(b), a_from_b, settings);
}
/// `within` of a shape and a `Model` or `Solid`, which is made a shape for the call.
template <class A, class B>
    requires detail::ShapeAndOther<A, B>
bool within(const A& a, const B& b, const Pose& a_from_b, double length, const ShapeSettings& settings = {}) {
    return within(Shape(a), Shape(b), a_from_b, length, settings);
}
/// `distance` of a shape and a `Model` or `Solid`, which is made a shape for the call.
template <class A, class B>
    requires detail::ShapeAndOther<A, B>
Closest distance(const A& a, const B& b, const Pose& a_from_b, const ShapeDistanceSettings& settings = {}) {
    return distance(Shape(a), Shape(b), a_from_b, settings);
}

}  // namespace graze
