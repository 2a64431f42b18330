// SPDX-License-Identifier: Apache-2.0
// Every demo scene, frame by frame, against all pairs asked for by themselves.
#include <gtest/gtest.h>

#include <algorithm>

#include "graze/scene.hpp"
#include "graze/study.hpp"
#include "scenes/feeder.hpp"
#include "scenes/parts.hpp"

namespace graze {
namespace {

using scenes::Objects;

/// A scene with some settings, and what touched.
struct Watcher {
    SceneSettings settings;
    unsigned threads;
    Scene scene;
    std::vector<ObjectId> ids;

    Watcher(const SceneSettings& wanted, const Objects& objects, const std::vector<Model>& models)
        : settings(wanted), scene(wanted) {
        for (std::size_t i = 0; i < objects.size(); ++i)
            ids.push_back(*scene.add(models[objects.shape[i]], objects.placed[i]));
    }
    const TouchingPairs& show(const Objects& objects) {
        for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_TRUE(scene.move(ids[i], objects.placed[i]).ok());
        return scene.update();
    }
};

/// Every setting of a scene with every other.
std::vector<Watcher> watchers(const Objects& objects, const std::vector<Model>& models) {
    std::vector<Watcher> out;
    using enum BroadPhaseKind;
    using enum ObjectBounds;
    for (const BroadPhaseKind phase : {Auto, SweepAndPrune, Sweep, Tree})
        for (const ObjectBounds bounds : {OrientedBox, ObjectBounds::Hull, Cube})
            for (const bool hulls : {true, false})
                for (const bool fronts : {true, false})
                    for (const unsigned threads : {1u, 2u, 4u})
                        out.emplace_back(SceneSettings{threads, hulls, fronts, phase, bounds}, objects, models);
    return out;
}

/// The number of pairs that touched, all frames together; 0 after a failure.
template <class T>
std::size_t expect_agreement(T& demo, int frames) {
    const std::vector<Model> models = demo.objects().models();
    std::vector<Watcher> all = watchers(demo.objects(), models);
    std::vector<ObjectPair> last;
    std::size_t touched = 0;
    for (int frame = 0; frame < frames; ++frame) {
        if (frame > 0) demo.step();
        const Objects& o = demo.objects();
        // Slots are given in order.
        const auto id = [](std::size_t i) { return ObjectId{static_cast<std::uint32_t>(i), 0}; };
        TouchingPairs wanted;
        std::vector<ObjectPair> now;
        for (std::size_t i = 0; i < o.size(); ++i)
            for (std::size_t j = i + 1; j < o.size(); ++j)
                if (intersects(models[o.shape[i]], models[o.shape[j]],
                               *relative(Affine(o.placed[i]), Affine(o.placed[j]))))
                    now.push_back({id(i), id(j)});
        std::ranges::set_difference(now, last, std::back_inserter(wanted.begun));
        std::ranges::set_intersection(now, last, std::back_inserter(wanted.persisting));
        std::ranges::set_difference(last, now, std::back_inserter(wanted.ended));
        for (Watcher& w : all) {
            const TouchingPairs& found = w.show(o);
            const bool right =
                found.begun == wanted.begun && found.persisting == wanted.persisting && found.ended == wanted.ended;
            EXPECT_TRUE(right) << "frame " << frame << ", broad phase " << static_cast<int>(w.settings.broad_phase)
                               << ", boxes " << static_cast<int>(w.settings.bounds) << ", hulls " << w.settings.hulls
                               << ", fronts " << w.settings.fronts << ", threads " << w.settings.threads;
            if (!right) return 0;
        }
        touched += now.size();
        last = std::move(now);
    }
    return touched;
}

TEST(SceneDemos, Crowd) {
    scenes::Crowd crowd({.count = 60, .room = 1.8}, scenes::parts(300));
    EXPECT_GT(expect_agreement(crowd, 20), 20u * 30);
}

TEST(SceneDemos, CrowdInHaste) {
    scenes::Crowd crowd({.count = 60, .room = 1.8, .speed = 0.4, .spin = 0.7, .seed = 2}, scenes::parts(300));
    EXPECT_GT(expect_agreement(crowd, 12), 12u * 30);
}

TEST(SceneDemos, CrowdThatStands) {
    scenes::Crowd crowd({.count = 60, .room = 1.5, .speed = 0, .spin = 0, .seed = 3}, scenes::parts(300));
    EXPECT_GT(expect_agreement(crowd, 3), 3u * 30);
}

TEST(SceneDemos, CrowdApart) {
    scenes::Crowd crowd({.count = 60, .room = 2.1, .apart = true}, scenes::parts(300));
    EXPECT_EQ(expect_agreement(crowd, 12), 0u);
}

TEST(SceneDemos, Feeder) {
    scenes::Feeder feeder({.count = 30, .triangles = 300});
    for (int i = 0; i < 200; ++i) feeder.step();
    EXPECT_GT(expect_agreement(feeder, 20), 20u * 7);
}

}  // namespace
}  // namespace graze
