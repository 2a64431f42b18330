// SPDX-License-Identifier: Apache-2.0
#include "scenes/parts.hpp"

#include <algorithm>
#include <cmath>

#include "scenes/shapes.hpp"
#include "scenes/trig.hpp"

namespace graze::scenes {

namespace {

std::uint32_t nearest(double x) { return static_cast<std::uint32_t>(std::max(1.0, std::floor(x + 0.5))); }

/// The radius, at u turns, of a hexagon with sides at distance 1.
double hexagon(double u) {
    const double sixth = 6 * u - std::floor(6 * u + 0.5);
    return 1 / sin_cos(sixth / 6).cos;
}

std::vector<Knot> cut(std::span<const Knot> profile, bool closed, double pieces) {
    const std::size_t sides = closed ? profile.size() : profile.size() - 1;
    const auto end = [&](std::size_t i) -> const Knot& { return profile[(i + 1) % profile.size()]; };
    const auto size = [&](std::size_t i) {
        const double out = end(i).radius - profile[i].radius, up = end(i).height - profile[i].height;
        return std::sqrt(out * out + up * up);
    };
    double whole = 0;
    for (std::size_t i = 0; i < sides; ++i) whole += size(i);
    std::vector<Knot> out;
    for (std::size_t i = 0; i < sides; ++i) {
        const std::uint32_t n = nearest(pieces * size(i) / whole);
        for (std::uint32_t k = 0; k < n; ++k) {
            const double t = static_cast<double>(k) / n;
            const auto mix = [t](double a, double b) { return a + (b - a) * t; };
            out.push_back({mix(profile[i].radius, end(i).radius), mix(profile[i].height, end(i).height),
                           mix(profile[i].hexagonal, end(i).hexagonal)});
        }
    }
    if (!closed) out.push_back(profile.back());
    return out;
}

Soup fitted(Soup soup) {
    Vec3 low = soup.points[0], high = low;
    for (const Vec3& p : soup.points)
        for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], p[i]), high[i] = std::max(high[i], p[i]);
    double most = 0;
    for (Vec3& p : soup.points) {
        p = p - (low + high) * 0.5;
        most = std::max(most, dot(p, p));
    }
    return scale(std::move(soup), 1 / std::sqrt(most));
}

}  // namespace

Soup revolved(std::span<const Knot> profile, bool closed, std::uint32_t triangles) {
    const std::uint32_t around = 12 * nearest(std::sqrt(triangles / 2.0) / 12);
    const std::vector<Knot> knots = cut(profile, closed, triangles / (2.0 * around));
    Soup s;
    for (const Knot& k : knots)
        for (std::uint32_t j = 0; j < around; ++j) {
            const double u = static_cast<double>(j) / around;
            const double r = k.radius * (1 + k.hexagonal * (hexagon(u) - 1));
            const SinCos at = sin_cos(u);
            s.add({r * at.cos, r * at.sin, k.height});
        }
    const auto rings = static_cast<std::uint32_t>(knots.size());
    for (std::uint32_t i = 0; i < (closed ? rings : rings - 1); ++i)
        for (std::uint32_t j = 0; j < around; ++j) {
            const std::uint32_t below = i * around, above = (i + 1) % rings * around, next = (j + 1) % around;
            s.add_quad(below + j, below + next, above + next, above + j);
        }
    return welded(s);  // the points on the axis
}

Soup cells(std::span<const Cell> solid, const Vec3& size, std::uint32_t triangles) {
    struct Face {
        Cell cell;
        int axis, side;
    };
    std::vector<Face> faces;
    for (const Cell& c : solid)
        for (int axis = 0; axis < 3; ++axis)
            for (const int side : {0, 1}) {
                const int step = 2 * side - 1;
                const Cell beside{c.x + (axis == 0) * step, c.y + (axis == 1) * step, c.z + (axis == 2) * step};
                const bool inside = std::ranges::any_of(
                    solid, [&](const Cell& o) { return o.x == beside.x && o.y == beside.y && o.z == beside.z; });
                if (!inside) faces.push_back({c, axis, side});
            }
    const auto n = static_cast<int>(nearest(std::sqrt(triangles / (2.0 * static_cast<double>(faces.size())))));
    Soup s;
    for (const Face& f : faces) {
        const int across = (f.axis + 1) % 3, up = (f.axis + 2) % 3;
        // By numbers of a lattice, so that faces have the same points where they meet.
        const auto point = [&](int i, int j) {
            int at[3] = {f.cell.x * n, f.cell.y * n, f.cell.z * n};
            at[f.axis] += f.side * n;
            at[across] += i;
            at[up] += j;
            return s.add({at[0] * size.x / n, at[1] * size.y / n, at[2] * size.z / n});
        };
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                const std::uint32_t a = point(i, j), b = point(i + 1, j), c = point(i + 1, j + 1), d = point(i, j + 1);
                f.side ? s.add_quad(a, b, c, d) : s.add_quad(a, d, c, b);
            }
    }
    return welded(s);
}

std::vector<Soup> parts(std::uint32_t triangles) {
    const Knot washer[] = {{0.5, 0}, {1, 0}, {1, 0.25}, {0.5, 0.25}};
    const Knot nut[] = {{0.45, 0}, {0.8, 0, 1}, {0.8, 0.7, 1}, {0.45, 0.7}};
    const Knot bolt[] = {{0, 0}, {0.2, 0}, {0.25, 0.05}, {0.25, 1.4}, {0.45, 1.4, 1}, {0.45, 1.75, 1}, {0, 1.75}};
    const Cell angle[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}, {0, 0, 2}};
    const Cell block[] = {{}};
    const std::uint32_t across = nearest(std::sqrt(triangles / 2.0 * 0.8));
    std::vector<Soup> out;
    out.push_back(torus(0.7, 0.3, nearest(triangles / 2.0 / across), across));
    out.push_back(revolved(washer, true, triangles));
    out.push_back(revolved(nut, true, triangles));
    out.push_back(revolved(bolt, false, triangles));
    out.push_back(cells(angle, {0.4, 1, 0.4}, triangles));
    out.push_back(cells(block, {1, 0.7, 0.5}, triangles));
    for (Soup& s : out) s = fitted(std::move(s));
    return out;
}

}  // namespace graze::scenes
