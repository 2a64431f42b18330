// SPDX-License-Identifier: Apache-2.0
#include "primitives.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace graze::files {

namespace {

/// Number of corners around a circle whose chords span at most this angle.
std::uint32_t corners_around(double angle) {
    constexpr double fewest = 8, most = 256;
    const double n = std::ceil(2 * std::numbers::pi / std::max(angle, 1e-9));
    return static_cast<std::uint32_t>(std::clamp(n, fewest, most));
}

/// The angle whose arc rises this far above its chord.
double angle_of(double radius, double rise) { return 2 * std::acos(std::clamp(1 - rise / radius, 0.0, 1.0)); }

void polygon(Mesh& mesh, std::initializer_list<std::uint32_t> corners) {
    mesh.corners.insert(mesh.corners.end(), corners);
    mesh.offsets.push_back(static_cast<std::uint32_t>(mesh.corners.size()));
}

/// Adds a ring of corners at height z; a single corner at the poles.
void ring(Mesh& mesh, std::uint32_t n, double radius, double z) {
    for (std::uint32_t i = 0; i < n; ++i) {
        const double a = 2 * std::numbers::pi * i / n;
        mesh.points.push_back({radius * std::cos(a), radius * std::sin(a), z});
    }
}

}  // namespace

Mesh box_mesh(const Vec3& size) {
    Mesh mesh;
    mesh.offsets.push_back(0);
    for (int i = 0; i < 8; ++i)
        mesh.points.push_back(
            {(i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z});
    polygon(mesh, {0, 2, 3, 1});
    polygon(mesh, {4, 5, 7, 6});
    polygon(mesh, {0, 1, 5, 4});
    polygon(mesh, {2, 6, 7, 3});
    polygon(mesh, {0, 4, 6, 2});
    polygon(mesh, {1, 3, 7, 5});
    return mesh;
}

Mesh cylinder_mesh(double radius, double length, double tolerance) {
    const std::uint32_t n = corners_around(angle_of(radius, tolerance));
    Mesh mesh;
    ring(mesh, n, radius, -0.5 * length);
    ring(mesh, n, radius, 0.5 * length);
    mesh.offsets.push_back(0);
    for (std::uint32_t i = n; i-- > 0;) mesh.corners.push_back(i);
    mesh.offsets.push_back(n);
    for (std::uint32_t i = 0; i < n; ++i) mesh.corners.push_back(n + i);
    mesh.offsets.push_back(2 * n);
    for (std::uint32_t i = 0; i < n; ++i) polygon(mesh, {i, (i + 1) % n, n + (i + 1) % n, n + i});
    return mesh;
}

Mesh sphere_mesh(double radius, double tolerance) {
    // A patch of the angle d each way, cut into two triangles, lies in circles about them of the angle d/√2 at most
    // (half its diagonal), and so rises at most r (1 - cos(d/√2)) above them.
    const std::uint32_t n = (corners_around(angle_of(radius, tolerance) / std::numbers::sqrt2) + 1) / 2 * 2;
    const std::uint32_t rings = n / 2 - 1;
    Mesh mesh;
    mesh.points.push_back({0, 0, -radius});
    for (std::uint32_t k = 1; k <= rings; ++k) {
        const double a = std::numbers::pi * k / (rings + 1);
        ring(mesh, n, radius * std::sin(a), -radius * std::cos(a));
    }
    mesh.points.push_back({0, 0, radius});
    const std::uint32_t top = 1 + rings * n;
    const auto triangle = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        mesh.corners.insert(mesh.corners.end(), {a, b, c});
    };
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t j = (i + 1) % n;
        triangle(0, 1 + j, 1 + i);
        for (std::uint32_t k = 0; k + 1 < rings; ++k) {
            const std::uint32_t low = 1 + k * n, high = low + n;
            triangle(low + i, low + j, high + j);
            triangle(low + i, high + j, high + i);
        }
        triangle(top - n + i, top - n + j, top);
    }
    return mesh;
}

}  // namespace graze::files
