// SPDX-License-Identifier: Apache-2.0
// Models that stand in for those of the papers.
#include <cmath>
#include <functional>

#include "bench/papers.hpp"
#include "scenes/teapot.hpp"
#include "scenes/trig.hpp"

namespace graze::bench::papers {
namespace {

using scenes::Soup;

/// A closed part along an axis: 2 · sides · rings triangles. `radius(s)` gives its two radii for s from 0 to 1.
struct Part {
    Vec3 from, to;
    Vec3 side;  ///< direction of the first radius, of unit length and across the axis
    std::uint32_t sides = 12, rings = 2;
    std::function<std::array<double, 2>(double s)> radius;
};

void add_part(Soup& soup, const Part& p) {
    const Vec3 way = p.to - p.from, up = cross(way, p.side) * (1 / length(way));
    const std::uint32_t first = soup.add(p.from);
    const auto ring = [&](std::uint32_t k) { return first + 1 + k * p.sides; };
    for (std::uint32_t k = 0; k < p.rings; ++k) {
        const double s = p.rings > 1 ? static_cast<double>(k) / (p.rings - 1) : 0.5;
        const auto [across, high] = p.radius(s);
        for (std::uint32_t i = 0; i < p.sides; ++i) {
            const scenes::SinCos a = scenes::sin_cos(static_cast<double>(i) / p.sides);
            soup.add(p.from + way * s + p.side * (across * a.cos) + up * (high * a.sin));
        }
    }
    const std::uint32_t last = soup.add(p.to);
    for (std::uint32_t i = 0; i < p.sides; ++i) {
        const std::uint32_t j = (i + 1) % p.sides;
        soup.add_triangle(first, ring(0) + j, ring(0) + i);
        for (std::uint32_t k = 0; k + 1 < p.rings; ++k)
            soup.add_quad(ring(k) + i, ring(k) + j, ring(k + 1) + j, ring(k + 1) + i);
        soup.add_triangle(last, ring(p.rings - 1) + i, ring(p.rings - 1) + j);
    }
}

Part cylinder(const Vec3& from, const Vec3& to, const Vec3& side, double radius, std::uint32_t sides,
              std::uint32_t rings) {
    return {from, to, side, sides, rings, [radius](double) { return std::array{radius, radius}; }};
}

}  // namespace

Soup spacecraft() {
    Soup soup;
    // The hull: a long nose, a wider tail. 2,028 triangles.
    add_part(soup, {{-0.7, 0, 0}, {1.3, 0, 0}, {0, 1, 0}, 39, 26, [](double s) {
                        const double r = 0.03 + 0.06 * (1 - s) * std::min(1.0, s * 16);
                        return std::array{r, 0.8 * r};
                    }});
    // Four times a wing, an engine and a gun: 1,014 triangles each. Those of wings and guns are long and thin.
    for (const double right : {1.0, -1.0})
        for (const double top : {1.0, -1.0}) {
            const Vec3 out{0, right * 0.94, top * 0.34}, tail{-0.5, 0, 0};
            add_part(soup, {tail + out * 0.1, tail + out * 0.95, {1, 0, 0}, 42, 6, [](double s) {
                                return std::array{0.2 - 0.1 * s, 0.008};
                            }});
            const Vec3 pod = Vec3{-0.75, 0, 0} + out * 0.2;
            add_part(soup, {pod, pod + Vec3{0.6, 0, 0}, {0, 1, 0}, 15, 11, [](double s) {
                                const double r = s < 0.3 ? 0.035 : 0.045;
                                return std::array{r, r};
                            }});
            const Vec3 gun = Vec3{-0.65, 0, 0} + out * 0.95;
            add_part(soup, {gun, gun + Vec3{1.2, 0, 0}, {0, 1, 0}, 15, 6, [](double s) {
                                const double r = s > 0.45 ? 0.008 : 0.018;
                                return std::array{r, r};
                            }});
        }
    return soup;
}

Soup teapot_3752() { return scenes::teapot(8, {8, 6}, {9, 5}); }

Soup torpedo() {
    Soup soup;
    // The body is drawn in at both ends. 4,500 triangles.
    add_part(soup, {{-2, 0, 0}, {2, 0, 0}, {0, 1, 0}, 30, 75, [](double s) {
                        const double nose = std::sqrt(std::max(0.02, std::min(1.0, (1 - s) * 10)));
                        const double r = 0.25 * std::min(nose, 0.3 + 4 * s);
                        return std::array{r, r};
                    }});
    for (int k = 0; k < 4; ++k) {
        const scenes::SinCos a = scenes::sin_cos(k / 4.0 + 0.125);
        const Vec3 out{0, a.cos, a.sin};
        add_part(soup, {Vec3{-1.85, 0, 0} + out * 0.05, Vec3{-1.85, 0, 0} + out * 0.33, {1, 0, 0}, 5, 7, [](double s) {
                            return std::array{0.12 - 0.06 * s, 0.01};
                        }});
    }
    return soup;
}

Soup pivot() {
    Soup soup;
    // Two rows of ten rollers, tilted to the torpedo between them. 38,400 triangles.
    for (int k = 0; k < 10; ++k)
        for (const double right : {1.0, -1.0}) {
            // A roller lies across the torpedo, its surface 0.25 below the axis along a line at 45 degrees.
            const double x = -1.5 + 0.3 * k;
            const double half = std::sqrt(0.5);
            const Vec3 down{0, right * half, -half}, across{0, half, right * half};
            const Vec3 middle = Vec3{x, 0, 0} + down * (0.25 + 0.08);
            add_part(soup, cylinder(middle - across * 0.12, middle + across * 0.12, {1, 0, 0}, 0.08, 32, 30));
        }
    // A post, two rails and ten bars. 6,520 triangles.
    add_part(soup, cylinder({0, 0, -1.4}, {0, 0, -0.5}, {1, 0, 0}, 0.2, 30, 40));
    for (const double right : {1.0, -1.0})
        add_part(soup, cylinder({-1.7, right * 0.4, -0.4}, {1.7, right * 0.4, -0.4}, {0, 1, 0}, 0.05, 20, 26));
    for (int k = 0; k < 10; ++k)
        add_part(soup, cylinder({-1.5 + 0.3 * k, -0.4, -0.46}, {-1.5 + 0.3 * k, 0.4, -0.46}, {1, 0, 0}, 0.04, 17, 6));
    return soup;
}

}  // namespace graze::bench::papers
