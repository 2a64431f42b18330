// SPDX-License-Identifier: Apache-2.0
#include "solid/depth_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "graze/region.hpp"
#include "solid/relate.hpp"
#include "solid/solid_data.hpp"

namespace graze::detail {

namespace {

/// B as a model of its own in A's frame.
Solid in_frame(const Solid& b, const Affine& a_from_b) {
    const Model& model = b.model();
    std::vector<Vec3> points;
    points.reserve(model.point_count());
    for (const Vec3& p : model.points()) points.push_back(a_from_b(p));
    const Result<Model> placed = Model::build(SoupView(points, model.triangles()));
    return placed ? Solid(*placed) : Solid();
}

Triangle placed(const Affine& placement, const Triangle& t) { return {placement(t.a), placement(t.b), placement(t.c)}; }

/// The greatest coordinate that a placed solid's box has, or had before.
double reach_of(const Solid& solid, const Affine& placement) {
    const Box& box = SolidData::of(solid).bounds();
    double reach = 0;
    for (const Vec3& p : {box.lo(), box.hi()})
        for (const Vec3& q : {p, placement(p)}) reach = std::max({reach, std::abs(q.x), std::abs(q.y), std::abs(q.z)});
    return reach;
}

/// On which side of a solid the corners of another one's triangles lie. Triangles that do not meet the solid join their
/// corners to groups, so that few points are asked for.
class CornerSides {
public:
    /// `near` are triangles of `inner`, `meets` says for each triangle whether it meets `outer`. Points that are no
    /// further from its surface than `rounding` may be on either side, and are not asked for.
    CornerSides(const Solid& inner, const Solid& outer, const Affine& outer_from_inner,
                std::span<const std::uint32_t> near, const std::vector<bool>& meets, double rounding)
        : inner_(inner),
          outer_(outer),
          outer_from_inner_(outer_from_inner),
          rounding_(rounding),
          parent_(inner.model().point_count()),
          close_(parent_.size()) {
        std::iota(parent_.begin(), parent_.end(), 0u);
        for (const std::uint32_t i : near) {
            if (meets[i]) continue;
            const auto& c = corners(i);
            parent_[root(c[1])] = root(c[0]);
            parent_[root(c[2])] = root(c[0]);
        }
    }
    /// Whether triangle i is inside. Nothing when it is too close to the surface, and no other of its group was asked
    /// for that is not.
    std::optional<bool> inside(std::uint32_t i) {
        const std::uint32_t group = root(corners(i)[0]);
        if (const auto at = known_.find(group); at != known_.end()) return at->second;
        for (const std::uint32_t c : corners(i)) {
            if (close_[c]) continue;
            const Vec3 p = outer_from_inner_(inner_.model().points()[c]);
            close_[c] = is_close(p);
            if (!close_[c]) return known_[group] = side_of(outer_, p) == Side::Inside;
        }
        return {};
    }

private:
    const std::array<std::uint32_t, 3>& corners(std::uint32_t i) const {
        return SolidData::of(inner_).surface().corners[i];
    }
    bool is_close(const Vec3& p) const {
        // Most that are close have a triangle in a box around them, which is found sooner than the closest point.
        const double reach = rounding_ / 2;
        const Vec3 beside{reach, reach, reach};
        const Result<Box> around = Box::between(p - beside, p + beside);
        return (around && intersects(*around, outer_.model())) ||
               closest_point(outer_.model(), p).distance <= rounding_;
    }
    std::uint32_t root(std::uint32_t p) {
        while (parent_[p] != p) p = parent_[p] = parent_[parent_[p]];
        return p;
    }

    const Solid &inner_, &outer_;
    const Affine& outer_from_inner_;
    double rounding_;
    std::vector<std::uint32_t> parent_;
    std::unordered_map<std::uint32_t, bool> known_;
    std::vector<bool> close_;  ///< points that are too close to the surface
};

Vec3 middle_of(const Polygon& polygon) {
    Vec3 middle;
    for (const Vec3& p : polygon) middle = middle + p * (1.0 / static_cast<double>(polygon.size()));
    return middle;
}

/// Whether a polygon lies inside, which is wholly on one side of the surface but for points in which it touches.
bool is_inside(const Solid& outer, const Polygon& polygon, const Vec3& middle) {
    Side side = side_of(outer, middle);
    for (std::size_t i = 0; side == Side::OnSurface && i < polygon.size(); ++i)
        side = side_of(outer, (middle + polygon[i]) * 0.5);
    return side == Side::Inside;
}

}  // namespace

Frames::Frames(const Solid& first, const Solid& second, const Affine& placement)
    : a(first), b(second), a_from_b(placement) {
    rounding = 1e-13 * std::max(reach_of(a, Affine()), reach_of(b, placement));
    const Result<Affine> inverted = inverse(placement);
    if (placement.rigid() && inverted) {
        b_from_a = *inverted;
    } else {
        b = in_frame(second, placement);
        a_from_b = {};
    }
}

MeetingSegments::MeetingSegments(const Frames& frames) {
    for (const Contact& contact : collide(frames.a.model(), frames.b.model(), frames.a_from_b)) {
        const auto [i, k] = contact.triangles;
        const Intersection common =
            intersection(frames.a.model().triangle(i), placed(frames.a_from_b, frames.b.model().triangle(k)));
        for (int n = 0; n < (common.count == 2 ? 1 : common.count); ++n) {
            const Vec3 p = common.points[n], q = common.points[(n + 1) % common.count];
            of_a.push_back({i, k, {frames.b_from_a(p), frames.b_from_a(q)}});
            of_b.push_back({k, i, {p, q}});
        }
    }
    const auto triangles = [](const MetSegment& s) { return std::pair(s.own, s.other); };
    std::ranges::sort(of_a, {}, triangles);
    std::ranges::sort(of_b, {}, triangles);
}

void DepthSearch::inside(const Frames& frames) {
    const MeetingSegments met(frames);
    rounding_ = frames.rounding;
    inside(frames.a, frames.b, frames.b_from_a, met.of_a);
    of_a_ = false;
    inside(frames.b, frames.a, frames.a_from_b, met.of_b);
}

void DepthSearch::inside(const Solid& inner, const Solid& outer, const Affine& outer_from_inner, const Segments& met) {
    const Box& box = SolidData::of(outer).bounds();
    if (!outer.has_inside() || box.empty()) return;
    std::vector<std::uint32_t> near;
    for_each_overlapping(box, inner.model(), outer_from_inner, [&](std::uint32_t i) {
        near.push_back(i);
        return Step::Continue;
    });
    std::vector<bool> meets(inner.model().triangle_count());
    for (const MetSegment& one : met) meets[one.own] = true;
    CornerSides sides(inner, outer, outer_from_inner, near, meets, rounding_);
    for (const std::uint32_t i : near) {
        if (done()) return;
        const Triangle t = placed(outer_from_inner, inner.model().triangle(i));
        if (!meets[i]) {
            const std::optional<bool> counts = sides.inside(i);
            if (counts.value_or(true)) add(outer, i, {t.a, t.b, t.c}, counts ? Known::Counts : Known::MayBeOutside, {});
            continue;
        }
        constexpr std::size_t most_guesses = 12;
        std::vector<Segment> segments;
        std::vector<std::uint32_t> others;
        for (const MetSegment& one : std::ranges::equal_range(met, i, {}, &MetSegment::own)) {
            segments.push_back(one.segment);
            if (others.size() < most_guesses && (others.empty() || others.back() != one.other))
                others.push_back(one.other);
        }
        for (Polygon& piece : cut_along(t, std::move(segments), rounding_))
            add(outer, i, std::move(piece), Known::MayBeOutside, others);
    }
    drain(outer);
}

void DepthSearch::anywhere(const Solid& inner, const Solid& outer, const Affine& outer_from_inner) {
    for (std::uint32_t i = 0; i < inner.model().triangle_count() && !done(); ++i) {
        const Triangle t = placed(outer_from_inner, inner.model().triangle(i));
        add(outer, i, {t.a, t.b, t.c}, Known::Counts, {});
    }
    drain(outer);
}

void DepthSearch::add(const Solid& outer, std::uint32_t own, Polygon polygon, Known known,
                      std::span<const std::uint32_t> guess) {
    if (polygon.size() < 3) return;
    for (const std::uint32_t i : guess)
        if (const double bound = furthest(polygon, outer.model().triangle(i)); bound <= enough())
            return drop(own, polygon, i, bound);
    const Vec3 middle = middle_of(polygon);
    // The closest point is no further than the triangles that may be close, but for rounding.
    double limit = std::numeric_limits<double>::infinity();
    const Polygon only_middle{middle};
    for (const std::uint32_t i : guess) limit = std::min(limit, furthest(only_middle, outer.model().triangle(i)));
    limit = limit * (1 + 1e-6) + goal_.absolute_error;
    ClosestPoint closest = closest_point(outer.model(), middle, {.max_distance = limit});
    if (closest.distance > limit) closest = closest_point(outer.model(), middle);
    double radius = 0;
    for (const Vec3& p : polygon) radius = std::max(radius, length(p - middle));
    const double bound = std::min(furthest(polygon, outer.model().triangle(closest.triangle)),
                                  (closest.distance + radius) * (1 + 1e-12));
    // Flush with the surface but for rounding, it may reach beyond an edge of it without meeting it there.
    const bool flush = known == Known::MayBeOutside && closest.distance <= rounding_;
    if (bound > enough() && !flush) {
        // A decision about the side is exact and takes longer than all else.
        if (known == Known::MayBeOutside && !is_inside(outer, polygon, middle)) return;
        known = Known::Counts;
        low_ = std::max(low_, closest.distance);
    }
    if (bound <= enough()) return drop(own, polygon, closest.triangle, bound);
    queue_.push_back({bound, own, std::move(polygon), closest.triangle, known});
    std::push_heap(queue_.begin(), queue_.end());
}

void DepthSearch::drop(std::uint32_t own, const Polygon& polygon, std::uint32_t near, double bound) {
    high_ = std::max(high_, bound);
    close_.push_back({of_a_, own, near, middle_of(polygon)});
}

void DepthSearch::drain(const Solid& outer) {
    while (!queue_.empty() && !done() && queue_.front().bound > enough()) {
        if (steps_ == 0) break;
        --steps_;
        std::pop_heap(queue_.begin(), queue_.end());
        const Piece top = std::move(queue_.back());
        queue_.pop_back();
        for (Polygon& part : cut_above(top.polygon, outer.model().triangle(top.near)))
            add(outer, top.own, std::move(part), top.known, {&top.near, 1});
    }
    if (!queue_.empty()) high_ = std::max(high_, queue_.front().bound);
    queue_.clear();
}

}  // namespace graze::detail
