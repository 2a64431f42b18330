// SPDX-License-Identifier: Apache-2.0
// The filters in double, attacked by a search (bound_search.hpp): orient2d, orient3d, and a ray against a triangle.
// Determinants are written here as the filters write them, operation for operation; the first test checks that the
// filters' bounds are those measured. GRAZE_LONG is a tenth of the number of cases per bound.
#include <gtest/gtest.h>

#include "bound_search.hpp"
#include "exact/exact_sign.hpp"
#include "exact/ray_exact.hpp"

namespace graze::test {
namespace {

using namespace detail;
using scenes::Random;

Vec3 point(const Genes& g, std::size_t i) { return {g[i], g[i + 1], g[i + 2]}; }

bool in_range(const Genes& genes) {
    return std::all_of(genes.begin(), genes.end(), [](double x) { return std::abs(x) <= 0x1p60; });
}

std::function<Genes(Random&)> anywhere(std::size_t count) {
    return [count](Random& random) {
        Genes genes(count);
        for (double& x : genes) x = random.between(-1, 1);
        return genes;
    };
}

constexpr double orient2d_bound = 9 * half_ulp, orient3d_bound = 48 * half_ulp;

/// With a = 0, b = (1, 1) and c = (1, 1 + 2k U) the determinant is 2k U, and the bound is 9 U to first order. One
/// dimension more turns that into 48 U.
TEST(BoundsSearch, TheFiltersUseTheBoundsMeasuredHere) {
    for (int k = 1; k < 60; ++k) {
        const double next = 1 + 2 * k * half_ulp;
        bool exact = false;
        EXPECT_EQ(orient2d({0, 0}, {1, 1}, {1, next}, exact), 1);
        EXPECT_EQ(exact, 2 * k * half_ulp <= orient2d_bound * next) << k;
        exact = false;
        EXPECT_EQ(orient3d({0, 0, 0}, {1, 0, 1}, {0, 1, 0}, {1, 0, next}, exact), 1);
        EXPECT_EQ(exact, 2 * k * half_ulp <= orient3d_bound * next) << k;
    }
}

/// `factor` times the bound of orient2d.
Target of_orient2d(double factor = 1) {
    const auto ratio = [=](const Genes& g) {
        if (!in_range(g)) return -1.0;
        const double ux = g[2] - g[0], uy = g[3] - g[1], vx = g[4] - g[0], vy = g[5] - g[1];
        const double x = larger(std::abs(ux), std::abs(vx)), y = larger(std::abs(uy), std::abs(vy));
        if (!(smaller(x, y) >= 0x1p-60)) return -1.0;
        const Real a = g[0], b = g[1];
        const Real exact = (g[2] - a) * (g[5] - b) - (g[3] - b) * (g[4] - a);
        return error_ratio(ux * vy - uy * vx, exact, factor * (orient2d_bound * x * y));
    };
    return {"orient2d", anywhere(6), ratio, {}};
}

/// `factor` times the bound of orient3d.
Target of_orient3d(double factor = 1) {
    const auto ratio = [=](const Genes& g) {
        if (!in_range(g)) return -1.0;
        const Vec3 a = point(g, 0), b = point(g, 3), c = point(g, 6), d = point(g, 9);
        const Vec3 u = b - a, v = c - a, w = d - a;
        const auto most = [&](int i) { return larger(larger(std::abs(u[i]), std::abs(v[i])), std::abs(w[i])); };
        const double x = most(0), y = most(1), z = most(2);
        if (!(smaller(smaller(x, y), z) >= 0x1p-60)) return -1.0;
        const RealVector origin = real(a);
        const Real exact =
            test::dot(minus(real(d), origin), test::cross(minus(real(b), origin), minus(real(c), origin)));
        return error_ratio(graze::dot(w, graze::cross(u, v)), exact, factor * (orient3d_bound * x * y * z));
    };
    return {"orient3d", anywhere(12), ratio, {}};
}

TEST(BoundsSearch, Orient2d) { EXPECT_GT(attack(of_orient2d(), 1), 0.6); }
TEST(BoundsSearch, Orient3d) { EXPECT_GT(attack(of_orient3d(), 2), 0.25); }

/// The search can refute a bound: it does so for one that is too small.
TEST(BoundsSearch, RefutesABoundThatIsTooSmall) {
    EXPECT_GT(climb(of_orient2d(1.0 / 3), search_cases(), 3), 1);
    EXPECT_GT(climb(of_orient3d(1.0 / 5), search_cases(), 4), 1);
}

struct RayCase {
    Vec3 o, d;  ///< origin and direction
    Triangle t;
};

RayCase ray_case(const Genes& g) { return {point(g, 0), point(g, 3), {point(g, 6), point(g, 9), point(g, 12)}}; }

/// The weights of a triangle's corners: det(d, b − o, c − o), against 16 U P.
Target of_ray_weights() {
    const auto ratio = [](const Genes& g) {
        if (!in_range(g)) return -1.0;
        const auto [o, d, t] = ray_case(g);
        const Vec3 a = t.a - o, b = t.b - o, c = t.c - o;
        const auto most = [&](int i) { return larger(larger(std::abs(a[i]), std::abs(b[i])), std::abs(c[i])); };
        const double x = most(0), y = most(1), z = most(2);
        const double bound =
            16 * half_ulp * (std::abs(d.x) * (y * z) + std::abs(d.y) * (x * z) + std::abs(d.z) * (x * y)) + 0x1p-700;
        if (!(bound >= 0x1p-200)) return -1.0;
        const RealVector origin = real(o);
        const Real exact = test::dot(real(d), test::cross(minus(real(t.b), origin), minus(real(t.c), origin)));
        return error_ratio(graze::dot(d, graze::cross(b, c)), exact, bound);
    };
    return {"ray, weights", anywhere(15), ratio, {}};
}

/// The t of a hit that the filter is sure of, against the error that comes with it.
Target of_ray_times() {
    const auto start = [](Random& random) {
        // The point in the middle of the triangle is on the ray.
        Genes g = anywhere(15)(random);
        for (std::size_t i = 0; i < 3; ++i) g[3 + i] = (g[6 + i] + g[9 + i] + g[12 + i]) / 3 - g[i];
        return g;
    };
    const auto ratio = [](const Genes& g) {
        if (!in_range(g)) return -1.0;
        const auto [o, d, t] = ray_case(g);
        HitTime time;
        bool used_exact = false;
        if (d == Vec3{} || !ExactRay(*Ray::from_direction(o, d)).hits(t, time, used_exact) || used_exact) return -1.0;
        const RealVector a = real(t.a), n = test::cross(minus(real(t.b), a), minus(real(t.c), a));
        const Real exact = test::dot(minus(a, real(o)), n) / test::dot(real(d), n);
        return error_ratio(time.t, exact, time.error);
    };
    return {"ray, t", start, ratio, {}};
}

TEST(BoundsSearch, RayWeights) { EXPECT_GT(attack(of_ray_weights(), 5), 0.25); }
TEST(BoundsSearch, RayTimes) { EXPECT_GT(attack(of_ray_times(), 6), 0); }

}  // namespace
}  // namespace graze::test
