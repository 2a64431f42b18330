// SPDX-License-Identifier: Apache-2.0
// Shapes are cores with a radius. Two of them meet when their cores are no further apart than the sum of the radii, or
// when one core has an inside and a part of the other is in it.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/float_environment.hpp"
#include "graze/distance.hpp"
#include "graze/region.hpp"
#include "graze/shapes.hpp"
#include "model/access.hpp"
#include "solid/solid_data.hpp"
#include "solid/winding.hpp"

namespace graze {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// True when the distance of two triangles is at most `length`, decided in integers of any width. The distance is
/// attained between two features of the triangles, in the interior of both.
class NoFurther {
public:
    NoFurther(const Triangle& s, const Triangle& t, const detail::Dyadic& length)
        : s_{s.a, s.b, s.c}, t_{t.a, t.b, t.c}, limit_(length * length) {}

    bool holds() const {
        for (std::size_t i = 0; i < 3; ++i) {
            if (face(s_[i], t_) || face(t_[i], s_)) return true;
            for (std::size_t k = 0; k < 3; ++k) {
                const V w = s_[i] - t_[k];
                if (enough(dot(w, w), 1.0)) return true;
                if (edge(s_[i], t_[k], t_[(k + 1) % 3]) || edge(t_[k], s_[i], s_[(i + 1) % 3])) return true;
                if (edges(s_[i], s_[(i + 1) % 3], t_[k], t_[(k + 1) % 3])) return true;
            }
        }
        return false;
    }

private:
    using Number = detail::Dyadic;
    using V = detail::DyadicVec;
    using Corners = std::array<V, 3>;

    /// Compares a squared distance, given as a fraction.
    bool enough(const Number& num, const Number& den) const { return (num - limit_ * den).sign() <= 0; }

    bool edge(const V& p, const V& a, const V& b) const {
        const V w = p - a, u = b - a;
        const Number along = dot(w, u), uu = dot(u, u);
        if (uu.sign() == 0 || along.sign() < 0 || (along - uu).sign() > 0) return false;
        const V n = cross(w, u);
        return enough(dot(n, n), uu);
    }
    bool face(const V& p, const Corners& t) const {
        const V n = cross(t[1] - t[0], t[2] - t[0]);
        const Number nn = dot(n, n);
        if (nn.sign() == 0) return false;
        for (std::size_t i = 0; i < 3; ++i)
            if (dot(cross(t[(i + 1) % 3] - t[i], p - t[i]), n).sign() < 0) return false;
        const Number height = dot(p - t[0], n);
        return enough(height * height, nn);
    }
    bool edges(const V& a, const V& b, const V& c, const V& d) const {
        const V u = b - a, v = d - c, w = c - a, n = cross(u, v);
        const Number nn = dot(n, n);
        if (nn.sign() == 0) return false;
        for (const Number& x : {dot(cross(w, v), n), dot(cross(w, u), n)})
            if (x.sign() < 0 || (nn - x).sign() < 0) return false;
        const Number height = dot(w, n);
        return enough(height * height, nn);
    }

    Corners s_, t_;
    Number limit_;
};

/// A sum of lengths between two neighbouring doubles, or equal to the lower one.
struct Reach {
    detail::Dyadic value;
    double lower;
    bool exact;

    Reach(double a, double b, double c)
        : value(detail::Dyadic(a) + detail::Dyadic(b) + detail::Dyadic(c)), lower((a + b) + c) {
        while ((detail::Dyadic(lower) - value).sign() > 0) lower = std::nextafter(lower, 0);
        while ((detail::Dyadic(upper()) - value).sign() <= 0) lower = upper();
        exact = (detail::Dyadic(lower) - value).sign() == 0;
    }
    double upper() const { return std::nextafter(lower, infinite); }
};

/// Whether the surfaces of two cores are no further apart than a + b + c, none of which is negative.
bool surfaces_within(const Model& s, const Model& t, const Pose& pose, double a, double b, double c,
                     const ShapeSettings& settings) {
    const auto up_to = [&](double length) {
        return within(s, t, pose, length, {.stats = settings.stats, .scratch = settings.scratch});
    };
    // Mostly the sum is a double: what Knuth's addition leaves is zero.
    const double sum = a + b, of_b = sum - a;
    if (c == 0 && (a - (sum - of_b)) + (b - of_b) == 0) return up_to(sum);
    const Reach reach(a, b, c);
    if (up_to(reach.lower)) return true;
    if (reach.exact || !up_to(reach.upper())) return false;
    bool found = false;
    for_each_within(
        s, t, pose, reach.upper(),
        [&](const ClosestTriangles& closest) {
            const Triangle u = t.triangle(closest.triangles.b);
            found = NoFurther(s.triangle(closest.triangles.a), {pose(u.a), pose(u.b), pose(u.c)}, reach.value).holds();
            return found ? Step::Stop : Step::Continue;
        },
        {.stats = settings.stats, .scratch = settings.scratch});
    return found;
}

}  // namespace

/// Two shapes in A's frame.
struct detail::ShapePair {
    const Shape &a, &b;
    const Pose& a_from_b;
    const ShapeSettings& settings;

    static bool simple(const Shape& s) { return s.kind_ == Shape::Kind::Simple || s.kind_ == Shape::Kind::Box; }

    /// Whether part of one core is inside the other. The surfaces have no point in common, so each triangle is wholly
    /// inside or outside.
    bool nested() const {
        if (a.core().triangle_count() == 0 || b.core().triangle_count() == 0) return false;
        return (a.core_is_solid() && enters(b, a_from_b, a, {})) || (b.core_is_solid() && enters(a, {}, b, a_from_b));
    }

    bool enters(const Shape& other, const Affine& place_other, const Shape& solid, const Affine& place_solid) const {
        SolidData& data = SolidData::of(solid.core_);
        if (!simple(other) && solid.kind_ == Shape::Kind::Solid) {
            const RelationResult how = relation_from(a.core_, b.core_, a_from_b, {});
            return &solid == &a ? how.b_enters_a : how.a_enters_b;
        }
        const Placed placed(data.model, data.bounds(), data.surface(), place_solid);
        if (simple(other)) {
            const Vec3 point = place_other(other.core().triangle(0).a);
            return total_winding(placed, ExactPoint(point), 1) != 0;
        }
        bool inside = false;
        for_each_overlapping(Access::box(placed.bounds.lo, placed.bounds.hi), other.core(), place_other,
                             [&](std::uint32_t i) {
                                 const Vec3 point = place_other(other.core().triangle(i).a);
                                 int winding = 0;
                                 for (std::uint32_t k = 0; k < data.model.triangle_count(); ++k)
                                     winding += placed.turn(k) * passing(placed.triangle(k), point, 1);
                                 inside = winding != 0;
                                 return inside ? Step::Stop : Step::Continue;
                             });
        return inside;
    }

    bool within(double length) const {
        if (length < 0) return false;
        // No two cores are further apart than that: see `max_coordinate`.
        if (!(length <= 0x1p1010)) return a.core().triangle_count() != 0 && b.core().triangle_count() != 0;
        return surfaces_within(a.core(), b.core(), a_from_b, a.radius_, b.radius_, length, settings) || nested();
    }
};

Result<Shape> Shape::around(const SoupView& soup, Kind kind, double radius) {
    if (!std::isfinite(radius)) return Fault{FaultKind::NotFinite, "shape: the radius is not finite"};
    if (radius < 0 || radius > max_coordinate)
        return Fault{FaultKind::OutOfRange, "shape: the radius is negative or beyond 2^1000"};
    const Result<Model> core = Model::build(soup, {.volume = Volume::Aabb, .threads = 1});
    if (!core) return core.fault();
    return Shape(Solid(*core), kind, radius);
}

Result<Shape> Shape::sphere(const Vec3& center, double radius) { return triangle({center, center, center}, radius); }

Result<Shape> Shape::capsule(const Vec3& from, const Vec3& to, double radius) {
    return triangle({from, to, to}, radius);
}

Result<Shape> Shape::triangle(const Triangle& triangle, double radius) {
    const std::array<Vec3, 3> points{triangle.a, triangle.b, triangle.c};
    const std::array<std::uint32_t, 3> corners{0, 1, 2};
    return around(SoupView(points, corners), Kind::Simple, radius);
}

Result<Shape> Shape::box(const Box& box, double radius) {
    const Vec3 &lo = box.lo(), &hi = box.hi();
    // Corner i is at the upper end of x, y and z where bits 0, 1 and 2 of i say so.
    std::array<Vec3, 8> points;
    for (std::size_t i = 0; i < 8; ++i) points[i] = {i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z};
    const std::array<std::uint32_t, 36> corners{0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                                2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    return around(SoupView(points, corners), Kind::Box, radius);
}

Shape::Shape(const Model& surface) : core_(surface), kind_(Kind::Surface) {}
Shape::Shape(const Solid& solid) : core_(solid), kind_(Kind::Solid) {}

Result<Shape> Shape::with_radius(double radius) const {
    if (!std::isfinite(radius)) return Fault{FaultKind::NotFinite, "shape: the radius is not finite"};
    if (radius < 0 || radius > max_coordinate)
        return Fault{FaultKind::OutOfRange, "shape: the radius is negative or beyond 2^1000"};
    return Shape(core_, kind_, radius);
}

bool within(const Shape& a, const Shape& b, const Pose& a_from_b, double length, const ShapeSettings& settings) {
    const detail::DefaultFloats floats;
    return detail::ShapePair{a, b, a_from_b, settings}.within(length);
}

bool intersects(const Shape& a, const Shape& b, const Pose& a_from_b, const ShapeSettings& settings) {
    return within(a, b, a_from_b, 0, settings);
}

Closest distance(const Shape& a, const Shape& b, const Pose& a_from_b, const ShapeDistanceSettings& settings) {
    const detail::DefaultFloats floats;
    const ShapeSettings plain{settings.stats, settings.scratch};
    const detail::ShapePair pair{a, b, a_from_b, plain};
    const double ra = a.radius(), rb = b.radius();
    const double max_distance = settings.max_distance >= 0 ? settings.max_distance : infinite;
    // Rounded up; nested cores are found however far apart their surfaces are.
    const double most = std::nextafter(std::nextafter(max_distance + ra, infinite) + rb, infinite);
    const Closest surfaces = distance(a.core(), b.core(), a_from_b,
                                      {.max_distance = most, .stats = settings.stats, .scratch = settings.scratch});
    Closest out = surfaces;
    out.distance = (surfaces.distance - ra) - rb;
    // The sign is certain where the difference is large.
    const bool near = surfaces.distance < infinite && out.distance <= 0x1p-48 * (surfaces.distance + ra + rb);
    if (near && surfaces_within(a.core(), b.core(), a_from_b, ra, rb, 0, plain)) {
        const Vec3 way = out.point_b - out.point_a;
        const double size = length(way);
        if (size > 0) out.point_a = out.point_b = out.point_a + way * (std::min(ra, size) / size);
        out.distance = 0;
        return out;
    }
    if (pair.nested()) {
        if (surfaces.distance == infinite)
            out = distance(a.core(), b.core(), a_from_b, {.stats = settings.stats, .scratch = settings.scratch});
        out.distance = 0;
        return out;
    }
    if (surfaces.distance == infinite) return {};
    if (near) out.distance = std::max(out.distance, std::numeric_limits<double>::denorm_min());
    if (out.distance > max_distance) return {};
    const Vec3 way = out.point_b - out.point_a;
    if (const double size = length(way); size > 0) {
        out.point_a = out.point_a + way * (ra / size);
        out.point_b = out.point_b - way * (rb / size);
    }
    return out;
}

}  // namespace graze
