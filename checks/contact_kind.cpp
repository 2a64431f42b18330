// SPDX-License-Identifier: Apache-2.0
#include "contact_kind.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "checks/contacts.hpp"
#include "checks/crossing.hpp"

namespace graze::checks {

namespace {

/// Calls f(i) for all i < n, or for `most` of them, evenly spread, when n is larger. Ends when f returns true.
template <class F>
void for_some(std::size_t n, std::size_t most, F&& f) {
    for (std::size_t k = 0; k < std::min(n, most); ++k)
        if (f(n <= most ? k : k * n / most)) return;
}

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

/// A bound on how far rounding may move a point of `moved` when it is placed in the frame of `in`. A placement that
/// scales is a product with an inverse, both with entries up to 2^9, which costs ten more bits.
double rounding(const SolidBody& in, const SolidBody& moved, const Affine& placement) {
    double rows = 0;
    for (const Vec3& row : placement.linear().row) rows = std::max(rows, largest(row));
    const double size = std::max(largest(in.box.lo), largest(in.box.hi)) + largest(placement.translation()) +
                        3 * rows * std::max(largest(moved.box.lo), largest(moved.box.hi));
    return size * (placement.rigid() ? 0x1p-40 : 0x1p-30);
}

bool holds(const SolidBody& body, const Vec3& p, double clearance) {
    for (int d = 0; d < 3; ++d)
        if (!(p[d] - body.box.lo[d] > clearance && body.box.hi[d] - p[d] > clearance)) return false;
    return side_of(*body.model, p, clearance) == Side::Inside;
}

Vec3 mean(std::span<const Vec3> points) {
    Vec3 sum;
    for (const Vec3& p : points) sum = sum + p * (1.0 / static_cast<double>(points.size()));
    return sum;
}

/// Two triangles that meet, the inner model's first.
struct Met {
    std::uint32_t inner = 0, outer = 0;
    bool overlap = false;  ///< they lie in one plane and share an area
};

/// Appends points of an inner triangle to try: its corners, its middle, and the middles of chords between places where
/// it meets outer triangles. The chords matter for a large triangle that passes through a ring of edges: its corners
/// and its middle may be anywhere.
void append_points(const Triangle& t, const Model& outer, std::span<const Met> met, std::vector<Vec3>& points) {
    points.insert(points.end(), {t.a, t.b, t.c, mean(std::array{t.a, t.b, t.c})});
    std::vector<Vec3> ends;
    for_some(met.size(), 16, [&](std::size_t k) {
        append_common(t, outer.triangle(met[k].outer), ends);
        return false;
    });
    if (ends.empty()) return;
    points.push_back(mean(ends));
    for_some(ends.size(), 8, [&](std::size_t k) {
        points.push_back((ends[k] + ends[(k + ends.size() / 2) % ends.size()]) * 0.5);
        return false;
    });
}

/// True when a point of the inner surface was found inside the outer body. `met` is sorted by inner triangles.
bool surface_inside(const SolidBody& inner, const SolidBody& outer, const Affine& outer_from_inner,
                    std::span<const Met> met) {
    if (!outer.solid.closed) return false;
    // A surface enters where a triangle stands on the outer one with an edge or a corner. Such triangles come first,
    // those that lie flat on the outer surface last.
    std::vector<std::span<const Met>> upright, flat;
    for (std::size_t i = 0, next = 0; i < met.size(); i = next) {
        bool overlaps = false;
        for (; next < met.size() && met[next].inner == met[i].inner; ++next) overlaps |= met[next].overlap;
        (overlaps ? flat : upright).push_back(met.subspan(i, next - i));
    }
    const double clearance = rounding(outer, inner, outer_from_inner);
    bool found = false;
    std::vector<Vec3> points;
    for (const auto* list : {&upright, &flat})
        for_some(list->size(), 48, [&](std::size_t k) {
            const std::span<const Met> of_one = (*list)[k];
            points.clear();
            append_points(placed(outer_from_inner, inner.model->triangle(of_one[0].inner)), *outer.model, of_one,
                          points);
            found = found || std::any_of(points.begin(), points.end(),
                                         [&](const Vec3& p) { return holds(outer, p, clearance); });
            return found;
        });
    return found || lies_inside(inner, outer, outer_from_inner);
}

/// True when a point beside two faces that lie on each other is inside both bodies, which then are on the same side.
bool volumes_overlap(const SolidBody& inner, const SolidBody& outer, const Affine& outer_from_inner,
                     const Affine& inner_from_outer, std::span<const Met> met) {
    if (!inner.solid.closed || !outer.solid.closed) return false;
    const double in_outer = rounding(outer, inner, outer_from_inner);
    const double in_inner = rounding(inner, outer, inner_from_outer);
    bool found = false;
    std::vector<Met> overlaps;
    std::copy_if(met.begin(), met.end(), std::back_inserter(overlaps), [](const Met& m) { return m.overlap; });
    for_some(overlaps.size(), 16, [&](std::size_t k) {
        const Triangle t = placed(outer_from_inner, inner.model->triangle(overlaps[k].inner));
        std::vector<Vec3> ends;
        append_common(t, outer.model->triangle(overlaps[k].outer), ends);
        const Vec3 normal = cross(t.b - t.a, t.c - t.a);
        if (ends.empty() || !(length(normal) > 0)) return false;
        const double size = std::sqrt(length(normal));
        for (const double way : {1e-3, -1e-3, 1e-6, -1e-6}) {
            const Vec3 p = mean(ends) + normal * (way * size / length(normal));
            found = found || (holds(outer, p, in_outer) && holds(inner, inner_from_outer(p), in_inner));
        }
        return found;
    });
    return found;
}

}  // namespace

const SolidBody& SolidBodies::operator[](std::size_t i) const {
    Slot& slot = slots_[i];
    std::call_once(slot.once, [&] { slot.body = {&models_[i], topology_of(models_[i]), Bounds(models_[i].bounds())}; });
    return slot.body;
}

Kind contact_kind(const SolidBodies& bodies, std::size_t a, std::size_t b, const Affine& a_from_b,
                  std::span<const Contact> contacts) {
    const Model &model_a = bodies.model(a), &model_b = bodies.model(b);
    std::vector<Met> met;
    for (const Contact& c : contacts) {
        const Triangle s = model_a.triangle(c.triangles.a), t = placed(a_from_b, model_b.triangle(c.triangles.b));
        const Meeting how = meeting(s, t);
        if (how == Meeting::Crossing) return Kind::Crossing;
        met.push_back({c.triangles.a, c.triangles.b, how == Meeting::Overlapping});
    }
    const Result<Affine> b_from_a = inverse(a_from_b);
    if (met.empty() || !b_from_a) return Kind::Touching;
    const auto by_inner = [](const Met& x, const Met& y) {
        return x.inner != y.inner ? x.inner < y.inner : x.outer < y.outer;
    };
    std::sort(met.begin(), met.end(), by_inner);
    const SolidBody &body_a = bodies[a], &body_b = bodies[b];
    if (volumes_overlap(body_a, body_b, *b_from_a, a_from_b, met) || surface_inside(body_a, body_b, *b_from_a, met))
        return Kind::Crossing;
    for (Met& m : met) std::swap(m.inner, m.outer);
    std::sort(met.begin(), met.end(), by_inner);
    return surface_inside(body_b, body_a, a_from_b, met) ? Kind::Crossing : Kind::Touching;
}

bool lies_inside(const SolidBody& inner, const SolidBody& outer, const Affine& outer_from_inner) {
    if (!outer.solid.closed) return false;
    const double clearance = rounding(outer, inner, outer_from_inner);
    bool found = false;
    for_some(inner.solid.components.size(), 256, [&](std::size_t k) {
        const Triangle t = placed(outer_from_inner, inner.model->triangle(inner.solid.components[k]));
        for (const Vec3& p : {t.a, t.b, t.c}) found = found || holds(outer, p, clearance);
        return found;
    });
    return found;
}

}  // namespace graze::checks
