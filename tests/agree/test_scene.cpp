// SPDX-License-Identifier: Apache-2.0
// Scenes against brute force: after every update of a random script the pairs that touch are those that the exact
// predicate finds among all pairs. GRAZE_LONG is the number of scripts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "case_count.hpp"
#include "graze/scene.hpp"
#include "graze/study.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Random;

std::uint32_t scripts() { return static_cast<std::uint32_t>(test::case_count(120)); }

Triangle mapped(const Affine& map, const Triangle& t) { return {map(t.a), map(t.b), map(t.c)}; }

/// Every triangle with every other, by the exact predicate, placed as the scene says.
bool meets(const Model& a, const Affine& world_from_a, const Model& b, const Affine& world_from_b) {
    const auto a_from_b = relative(world_from_a, world_from_b);
    EXPECT_TRUE(a_from_b.ok());
    for (std::uint32_t j = 0; j < b.triangle_count(); ++j) {
        const Triangle t = mapped(*a_from_b, b.triangle(j));
        for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
            if (meet(a.triangle(i), t)) return true;
    }
    return false;
}

/// A scene, the same objects kept plainly, and what was touching.
class Script {
public:
    Script(std::uint64_t seed, const SceneSettings& settings) : random_(seed), scene_(settings) {
        const study::TreeSettings kinds[] = {
            {.threads = 1},
            {.volume = study::Volume::Aabb, .threads = 1},
            {.tree = study::TreeKind::Binary, .volume = study::Volume::Obb, .threads = 1},
            {.volume = study::Volume::Sphere, .threads = 1}};
        const auto build = [&](const scenes::Soup& soup) {
            models_.push_back(*study::build(soup, kinds[random_.below(4)]));
        };
        build(scenes::box({0.5, 0.5, 0.5}));
        build(scenes::sphere(20, 0.6));
        build(scenes::torus(0.6, 0.2, 6, 4));
        build(scenes::box({1.5, 1.5, 0}));  // flat
        models_.push_back(*Model::build(scenes::Soup{}));
    }

    void run(int updates) {
        for (int i = 0; i < updates; ++i) {
            const int changes = static_cast<int>(random_.below(8));
            for (int c = 0; c < changes; ++c) change();
            check(i);
            if (::testing::Test::HasFatalFailure()) return;
        }
    }
    std::size_t touched() const { return touched_; }

private:
    struct Plain {
        Model model;
        Affine placed;
        ObjectSettings settings;
    };

    /// Near others, on a grid now and then (exact ties), scaled and sheared now and then.
    Affine somewhere() {
        const double size = 3;
        if (random_.below(3) == 0) {
            const auto at = [&] { return static_cast<double>(random_.below(4)); };
            const double x = at(), y = at(), z = at();
            return scenes::placed(scenes::axis_rotation(random_.below(24)), {x, y, z});
        }
        const Pose pose = scenes::placed(scenes::random_rotation(random_), random_.in_cube(0, size));
        if (random_.below(4) != 0) return pose;
        Mat3 m = pose.rotation();
        for (int k = 0; k < 3; ++k) m.row[k] = m.row[k] * random_.between(0.4, 1.6);
        m.row[0] = m.row[0] + m.row[1] * random_.between(-0.5, 0.5);
        return *Affine::from_matrix(m, pose.translation());
    }
    Affine nearby(const Affine& from) {
        const Pose turn = *Pose::from_quaternion({random_.between(-0.01, 0.01), random_.between(-0.01, 0.01), 0.01, 1},
                                                 random_.in_cube(-0.02, 0.02));
        return *compose(from, turn);
    }
    ObjectSettings some_settings() {
        ObjectSettings s;
        s.is_static = random_.below(4) == 0;
        s.layers = 1u << random_.below(3);
        if (random_.below(4) == 0) s.mask = random_.below(8);
        s.user_data = random_.bits();
        return s;
    }
    ObjectId any() {
        auto at = objects_.begin();
        std::advance(at, random_.below(static_cast<std::uint32_t>(objects_.size())));
        return at->first;
    }

    void change() {
        const std::uint32_t what = random_.below(12);
        if (objects_.size() < 4 || what < 2) {
            const Plain o{models_[random_.below(5)], somewhere(), some_settings()};
            const auto id = scene_.add(o.model, o.placed, o.settings);
            ASSERT_TRUE(id.ok());
            ASSERT_TRUE(objects_.emplace(*id, o).second) << "an id was given twice";
            ASSERT_FALSE(gone_.contains(*id)) << "the id of a removed object was given again";
            return;
        }
        const ObjectId id = any(), other = any();
        Plain& o = objects_.at(id);
        if (what < 7) {
            o.placed = what < 6 ? nearby(o.placed) : somewhere();
            ASSERT_TRUE(scene_.move(id, o.placed).ok());
        } else if (what == 7 && random_.below(2) == 0) {
            o.model = models_[random_.below(5)];
            ASSERT_TRUE(scene_.replace(id, o.model).ok());
        } else if (what == 7) {
            // The scene refits a model of its own; what shared memory with it keeps its shape.
            std::vector<Vec3> points;
            for (std::uint32_t p = 0; p < o.model.point_count(); ++p) points.push_back(random_.in_cube(-0.7, 0.7));
            ASSERT_TRUE(scene_.refit(id, points).ok());
            ASSERT_TRUE(o.model.refit(points).ok());
        } else if (what == 8) {
            o.settings = some_settings();
            ASSERT_TRUE(scene_.set_settings(id, o.settings).ok());
        } else if (what == 9 && id != other) {
            ASSERT_TRUE(scene_.ignore(id, other, "they are meant to").ok());
            ignored_.insert({std::min(id, other), std::max(id, other)});
        } else if (what == 10 && !ignored_.empty()) {
            const ObjectPair pair = *ignored_.begin();
            ASSERT_TRUE(scene_.unignore(pair.a, pair.b).ok());
            ignored_.erase(pair);
        } else if (what == 11) {
            ASSERT_TRUE(scene_.remove(id).ok());
            objects_.erase(id);
            gone_.insert(id);
            std::erase_if(ignored_, [&](const ObjectPair& p) { return p.a == id || p.b == id; });
            EXPECT_FALSE(scene_.move(id, Pose{}).ok());
            EXPECT_FALSE(scene_.remove(id).ok());
        }
    }

    std::vector<ObjectPair> truth() const {
        std::vector<ObjectPair> out;
        for (auto a = objects_.begin(); a != objects_.end(); ++a)
            for (auto b = std::next(a); b != objects_.end(); ++b) {
                const ObjectSettings &s = a->second.settings, &t = b->second.settings;
                if (s.is_static && t.is_static) continue;
                if (!(s.layers & t.mask) || !(t.layers & s.mask) || ignored_.contains({a->first, b->first})) continue;
                if (meets(a->second.model, a->second.placed, b->second.model, b->second.placed))
                    out.push_back({a->first, b->first});
            }
        return out;
    }

    void check(int update) {
        const TouchingPairs& now = scene_.update();
        const std::vector<ObjectPair> wanted = truth();
        std::vector<ObjectPair> begun, persisting, ended;
        std::set_difference(wanted.begin(), wanted.end(), last_.begin(), last_.end(), std::back_inserter(begun));
        std::set_intersection(wanted.begin(), wanted.end(), last_.begin(), last_.end(), std::back_inserter(persisting));
        std::set_difference(last_.begin(), last_.end(), wanted.begin(), wanted.end(), std::back_inserter(ended));
        ASSERT_EQ(now.begun, begun) << "update " << update;
        ASSERT_EQ(now.persisting, persisting) << "update " << update;
        ASSERT_EQ(now.ended, ended) << "update " << update;
        for (const ObjectPair& p : wanted) ASSERT_FALSE(scene_.contacts(p.a, p.b)->empty());
        ASSERT_EQ(scene_.size(), objects_.size());
        touched_ += wanted.size();
        last_ = wanted;
    }

    Random random_;
    Scene scene_;
    std::vector<Model> models_;
    std::map<ObjectId, Plain> objects_;
    std::set<ObjectId> gone_;
    std::set<ObjectPair> ignored_;
    std::vector<ObjectPair> last_;
    std::size_t touched_ = 0;
};

TEST(SceneAgrees, RandomScripts) {
    std::size_t touched = 0;
    for (std::uint32_t seed = 0; seed < scripts(); ++seed) {
        SceneSettings s;
        s.broad_phase = static_cast<BroadPhaseKind>(seed % 4);
        s.bounds = static_cast<ObjectBounds>(seed / 4 % 3);
        s.hulls = seed / 12 % 3 != 0;
        s.fronts = seed / 36 % 3 != 0;
        const unsigned threads[] = {1, 2, 4};
        SCOPED_TRACE("script " + std::to_string(seed));
        s.threads = threads[seed / 5 % 3];
        Script script(seed, s);
        script.run(25);
        if (HasFatalFailure()) return;
        touched += script.touched();
    }
    EXPECT_GT(touched, scripts() * 10u);
}

}  // namespace
}  // namespace graze
