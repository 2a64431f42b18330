// SPDX-License-Identifier: Apache-2.0
// Solids whose coordinates are inexact.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/float_environment.hpp"
#include "graze/ray.hpp"
#include "solid/depth_search.hpp"
#include "solid/relate.hpp"
#include "solid/solid_data.hpp"

namespace graze {

namespace detail {
namespace {

/// Whether the sheets of two models pass through each other by no more than a tolerance.
class SheetsWithin {
public:
    SheetsWithin(const Frames& frames, double tolerance) : tolerance_(tolerance) {
        const Model &a = frames.a.model(), &b = frames.b.model();
        holds_ = !has_sheets(frames.a) || !has_sheets(frames.b);
        if (holds_) return;
        for (const Contact& contact : collide(a, b, frames.a_from_b)) {
            const auto [i, k] = contact.triangles;
            if (!is_sheet(frames.a, i) || !is_sheet(frames.b, k)) continue;
            const Triangle s = a.triangle(i), u = b.triangle(k);
            const Triangle t{frames.a_from_b(u.a), frames.a_from_b(u.b), frames.a_from_b(u.c)};
            if (meeting(s, t) == Meeting::Crossing && !flush(s, t)) crossing_.push_back({{i, k}, s, t});
        }
        holds_ = crossing_.empty() || small_beyond(0, frames.a, b, frames.b_from_a, Affine()) ||
                 small_beyond(1, frames.b, a, frames.a_from_b, frames.a_from_b);
    }
    bool holds() const { return holds_; }

private:
    struct Crossing {
        TrianglePair pair;
        Triangle s, t;  ///< in A's frame
    };

    static bool is_sheet(const Solid& solid, std::uint32_t i) {
        const Surface& surface = SolidData::of(solid).surface();
        return surface.shell_of[i] == no_shell || !surface.shells[surface.shell_of[i]].inside;
    }

    static bool has_sheets(const Solid& solid) {
        for (std::uint32_t i = 0; i < solid.model().triangle_count(); ++i)
            if (is_sheet(solid, i)) return true;
        return false;
    }

    /// True when two triangles are nearly in one plane.
    bool flush(const Triangle& s, const Triangle& t) const {
        constexpr double most_sine = 0.1;
        const Vec3 m = cross(s.b - s.a, s.c - s.a), n = cross(t.b - t.a, t.c - t.a);
        const double size_m = length(m), size_n = length(n);
        if (!(length(cross(m, n)) <= most_sine * size_m * size_n)) return false;
        for (const Vec3& p : {s.a, s.b, s.c})
            if (!(std::abs(dot(n, p - t.a)) <= tolerance_ * size_n)) return false;
        for (const Vec3& p : {t.a, t.b, t.c})
            if (!(std::abs(dot(m, p - s.a)) <= tolerance_ * size_m)) return false;
        return true;
    }

    /// Heights above the plane of a triangle that is crossed; positive beyond it, where less of the crossing triangle
    /// lies.
    struct Beyond {
        Vec3 start, up;

        Beyond(const Triangle& t, const Triangle& plane)
            : start(plane.a), up(cross(plane.b - plane.a, plane.c - plane.a)) {
            const double size = length(up);
            up = size > 0 ? up * (1 / size) : Vec3{};
            const auto [low, high] = std::ranges::minmax({height(t.a), height(t.b), height(t.c)});
            if (-low < high) up = up * -1;
        }
        double height(const Vec3& p) const { return dot(up, p - start); }
    };

    /// Where a triangle of `own` crosses one of the other model, the corners beyond its plane hang together with others
    /// beyond it. True when none of these is further beyond and further from the other model than the tolerance.
    bool small_beyond(int x, const Solid& own, const Model& other, const Affine& other_from_own,
                      const Affine& a_from_own) const {
        const auto& corners = SolidData::of(own).surface().corners;
        const auto point = [&](std::uint32_t p) { return own.model().points()[p]; };
        std::vector<bool> barrier(corners.size()), seen(own.model().point_count());
        std::vector<std::vector<std::uint32_t>> at_point(own.model().point_count());
        for (const Crossing& c : crossing_) barrier[x == 0 ? c.pair.a : c.pair.b] = true;
        for (std::uint32_t i = 0; i < corners.size(); ++i)
            for (const std::uint32_t p : corners[i])
                if (!barrier[i]) at_point[p].push_back(i);
        for (const Crossing& c : crossing_) {
            const Beyond beyond(x == 0 ? c.s : c.t, x == 0 ? c.t : c.s);
            std::vector<std::uint32_t> stack;
            const auto reach = [&](std::uint32_t p) {
                if (!seen[p] && beyond.height(a_from_own(point(p))) > 0) stack.push_back(p);
            };
            for (const std::uint32_t p : corners[x == 0 ? c.pair.a : c.pair.b]) reach(p);
            while (!stack.empty()) {
                const std::uint32_t p = stack.back();
                stack.pop_back();
                if (seen[p]) continue;
                seen[p] = true;
                if (!(closest_point(other, other_from_own(point(p))).distance <= tolerance_)) {
                    if (beyond.height(a_from_own(point(p))) > tolerance_) return false;
                    continue;  // beside the other model, in the plane
                }
                for (const std::uint32_t i : at_point[p])
                    for (const std::uint32_t q : corners[i]) reach(q);
            }
        }
        return true;
    }

    double tolerance_;
    std::vector<Crossing> crossing_;
    bool holds_ = false;
};

/// The normal of a triangle, pointing out of its solid; not of unit length.
Vec3 outwards(const Solid& solid, std::uint32_t i) {
    const Triangle t = solid.model().triangle(i);
    return cross(t.b - t.a, t.c - t.a) * static_cast<double>(SolidData::of(solid).surface().turned[i]);
}

/// A point halfway from a point of the surface to the opposite wall.
std::optional<Vec3> halfway_in(const Solid& solid, const Vec3& start, const Vec3& outwards) {
    const double size = length(outwards);
    if (!(size > 0)) return {};
    const Vec3 inwards = outwards * (-1 / size);
    const Result<Ray> ray = Ray::from_direction(start, inwards, 1e-9 * size_of(solid));
    if (!ray) return {};
    const std::optional<RayHit> hit = nearest_hit(solid.model(), *ray);
    if (!hit) return {};
    return start + inwards * (hit->t * 0.5);
}

/// True when halfway from a point of its own surface to the opposite wall a ball larger than the tolerance fits into
/// both solids. `out` points out of the own solid.
bool shares_a_ball(const Solid& own, const Solid& other, const Affine& other_from_own, const Vec3& point,
                   const Vec3& out, double tolerance) {
    const std::optional<Vec3> middle = halfway_in(own, point, out);
    return middle && signed_distance(own, *middle).distance < -tolerance / 2 &&
           signed_distance(other, other_from_own(*middle)).distance < -tolerance / 2;
}

/// True when walls of two solids lie close together and face the same way, unlike those of parts that lie side by side,
/// and there is room for a ball between them and the opposite walls.
bool is_shared(const Solid& own, std::uint32_t i, const Solid& other, std::uint32_t k, const Affine& own_from_other,
               const Affine& other_from_own, const Vec3& point, double tolerance) {
    const Vec3 out = outwards(own, i);
    if (!(dot(out, own_from_other(outwards(other, k)) - own_from_other(Vec3{})) > 0)) return false;
    return shares_a_ball(own, other, other_from_own, point, out, tolerance);
}

/// True when a ball larger than the tolerance is found in the common part of two solids, of which no surface point is
/// deeper in the other solid.
bool share_a_ball(const Frames& frames, const DepthSearch& search, double tolerance) {
    if (!frames.a.has_inside() || !frames.b.has_inside()) return false;
    return std::ranges::any_of(search.close(), [&](const DepthSearch::Close& wall) {
        const Solid &own = wall.of_a ? frames.a : frames.b, &other = wall.of_a ? frames.b : frames.a;
        const Affine &own_from_other = wall.of_a ? frames.a_from_b : frames.b_from_a,
                     &other_from_own = wall.of_a ? frames.b_from_a : frames.a_from_b;
        return is_shared(own, wall.own, other, wall.other, own_from_other, other_from_own, own_from_other(wall.middle),
                         tolerance);
    });
}

/// Looks for such a ball below some triangles of A. Finds it in parts that nearly coincide, whose surfaces meet all
/// over, before a search looks at all of them.
bool share_a_ball_somewhere(const Frames& frames, double tolerance) {
    constexpr std::uint32_t samples = 8;
    if (!frames.a.has_inside() || !frames.b.has_inside()) return false;
    const Model& a = frames.a.model();
    for (std::uint32_t n = 0; n < samples; ++n) {
        const auto i = static_cast<std::uint32_t>((2 * n + 1) * std::uint64_t{a.triangle_count()} / (2 * samples));
        const Triangle t = a.triangle(i);
        const Vec3 middle = (t.a + t.b + t.c) * (1.0 / 3);
        const ClosestPoint closest =
            closest_point(frames.b.model(), frames.b_from_a(middle), {.max_distance = tolerance});
        if (closest.distance <= tolerance &&
            is_shared(frames.a, i, frames.b, closest.triangle, frames.a_from_b, frames.b_from_a, middle, tolerance))
            return true;
    }
    return false;
}

/// Ends when a depth above the tolerance is known, or when there is none.
Goal up_to(double tolerance, const Frames& frames) {
    return {.absolute_error = frames.rounding,
            .stop_above = tolerance,
            .ignore_below = std::max(tolerance, frames.rounding)};
}

}  // namespace
}  // namespace detail

bool touching_within(const Solid& a, const Solid& b, const Affine& a_from_b, double tolerance) {
    using namespace detail;
    const DefaultFloats floats;
    // Walls that are wholly within those of the other solid overlap without meeting them.
    if (!intersects(a.model(), b.model(), a_from_b) && relation(a, b, a_from_b).relation != Relation::Crossing)
        return false;
    const Frames frames(a, b, a_from_b);
    if (share_a_ball_somewhere(frames, tolerance)) return false;
    DepthSearch search(up_to(tolerance, frames));
    search.inside(frames);
    return !search.done() && !share_a_ball(frames, search, tolerance) && SheetsWithin(frames, tolerance).holds();
}

bool equal_within(const Solid& a, const Solid& b, const Affine& a_from_b, double tolerance) {
    using namespace detail;
    const DefaultFloats floats;
    const bool none = a.model().triangle_count() == 0;
    if (none || b.model().triangle_count() == 0) return none && b.model().triangle_count() == 0;
    const Frames frames(a, b, a_from_b);
    DepthSearch search(up_to(tolerance, frames));
    search.anywhere(a, frames.b, frames.b_from_a);
    search.anywhere(frames.b, a, frames.a_from_b);
    if (search.done()) return false;
    // Two sheets may coincide, and so may the walls of a solid and of the hole that it fills.
    if (!a.has_inside() || !b.has_inside()) return a.has_inside() == b.has_inside();
    const Overlap common = overlap(a, frames.b, frames.a_from_b);
    const double slack = tolerance * common.area + 1e-9 * common.volume;
    return common.volume + slack >= a.volume() && common.volume + slack >= frames.b.volume();
}

}  // namespace graze
