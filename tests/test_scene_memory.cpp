// SPDX-License-Identifier: Apache-2.0
// A scene of deforming objects neither grows nor copies models, however long it runs. With GRAZE_LONG set: 1,000
// objects and 10,000 updates.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "counted_memory.hpp"
#include "graze/scene.hpp"
#include "graze/study.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

const bool whole = std::getenv("GRAZE_LONG") != nullptr;
const std::size_t object_count = whole ? 1000 : 100;
const int update_count = whole ? 10'000 : 300;

Pose at(double x) { return *Pose::from_matrix({}, {x, 0, 0}); }
Model build(const scenes::Soup& soup) { return *study::build(soup, {.volume = study::Volume::Aabb, .threads = 1}); }

/// A shape that pulses. Neighbours at a distance of 1.7 touch now and then.
class Pulse {
public:
    explicit Pulse(std::uint32_t triangles) : soup(scenes::sphere(triangles, 1)), points_(soup.points) {}

    const std::vector<Vec3>& at(int update) {
        const double scale = 1 + 0.1 * (update % 5 - 2);
        for (std::size_t i = 0; i < points_.size(); ++i) points_[i] = soup.points[i] * scale;
        return points_;
    }

    const scenes::Soup soup;

private:
    std::vector<Vec3> points_;
};

/// Runs f(update), and expects that after some updates at the start nothing grows any more.
template <class F>
void expect_no_growth(const Scene& scene, F f) {
    constexpr int warm = 20;
    long long blocks = 0;
    std::size_t bytes = 0;
    for (int update = 0; update < update_count; ++update) {
        if (update == warm) {
            blocks = test::live_blocks;
            bytes = scene.bytes();
        }
        f(update);
        if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_LE(test::live_blocks - blocks, 10);
    EXPECT_LE(scene.bytes(), bytes + bytes / 50);
}

/// Bytes that f() allocates.
template <class F>
long long allocated_by(F f) {
    const long long before = test::bytes_asked;
    f();
    return test::bytes_asked - before;
}

constexpr RefitSettings keep_tree{.rebuild = Rebuild::Never};

TEST(SceneMemory, RefittedObjectsDoNotGrow) {
    Pulse pulse(20);
    Scene scene({.threads = 1, .hulls = true, .fronts = true});
    std::vector<ObjectId> ids;
    for (std::size_t i = 0; i < object_count; ++i)
        ids.push_back(*scene.add(build(pulse.soup), at(1.7 * static_cast<double>(i))));
    std::size_t touched = 0;
    expect_no_growth(scene, [&](int update) {
        const auto& points = pulse.at(update);
        for (const ObjectId id : ids) ASSERT_TRUE(scene.refit(id, points, keep_tree).ok());
        touched += scene.update().begun.size();
    });
    EXPECT_GT(touched, 0u);
}

TEST(SceneMemory, ReplacedModelsAreForgotten) {
    Pulse pulse(20);
    Scene scene({.threads = 1, .hulls = true, .fronts = true});
    std::vector<Model> models;
    std::vector<ObjectId> ids;
    for (std::size_t i = 0; i < object_count; ++i) {
        models.push_back(build(pulse.soup));
        ids.push_back(*scene.add(models.back(), at(1.7 * static_cast<double>(i))));
    }
    expect_no_growth(scene, [&](int update) {
        const auto& points = pulse.at(update);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            ASSERT_TRUE(models[i].refit(points, keep_tree).ok());
            ASSERT_TRUE(scene.replace(ids[i], models[i]).ok());
        }
        scene.update();
    });
}

TEST(SceneMemory, RemovedObjectsAreForgotten) {
    const scenes::Soup soup = scenes::sphere(20, 1);
    Scene scene({.threads = 1, .hulls = true, .fronts = true});
    expect_no_growth(scene, [&](int) {
        const ObjectId a = *scene.add(build(soup), at(0)), b = *scene.add(build(soup), at(1));
        ASSERT_EQ(scene.update().begun.size(), 1u);
        ASSERT_TRUE(scene.remove(a).ok());
        ASSERT_TRUE(scene.remove(b).ok());
    });
}

TEST(SceneMemory, RefitCopiesASharedModelOnce) {
    Pulse pulse(2000);
    Scene scene({.threads = 1, .hulls = true, .fronts = true});
    const Model model = build(pulse.soup);
    const auto half_a_model = static_cast<long long>(model.bytes() / 2);
    const ObjectId a = *scene.add(model, at(0)), b = *scene.add(model, at(2));
    for (const ObjectId id : {a, b}) {
        int update = 1;
        const auto step = [&] {
            const auto& points = pulse.at(++update);
            return allocated_by([&] {
                ASSERT_TRUE(scene.refit(id, points, keep_tree).ok());
                scene.update();
            });
        };
        EXPECT_GT(step(), half_a_model);  // so the counter does see copies
        for (int i = 0; i < 5; ++i) EXPECT_LT(step(), half_a_model);
        // A copy that the caller takes keeps its shape, and costs one more copy of the model.
        const Model taken = *scene.model(id);
        const Vec3 corner = taken.triangle(0).a;
        EXPECT_GT(step(), half_a_model);
        EXPECT_LT(step(), half_a_model);
        EXPECT_EQ(taken.triangle(0).a, corner);
        EXPECT_NE(scene.model(id)->triangle(0).a, corner);
    }
    EXPECT_EQ(model.triangle(0).a, pulse.soup.points[pulse.soup.corners[0]]);
}

TEST(SceneMemory, TwoModelsInTurnAreNeverCopied) {
    Pulse pulse(2000);
    Scene scene({.threads = 1, .hulls = true, .fronts = true});
    Model model = build(pulse.soup);
    const auto half_a_model = static_cast<long long>(model.bytes() / 2);
    const ObjectId id = *scene.add(build(pulse.soup), at(0));
    for (int update = 0; update < 10; ++update) {
        const auto& points = pulse.at(update);
        const long long bytes = allocated_by([&] {
            ASSERT_TRUE(model.refit(points, keep_tree).ok());
            auto old = scene.replace(id, std::move(model));
            ASSERT_TRUE(old.ok());
            model = std::move(*old);
            scene.update();
        });
        if (update > 1) {
            EXPECT_LT(bytes, half_a_model);
        }
        EXPECT_EQ(scene.model(id)->triangle(0).a, points[pulse.soup.corners[0]]);
    }
}

TEST(SceneMemory, AFaultyRefitChangesNothing) {
    const scenes::Soup soup = scenes::sphere(80, 1);
    Scene scene({.threads = 1, .hulls = true, .fronts = true});
    const ObjectId a = *scene.add(build(soup), at(0)), b = *scene.add(build(soup), at(1));
    EXPECT_EQ(scene.update().begun.size(), 1u);
    std::vector<Vec3> points = soup.points;
    points.push_back({});
    const auto done = scene.refit(a, points);
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.fault().message.find("object 0"), std::string::npos) << done.fault().message;
    EXPECT_EQ(scene.update().persisting.size(), 1u);
    EXPECT_EQ(scene.stats().unmoved, 1u);
    ASSERT_TRUE(scene.remove(b).ok());
    EXPECT_EQ(scene.refit(b, soup.points).fault().kind, FaultKind::BadObject);
}

}  // namespace
}  // namespace graze
