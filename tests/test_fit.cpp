// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "graze/study.hpp"
#include "tree/fit.hpp"
#include "tree/qhull.hpp"

namespace graze::detail {
namespace {

constexpr std::array all_fits{detail::Fit::Vertices, detail::Fit::HullVertices, detail::Fit::HullSurface};

std::mt19937& rng() {
    static std::mt19937 r(11);
    return r;
}
double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(rng()); }

Mat3 random_rotation() {
    std::normal_distribution<double> n;
    Vec3 a{n(rng()), n(rng()), n(rng())}, b{n(rng()), n(rng()), n(rng())};
    a = a * (1 / length(a));
    b = b - a * dot(a, b);
    return orthonormal(a, b * (1 / length(b)));
}

// The twelve triangles of a box with the given half sizes, turned and moved.
std::vector<Vec3> box(const Vec3& half, const Mat3& rows, const Vec3& centre) {
    std::vector<Vec3> out;
    const auto corner = [&](int i) {
        const Vec3 local{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
        return centre + transpose(rows) * local;
    };
    constexpr int faces[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    for (const auto& f : faces)
        for (const int k : {0, 1, 2, 0, 2, 3}) out.push_back(corner(f[k]));
    return out;
}

void expect_orthonormal(const Mat3& m) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_LE(std::abs(dot(m.row[i], m.row[j]) - (i == j)), 0x1p-50);
}

void expect_parallel(const Vec3& a, const Vec3& b, double tolerance) {
    EXPECT_LT(length(cross(a, b)), tolerance) << a.x << " " << a.y << " " << a.z;
}

double surface(std::span<const Vec3> points, const Mat3& axes) {
    const Extents e = extents(points, axes);
    const Vec3 s = e.high - e.low;
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

TEST(Fit, FindsTheAxesOfABox) {
    for (int round = 0; round < 50; ++round) {
        const Mat3 r = random_rotation();
        const auto p = box({0.9, 0.5, 0.2}, r, {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
        for (const detail::Fit fit : {detail::Fit::HullVertices, detail::Fit::HullSurface}) {
            const Mat3 axes = fit_axes(p, fit);
            expect_orthonormal(axes);
            for (int i = 0; i < 3; ++i) expect_parallel(axes.row[i], r.row[i], 1e-7);
        }
    }
}

TEST(Fit, DenseInteriorDoesNotTiltTheHull) {
    const Mat3 r = random_rotation(), tilt = random_rotation();
    auto p = box({0.9, 0.5, 0.2}, r, {0, 0, 0});
    for (int i = 0; i < 3000; ++i)
        p.push_back(transpose(tilt) * Vec3{uniform(-0.15, 0.15), uniform(-0.001, 0.001), uniform(-0.15, 0.15)});
    for (int i = 0; i < 3; ++i) {
        expect_parallel(fit_axes(p, detail::Fit::HullVertices).row[i], r.row[i], 1e-6);
        expect_parallel(fit_axes(p, detail::Fit::HullSurface).row[i], r.row[i], 1e-6);
    }
    EXPECT_GT(length(cross(fit_axes(p, detail::Fit::Vertices).row[2], r.row[2])), 0.05);
}

TEST(Fit, DenseHullVerticesDoNotTiltTheSurface) {
    // Many vertices around one edge of the box, all on its hull.
    const Mat3 r = random_rotation();
    auto p = box({0.9, 0.5, 0.2}, r, {0, 0, 0});
    for (int i = 0; i < 2000; ++i) {
        const double a = uniform(0, 1.5707);
        p.push_back(transpose(r) * Vec3{uniform(-0.9, 0.9), 0.5 + 1e-4 * std::cos(a), 0.2 + 1e-4 * std::sin(a)});
    }
    const double by_surface = length(cross(fit_axes(p, detail::Fit::HullSurface).row[2], r.row[2]));
    const double by_vertices = length(cross(fit_axes(p, detail::Fit::HullVertices).row[2], r.row[2]));
    EXPECT_LT(by_surface, 1e-3);
    EXPECT_GT(by_vertices, 10 * by_surface);
}

TEST(Fit, PlaneLineAndPoint) {
    for (const detail::Fit fit : all_fits) {
        const Mat3 r = random_rotation();
        std::vector<Vec3> plane, line, place;
        for (int i = 0; i < 60; ++i) {
            const double u = uniform(-0.9, 0.9), v = uniform(-0.3, 0.3);
            plane.push_back(r.row[0] * u + r.row[1] * v + r.row[2] * 0.25);
            line.push_back(r.row[0] * u + r.row[1] * 0.125);
            place.push_back(r.row[0] * 0.7);
        }
        Mat3 axes = fit_axes(plane, fit);
        expect_orthonormal(axes);
        expect_parallel(axes.row[2], r.row[2], 1e-6);
        axes = fit_axes(line, fit);
        expect_orthonormal(axes);
        expect_parallel(axes.row[0], r.row[0], 1e-6);
        expect_orthonormal(fit_axes(place, fit));
        expect_orthonormal(fit_axes(std::span(place).first(1), fit));
        expect_orthonormal(fit_axes({}, fit));
        for (const auto& p : {plane, line, place}) expect_orthonormal(refine_axes(p, fit_axes(p, fit)));
    }
}

TEST(Fit, PlanarSurfaceIsTheArea) {
    // A rectangle with one crowded side: its area keeps the axes, its hull's vertices do not.
    const Mat3 r = random_rotation();
    std::vector<Vec3> p;
    for (const auto& [u, v] : {std::pair{-1.0, -0.4}, {1.0, -0.4}, {1.0, 0.4}, {-1.0, 0.4}})
        p.push_back(r.row[0] * u + r.row[1] * v);
    for (int i = 1; i < 100; ++i)
        p.push_back(r.row[0] * (1 + 1e-4 * i * (100 - i)) + r.row[1] * (-0.4 + 0.8 * i / 100));
    const Mat3 axes = fit_axes(p, detail::Fit::HullSurface);
    expect_parallel(axes.row[0], r.row[0], 1e-9);
    expect_parallel(axes.row[2], r.row[2], 1e-9);
}

TEST(Fit, DuplicatesDoNotMoveTheHull) {
    const Mat3 r = random_rotation();
    auto p = box({0.9, 0.5, 0.2}, r, {0.1, 0.2, 0.3});
    for (int i = 0; i < 500; ++i) p.push_back(p[0]);
    for (const detail::Fit fit : {detail::Fit::HullVertices, detail::Fit::HullSurface})
        for (int i = 0; i < 3; ++i) expect_parallel(fit_axes(p, fit).row[i], r.row[i], 1e-7);
}

TEST(Fit, SmallAndFarFromTheOrigin) {
    // A deep node is 1e-7 of the model, away from its centre.
    const Mat3 r = random_rotation();
    const auto p = box({0.9e-7, 0.5e-7, 0.2e-7}, r, {0.7, -0.6, 0.5});
    for (const detail::Fit fit : {detail::Fit::HullVertices, detail::Fit::HullSurface})
        for (int i = 0; i < 3; ++i) expect_parallel(fit_axes(p, fit).row[i], r.row[i], 1e-4);
}

TEST(Hull, SolidSurfaceMatchesSampling) {
    std::vector<Vec3> p;
    for (int i = 0; i < 40; ++i) p.push_back({uniform(-1, 1), uniform(-0.5, 0.5), uniform(-0.2, 0.2)});
    const HullMesh hull = convex_hull(std::span<const Vec3>(p));
    ASSERT_GE(hull.faces.size(), 4u);
    EXPECT_EQ(hull.faces.size(), 2 * hull.vertices.size() - 4);  // Euler
    std::vector<double> areas;
    for (const auto& f : hull.faces) {
        const Vec3 a = hull.vertices[f[0]], n = cross(hull.vertices[f[1]] - a, hull.vertices[f[2]] - a);
        areas.push_back(length(n));
        double low = 0, high = 0;
        for (const Vec3& q : p) low = std::min(low, dot(n, q - a)), high = std::max(high, dot(n, q - a));
        EXPECT_LT(std::min(-low, high), 1e-12);  // all on one side
    }
    std::discrete_distribution<std::size_t> face(areas.begin(), areas.end());
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
    const int count = 200000;
    for (int i = 0; i < count; ++i) {
        const auto& f = hull.faces[face(rng())];
        double s = uniform(0, 1), t = uniform(0, 1);
        if (s + t > 1) s = 1 - s, t = 1 - t;
        const Vec3 a = hull.vertices[f[0]];
        const Vec3 q = a + (hull.vertices[f[1]] - a) * s + (hull.vertices[f[2]] - a) * t;
        const Eigen::Vector3d e(q.x, q.y, q.z);
        mean += e / count;
        second += e * e.transpose() / count;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(second - mean * mean.transpose());
    const Mat3 axes = fit_axes(p, detail::Fit::HullSurface);
    for (int i = 0; i < 3; ++i) {
        const auto v = solver.eigenvectors().col(2 - i);
        expect_parallel(axes.row[i], {v[0], v[1], v[2]}, 0.01);
    }
}

TEST(Hull, OfThePlane) {
    std::vector<Point2> p{{0, 0}, {2, 0}, {1, 0}, {2, 2}, {1, 1}, {0, 2}, {0, 0}, {0, 1}};
    EXPECT_EQ(convex_hull(p), (std::vector<Point2>{{0, 0}, {2, 0}, {2, 2}, {0, 2}}));
    std::vector<Point2> line{{0, 0}, {3, 3}, {1, 1}, {2, 2}};
    EXPECT_EQ(convex_hull(line), (std::vector<Point2>{{0, 0}, {3, 3}}));
    std::vector<Point2> place{{1, 1}, {1, 1}};
    EXPECT_EQ(convex_hull(place).size(), 1u);
}

TEST(Refine, NeverGrowsTheBox) {
    for (int round = 0; round < 200; ++round) {
        std::vector<Vec3> p(3 + rng()() % 40);
        for (Vec3& v : p) v = {uniform(-1, 1), uniform(-1, 1), uniform(-0.3, 0.3) * (round % 3)};
        const Mat3 axes = fit_axes(p, all_fits[round % 3]), better = refine_axes(p, axes);
        expect_orthonormal(better);
        EXPECT_LE(surface(p, better), surface(p, axes));
    }
}

TEST(Refine, FindsTheSmallestRectangle) {
    // The axes of a square plate are arbitrary; the best turn is along its sides. Compared with a
    // fine search for other shapes.
    const Mat3 r = random_rotation();
    const auto plate = box({0.8, 0.8, 0.1}, r, {0, 0, 0});
    const Mat3 off = orthonormal(r.row[0] * std::cos(0.5) + r.row[1] * std::sin(0.5),
                                 r.row[1] * std::cos(0.5) - r.row[0] * std::sin(0.5));
    EXPECT_NEAR(surface(plate, refine_axes(plate, off)), surface(plate, r), 1e-12);
    for (int round = 0; round < 20; ++round) {
        std::vector<Vec3> p(4 + rng()() % 20);
        for (Vec3& v : p) v = {uniform(-1, 1), uniform(-1, 1), uniform(-0.01, 0.01)};
        const double found = surface(p, refine_axes(p, Mat3{}));
        for (int i = 0; i < 2000; ++i) {
            const double a = 1.5707963267948966 * i / 2000;
            const Mat3 m{{Vec3{std::cos(a), std::sin(a), 0}, Vec3{-std::sin(a), std::cos(a), 0}, Vec3{0, 0, 1}}};
            EXPECT_LE(found, surface(p, m) * (1 + 1e-12));
        }
    }
}

}  // namespace
}  // namespace graze::detail
