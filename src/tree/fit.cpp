// SPDX-License-Identifier: Apache-2.0
#include "tree/fit.hpp"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "tree/qhull.hpp"

namespace graze::detail {

namespace {

/// Sufficient for scaled coordinates. `length` also guards against overflow.
double norm(const Vec3& v) { return std::sqrt(dot(v, v)); }

/// Weighted sums of first and second order. The six entries are xx, xy, xz, yy, yz, zz.
struct Moments {
    Vec3 origin;  // near the mean, so that the squares do not cancel
    double weight = 0;
    Vec3 first;
    std::array<double, 6> second{};

    void add_square(const Vec3& d, double w) {
        second[0] += w * d.x * d.x, second[1] += w * d.x * d.y, second[2] += w * d.x * d.z;
        second[3] += w * d.y * d.y, second[4] += w * d.y * d.z, second[5] += w * d.z * d.z;
    }
    void add(const Vec3& p) {
        const Vec3 d = p - origin;
        weight += 1;
        first = first + d;
        add_square(d, 1);
    }
    /// Adds the surface of a triangle in closed form: A/12 (9 c cᵀ + p pᵀ + q qᵀ + r rᵀ).
    void add(const Vec3& p, const Vec3& q, const Vec3& r) {
        const double area = 0.5 * norm(cross(q - p, r - p));
        const Vec3 a = p - origin, b = q - origin, c = r - origin;
        const Vec3 centre = (a + b + c) * (1.0 / 3);
        weight += area;
        first = first + centre * area;
        add_square(centre, area * 9 / 12);
        add_square(a, area / 12), add_square(b, area / 12), add_square(c, area / 12);
    }
};

Mat3 principal_axes(const Moments& m) {
    if (!(m.weight > 0)) return {};
    const double s = 1 / m.weight;
    const Vec3 c = m.first * s;
    return detail::principal_axes({m.second[0] * s - c.x * c.x, m.second[1] * s - c.x * c.y,
                                   m.second[2] * s - c.x * c.z, m.second[3] * s - c.y * c.y,
                                   m.second[4] * s - c.y * c.z, m.second[5] * s - c.z * c.z});
}

Vec3 mean(std::span<const Vec3> points) {
    Vec3 sum;
    for (const Vec3& p : points) sum = sum + p;
    return sum * (1 / static_cast<double>(points.size()));
}

Mat3 fit_points(std::span<const Vec3> points) {
    Moments m{mean(points)};
    for (const Vec3& p : points) m.add(p);
    return principal_axes(m);
}

/// Axes for one triangle: a rectangle flush with the longest edge is as small as any around it.
Mat3 fit_triangle(const Vec3& p, const Vec3& q, const Vec3& r) {
    Vec3 longest = q - p, other = r - p;
    for (const auto& [from, to, third] : {std::tuple{q, r, p}, std::tuple{r, p, q}})
        if (dot(to - from, to - from) > dot(longest, longest)) longest = to - from, other = third - from;
    const double n = norm(longest);
    if (n == 0) return {};
    longest = longest * (1 / n);
    const Vec3 across = other - longest * dot(longest, other);
    const double height = norm(across);
    return orthonormal(longest, height > 0 ? across * (1 / height) : Vec3{});
}

/// Half the surface of a box with these side lengths.
double half_surface(double a, double b, double c) { return a * b + b * c + c * a; }

/// The direction (of unit length, in the plane) of the hull edge along which a box of the given height around the hull
/// has the least surface. Found by rotating calipers.
Point2 best_direction(const std::vector<Point2>& hull, double height) {
    const std::size_t n = hull.size();
    const auto along = [&](const Point2& d, std::size_t i) { return d.u * hull[i % n].u + d.v * hull[i % n].v; };
    Point2 best{1, 0};
    double least = std::numeric_limits<double>::infinity();
    std::size_t right = 1, top = 1, left = 1;  // extreme corners of edge i's box; none is behind the edge
    for (std::size_t i = 0; i < n; ++i) {
        Point2 d{hull[(i + 1) % n].u - hull[i].u, hull[(i + 1) % n].v - hull[i].v};
        const double size = std::hypot(d.u, d.v);
        d.u /= size, d.v /= size;
        const Point2 up{-d.v, d.u}, back{-d.u, -d.v};
        right = std::max(right, i + 1);
        while (right < i + n && along(d, right + 1) > along(d, right)) ++right;
        top = std::max(top, right);
        while (top < i + n && along(up, top + 1) > along(up, top)) ++top;
        left = std::max(left, top);
        while (left < i + n && along(back, left + 1) > along(back, left)) ++left;
        const double surface = half_surface(along(d, right) - along(d, left), along(up, top) - along(up, i), height);
        if (surface < least) least = surface, best = d;
    }
    return best;
}

}  // namespace

Mat3 orthonormal(const Vec3& first, const Vec3& second) {
    const auto unit = [](const Vec3& v) {
        const double n = norm(v);
        return n > 0.5 ? v * (1 / n) : Vec3{1, 0, 0};
    };
    const Vec3 a = unit(first);
    // Takes the part of the second vector at right angles to a, or of the coordinate axis that is farthest from a. This
    // is done twice, because the first pass leaves an error of rounding over |b|.
    Vec3 b = second - a * dot(a, second);
    if (!(norm(b) > 0.5)) {
        int k = std::abs(a.x) < std::abs(a.y) ? 0 : 1;
        if (std::abs(a.z) < std::abs(a[k])) k = 2;
        Vec3 e;
        e[k] = 1;
        b = e - a * dot(a, e);
    }
    b = b * (1 / norm(b));
    b = b - a * dot(a, b);
    b = b * (1 / norm(b));
    Vec3 c = cross(a, b);
    c = c * (1 / norm(c));
    return {{a, b, c}};
}

Mat3 principal_axes(const std::array<double, 6>& c) {
    Eigen::Matrix3d covariance;
    covariance << c[0], c[1], c[2], c[1], c[3], c[4], c[2], c[4], c[5];
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    solver.computeDirect(covariance);
    // Eigenvalues ascend. For close eigenvalues the vectors of the closed form are not quite at right angles.
    const auto& v = solver.eigenvectors();
    return orthonormal({v(0, 2), v(1, 2), v(2, 2)}, {v(0, 1), v(1, 1), v(2, 1)});
}

Extents extents(std::span<const Vec3> points, const Mat3& axes) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    Extents e{{inf, inf, inf}, {-inf, -inf, -inf}};
    for (const Vec3& p : points) {
        const Vec3 d = axes * p;
        e.low = {std::min(e.low.x, d.x), std::min(e.low.y, d.y), std::min(e.low.z, d.z)};
        e.high = {std::max(e.high.x, d.x), std::max(e.high.y, d.y), std::max(e.high.z, d.z)};
    }
    return e;
}

Mat3 fit_axes(std::span<const Vec3> points, Fit fit) {
    if (points.empty()) return {};
    if (points.size() == 3) return fit_triangle(points[0], points[1], points[2]);
    if (fit == Fit::Vertices) return fit_points(points);
    const HullMesh hull = convex_hull(points);
    if (hull.vertices.empty()) return fit_points(points);
    if (hull.vertices.size() == 1) return {};
    if (fit == Fit::HullVertices || hull.faces.empty()) return fit_points(hull.vertices);
    Moments m{mean(hull.vertices)};
    for (const auto& f : hull.faces) m.add(hull.vertices[f[0]], hull.vertices[f[1]], hull.vertices[f[2]]);
    return principal_axes(m);
}

Mat3 refine_axes(std::span<const Vec3> points, const Mat3& axes) {
    if (points.size() == 3) return axes;
    const Extents before = extents(points, axes);
    const Vec3 size = before.high - before.low;
    const int thin = size.x <= size.y && size.x <= size.z ? 0 : size.y <= size.z ? 1 : 2;
    const int i = (thin + 1) % 3, j = (thin + 2) % 3;
    std::vector<Point2> flat;
    flat.reserve(points.size());
    for (const Vec3& p : points) flat.push_back({dot(axes.row[i], p), dot(axes.row[j], p)});
    const std::vector<Point2> hull = convex_hull(flat);
    if (hull.size() < 2) return axes;
    const Point2 d = best_direction(hull, size[thin]);
    const Mat3 turned = orthonormal(axes.row[i] * d.u + axes.row[j] * d.v, axes.row[j] * d.u - axes.row[i] * d.v);
    const Extents e = extents(points, turned);
    const Vec3 after = e.high - e.low;
    return half_surface(after.x, after.y, after.z) < half_surface(size.x, size.y, size.z) ? turned : axes;
}

}  // namespace graze::detail
