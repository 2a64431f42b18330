// SPDX-License-Identifier: Apache-2.0
// Batches of rays and of distances answer as single queries do, for any number of threads and kind of input.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "graze/batch.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Random;

Model torus() { return *Model::build(scenes::torus(2, 0.7, 40, 20)); }

std::vector<Ray> rays_into(std::size_t n, std::uint64_t seed) {
    Random random(seed);
    std::vector<Ray> out;
    while (out.size() < n) {
        const Vec3 from = random.in_cube(-4, 4), to = random.in_cube(-2, 2);
        out.push_back(*Ray::from_direction(from, to - from, 0.1, random.below(2) ? 1 : 3));
    }
    return out;
}

TEST(RayBatch, AgreesWithSingleRays) {
    const Model model = torus();
    const std::vector<Ray> rays = rays_into(3000, 5);
    std::vector<std::optional<RayHit>> nearest(rays.size());
    std::vector<std::uint8_t> any(rays.size());
    BatchHits all;
    QueryStats single, batch;
    for (const unsigned threads : {1u, 2u, 5u}) {
        batch = {};
        ASSERT_TRUE(nearest_hits(model, rays, nearest, {.threads = threads, .stats = &batch}).ok());
        ASSERT_TRUE(any_hits(model, rays, any, {.threads = threads}).ok());
        ASSERT_TRUE(all_hits(model, rays, all, {.threads = threads}).ok());
        ASSERT_EQ(all.size(), rays.size());
        std::size_t hits = 0;
        single = {};
        for (std::size_t i = 0; i < rays.size(); ++i) {
            const std::optional<RayHit> one = nearest_hit(model, rays[i], {.stats = &single});
            ASSERT_EQ(nearest[i], one);
            ASSERT_EQ(any[i], one.has_value());
            ASSERT_TRUE(std::ranges::equal(all[i], all_hits(model, rays[i])));
            hits += one.has_value();
        }
        EXPECT_EQ(batch.box_tests, single.box_tests);
        EXPECT_GT(hits, 500u);
        EXPECT_LT(hits, 2900u);
    }
}

TEST(RayBatch, FromNumbers) {
    const Model model = torus();
    const std::vector<float> origins = {0, 0, 5, 2, 0, 5, 9, 0, 5}, down = {0, 0, -1};
    std::vector<std::optional<RayHit>> hits(3);
    const Rays rays = *Rays::from_directions(origins, down);
    ASSERT_TRUE(nearest_hits(model, rays, hits).ok());
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(hits[i], nearest_hit(model, *rays[i]));
    EXPECT_FALSE(hits[0]);  // through the hole
    EXPECT_TRUE(hits[1]);
    EXPECT_FALSE(hits[2]);
    // One origin, many directions; and an end of the rays that is too near.
    const std::vector<double> eye = {2, 0, 5}, ways = {0, 0, -1, 0, 0, 1};
    std::vector<std::uint8_t> any(2);
    ASSERT_TRUE(any_hits(model, *Rays::from_directions(eye, ways), any).ok());
    EXPECT_EQ(any, (std::vector<std::uint8_t>{1, 0}));
    ASSERT_TRUE(any_hits(model, *Rays::from_directions(eye, ways, 0, 1), any).ok());
    EXPECT_EQ(any, (std::vector<std::uint8_t>{0, 0}));

    EXPECT_EQ(Rays::from_directions(origins, ways).fault().kind, FaultKind::BadIndex);
    EXPECT_EQ(Rays::from_directions(std::vector<double>{1, 2}, ways).fault().kind, FaultKind::BadIndex);
    EXPECT_EQ(Rays::from_directions(std::vector<double>(), eye)->size(), 0u);
    const std::vector<double> bad = {0, 0, 1, 0, 0, 0, 0, 0, 0};
    const auto fault = nearest_hits(model, *Rays::from_directions(eye, bad), hits);
    ASSERT_FALSE(fault.ok());
    EXPECT_NE(fault.fault().message.find("ray 1: "), std::string::npos) << fault.fault().message;
    EXPECT_FALSE(any_hits(model, rays, any).ok());  // room for two of three
    BatchHits all;
    EXPECT_FALSE(all_hits(model, *Rays::from_directions(eye, bad), all).ok());
    EXPECT_EQ(all.size(), 0u);
}

TEST(RayBatch, ProgressStops) {
    const Model model = torus();
    const std::vector<Ray> rays = rays_into(2000, 6);
    std::vector<std::uint8_t> any(rays.size(), 7);
    std::size_t told = 0;
    const auto stop = [&](std::size_t done) {
        told = done;
        return Step::Stop;
    };
    ASSERT_TRUE(any_hits(model, rays, any, {.threads = 2, .progress = stop}).ok());
    ASSERT_GT(told, 0u);
    ASSERT_LT(told, rays.size());
    for (std::size_t i = 0; i < told; ++i) EXPECT_EQ(any[i], any_hit(model, rays[i]));
    EXPECT_EQ(any.back(), 7);
    BatchHits all;
    ASSERT_TRUE(all_hits(model, rays, all, {.progress = stop}).ok());
    EXPECT_EQ(all.size(), 0u);
}

TEST(DistanceBatch, AgreesWithSingleDistances) {
    const Model a = torus(), b = *Model::build(scenes::box({0.4, 0.3, 0.2}));
    Random random(9);
    std::vector<Affine> poses;
    for (int i = 0; i < 500; ++i)
        poses.push_back(*Pose::from_quaternion({random.unit() - 0.5, random.unit() - 0.5, random.unit() - 0.5, 0.3},
                                               random.in_cube(-4, 4)));
    poses.push_back(*Affine::from_matrix({{Vec3{2, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {5, 0, 0}));
    std::vector<ClosestTriangles> found(poses.size());
    for (const unsigned threads : {1u, 3u}) {
        QueryStats stats;
        ASSERT_TRUE(distances(a, b, poses, found, {.max_distance = 2, .threads = threads, .stats = &stats}).ok());
        EXPECT_GT(stats.triangle_tests + stats.double_tests, 0u);
        int zero = 0, far = 0;
        for (std::size_t i = 0; i < poses.size(); ++i) {
            ASSERT_EQ(found[i], distance(a, b, poses[i], {.max_distance = 2}));
            zero += found[i].distance == 0;
            far += found[i].distance > 2;
        }
        EXPECT_GT(zero, 20);
        EXPECT_GT(far, 20);
    }
    // With a front the batch is one motion; the distances are the same.
    Front front;
    std::vector<ClosestTriangles> along(poses.size());
    ASSERT_TRUE(distances(a, b, poses, along, {.max_distance = 2, .threads = 4, .front = &front}).ok());
    for (std::size_t i = 0; i < poses.size(); ++i) EXPECT_EQ(along[i].distance, found[i].distance);
    // Other settings reach the queries.
    ASSERT_TRUE(distances(a, b, poses, along, {.relative_error = 0.5}).ok());
    for (std::size_t i = 0; i < poses.size(); ++i) {
        const double least = distance(a, b, poses[i]).distance;
        EXPECT_GE(along[i].distance, least);
        EXPECT_LE(along[i].distance, 1.5 * least);
    }
    EXPECT_FALSE(distances(a, b, poses, std::span(found).first(3)).ok());
    const std::vector<double> rows(12);
    const auto singular = distances(a, b, *Poses::from_numbers(rows, PoseLayout::Rows), std::span(found).first(1));
    ASSERT_FALSE(singular.ok());
    EXPECT_NE(singular.fault().message.find("placement 0"), std::string::npos);
}

}  // namespace
}  // namespace graze
