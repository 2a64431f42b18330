// SPDX-License-Identifier: Apache-2.0
#include "scenes/shapes.hpp"

#include <algorithm>
#include <cmath>

#include "scenes/random.hpp"
#include "scenes/trig.hpp"

namespace graze::scenes {

namespace {

/// A torus whose cross-section, at u turns around the z axis and v around the tube, has radius(u, v).
template <class Radius>
Soup tube_ring(double major, std::uint32_t n_major, std::uint32_t n_minor, Radius radius) {
    Soup s;
    for (std::uint32_t i = 0; i < n_major; ++i)
        for (std::uint32_t j = 0; j < n_minor; ++j) {
            const double u = static_cast<double>(i) / n_major, v = static_cast<double>(j) / n_minor;
            const SinCos around = sin_cos(u), across = sin_cos(v);
            const double r = radius(u, v), d = major + r * across.cos;
            s.add({d * around.cos, d * around.sin, r * across.sin});
        }
    for (std::uint32_t i = 0; i < n_major; ++i)
        for (std::uint32_t j = 0; j < n_minor; ++j) {
            const std::uint32_t i1 = (i + 1) % n_major, j1 = (j + 1) % n_minor;
            s.add_quad(i * n_minor + j, i1 * n_minor + j, i1 * n_minor + j1, i * n_minor + j1);
        }
    return s;
}

/// The unit box's corners are numbered by the bits x, y, z; the faces look outwards.
constexpr std::uint32_t box_faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

void add_box(Soup& s, const Vec3& low, const Vec3& high) {
    const auto base = static_cast<std::uint32_t>(s.points.size());
    for (int i = 0; i < 8; ++i) s.add({i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z});
    for (const auto& f : box_faces) s.add_quad(base + f[0], base + f[1], base + f[2], base + f[3]);
}

/// The triangles of a grid of n×n cells whose (n + 1)² points go row by row, x fastest.
void add_grid_triangles(Soup& s, std::uint32_t n) {
    for (std::uint32_t y = 0; y < n; ++y)
        for (std::uint32_t x = 0; x < n; ++x) {
            const std::uint32_t at = y * (n + 1) + x;
            s.add_quad(at, at + 1, at + n + 2, at + n + 1);
        }
}

/// A smooth bump or dimple with compact support: (1 − d²/r²)³ times its height.
struct Bump {
    double x, y, radius, height;

    double at(double px, double py) const {
        const double q = 1 - ((px - x) * (px - x) + (py - y) * (py - y)) / (radius * radius);
        return q > 0 ? height * q * q * q : 0;
    }
};

std::vector<Bump> landscape_bumps(std::uint64_t seed) {
    Random random(seed);
    std::vector<Bump> bumps;
    const auto jittered = [&](double pitch, double offset, double jitter, double r0, double r1, double h0, double h1) {
        for (double y = -5 + offset; y < 5; y += pitch)
            for (double x = -5 + offset; x < 5; x += pitch) {
                Bump b;
                b.x = x + random.between(-jitter, jitter);
                b.y = y + random.between(-jitter, jitter);
                b.radius = random.between(r0, r1);
                b.height = random.between(h0, h1);
                // The torus needs room around the stalagmite.
                const double clear = 1.1 + b.radius;
                if (b.radius > 1 || b.x * b.x + b.y * b.y > clear * clear) bumps.push_back(b);
            }
    };
    jittered(2.5, 1.25, 0.8, 1.8, 3.2, -0.35, 0.45);   // hills and hollows
    jittered(1.25, 0.6, 0.2, 0.35, 0.6, -0.45, -0.2);  // dimples
    jittered(1.25, 1.2, 0.2, 0.22, 0.4, 0.35, 1.1);    // teeth
    return bumps;
}

}  // namespace

Soup sphere(std::uint32_t triangles, double radius) {
    const double g = (1 + std::sqrt(5.0)) / 2;
    const Vec3 corner[12] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                             {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    constexpr int face[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                 {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                 {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    const int k = std::max(1, static_cast<int>(std::floor(std::sqrt(triangles / 20.0) + 0.5)));
    Soup s;
    for (const auto& f : face) {
        // Rows i of k − i + 1 points. On an edge two terms are left, whose sum does not depend on
        // their order: both faces compute the same point and welding finds it.
        const auto base = static_cast<std::uint32_t>(s.points.size());
        for (int i = 0; i <= k; ++i)
            for (int j = 0; i + j <= k; ++j) {
                const Vec3 p = (corner[f[0]] * (k - i - j) + corner[f[1]] * i) + corner[f[2]] * j;
                s.add(p * (radius / std::sqrt(dot(p, p))));
            }
        const auto at = [&](int i, int j) {
            return base + static_cast<std::uint32_t>(i * (k + 1) - i * (i - 1) / 2 + j);
        };
        for (int i = 0; i < k; ++i)
            for (int j = 0; i + j < k; ++j) {
                s.add_triangle(at(i, j), at(i + 1, j), at(i, j + 1));
                if (i + j + 1 < k) s.add_triangle(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            }
    }
    return welded(s);
}

Soup torus(double major, double minor, std::uint32_t n_major, std::uint32_t n_minor) {
    return tube_ring(major, n_major, n_minor, [=](double, double) { return minor; });
}

Soup wrinkled_torus() {
    // Whole numbers of waves close the surface both ways.
    return tube_ring(1, 200, 50, [](double u, double v) {
        return 0.35 + 0.06 * sin_cos(5 * v + 4 * u).cos + 0.03 * sin_cos(24 * u + 2 * v).cos;
    });
}

Soup landscape(std::uint32_t cells, std::uint64_t seed) {
    const std::vector<Bump> bumps = landscape_bumps(seed);
    Soup s;
    for (std::uint32_t j = 0; j <= cells; ++j)
        for (std::uint32_t i = 0; i <= cells; ++i) {
            const double x = 10.0 * i / cells - 5, y = 10.0 * j / cells - 5;
            const double q = 1 + (x * x + y * y) / (0.32 * 0.32);
            double z = 2.5 / (q * q);
            for (const Bump& b : bumps) z += b.at(x, y);
            s.add({x, y, z});
        }
    add_grid_triangles(s, cells);
    return s;
}

Soup box(const Vec3& half_sizes) {
    Soup s;
    add_box(s, -half_sizes, half_sizes);
    return s;
}

Soup integer_ground(std::uint32_t n, std::uint32_t height, std::uint64_t seed) {
    Random random(seed);
    Soup s;
    for (std::uint32_t y = 0; y <= n; ++y)
        for (std::uint32_t x = 0; x <= n; ++x)
            s.add({static_cast<double>(x), static_cast<double>(y), static_cast<double>(random.below(height + 1))});
    add_grid_triangles(s, n);
    return s;
}

Soup cube_lattice(std::uint32_t n) {
    Soup s;
    for (std::uint32_t z = 0; z < n; ++z)
        for (std::uint32_t y = 0; y < n; ++y)
            for (std::uint32_t x = 0; x < n; ++x) {
                const Vec3 low{2.0 * x, 2.0 * y, 2.0 * z};
                add_box(s, low, low + Vec3{1, 1, 1});
            }
    return s;
}

}  // namespace graze::scenes
