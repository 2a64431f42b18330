// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

#include "base/float_environment.hpp"
#include "exact/triangle_distance.hpp"
#include "graze/region.hpp"
#include "graze/solid.hpp"
#include "solid/relate.hpp"
#include "solid/solid_data.hpp"

namespace graze {

namespace {

using detail::have_common_part;
using detail::size_of;

/// B as a model of its own in A's frame.
Solid in_frame(const Solid& b, const Affine& a_from_b) {
    const Model& model = b.model();
    std::vector<Vec3> points;
    points.reserve(model.point_count());
    for (const Vec3& p : model.points()) points.push_back(a_from_b(p));
    const Result<Model> placed = Model::build(SoupView(points, model.triangles()));
    return placed ? Solid(*placed) : Solid();
}

/// A convex polygon.
using Polygon = std::vector<Vec3>;

/// The convex hull of points in a triangle's plane (Andrew 1979).
Polygon hull_of(const Triangle& plane, Polygon points) {
    const Vec3 n = cross(plane.b - plane.a, plane.c - plane.a);
    const int axis = std::abs(n.x) > std::abs(n.y) ? (std::abs(n.x) > std::abs(n.z) ? 0 : 2)
                                                   : (std::abs(n.y) > std::abs(n.z) ? 1 : 2);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    std::ranges::sort(points, [&](const Vec3& p, const Vec3& q) { return p[u] != q[u] ? p[u] < q[u] : p[v] < q[v]; });
    Polygon hull;
    const auto turns = [&](const Vec3& p, const Vec3& q, const Vec3& r) {
        return (q[u] - p[u]) * (r[v] - p[v]) - (q[v] - p[v]) * (r[u] - p[u]);
    };
    for (int half = 0; half < 2; ++half) {
        const std::size_t first = hull.size();
        for (const Vec3& p : points) {
            while (hull.size() >= first + 2 && turns(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
            hull.push_back(p);
        }
        hull.pop_back();
        std::ranges::reverse(points);
    }
    return hull.empty() ? points : hull;
}

/// The greatest depth of a surface in a solid, by branch and bound.
///
/// No point of a polygon is further from the surface than from that triangle of the surface which is closest to its
/// middle, and the distance from that is greatest at a corner: the distance from a convex set is a convex function.
/// What a triangle has inside lies in the hull of where it meets the surface and of its corners that are inside.
class DepthSearch {
public:
    DepthSearch(const DepthSettings& settings, double least) : settings_(settings), least_(least) {}

    /// Takes the triangles of `inner`. `met` has where they meet `outer`, in its frame, in ascending order of
    /// triangles.
    void run(const Solid& inner, const Solid& outer, const Affine& outer_from_inner,
             std::span<const std::pair<std::uint32_t, Vec3>> met) {
        const Box& box = detail::SolidData::of(outer).bounds();
        if (!outer.has_inside() || box.empty() || done()) return;
        std::priority_queue<Piece> queue;
        for_each_overlapping(inner.model(), box, outer_from_inner, [&](std::uint32_t i) {
            const Triangle u = inner.model().triangle(i);
            const Triangle t{outer_from_inner(u.a), outer_from_inner(u.b), outer_from_inner(u.c)};
            const auto places = std::ranges::equal_range(met, i, {}, &std::pair<std::uint32_t, Vec3>::first);
            if (places.empty()) {
                if (side_of(outer, t.a) == Side::Inside) add(queue, outer, {t.a, t.b, t.c});
            } else {
                Polygon points;
                for (const auto& [_, p] : places) points.push_back(p);
                for (const Vec3& p : {t.a, t.b, t.c})
                    if (side_of(outer, p) == Side::Inside) points.push_back(p);
                add(queue, outer, hull_of(t, std::move(points)));
            }
            return done() ? Step::Stop : Step::Continue;
        });
        while (!queue.empty() && !done() && queue.top().bound > enough()) {
            Halves parts = halves(queue.top().polygon, outer.model().triangle(queue.top().near));
            queue.pop();
            for (Polygon& part : parts) add(queue, outer, std::move(part));
        }
    }
    double best() const { return best_; }

private:
    struct Piece {
        double bound;  ///< no point is deeper
        Polygon polygon;
        std::uint32_t near;  ///< the triangle that is closest to its middle
        bool operator<(const Piece& o) const { return bound < o.bound; }
    };

    bool done() const { return best_ > settings_.stop_above; }
    double enough() const { return best_ * (1 + settings_.relative_error) + least_; }

    using Halves = std::array<Polygon, 2>;

    /// Cuts a polygon where the values at its corners change their sign.
    static Halves cut(const Polygon& polygon, std::span<const double> at) {
        Halves out;
        for (std::size_t i = 0; i < polygon.size(); ++i) {
            const std::size_t k = (i + 1) % polygon.size();
            if (at[i] <= 0) out[0].push_back(polygon[i]);
            if (at[i] >= 0) out[1].push_back(polygon[i]);
            if ((at[i] < 0 && at[k] > 0) || (at[i] > 0 && at[k] < 0)) {
                const Vec3 p = polygon[i] + (polygon[k] - polygon[i]) * (at[i] / (at[i] - at[k]));
                out[0].push_back(p);
                out[1].push_back(p);
            }
        }
        return out;
    }

    /// Cuts a polygon above an edge of the triangle nearest to it, where one side is above the triangle. Otherwise cuts
    /// it in the middle.
    static Halves halves(const Polygon& polygon, const Triangle& near) {
        std::vector<double> at(polygon.size()), best;
        double furthest = 0;
        const Vec3 normal = cross(near.b - near.a, near.c - near.a);
        for (const auto& [p, q] : {std::pair{near.a, near.b}, {near.b, near.c}, {near.c, near.a}}) {
            const Vec3 out = cross(q - p, normal);
            const double size = length(out);
            if (!(size > 0)) continue;
            for (std::size_t i = 0; i < at.size(); ++i) at[i] = dot(out, polygon[i] - p) / size;
            const auto [low, high] = std::ranges::minmax(at);
            if (std::min(-low, high) > 1e-3 * (high - low) && high > furthest) {
                furthest = high;
                best = at;
            }
        }
        if (!best.empty()) return cut(polygon, best);
        Vec3 low = polygon[0], high = polygon[0];
        for (const Vec3& p : polygon)
            for (int d = 0; d < 3; ++d) {
                low[d] = std::min(low[d], p[d]);
                high[d] = std::max(high[d], p[d]);
            }
        const Vec3 size = high - low;
        const int d = size.x > size.y ? (size.x > size.z ? 0 : 2) : (size.y > size.z ? 1 : 2);
        for (std::size_t i = 0; i < at.size(); ++i) at[i] = polygon[i][d] - (low[d] * 0.5 + high[d] * 0.5);
        return cut(polygon, at);
    }

    void add(std::priority_queue<Piece>& queue, const Solid& outer, Polygon polygon) {
        if (polygon.size() < 3) return;
        Vec3 middle;
        for (const Vec3& p : polygon) middle = middle + p * (1.0 / static_cast<double>(polygon.size()));
        const ClosestPoint closest = closest_point(outer.model(), middle);
        double radius = 0;
        for (const Vec3& p : polygon) radius = std::max(radius, length(p - middle));
        // A polygon that does not reach the surface is wholly on one side of it.
        if (closest.distance > std::min(best_, radius)) {
            const bool inside = side_of(outer, middle) == Side::Inside;
            if (!inside && closest.distance > radius * (1 + 1e-9)) return;
            if (inside) best_ = std::max(best_, closest.distance);
        }
        const Triangle near = outer.model().triangle(closest.triangle);
        double bound = 0;
        for (const Vec3& p : polygon) bound = std::max(bound, detail::TriangleDistance(p, near).high());
        if (bound > enough()) queue.push({bound, std::move(polygon), closest.triangle});
    }

    const DepthSettings& settings_;
    double best_ = 0, least_;
};

/// The corners of what the triangles of A and B have in common, with those of A in the first list and those of B in the
/// second.
struct MeetingPlaces {
    std::vector<std::pair<std::uint32_t, Vec3>> of_a, of_b;

    MeetingPlaces(const Model& a, const Model& b, const Affine& a_from_b, const Affine& b_from_a) {
        for (const Contact& contact : collide(a, b, a_from_b)) {
            const auto [i, k] = contact.triangles;
            const Triangle u = b.triangle(k);
            const Intersection common = intersection(a.triangle(i), {a_from_b(u.a), a_from_b(u.b), a_from_b(u.c)});
            for (int n = 0; n < common.count; ++n) {
                of_a.emplace_back(i, b_from_a(common.points[n]));
                of_b.emplace_back(k, common.points[n]);
            }
        }
        const auto by_triangle = [](const auto& x, const auto& y) { return x.first < y.first; };
        std::ranges::sort(of_a, by_triangle);
        std::ranges::sort(of_b, by_triangle);
    }
};

/// The greatest coordinate that a placed solid's box has, or had before.
double reach_of(const Solid& solid, const Affine& placement) {
    const Box& box = detail::SolidData::of(solid).bounds();
    double reach = 0;
    for (const Vec3& p : {box.lo(), box.hi()})
        for (const Vec3& q : {p, placement(p)}) reach = std::max({reach, std::abs(q.x), std::abs(q.y), std::abs(q.z)});
    return reach;
}

}  // namespace

double inside_depth(const Solid& a, const Solid& b, const Affine& a_from_b, const DepthSettings& settings) {
    const detail::DefaultFloats floats;
    if (!have_common_part(a, b, a_from_b)) return 0;
    const double size = std::min(size_of(a), size_of(b));
    // Depths are not known better than the rounding of coordinates allows: a search for more would not end.
    const double rounding = 1e-13 * std::max(reach_of(a, Affine()), reach_of(b, a_from_b));
    DepthSearch search(settings,
                       std::max(settings.absolute_error > 0 ? settings.absolute_error : size * 1e-6, rounding));
    const Result<Affine> inverted = inverse(a_from_b);
    const bool rigid = a_from_b.rigid() && inverted;
    const Solid placed_b = rigid ? b : in_frame(b, a_from_b);
    const Affine from_b = rigid ? a_from_b : Affine(), from_a = rigid ? *inverted : Affine();
    const MeetingPlaces met(a.model(), placed_b.model(), from_b, from_a);
    search.run(a, placed_b, from_a, met.of_a);
    search.run(placed_b, a, from_b, met.of_b);
    return search.best();
}

bool touching_within(const Solid& a, const Solid& b, const Affine& a_from_b, double tolerance) {
    if (!intersects(a.model(), b.model(), a_from_b)) return false;
    DepthSettings settings;
    settings.stop_above = tolerance;
    settings.absolute_error = tolerance * 0.01;
    return inside_depth(a, b, a_from_b, settings) <= tolerance;
}

}  // namespace graze
