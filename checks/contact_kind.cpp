// SPDX-License-Identifier: Apache-2.0
#include "contact_kind.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "checks/contacts.hpp"

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

/// A tree over the components, by a point of each.
Model markers_of(const Model& model, const Solid& solid) {
    constexpr std::size_t few = 32;
    if (solid.components.size() <= few) return {};
    std::vector<Vec3> points;
    std::vector<std::uint32_t> corners;
    for (const Component& component : solid.components) {
        corners.insert(corners.end(), 3, static_cast<std::uint32_t>(points.size()));
        points.push_back(model.points()[component.extremes[0]]);
    }
    // Points that a model has make a model. Without it, every component is looked at.
    const Result<Model> built = Model::build(SoupView(points, corners));
    return built ? *built : Model{};
}

/// Calls f(k) for the components that may be within the outer body's box, until f returns true.
template <class F>
bool any_near(const SolidBody& inner, const SolidBody& outer, const Affine& outer_from_inner, double clearance, F&& f) {
    const Vec3 c{clearance, clearance, clearance};
    const Result<Box> box = Box::between(outer.box.lo - c, outer.box.hi + c);
    bool found = false;
    if (box && inner.markers.triangle_count() > 0) {
        for_each_overlapping(inner.markers, *box, outer_from_inner, [&](std::uint32_t k) {
            found = f(k);
            return found ? Step::Stop : Step::Continue;
        });
        return found;
    }
    for (std::uint32_t k = 0; k < inner.solid.components.size() && !found; ++k) found = f(k);
    return found;
}

/// True when the point is outside the box by more than the clearance.
bool beyond(const Bounds& box, const Vec3& p, double clearance) {
    for (int d = 0; d < 3; ++d)
        if (p[d] < box.lo[d] - clearance || p[d] > box.hi[d] + clearance) return true;
    return false;
}

bool holds(const SolidBody& body, const Vec3& p, double clearance) {
    for (int d = 0; d < 3; ++d)
        if (!(p[d] - body.box.lo[d] > clearance && body.box.hi[d] - p[d] > clearance)) return false;
    return side_of(*body.model, body.solid, p, clearance) == Side::Inside;
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
template <class Outline>
void append_points(const Triangle& t, Outline&& outline, std::span<const Met> met, std::vector<Vec3>& points) {
    points.insert(points.end(), {t.a, t.b, t.c, mean(std::array{t.a, t.b, t.c})});
    std::vector<Vec3> ends;
    for_some(met.size(), 16, [&](std::size_t k) {
        outline(met[k], ends);
        return false;
    });
    if (ends.empty()) return;
    points.push_back(mean(ends));
    for_some(ends.size(), 8, [&](std::size_t k) {
        points.push_back((ends[k] + ends[(k + ends.size() / 2) % ends.size()]) * 0.5);
        return false;
    });
}

/// True when a point of the inner surface was found inside the outer body. `met` is sorted by inner triangles, and
/// `outline` appends what two of them have in common, in the outer frame.
template <class Outline>
bool surface_inside(const SolidBody& inner, const SolidBody& outer, const Affine& outer_from_inner,
                    std::span<const Met> met, Outline&& outline) {
    if (!outer.solid.has_inside) return false;
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
            append_points(placed(outer_from_inner, inner.model->triangle(of_one[0].inner)), outline, of_one, points);
            found = found || std::any_of(points.begin(), points.end(),
                                         [&](const Vec3& p) { return holds(outer, p, clearance); });
            return found;
        });
    return found || std::ranges::any_of(inner.solid.components, [&](const Component& component) {
               return std::ranges::any_of(component.extremes, [&](std::uint32_t i) {
                   return holds(outer, outer_from_inner(inner.model->points()[i]), clearance);
               });
           });
}

/// True when a point beside two faces that lie on each other is inside both bodies, which then are on the same side.
template <class Outline>
bool volumes_overlap(const SolidBody& inner, const SolidBody& outer, const Affine& outer_from_inner,
                     const Affine& inner_from_outer, std::span<const Met> met, Outline&& outline) {
    if (!inner.solid.has_inside || !outer.solid.has_inside) return false;
    const double in_outer = rounding(outer, inner, outer_from_inner);
    const double in_inner = rounding(inner, outer, inner_from_outer);
    bool found = false;
    std::vector<Met> overlaps;
    std::copy_if(met.begin(), met.end(), std::back_inserter(overlaps), [](const Met& m) { return m.overlap; });
    for_some(overlaps.size(), 16, [&](std::size_t k) {
        const Triangle t = placed(outer_from_inner, inner.model->triangle(overlaps[k].inner));
        std::vector<Vec3> ends;
        outline(overlaps[k], ends);
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
    std::call_once(slot.once, [&] {
        const Model& model = models_[i];
        slot.body = {&model, topology_of(model), Bounds(model.bounds()), Bounds::infinity, {}};
        slot.body.markers = markers_of(model, slot.body.solid);
        for (const Component& component : slot.body.solid.components) {
            Bounds box;
            for (const std::uint32_t p : component.extremes) box.add(model.points()[p]);
            slot.body.smallest = std::min(slot.body.smallest, length(box.hi - box.lo));
        }
    });
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
    // The triangles meet in A's frame. Rounding may part them in any other.
    const auto outline = [&](std::uint32_t i, std::uint32_t j, std::vector<Vec3>& ends) {
        append_outline(model_a.triangle(i), placed(a_from_b, model_b.triangle(j)), ends);
    };
    const auto outline_in_b = [&](const Met& m, std::vector<Vec3>& ends) {
        const std::size_t first = ends.size();
        outline(m.inner, m.outer, ends);
        for (std::size_t i = first; i < ends.size(); ++i) ends[i] = (*b_from_a)(ends[i]);
    };
    if (volumes_overlap(body_a, body_b, *b_from_a, a_from_b, met, outline_in_b) ||
        surface_inside(body_a, body_b, *b_from_a, met, outline_in_b))
        return Kind::Crossing;
    for (Met& m : met) std::swap(m.inner, m.outer);
    std::sort(met.begin(), met.end(), by_inner);
    const auto outline_in_a = [&](const Met& m, std::vector<Vec3>& ends) { outline(m.outer, m.inner, ends); };
    return surface_inside(body_b, body_a, a_from_b, met, outline_in_a) ? Kind::Crossing : Kind::Touching;
}

bool lies_inside(const SolidBody& inner, const SolidBody& outer, const Affine& outer_from_inner) {
    if (!outer.solid.has_inside) return false;
    const double clearance = rounding(outer, inner, outer_from_inner);
    const auto place = [&](std::uint32_t i) { return outer_from_inner(inner.model->points()[i]); };
    // Surfaces that do not meet have each component wholly on one side, so the first point that is certain decides.
    return any_near(inner, outer, outer_from_inner, clearance, [&](std::uint32_t k) {
        const Component& component = inner.solid.components[k];
        for (const std::uint32_t i : component.extremes)
            if (beyond(outer.box, place(i), clearance)) return false;
        for (std::uint32_t t = component.first; t < inner.model->triangle_count(); ++t) {
            if (inner.solid.component_of[t] != k) continue;
            for (const std::uint32_t i : inner.model->triangles()[t]) {
                const Side side = side_of(*outer.model, outer.solid, place(i), clearance);
                if (side != Side::Unknown) return side == Side::Inside;
            }
        }
        return false;
    });
}

Nesting nesting(const SolidBodies& bodies, std::size_t a, std::size_t b, const Affine& a_from_b) {
    const SolidBody &body_a = bodies[a], &body_b = bodies[b];
    // No pose makes a length longer or shorter by 2 %. Other placements may by more, so nothing is left out for them.
    const auto fits = [&](const SolidBody& inner, const SolidBody& outer) {
        return outer.solid.has_inside &&
               (!a_from_b.rigid() || inner.smallest <= 1.02 * length(outer.box.hi - outer.box.lo));
    };
    if (fits(body_a, body_b))
        if (const Result<Affine> b_from_a = inverse(a_from_b); b_from_a && lies_inside(body_a, body_b, *b_from_a))
            return Nesting::AInB;
    return fits(body_b, body_a) && lies_inside(body_b, body_a, a_from_b) ? Nesting::BInA : Nesting::None;
}

}  // namespace graze::checks
