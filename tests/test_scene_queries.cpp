// SPDX-License-Identifier: Apache-2.0
// Rays, boxes and distances asked of a scene, against the same questions asked of each object.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "graze/graze.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Random;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Placed {
    ObjectId id;
    Model model;
    Affine placement;
    std::uint32_t layers;
};

Pose any_pose(Random& random, double reach) {
    return *Pose::from_quaternion({random.unit() - 0.5, random.unit() - 0.5, random.unit() - 0.5, 0.2},
                                  random.in_cube(-reach, reach));
}

/// Objects of a few models; every fifth one is scaled.
class Crowd {
public:
    Scene scene;
    std::vector<Placed> objects;

    Crowd(std::size_t n, double reach, std::uint64_t seed) : random_(seed), reach_(reach) {
        const Model models[] = {*Model::build(scenes::box({0.5, 0.4, 0.3})),
                                *Model::build(scenes::torus(0.6, 0.2, 12, 8)), Model()};
        for (std::size_t i = 0; i < n; ++i) {
            const Model& model = models[i % 7 == 6 ? 2 : i % 2];
            const std::uint32_t layers = 1u << (i % 3);
            objects.push_back({{}, model, place(i), layers});
            objects.back().id =
                *scene.add(model, objects.back().placement, {.is_static = i % 4 == 0, .layers = layers});
        }
    }
    Affine place(std::size_t i) {
        const Pose pose = any_pose(random_, reach_);
        if (i % 5 != 4) return pose;
        Mat3 m = pose.rotation();
        for (Vec3& row : m.row) row = {row.x * 2, row.y * 0.5, row.z * 3};
        return *Affine::from_matrix(m, pose.translation());
    }
    /// Moves some, removes some, deforms one.
    void stir() {
        for (std::size_t i = 0; i < objects.size(); i += 3) {
            objects[i].placement = place(i);
            ASSERT_TRUE(scene.move(objects[i].id, objects[i].placement).ok());
        }
        ASSERT_TRUE(scene.remove(objects[1].id).ok());
        objects.erase(objects.begin() + 1);
        for (Placed& o : objects)
            if (o.model.triangle_count() == 12) {
                std::vector<Vec3> points(o.model.points().begin(), o.model.points().end());
                for (Vec3& p : points) p = p * 1.5;
                ASSERT_TRUE(o.model.refit(points).ok());
                ASSERT_TRUE(scene.refit(o.id, points).ok());
                break;
            }
        const Affine placement = place(0);
        objects.push_back({{}, objects[0].model, placement, 1});
        objects.back().id = *scene.add(objects.back().model, placement);
    }

private:
    Random random_;
    double reach_;
};

std::optional<SceneHit> nearest_of(const Crowd& crowd, const Ray& ray, std::uint32_t mask) {
    std::optional<SceneHit> best;
    for (const Placed& o : crowd.objects) {
        if (!(o.layers & mask)) continue;
        const Affine back = *inverse(o.placement);
        const Ray local =
            *Ray::from_direction(back(ray.origin()), back.linear() * ray.direction(), ray.t_min(), ray.t_max());
        const auto hit = nearest_hit(o.model, local);
        if (hit && (!best || hit->t < best->hit.t || (hit->t == best->hit.t && o.id < best->object)))
            best = SceneHit{o.id, *hit};
    }
    return best;
}

TEST(SceneQueries, RaysAgreeWithEachObject) {
    Crowd crowd(60, 5, 3);
    Random random(4);
    int hits = 0;
    for (int round = 0; round < 3; ++round) {
        if (round > 0) crowd.stir();
        for (int i = 0; i < 600; ++i) {
            const Vec3 from = random.in_cube(-9, 9);
            const double length = random.below(2) ? 1 : 1e-3;
            const Vec3 way = (random.in_cube(-4, 4) - from) * length;
            const Ray ray =
                *Ray::from_direction(random.below(9) ? from : from * 1e6, random.below(9) ? way : Vec3{0, 0, way.z},
                                     random.below(3) ? 0 : 0.3, random.below(3) ? infinity : 0.8);
            const std::uint32_t mask = random.below(2) ? ~0u : 1 + random.below(7);
            const auto want = nearest_of(crowd, ray, mask);
            const auto found = crowd.scene.nearest_hit(ray, mask);
            ASSERT_TRUE(found.ok());
            ASSERT_EQ(*found, want);
            ASSERT_EQ(*crowd.scene.any_hit(ray, mask), want.has_value());
            hits += want.has_value();
        }
        if (round == 1) crowd.scene.update();
    }
    EXPECT_GT(hits, 300);
}

TEST(SceneQueries, RayAtTheEdgeOfABox) {
    // Rays that graze a rotated and scaled box far from the origin, along its faces.
    Scene scene;
    const Model cube = *Model::build(scenes::box({1, 1, 1}));
    const Affine placement = *Affine::from_matrix({{Vec3{0, -256, 0}, {0.25, 0, 0}, {0, 0, 3}}}, {1e6, -3e5, 7});
    (void)*scene.add(cube, placement);
    for (const double z : {4.0, 10.0, std::nextafter(10.0, 11), 10.001}) {
        const Ray ray = *Ray::from_direction({0, -3e5, z}, {1, 0, 0});
        const Affine back = *inverse(placement);
        const Ray local = *Ray::from_direction(back(ray.origin()), back.linear() * ray.direction());
        EXPECT_EQ(*scene.any_hit(ray), any_hit(cube, local)) << z;
    }
    EXPECT_FALSE(scene.nearest_hit(*Ray::from_direction({0x1p901, 0, 0}, {1, 0, 0})).ok());
    EXPECT_FALSE(scene.any_hit(*Ray::from_direction({}, {0x1p-901, 0, 0})).ok());
    EXPECT_TRUE(scene.any_hit(*Ray::from_direction({}, {0x1p-899, 0, 0})).ok());
}

TEST(SceneQueries, BoxesAgreeWithEachObject) {
    Crowd crowd(60, 5, 8);
    Random random(9);
    std::size_t found = 0;
    for (int round = 0; round < 2; ++round) {
        if (round > 0) crowd.stir();
        for (int i = 0; i < 300; ++i) {
            const Vec3 at = random.in_cube(-6, 6);
            Vec3 size = random.in_cube(0, 3);
            if (random.below(3) == 0) size.x = 0;
            Vec3 low = at, high = at + size;
            if (random.below(8) == 0) low.y = -infinity;
            if (random.below(8) == 0) high.y = infinity;
            const Box box = *Box::between(low, high);
            const std::uint32_t mask = random.below(2) ? ~0u : 1 + random.below(7);
            std::vector<ObjectId> want;
            for (const Placed& o : crowd.objects)
                if ((o.layers & mask) && intersects(box, o.model, o.placement)) want.push_back(o.id);
            std::ranges::sort(want);
            ASSERT_EQ(crowd.scene.overlapping(box, mask), want);
            found += want.size();
        }
    }
    EXPECT_GT(found, 250u);
    EXPECT_TRUE(crowd.scene.overlapping(Box()).empty());
    const Box everything = *Box::between({-infinity, -infinity, -infinity}, {infinity, infinity, infinity});
    const std::size_t with_triangles = static_cast<std::size_t>(
        std::ranges::count_if(crowd.objects, [](const Placed& o) { return o.model.triangle_count() > 0; }));
    EXPECT_EQ(crowd.scene.overlapping(everything).size(), with_triangles);
    EXPECT_TRUE(crowd.scene.overlapping(everything, 0).empty());
}

TEST(SceneQueries, DistancesAgreeWithPairs) {
    Crowd crowd(40, 5, 12);
    int near = 0, refused = 0;
    for (const Placed& a : crowd.objects)
        for (const Placed& b : crowd.objects) {
            if (a.id == b.id) continue;
            const auto found = crowd.scene.distance(a.id, b.id, 3);
            if (!a.placement.rigid() && !b.placement.rigid()) {
                ASSERT_FALSE(found.ok());
                EXPECT_EQ(found.fault().kind, FaultKind::NotRigid);
                ++refused;
                continue;
            }
            ASSERT_TRUE(found.ok());
            const Placed &low = a.id < b.id ? a : b, &high = a.id < b.id ? b : a;
            const Placed &f = low.placement.rigid() ? low : high, &g = &f == &low ? high : low;
            const ClosestTriangles want =
                distance(f.model, g.model, *relative(f.placement, g.placement), {.max_distance = 3});
            ASSERT_EQ(found->distance, want.distance);
            if (want.distance == infinity) continue;
            ++near;
            ASSERT_EQ(&f == &a ? found->triangles.a : found->triangles.b, want.triangles.a);
            EXPECT_EQ(&f == &a ? found->point_a : found->point_b, f.placement(want.point_a));
            // Distances in the frame of a rigid placement are those in the world.
            EXPECT_NEAR(length(found->point_a - found->point_b), want.distance, 1e-9);
        }
    EXPECT_GT(near, 100);
    EXPECT_GT(refused, 10);
    const ObjectId gone{1234, 0};
    EXPECT_EQ(crowd.scene.distance(gone, crowd.objects[0].id).fault().kind, FaultKind::BadObject);
    EXPECT_EQ(crowd.scene.distance(crowd.objects[0].id, gone).fault().kind, FaultKind::BadObject);
    EXPECT_EQ(crowd.scene.objects_within(gone, 1).fault().kind, FaultKind::BadObject);
}

TEST(SceneQueries, NearObjectsAreThoseWithinTheLength) {
    Crowd crowd(25, 3, 21);
    std::size_t found = 0;
    for (int round = 0; round < 2; ++round) {
        if (round > 0) crowd.stir();
        for (const Placed& a : crowd.objects) {
            if (!a.placement.rigid()) continue;
            std::vector<NearObject> others;
            for (const Placed& b : crowd.objects)
                if (a.id != b.id) others.push_back({b.id, *crowd.scene.distance(a.id, b.id)});
            for (const double length : {-1.0, 0.0, 0.4, 2.0, infinity}) {
                const std::uint32_t mask = length == 2 ? 5 : ~0u;
                std::vector<NearObject> want;
                for (const NearObject& other : others)
                    if (other.closest.distance <= length && other.closest.distance < infinity &&
                        (crowd.scene.settings(other.object)->layers & mask))
                        want.push_back(other);
                std::ranges::sort(want, {},
                                  [](const NearObject& n) { return std::pair(n.closest.distance, n.object); });
                const auto got = crowd.scene.objects_within(a.id, length, mask);
                ASSERT_TRUE(got.ok());
                ASSERT_EQ(got->size(), want.size()) << length;
                for (std::size_t i = 0; i < want.size(); ++i) {
                    EXPECT_EQ((*got)[i].object, want[i].object);
                    EXPECT_EQ((*got)[i].closest.distance, want[i].closest.distance);
                }
                found += want.size();
            }
        }
    }
    EXPECT_GT(found, 300u);
    // Exactly at the length.
    Scene two;
    const Model cube = *Model::build(scenes::box({1, 1, 1}));
    const ObjectId a = *two.add(cube, Pose()), b = *two.add(cube, *Pose::from_translation({2.7, 0, 0}));
    const double gap = two.distance(a, b)->distance;
    EXPECT_EQ(two.objects_within(a, gap)->size(), 1u);
    EXPECT_TRUE(two.objects_within(b, std::nextafter(gap, 0))->empty());
}

}  // namespace
}  // namespace graze
