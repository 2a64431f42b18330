// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "graze/scene.hpp"
#include "graze/study.hpp"
#include "scenes/crowd.hpp"
#include "scenes/parts.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

Model build(const scenes::Soup& soup) { return *Model::build(soup, {.threads = 1}); }
Model cube() { return build(scenes::box({0.5, 0.5, 0.5})); }
Pose at(double x, double y = 0, double z = 0) { return *Pose::from_matrix({}, {x, y, z}); }

std::size_t touching(const TouchingPairs& t) { return t.begun.size() + t.persisting.size(); }

/// Pairs pass the hulls and, where they move slowly, start from a front.
constexpr SceneSettings all_stages{.threads = 1, .hulls = true, .fronts = true};

TEST(Scene, Empty) {
    Scene scene;
    for (int i = 0; i < 2; ++i) {
        const TouchingPairs& t = scene.update();
        EXPECT_TRUE(t.begun.empty() && t.persisting.empty() && t.ended.empty());
    }
    EXPECT_EQ(scene.size(), 0u);
    EXPECT_EQ(scene.stats().broad_phase.out, 0u);
    EXPECT_FALSE(scene.contains({}));
    EXPECT_FALSE(scene.contains({0, 0}));
}

TEST(Scene, OneObject) {
    Scene scene;
    const ObjectId id = *scene.add(cube(), at(1), {.user_data = 7});
    EXPECT_EQ(touching(scene.update()), 0u);
    EXPECT_EQ(scene.size(), 1u);
    EXPECT_EQ(scene.settings(id)->user_data, 7u);
    EXPECT_EQ(*scene.placement(id), Affine(at(1)));
    EXPECT_EQ(scene.model(id)->triangle_count(), 12u);
    ASSERT_TRUE(scene.remove(id).ok());
    EXPECT_EQ(touching(scene.update()), 0u);
    EXPECT_EQ(scene.size(), 0u);
}

TEST(Scene, ModelsOfNothing) {
    Scene scene;
    const ObjectId a = *scene.add(Model(), at(0)), b = *scene.add(cube(), at(0));
    EXPECT_EQ(touching(scene.update()), 0u);
    ASSERT_TRUE(scene.replace(a, cube()).ok());
    EXPECT_EQ(touching(scene.update()), 1u);
    ASSERT_TRUE(scene.replace(b, Model()).ok());
    EXPECT_EQ(scene.update().ended.size(), 1u);
}

TEST(Scene, AllCoincident) {
    using enum BroadPhaseKind;
    for (const BroadPhaseKind phase : {Auto, SweepAndPrune, Sweep, Tree}) {
        Scene scene({.broad_phase = phase});
        const Model model = build(scenes::parts(200)[0]);
        const std::size_t n = 60;
        for (std::size_t i = 0; i < n; ++i) (void)scene.add(model, at(0));
        EXPECT_EQ(scene.update().begun.size(), n * (n - 1) / 2);
        const TouchingPairs& again = scene.update();
        EXPECT_EQ(again.persisting.size(), n * (n - 1) / 2);
        EXPECT_TRUE(std::ranges::is_sorted(again.persisting));
        EXPECT_EQ(scene.stats().unmoved, n * (n - 1) / 2);
    }
}

TEST(Scene, BadPlacementsAreRefusedNamingTheObject) {
    Scene scene;
    (void)*scene.add(cube(), at(0));
    const ObjectId id = *scene.add(cube(), at(0.5));
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (int entry = 0; entry < 12; ++entry)
        for (const double bad : {nan, infinity, -infinity}) {
            std::array<double, 12> rows = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
            rows[static_cast<std::size_t>(entry)] = bad;
            const auto moved = scene.move(id, rows);
            ASSERT_FALSE(moved.ok());
            EXPECT_EQ(moved.fault().kind, FaultKind::NotFinite);
            EXPECT_NE(moved.fault().message.find("object 1"), std::string::npos) << moved.fault().message;
        }
    // Those that have no inverse, or are beyond the range.
    EXPECT_FALSE(scene.move(id, std::array<double, 12>{}).ok());
    for (const double scale : {0x1p10, 0x1p-10}) {
        const auto moved = scene.move(id, *Affine::from_matrix({{Vec3{scale, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}));
        ASSERT_FALSE(moved.ok());
        EXPECT_EQ(moved.fault().kind, FaultKind::OutOfRange);
        EXPECT_NE(moved.fault().message.find("object 1"), std::string::npos);
    }
    EXPECT_FALSE(scene.move(id, at(0x1p950)).ok());
    // A refusal changes nothing.
    EXPECT_EQ(*scene.placement(id), Affine(at(0.5)));
    EXPECT_EQ(scene.update().begun.size(), 1u);
    EXPECT_FALSE(scene.add(cube(), at(0x1p950)).ok());
    EXPECT_EQ(scene.size(), 2u);
}

TEST(Scene, IdsOfRemovedObjectsAreGone) {
    Scene scene;
    const ObjectId a = *scene.add(cube(), at(0)), b = *scene.add(cube(), at(0.5));
    EXPECT_EQ(touching(scene.update()), 1u);
    ASSERT_TRUE(scene.remove(a).ok());
    const ObjectId c = *scene.add(cube(), at(0.25));
    EXPECT_EQ(c.slot, a.slot);
    EXPECT_NE(c, a);
    EXPECT_FALSE(scene.contains(a));
    const Fault faults[] = {
        scene.move(a, at(1)).fault(), scene.replace(a, cube()).fault(), scene.set_settings(a, {}).fault(),
        scene.remove(a).fault(),      scene.ignore(a, b, "").fault(),   scene.unignore(b, a).fault(),
        scene.settings(a).fault(),    scene.placement(a).fault(),       scene.model(a).fault(),
        scene.contacts(a, b).fault(), scene.contacts(b, a).fault()};
    for (const Fault& f : faults) {
        EXPECT_EQ(f.kind, FaultKind::BadObject);
        EXPECT_NE(f.message.find("object 0"), std::string::npos) << f.message;
    }
    // The slot's pair is another one.
    const TouchingPairs& t = scene.update();
    EXPECT_EQ(t.ended, (std::vector<ObjectPair>{{a, b}}));
    EXPECT_EQ(t.begun, (std::vector<ObjectPair>{{c, b}}));
    EXPECT_TRUE(t.persisting.empty());
}

TEST(Scene, BeginsPersistsAndEnds) {
    Scene scene;
    const ObjectId a = *scene.add(cube(), at(0)), b = *scene.add(cube(), at(3));
    const std::vector<ObjectPair> pair = {{a, b}}, none;
    EXPECT_EQ(touching(scene.update()), 0u);
    ASSERT_TRUE(scene.move(b, at(1)).ok());  // face on face
    EXPECT_EQ(scene.update().begun, pair);
    ASSERT_TRUE(scene.move(a, at(0, 0.2)).ok());
    const TouchingPairs& t = scene.update();
    EXPECT_EQ(t.persisting, pair);
    EXPECT_EQ(t.begun, none);
    ASSERT_TRUE(scene.move(b, at(std::nextafter(1.0, 2.0))).ok());
    EXPECT_EQ(scene.update().ended, pair);
    EXPECT_EQ(touching(scene.update()), 0u);
    EXPECT_EQ(t.ended, none);
}

TEST(Scene, StaticObjectsAreNoPair) {
    Scene scene;
    const ObjectId a = *scene.add(cube(), at(0), {.is_static = true}),
                   b = *scene.add(cube(), at(0.5), {.is_static = true});
    EXPECT_EQ(touching(scene.update()), 0u);
    EXPECT_FALSE(scene.contacts(a, b)->empty());
    ASSERT_TRUE(scene.set_settings(b, {}).ok());
    EXPECT_EQ(scene.update().begun.size(), 1u);
    ASSERT_TRUE(scene.set_settings(b, {.is_static = true}).ok());
    EXPECT_EQ(scene.update().ended.size(), 1u);
}

TEST(Scene, ReplacedAfterARefit) {
    scenes::Soup soup = scenes::torus(1, 0.25, 24, 12);
    Model model = build(soup);
    Scene scene(all_stages);
    const ObjectId ring = *scene.add(model, at(0)), ball = *scene.add(build(scenes::sphere(80, 0.3)), at(0));
    EXPECT_EQ(touching(scene.update()), 0u);
    // The ring shrinks around the ball, and the scene keeps the old one until it is told.
    const scenes::Soup small = scenes::scale(soup, 0.4);
    ASSERT_TRUE(model.refit(small.view().points()).ok());
    EXPECT_EQ(touching(scene.update()), 0u);
    ASSERT_TRUE(scene.replace(ring, model).ok());
    EXPECT_EQ(scene.update().begun, (std::vector<ObjectPair>{{ring, ball}}));
    ASSERT_TRUE(model.refit(soup.view().points()).ok());
    ASSERT_TRUE(scene.replace(ring, model).ok());
    EXPECT_EQ(scene.update().ended.size(), 1u);
}

TEST(Scene, ReplacedWhereItStands) {
    // An edge towards an edge: boxes overlap, hulls do not.
    Scene scene(all_stages);
    const Pose turned = *Pose::from_quaternion({0, 0, std::sqrt(2.0) - 1, 1}, {1.1, 1.1, 0});
    const ObjectId a = *scene.add(cube(), at(0)), b = *scene.add(cube(), turned);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(scene.move(a, at(0.001 * i)).ok());
        EXPECT_EQ(touching(scene.update()), 0u);
        EXPECT_EQ(scene.stats().broad_phase.out, 1u);
    }
    ASSERT_TRUE(scene.replace(b, build(scenes::box({0.9, 0.9, 0.9}))).ok());
    EXPECT_EQ(scene.update().begun, (std::vector<ObjectPair>{{a, b}}));
    ASSERT_TRUE(scene.replace(b, cube()).ok());
    EXPECT_EQ(scene.update().ended.size(), 1u);
}

TEST(Scene, SlowlyWhateverTheScale) {
    // Facts about a pair that are kept between updates must hold in the lengths of either object.
    const Model model = build(scenes::parts(200)[3]);
    for (const double scale : {0.125, 1.0, 8.0})
        for (const double other : {0.125, 1.0, 8.0}) {
            const auto placed = [](double s, const Vec3& t) {
                return *Affine::from_matrix({{Vec3{s, 0, 0}, {0, s, 0}, {0, 0, s}}}, t);
            };
            Scene scene(all_stages);
            const Affine still = placed(scale, {});
            const ObjectId a = *scene.add(model, still), b = *scene.add(model, placed(other, {}));
            std::size_t touched = 0;
            for (int i = 400; i-- > 0;) {
                const double way = (scale + other) * i / 200;
                const Affine there = placed(other, {0.6 * way, 0.8 * way, 0.1 * way});
                ASSERT_TRUE(scene.move(b, there).ok());
                const bool wanted = intersects(model, model, *relative(Affine(still), Affine(there)));
                ASSERT_EQ(touching(scene.update()), wanted) << scale << " " << other << " " << i;
                touched += wanted;
            }
            EXPECT_GT(touched, 0u);
            EXPECT_LT(touched, 400u);
            EXPECT_TRUE(scene.contains(a));
        }
}

TEST(Scene, HugeCoordinates) {
    // Boxes beyond the range of float, some of them with both bounds there. Every broad phase must still find the
    // pairs.
    using enum BroadPhaseKind;
    std::vector<std::pair<Model, Affine>> objects;
#ifdef GRAZE_SANITIZED
    const std::vector<double> sizes = {0x1p127, 0x1p990};
#else
    const std::vector<double> sizes = {1.0, 0x1p127, 0x1p128, 0x1p300, 0x1p990};
#endif
    for (const double size : sizes)
        for (const double where : {0.0, 1.0, 0x1p127, -0x1p200, 0x1p899})
            objects.emplace_back(build(scenes::scale(scenes::box({0.5, 0.5, 0.5}), size)), Affine(at(where)));
    std::size_t wanted = 0;
    for (std::size_t i = 0; i < objects.size(); ++i)
        for (std::size_t j = i + 1; j < objects.size(); ++j)
            wanted += intersects(objects[i].first, objects[j].first, *relative(objects[i].second, objects[j].second));
    for (const BroadPhaseKind phase : {Auto, SweepAndPrune, Sweep, Tree})
        for (const ObjectBounds bounds : {ObjectBounds::OrientedBox, ObjectBounds::Cube}) {
            Scene scene({.threads = 1, .hulls = true, .fronts = true, .broad_phase = phase, .bounds = bounds});
            for (const auto& [model, placement] : objects) ASSERT_TRUE(scene.add(model, placement).ok());
            EXPECT_EQ(touching(scene.update()), wanted);
        }
}

TEST(Scene, LayersAndMasks) {
    Scene scene;
    const ObjectId a = *scene.add(cube(), at(0), {.layers = 1, .mask = 2});
    const ObjectId b = *scene.add(cube(), at(0.1), {.layers = 2, .mask = 1});
    const ObjectId c = *scene.add(cube(), at(0.2), {.layers = 2, .mask = 4});  // wants nothing that is there
    EXPECT_EQ(scene.update().begun, (std::vector<ObjectPair>{{a, b}}));
    ASSERT_TRUE(scene.set_settings(c, {.layers = 2, .mask = 3}).ok());
    EXPECT_EQ(scene.update().begun, (std::vector<ObjectPair>{{a, c}}));  // b does not want c
    ASSERT_TRUE(scene.set_settings(a, {.layers = 1, .mask = 0}).ok());
    EXPECT_EQ(scene.update().ended, (std::vector<ObjectPair>{{a, b}, {a, c}}));
}

TEST(Scene, IgnoredPairsMayHaveAReason) {
    Scene scene;
    const ObjectId a = *scene.add(cube(), at(0)), b = *scene.add(cube(), at(0.5));
    EXPECT_EQ(scene.ignored(a, b), nullptr);
    EXPECT_EQ(touching(scene.update()), 1u);
    ASSERT_TRUE(scene.ignore(b, a, "screwed together").ok());
    ASSERT_NE(scene.ignored(a, b), nullptr);
    EXPECT_EQ(*scene.ignored(a, b), "screwed together");
    EXPECT_EQ(scene.update().ended.size(), 1u);
    EXPECT_FALSE(scene.contacts(a, b)->empty());
    ASSERT_TRUE(scene.unignore(a, b).ok());
    EXPECT_EQ(scene.ignored(b, a), nullptr);
    EXPECT_EQ(scene.update().begun.size(), 1u);
    // A reason may be left out.
    ASSERT_TRUE(scene.ignore(a, b).ok());
    ASSERT_NE(scene.ignored(a, b), nullptr);
    EXPECT_EQ(*scene.ignored(a, b), "");
    EXPECT_EQ(scene.update().ended.size(), 1u);
    ASSERT_TRUE(scene.unignore(a, b).ok());
    EXPECT_EQ(scene.update().begun.size(), 1u);
    // The next one in the slot is another object.
    ASSERT_TRUE(scene.ignore(a, b, "screwed together").ok());
    ASSERT_TRUE(scene.remove(b).ok());
    const ObjectId c = *scene.add(cube(), at(0.5));
    EXPECT_EQ(scene.ignored(a, c), nullptr);
    EXPECT_EQ(scene.update().begun, (std::vector<ObjectPair>{{a, c}}));
}

TEST(Scene, CallbacksComeInOrder) {
    Scene scene;
    std::vector<std::pair<int, ObjectPair>> calls;
    std::vector<TouchEvent> touches;
    scene.on_touch(1, 2, [&](const ObjectPair& p, TouchEvent t) {
        calls.emplace_back(0, p);
        touches.push_back(t);
    });
    scene.on_touch(~0u, 4, [&](const ObjectPair& p, TouchEvent) { calls.emplace_back(1, p); });
    scene.on_touch(2, 1 | 4, [&](const ObjectPair& p, TouchEvent t) {
        calls.emplace_back(2, p);
        EXPECT_TRUE(t == TouchEvent::Ended || !scene.contacts(p.a, p.b)->empty());
    });
    const ObjectId b = *scene.add(cube(), at(0.1), {.layers = 2}), a = *scene.add(cube(), at(0), {.layers = 1});
    const ObjectId c = *scene.add(cube(), at(0.2), {.layers = 4});
    const ObjectPair ba{b, a}, bc{b, c}, ac{a, c};
    using Calls = decltype(calls);
    scene.update();
    EXPECT_EQ(calls, (Calls{{0, ba}, {2, ba}, {1, bc}, {2, bc}, {1, ac}}));
    scene.update();
    calls.clear();
    // Ended by removal: the layers are those that it had.
    ASSERT_TRUE(scene.remove(b).ok());
    scene.update();
    EXPECT_EQ(calls, (Calls{{0, ba}, {2, ba}, {1, bc}, {2, bc}, {1, ac}}));
    using enum TouchEvent;
    EXPECT_EQ(touches, (std::vector{Began, Persists, Ended}));
}

TEST(Scene, CallbacksMayChangeTheScene) {
    Scene scene;
    const ObjectId a = *scene.add(cube(), at(0)), b = *scene.add(cube(), at(0.5));
    std::vector<TouchEvent> touches;
    scene.on_touch(1, 1, [&](const ObjectPair& p, TouchEvent t) {
        touches.push_back(t);
        EXPECT_TRUE(t == TouchEvent::Ended || scene.remove(p.b).ok());
        scene.on_touch(2, 2, [](const ObjectPair&, TouchEvent) {});
    });
    EXPECT_EQ(scene.update().begun.size(), 1u);
    EXPECT_TRUE(scene.contains(a));
    EXPECT_FALSE(scene.contains(b));
    EXPECT_EQ(scene.update().ended.size(), 1u);
    using enum TouchEvent;
    EXPECT_EQ(touches, (std::vector{Began, Ended}));
}

TEST(Scene, ThousandsOfOneModelCostOne) {
    const Model model = build(scenes::parts(5000)[0]);
    Scene scene({.threads = 1});
    const std::size_t n = 4000;
    for (std::size_t i = 0; i < n; ++i) (void)scene.add(model, at(3.0 * static_cast<double>(i)));
    scene.update();
    EXPECT_GT(model.bytes(), 100'000u);
    EXPECT_LT(scene.bytes(), n * 2000);  // an object's placement, box and what the broad phase keeps
}

TEST(Scene, StatsAddUp) {
    scenes::Crowd crowd({.count = 200, .room = 1.8}, scenes::parts(200));
    const scenes::Objects& o = crowd.objects();
    const std::vector<Model> models = o.models();
    for (const bool hulls : {true, false}) {
        Scene scene({.threads = 2, .hulls = hulls, .fronts = true});
        std::vector<ObjectId> ids;
        for (std::size_t i = 0; i < o.size(); ++i) ids.push_back(*scene.add(models[o.shape[i]], o.placed[i]));
        for (int frame = 0; frame < 3; ++frame) {
            const std::size_t pairs = touching(scene.update());
            const SceneStats& s = scene.stats();
            EXPECT_EQ(s.broad_phase.in, frame == 1 ? 0 : frame == 0 ? o.size() : o.size() / 2);
            EXPECT_GT(s.broad_phase.out, pairs);
            if (frame == 1) {
                EXPECT_EQ(s.unmoved, s.broad_phase.out);
                EXPECT_EQ(s.hulls.in + s.trees.in, 0u);
            } else if (hulls) {
                EXPECT_EQ(s.hulls.in, s.broad_phase.out - s.unmoved - s.still_apart);
                EXPECT_LT(s.hulls.out, s.hulls.in);
                EXPECT_EQ(s.trees.in, s.hulls.out - s.hull_hits);
            } else {
                EXPECT_EQ(s.hulls.in, 0u);
                EXPECT_EQ(s.trees.in, s.broad_phase.out - s.unmoved);
            }
            EXPECT_TRUE(frame > 0 || s.trees.out + s.hull_hits == pairs);
            EXPECT_GE(s.broad_phase.seconds, 0);
            crowd.step();
            for (std::size_t i = 0; frame == 1 && i < o.size() / 2; ++i)
                ASSERT_TRUE(scene.move(ids[i], o.placed[i]).ok());
        }
    }
}

TEST(Scene, ContactsAreThoseOfTheQuery) {
    Scene scene;
    const Model ring = build(scenes::parts(200)[0]), nut = build(scenes::parts(200)[2]);
    const ObjectId a = *scene.add(ring, at(0)), b = *scene.add(nut, at(0.7, 0.2, 0.1));
    const auto sorted = [](std::vector<Contact> c) {
        std::ranges::sort(c);
        return c;
    };
    const auto wanted = sorted(collide(ring, nut, *relative(Affine(at(0)), Affine(at(0.7, 0.2, 0.1)))));
    ASSERT_FALSE(wanted.empty());
    EXPECT_EQ(sorted(*scene.contacts(a, b)), wanted);
    std::vector<Contact> swapped;
    for (const Contact& c : wanted) swapped.push_back({{c.triangles.b, c.triangles.a}, {c.polygons.b, c.polygons.a}});
    EXPECT_EQ(sorted(*scene.contacts(b, a)), sorted(swapped));
    // As they are placed now, before the update.
    ASSERT_TRUE(scene.move(b, at(5)).ok());
    EXPECT_TRUE(scene.contacts(a, b)->empty());
}

TEST(Scene, MovesLikeAValue) {
    Scene first;
    const ObjectId a = *first.add(cube(), at(0));
    (void)*first.add(cube(), at(0.5));
    Scene second = std::move(first);
    EXPECT_TRUE(second.contains(a));
    EXPECT_EQ(touching(second.update()), 1u);
}

}  // namespace
}  // namespace graze
