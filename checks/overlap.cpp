// SPDX-License-Identifier: Apache-2.0
#include "overlap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "checks/contacts.hpp"

namespace graze::checks {

namespace {

/// Calls f for all items, or for `most` of them, evenly spread, when there are more.
template <class Items, class F>
void for_some(const Items& items, std::size_t most, F&& f) {
    const std::size_t n = items.size();
    for (std::size_t k = 0; k < std::min(n, most); ++k) f(items[n <= most ? k : k * n / most]);
}

/// A triangle in contact, and the middle of the places where it meets the other part.
struct Place {
    std::uint32_t triangle = 0;
    Vec3 middle;  ///< in A's frame
    double count = 0;

    void add(const Vec3& p) {
        ++count;
        middle = middle + (p - middle) * (1 / count);
    }
};

/// How far a triangle reaches beyond a plane, on the side where it reaches less far.
double reach(const Triangle& t, const Triangle& plane) {
    const Vec3 normal = cross(plane.b - plane.a, plane.c - plane.a);
    const double size = length(normal);
    if (!(size > 0)) return 0;
    double low = 0, high = 0;
    for (const Vec3& p : {t.a, t.b, t.c}) {
        const double at = dot(normal, p - plane.a);
        low = std::min(low, at);
        high = std::max(high, at);
    }
    return std::min(-low, high) / size;
}

/// What the triangles of two parts have in common, in A's frame.
struct Common {
    std::vector<Vec3> ends;            ///< of segments, two each
    std::vector<std::size_t> contact;  ///< number of the contact of each segment
    double passing = 0;                ///< how far triangles pass through each other, at most

    Common(const Model& a, const Model& b, const MeetingParts& parts, bool crossing) {
        for (std::size_t i = 0; i < parts.contacts.size(); ++i) {
            const TrianglePair& pair = parts.contacts[i].triangles;
            const Triangle s = a.triangle(pair.a), t = placed(parts.a_from_b, b.triangle(pair.b));
            const std::size_t first = ends.size();
            append_outline(s, t, ends);
            contact.resize(ends.size() / 2, i);
            // Triangles in one plane have an outline of several segments.
            if (!crossing || ends.size() != first + 2) continue;
            const double segment = length(ends[first + 1] - ends[first]);
            if (segment > passing) passing = std::max(passing, std::min({segment, reach(s, t), reach(t, s)}));
        }
    }
};

/// Sorts places by their triangles and makes one of those with the same triangle.
std::vector<Place> merged(std::vector<Place> places) {
    std::sort(places.begin(), places.end(), [](const Place& x, const Place& y) { return x.triangle < y.triangle; });
    std::vector<Place> out;
    for (const Place& place : places) {
        if (out.empty() || out.back().triangle != place.triangle) out.push_back({place.triangle, {}, 0});
        out.back().add(place.middle);
    }
    return out;
}

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

/// The greatest depth of points inside a closed body.
class Depth {
public:
    explicit Depth(const SolidBody& body)
        : body_(body), limit_(largest(body.box.half())), least_(std::max(largest(body.box.lo), largest(body.box.hi))) {
        least_ *= 0x1p-40;  // rounding
    }

    bool in_box(const Vec3& p) const {
        for (int d = 0; d < 3; ++d)
            if (!(p[d] > body_.box.lo[d] && p[d] < body_.box.hi[d])) return false;
        return true;
    }
    /// Takes a point in the body's frame. Points that are no deeper than those before cost one search for a cube.
    void add(const Vec3& p) {
        double good = std::max(least_, found_ * 1.02);
        if (!in_box(p) || side_of(*body_.model, body_.solid, p, good) != Side::Inside) return;
        double bad = 2 * good;
        while (bad < limit_ && clear(p, bad)) good = std::exchange(bad, 2 * bad);
        for (int i = 0; i < 7; ++i) {
            const double half = (good + bad) / 2;
            (clear(p, half) ? good : bad) = half;
        }
        found_ = good;
    }
    double found() const { return found_; }

private:
    bool clear(const Vec3& p, double reach) const {
        const Vec3 r{reach, reach, reach};
        const Result<Box> cube = Box::between(p - r, p + r);
        return cube && !intersects(*body_.model, *cube);
    }

    const SolidBody& body_;
    double limit_, least_, found_ = 0;
};

/// A surface of which points may lie in a closed other part.
struct Surface {
    const Model& model;
    Affine outer_from_model, outer_from_a;
    std::span<const Place> places;

    void try_all(std::size_t most, Depth& depth) const {
        for_some(places, most, [&](const Place& place) {
            depth.add(outer_from_a(place.middle));
            const Triangle t = placed(outer_from_model, model.triangle(place.triangle));
            for (const Vec3& corner : {t.a, t.b, t.c}) depth.add(corner);
        });
        std::vector<Vec3> near;
        for_some(model.triangles(), 20'000, [&](const auto& corners) {
            const Vec3 p = outer_from_model(model.points()[corners[0]]);
            if (depth.in_box(p)) near.push_back(p);
        });
        for_some(near, most, [&](const Vec3& p) { depth.add(p); });
    }
};

/// Cube root of the factor by which volumes grow.
double scale(const Affine& placement) {
    const auto& row = placement.linear().row;
    return std::cbrt(std::abs(dot(row[0], cross(row[1], row[2]))));
}

/// The deep search of `measure`.
class Search {
public:
    Search(const SolidBodies& bodies, const MeetingParts& parts, const Affine& b_from_a, const Common& common)
        : parts_(parts), common_(common), a_(bodies[parts.a]), b_(bodies[parts.b]), b_from_a_(b_from_a) {
        std::vector<Place> on_a, on_b;
        for (std::size_t i = 0; i < common.contact.size(); ++i) {
            const TrianglePair& pair = parts.contacts[common.contact[i]].triangles;
            const Vec3 middle = (common.ends[2 * i] + common.ends[2 * i + 1]) * 0.5;
            on_a.push_back({pair.a, middle, 1});
            on_b.push_back({pair.b, middle, 1});
        }
        on_a_ = merged(std::move(on_a));
        on_b_ = merged(std::move(on_b));
    }

    /// True when one of the parts has an inside.
    bool possible() const { return a_.solid.has_inside || b_.solid.has_inside; }

    /// The greatest depth found, in the world.
    double depth() const {
        const double in_a = depth_in(a_, {*b_.model, parts_.a_from_b, {}, on_b_}),
                     in_b = depth_in(b_, {*a_.model, b_from_a_, b_from_a_, on_a_});
        return std::max(in_a, in_b * scale(parts_.a_from_b)) * scale(parts_.world_from_a);
    }

    /// Least width of the region along the axes and the normals of the triangles in contact.
    double width() const {
        std::vector<Vec3> directions{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const auto add_normal = [&](const Triangle& t) {
            const Vec3 normal = cross(t.b - t.a, t.c - t.a);
            if (const double size = length(normal); size > 0) directions.push_back(normal * (1 / size));
        };
        for_some(on_a_, 16, [&](const Place& place) { add_normal(a_.model->triangle(place.triangle)); });
        for_some(on_b_, 16,
                 [&](const Place& place) { add_normal(placed(parts_.a_from_b, b_.model->triangle(place.triangle))); });
        double least = Bounds::infinity;
        for (const Vec3& direction : directions) {
            double low = 0, high = 0;
            for (const Vec3& p : common_.ends) {
                const double at = dot(direction, p - common_.ends[0]);
                low = std::min(low, at);
                high = std::max(high, at);
            }
            least = std::min(least, high - low);
        }
        return least * scale(parts_.world_from_a);
    }

private:
    static double depth_in(const SolidBody& outer, const Surface& inner) {
        if (!outer.solid.has_inside) return 0;
        Depth depth(outer);
        inner.try_all(256, depth);
        return depth.found();
    }

    const MeetingParts& parts_;
    const Common& common_;
    const SolidBody &a_, &b_;
    Affine b_from_a_;
    std::vector<Place> on_a_, on_b_;
};

}  // namespace

Overlap measure(const SolidBodies& bodies, const MeetingParts& parts, bool crossing, double doubt) {
    const Common common(bodies.model(parts.a), bodies.model(parts.b), parts, crossing);
    Overlap out;
    for (const Vec3& p : common.ends) out.box.add(parts.world_from_a(p));
    const Result<Affine> b_from_a = inverse(parts.a_from_b);
    if (!crossing || common.ends.empty() || !b_from_a) return out;
    out.thickness = common.passing * scale(parts.world_from_a);
    if (*out.thickness >= std::max(doubt, 2e-3 * length(out.box.half()))) return out;

    const Search search(bodies, parts, *b_from_a, common);
    out.certain = search.possible();
    if (out.certain) out.thickness = std::max(*out.thickness, search.depth());
    if (*out.thickness == 0) out.thickness = search.width();
    return out;
}

}  // namespace graze::checks
