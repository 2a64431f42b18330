// SPDX-License-Identifier: Apache-2.0
#include "scenes/random_soups.hpp"

#include <cmath>

#include "scenes/placements.hpp"
#include "scenes/random.hpp"

namespace graze::scenes {

namespace {

/// On a grid of 2^-10, where midpoints and small multiples are exact.
Vec3 coarse_point(Random& random) {
    const auto coordinate = [&] { return random.below(513) * 0x1p-10 + 0.25; };
    const double x = coordinate(), y = coordinate(), z = coordinate();
    return {x, y, z};
}

}  // namespace

Soup random_soup(std::uint32_t n, double size, std::uint64_t seed) {
    Random random(seed);
    Soup s;
    for (std::uint32_t i = 0; i < n; ++i) {
        const Vec3 centre = random.in_cube(0, 1);
        const std::uint32_t a = s.add(centre + random.in_cube(-size, size));
        const std::uint32_t b = s.add(centre + random.in_cube(-size, size));
        const std::uint32_t c = s.add(centre + random.in_cube(-size, size));
        s.add_triangle(a, b, c);
    }
    return s;
}

Soup needles(std::uint32_t n, std::uint64_t seed, double aspect) {
    Random random(seed);
    Soup s;
    for (std::uint32_t i = 0; i < n; ++i) {
        const Vec3 tail = random.in_cube(0, 1);
        const Vec3 along = random_direction(random), beside = random_direction(random) * (1 / aspect);
        const std::uint32_t a = s.add(tail), b = s.add(tail + along), c = s.add(tail + beside);
        s.add_triangle(a, b, c);
    }
    return s;
}

Soup degenerate_mixture(std::uint32_t n, std::uint64_t seed) {
    Random random(seed);
    Soup s;
    for (std::uint32_t i = 0; i < n; ++i) {
        const Vec3 p = coarse_point(random), q = coarse_point(random), r = coarse_point(random);
        const auto triangle = [&](const Vec3& x, const Vec3& y, const Vec3& z) {
            const std::uint32_t a = s.add(x), b = s.add(y), c = s.add(z);
            s.add_triangle(a, b, c);
        };
        const std::uint32_t earlier = i == 0 ? 0 : 3 * random.below(i);
        switch (i % 10) {
            case 1: {
                const std::uint32_t a = s.add(p);
                s.add_triangle(a, a, a);
                break;
            }
            case 2:
                triangle(p, p, p);
                break;
            case 3: {
                const std::uint32_t a = s.add(p), b = s.add(q);
                s.add_triangle(a, b, a);
                break;
            }
            case 4:
                triangle(p, q, q);
                break;
            case 5:
                triangle(p, q, (p + q) * 0.5);
                break;
            case 6:
                triangle(p, q, {(p.x + q.x) / 2, (p.y + q.y) / 2, std::nextafter((p.z + q.z) / 2, 1.0)});
                break;
            case 7:
                s.add_triangle(s.corners[earlier], s.corners[earlier + 1], s.corners[earlier + 2]);
                break;
            case 8:
                s.add_triangle(s.corners[earlier + 2], s.corners[earlier], s.corners[earlier + 1]);
                break;
            default:
                triangle(p, q, r);
        }
    }
    return s;
}

Soup tiny(std::uint32_t n, std::uint64_t seed) {
    Random random(seed);
    Soup s;
    for (std::uint32_t i = 0; i < 3 * n; ++i) s.corners.push_back(s.add(random.in_cube(0, 1)));
    return s;
}

}  // namespace graze::scenes
