// SPDX-License-Identifier: Apache-2.0
// Rays over every tree against all triangles one by one, by the exact predicate (tests/test_rays.cpp checks that).
// GRAZE_LONG is the number of rays a scene.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "case_count.hpp"
#include "exact/ray_exact.hpp"
#include "graze/graze.hpp"
#include "graze/study.hpp"
#include "ray_oracle.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

namespace graze {
namespace {

using scenes::Random;
using scenes::Soup;

constexpr double infinity = std::numeric_limits<double>::infinity();

int ray_count(int fewest) { return std::max(test::case_count(fewest), fewest); }

/// The models of a soup by all trees that rays go through in different ways.
struct Models {
    Soup soup;
    std::vector<Model> models;

    explicit Models(Soup s) : soup(std::move(s)) {
        for (const study::Volume volume : {study::Volume::Obb, study::Volume::Aabb})
            for (const study::TreeKind tree : {study::TreeKind::Wide, study::TreeKind::Binary})
                add({.tree = tree, .volume = volume});
        for (const study::Volume volume : {study::Volume::Sphere, study::Volume::Dop18})
            add({.tree = study::TreeKind::Binary, .volume = volume});
    }
    void add(study::TreeSettings settings) {
        settings.threads = 1;
        auto model = study::build(soup, settings);
        ASSERT_TRUE(model.ok()) << model.fault().message;
        models.push_back(std::move(*model));
    }

    Triangle triangle(std::uint32_t i) const {
        const std::uint32_t* c = &soup.corners[3 * i];
        return {soup.points[c[0]], soup.points[c[1]], soup.points[c[2]]};
    }
};

struct Hit {
    std::uint32_t triangle;
    detail::HitTime time;
};

/// Returns the number of hits.
std::size_t expect_agreement(const Models& m, const Ray& ray, bool sort_all) {
    const detail::ExactRay exact(ray);
    std::vector<Hit> hits;
    for (std::uint32_t i = 0; i < m.soup.triangle_count(); ++i) {
        Hit hit{i, {}};
        bool used = false;
        if (exact.hits(m.triangle(i), hit.time, used)) hits.push_back(hit);
    }
    const auto before = [&](const Hit& a, const Hit& b) {
        const int order = exact.compare(m.triangle(a.triangle), m.triangle(b.triangle));
        return order < 0 || (order == 0 && a.triangle < b.triangle);
    };
    if (sort_all)
        std::sort(hits.begin(), hits.end(), before);
    else if (!hits.empty())
        std::iter_swap(hits.begin(), std::min_element(hits.begin(), hits.end(), before));
    for (const Model& model : m.models) {
        const auto nearest = nearest_hit(model, ray);
        EXPECT_EQ(nearest.has_value(), !hits.empty());
        if (nearest && !hits.empty()) {
            EXPECT_EQ(nearest->triangle, hits[0].triangle);
            EXPECT_EQ(nearest->t, hits[0].time.t);
        }
        EXPECT_EQ(any_hit(model, ray), !hits.empty());
        if (sort_all) {
            const auto all = all_hits(model, ray);
            EXPECT_EQ(all.size(), hits.size());
            for (std::size_t i = 0; i < std::min(all.size(), hits.size()); ++i)
                EXPECT_EQ(all[i].triangle, hits[i].triangle);
        }
        if (testing::Test::HasFailure()) {
            const Vec3 &o = ray.origin(), &d = ray.direction();
            ADD_FAILURE() << testing::PrintToString(std::vector{o.x, o.y, o.z, d.x, d.y, d.z, ray.t_min(), ray.t_max()})
                          << " in " << model.summary();
            return hits.size();
        }
    }
    return hits.size();
}

/// A ray from or to some place of the model, in one of many ways to get it wrong.
Ray make_ray(const Soup& soup, Random& random) {
    const auto any = [&] { return soup.points[random.below(static_cast<std::uint32_t>(soup.points.size()))]; };
    const auto triangle = 3 * random.below(static_cast<std::uint32_t>(soup.triangle_count()));
    Vec3 c[3];
    for (std::uint32_t k = 0; k < 3; ++k) c[k] = soup.points[soup.corners[triangle + k]];
    Vec3 low = soup.points[0], high = low;
    for (const Vec3& p : soup.points)
        for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], p[i]), high[i] = std::max(high[i], p[i]);
    const Vec3 size = high - low;
    const double largest = std::max({size.x, size.y, size.z});
    const Vec3 around = low + size * 0.5 + random.in_cube(-1, 1) * largest;
    const double s = random.unit(), q = random.unit() * (1 - s);
    const Vec3 edge = c[0] * s + c[1] * (1 - s), face = c[0] * s + c[1] * q + c[2] * (1 - s - q);
    const Vec3 aims[] = {c[0], c[0] * 0.5 + c[1] * 0.5, edge, face, face, any()};
    const Vec3 aim = aims[random.below(6)];
    test::RayParts ray{around, aim - around};
    Vec3 axis{};
    axis[static_cast<int>(random.below(3))] = random.below(2) ? 1 : -1;
    switch (random.below(10)) {
        case 0:  // along an axis, through a corner or an edge
            ray = {aim - axis * (largest * random.below(3)), axis};
            break;
        case 1:  // in the plane of a face, along an edge or across
            ray = {c[0] + (c[0] - c[1]), random.below(2) ? c[1] - c[0] : face - c[0]};
            break;
        case 2:  // from a corner or an edge
            ray = {aim, random.below(2) ? axis : random.in_cube(-1, 1)};
            break;
        case 3:  // between two corners
            ray = {any(), any() - c[0]};
            break;
        case 4:  // from far away
            ray.direction = around - aim;
            ray.origin = aim - ray.direction * std::ldexp(1, static_cast<int>(random.below(60)));
            break;
        default:
            break;
    }
    const double ends[] = {infinity, infinity, 1, std::nextafter(1, 0), 0.5, 0, random.unit()};
    ray.t_max = ends[random.below(7)];
    const double begins[] = {0, 0, 0, 1, 0.5, std::nextafter(1, 2), random.unit()};
    ray.t_min = std::min(begins[random.below(7)], ray.t_max);
    if (random.below(4) == 0) ray.direction = ray.direction * std::ldexp(1, static_cast<int>(random.below(80)) - 40);
    if (ray.direction == Vec3{}) ray.direction = {0, 0, 1};
    for (Vec3* v : {&ray.origin, &ray.direction})
        for (int i = 0; i < 3; ++i) (*v)[i] = std::clamp((*v)[i], -max_coordinate, max_coordinate);
    return ray;
}

void expect_agreement(const Models& m, std::uint64_t seed, int fewest) {
    if (testing::Test::HasFatalFailure()) return;
    Random random(seed);
    std::size_t hits = 0;
    for (int i = 0; i < ray_count(fewest) && !testing::Test::HasFailure(); ++i)
        hits += expect_agreement(m, make_ray(m.soup, random), i % 4 == 0);
    EXPECT_GT(hits, 0u);
}

void expect_agreement(Soup soup, std::uint64_t seed, int fewest = 1000) {
    expect_agreement(Models(std::move(soup)), seed, fewest);
}

TEST(RaysAgree, Torus) { expect_agreement(scenes::torus(1, 0.4, 24, 16), 1); }
TEST(RaysAgree, Teapot) { expect_agreement(scenes::teapot(4), 2); }
TEST(RaysAgree, CubeLattice) { expect_agreement(scenes::cube_lattice(4), 3); }
TEST(RaysAgree, IntegerGround) { expect_agreement(scenes::integer_ground(16, 2), 4); }
TEST(RaysAgree, Soup) { expect_agreement(scenes::random_soup(700, 0.2, 5), 5); }
TEST(RaysAgree, Needles) { expect_agreement(scenes::needles(300, 6), 6); }
TEST(RaysAgree, Degenerate) { expect_agreement(scenes::degenerate_mixture(500, 7), 7); }
TEST(RaysAgree, Landscape) { expect_agreement(scenes::landscape(40), 8); }
TEST(RaysAgree, FewTriangles) {
    for (std::uint32_t n = 1; n < 10; ++n) expect_agreement(scenes::tiny(n, n), n, 200);
}
TEST(RaysAgree, AllScales) {
    for (const int e : {-1040, -900, -300, -40, 60, 300, 900, 996}) {
        expect_agreement(scale(scenes::torus(1, 0.4, 10, 8), std::ldexp(1, e)), 9, 200);
        expect_agreement(scale(scenes::degenerate_mixture(100, 7), std::ldexp(1, e)), 10, 100);
    }
}
TEST(RaysAgree, FarFromTheOrigin) {
    Soup soup = scenes::torus(1, 0.4, 16, 12);
    for (Vec3& p : soup.points) p = p + Vec3{1e6, -3e8, 12345};
    expect_agreement(soup, 11, 500);
}

// A tree keeps its unit of length however large the model grows.
TEST(RaysAgree, Refitted) {
    for (const double growth : {0.01, 3.0, 1000.0}) {
        Models m(scenes::torus(1, 0.4, 16, 12));
        Random random(13);
        for (Vec3& p : m.soup.points) p = p * growth + random.in_cube(-0.2, 0.2) * growth;
        for (Model& model : m.models) ASSERT_TRUE(model.refit(m.soup.points, {.rebuild = Rebuild::Never}).ok());
        expect_agreement(m, 14, 300);
    }
}

// From inside a closed surface every ray hits, whatever corner or edge it goes through.
TEST(RaysAgree, Watertight) {
    const Soup soup = scenes::sphere(2000);
    const Models m(soup);
    Random random(12);
    for (int i = 0; i < ray_count(2000) && !testing::Test::HasFailure(); ++i) {
        const std::uint32_t t = 3 * random.below(static_cast<std::uint32_t>(soup.triangle_count()));
        const Vec3 &a = soup.points[soup.corners[t]], &b = soup.points[soup.corners[t + 1]];
        const Vec3 o = random.in_cube(-0.5, 0.5);
        const double s = random.below(3) ? random.unit() : 0.5;
        const Ray ray = *Ray::from_direction(o, (random.below(2) ? a : a * s + b * (1 - s)) - o);
        for (const Model& model : m.models) {
            EXPECT_TRUE(nearest_hit(model, ray).has_value());
            EXPECT_TRUE(any_hit(model, ray));
        }
    }
}

}  // namespace
}  // namespace graze
