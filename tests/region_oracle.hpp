// SPDX-License-Identifier: Apache-2.0
// Triangles and regions in rational arithmetic: the triangle is cut by each half-space in turn. Slow and
// plain on purpose; shares no code and no method with the library.
#pragma once

#include <gmpxx.h>

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "graze/region.hpp"
#include "graze/triangle.hpp"

namespace graze::test {

/// A box in the making.
struct BoxParts {
    Vec3 lo, hi;

    operator Box() const { return *Box::between(lo, hi); }
};

class RegionOracle {
public:
    static bool meet(const Triangle& t, const Box& box) {
        std::vector<Point> polygon = corners(t);
        for (int i = 0; i < 3; ++i) {
            Vec3 axis;
            axis[i] = 1;
            polygon = keep(keep(polygon, axis, box.lo()[i], 1), axis, box.hi()[i], -1);
        }
        return !polygon.empty();
    }
    static bool meet(const Triangle& t, const Slab& slab) { return !clip(corners(t), slab).empty(); }

    /// Not all corners strictly on the outer side of one bound.
    static bool visible(const Triangle& t, std::span<const Slab> slabs) {
        for (const Slab& s : slabs)
            for (const int sign : {1, -1}) {
                const double bound = sign > 0 ? s.hi() : s.lo();
                if (std::isinf(bound)) continue;
                bool outside = true;
                for (const Point& p : corners(t)) outside = outside && sgn(height(s.normal(), bound, p)) == sign;
                if (outside) return false;
            }
        return true;
    }

private:
    using Point = std::array<mpq_class, 3>;

    static std::vector<Point> corners(const Triangle& t) {
        std::vector<Point> r;
        for (const Vec3* v : {&t.a, &t.b, &t.c}) r.push_back({mpq_class(v->x), mpq_class(v->y), mpq_class(v->z)});
        return r;
    }

    static mpq_class height(const Vec3& n, double bound, const Point& p) {
        return n.x * p[0] + n.y * p[1] + n.z * p[2] - bound;
    }

    static std::vector<Point> clip(const std::vector<Point>& polygon, const Slab& slab) {
        return keep(keep(polygon, slab.normal(), slab.lo(), 1), slab.normal(), slab.hi(), -1);
    }

    /// Sutherland and Hodgman's step for what is on the side of the sign, also of a polygon of two corners or one.
    static std::vector<Point> keep(const std::vector<Point>& polygon, const Vec3& n, double bound, int sign) {
        if (std::isinf(bound)) return polygon;
        std::vector<mpq_class> h;
        for (const Point& p : polygon) h.push_back(height(n, bound, p) * sign);
        std::vector<Point> kept;
        for (std::size_t i = 0; i < polygon.size(); ++i) {
            const std::size_t j = (i + 1) % polygon.size();
            if (sgn(h[i]) >= 0) kept.push_back(polygon[i]);
            if (sgn(h[i]) * sgn(h[j]) >= 0) continue;
            const mpq_class s = h[i] / (h[i] - h[j]);
            Point cut;
            for (std::size_t k = 0; k < 3; ++k) cut[k] = polygon[i][k] + s * (polygon[j][k] - polygon[i][k]);
            kept.push_back(cut);
        }
        return kept;
    }
};

}  // namespace graze::test
