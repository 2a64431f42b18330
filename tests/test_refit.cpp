// SPDX-License-Identifier: Apache-2.0
// Refitted models are sound and answer as freshly built ones do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "graze/query.hpp"
#include "graze/study.hpp"
#include "model/access.hpp"
#include "model/model_data.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"
#include "temporary_folder.hpp"

namespace graze {
namespace {

using scenes::Soup;
using Points = std::vector<Vec3>;

struct Kind {
    study::TreeKind tree;
    study::Volume volume;
};
constexpr Kind kinds[] = {{study::TreeKind::Wide, study::Volume::Obb},
                          {study::TreeKind::Wide, study::Volume::Aabb},
                          {study::TreeKind::Binary, study::Volume::Obb}};

Model built(const Soup& soup, const Kind& kind) {
    study::TreeSettings settings;
    settings.tree = kind.tree;
    settings.volume = kind.volume;
    auto model = study::build(soup, settings);
    EXPECT_TRUE(model.ok());
    return std::move(*model);
}

Soup moved(Soup soup, const std::function<Vec3(const Vec3&)>& f) {
    for (Vec3& p : soup.points) p = f(p);
    return soup;
}

Vec3 twist(const Vec3& p, double angle) {
    const double c = std::cos(angle * p.x), s = std::sin(angle * p.x);
    return {p.x, c * p.y - s * p.z, s * p.y + c * p.z};
}
Vec3 wave(const Vec3& p) { return {p.x, p.y, p.z + 0.1 * std::sin(7 * p.x + 3 * p.y)}; }

std::vector<TrianglePair> pairs(const Model& a, const Model& b, const Affine& a_from_b) {
    std::vector<TrianglePair> out;
    for (const Contact& c : collide(a, b, a_from_b)) out.push_back(c.triangles);
    std::sort(out.begin(), out.end(),
              [](const TrianglePair& x, const TrianglePair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    return out;
}

/// Sound, of the soup's shape, and in the same contacts as a new model of it.
void expect_like_new(const Model& model, const Soup& soup, const std::string& what) {
    const auto sound = model.validate();
    EXPECT_TRUE(sound.ok()) << what << ": " << (sound.ok() ? "" : sound.fault().message);
    for (std::uint32_t i = 0; i < model.triangle_count(); ++i) {
        const Triangle t = model.triangle(i);
        ASSERT_EQ(t.a, soup.points[soup.corners[3 * i]]) << what << ": triangle " << i;
    }
    const Model fresh = built(soup, {study::TreeKind::Wide, study::Volume::Obb});
    // Against itself, slightly turned, at the model's own scale and place.
    const double c = std::cos(0.3), s = std::sin(0.3);
    const auto turn = Affine::from_matrix({{Vec3{c, -s, 0}, Vec3{s, c, 0}, Vec3{0, 0, 1}}}, {});
    ASSERT_TRUE(turn.ok());
    for (const Affine& pose : {Affine(), *turn}) {
        const auto want = pairs(fresh, fresh, pose);
        EXPECT_TRUE(pairs(model, model, pose) == want) << what;
        EXPECT_TRUE(pairs(model, fresh, pose) == want) << what;
    }
}

Refit refitted(Model& model, const PointView& points, Rebuild rebuild = Rebuild::Never, std::uint32_t first = 0) {
    RefitSettings settings;
    settings.first = first;
    settings.rebuild = rebuild;
    const auto done = model.refit(points, settings);
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.fault().message);
    return done.ok() ? *done : Refit{};
}

/// 288 triangles, and a point far away that none uses.
Soup shape() {
    Soup soup = scenes::torus(1, 0.4, 12, 12);
    soup.add({1e30, -1e30, 1e30});
    return soup;
}

TEST(Refit, AnswersAsANewModel) {
    const Soup start = shape();
    const struct {
        const char* name;
        std::function<Vec3(const Vec3&)> f;
    } motions[] = {
        {"where it was", [](const Vec3& p) { return p; }},
        {"twisted", [](const Vec3& p) { return twist(p, 1); }},
        {"waved", wave},
        {"scaled", [](const Vec3& p) { return p * 1e6; }},
        {"shrunk", [](const Vec3& p) { return p * 1e-6; }},
        {"to the limit", [](const Vec3& p) { return p * (p.x > 1e3 ? 1e270 : 0x1p999); }},
        {"to subnormal numbers", [](const Vec3& p) { return p.x > 1e3 ? p : p * 1e-310; }},
        {"to a point", [](const Vec3&) { return Vec3{0.1, 0.2, 0.3}; }},
        {"to the origin", [](const Vec3&) { return Vec3{}; }},
        {"to a line", [](const Vec3& p) { return Vec3{p.x, p.x, p.x}; }},
        {"to a plane", [](const Vec3& p) { return Vec3{p.x, p.y, 0}; }},
        {"far away", [](const Vec3& p) { return p + Vec3{1e9, -1e9, 1e9}; }},
        {"so far that it collapses", [](const Vec3& p) { return p + Vec3{1e15, 1e15, 1e15}; }},
        {"inside out", [](const Vec3& p) { return -p; }},
    };
    for (const Kind& kind : kinds) {
        Model model = built(start, kind);
        for (const auto& motion : motions) {
            const Soup soup = moved(start, motion.f);
            const Refit done = refitted(model, soup.points);
            EXPECT_FALSE(done.rebuilt);
            EXPECT_TRUE(done.decay > 0) << motion.name;
            EXPECT_EQ(done.decay, model.decay());
            if (std::string(motion.name) == "to the limit") {  // contacts there take long
                EXPECT_TRUE(model.validate().ok());
                continue;
            }
            expect_like_new(model, soup, motion.name);
        }
        refitted(model, start.points);
        expect_like_new(model, start, "back");
    }
}

TEST(Refit, SmallModels) {
    for (const Kind& kind : kinds)
        for (const std::uint32_t triangles : {0u, 1u, 8u, 12u}) {
            Soup soup = scenes::box();
            soup.corners.resize(3 * triangles);
            if (triangles == 0) soup.points.clear();
            Model model = built(soup, kind);
            const Soup now = moved(soup, [](const Vec3& p) { return twist(p, 0.4) * 3; });
            refitted(model, now.points);
            expect_like_new(model, now, std::to_string(triangles) + " triangles");
            if (triangles == 0) continue;
            Soup part = now;
            part.points[1] = {0.5, 0.25, 4};
            refitted(model, std::span(part.points).subspan(1, 1), Rebuild::Never, 1);
            expect_like_new(model, part, std::to_string(triangles) + " triangles, a part");
        }
}

TEST(Refit, Parts) {
    const Soup start = shape();
    const auto count = static_cast<std::uint32_t>(start.points.size());
    scenes::Random random(1);
    for (const Kind& kind : kinds) {
        Model model = built(start, kind);
        Soup soup = start;
        const auto move = [&](std::uint32_t first, std::uint32_t n, double by) {
            for (std::uint32_t i = first; i < first + n; ++i) soup.points[i] = soup.points[i] + random.in_cube(-by, by);
            refitted(model, std::span(soup.points).subspan(first, n), Rebuild::Never, first);
            const auto sound = model.validate();
            ASSERT_TRUE(sound.ok()) << first << " + " << n << ": " << sound.fault().message;
        };
        move(0, 1, 0.1);
        move(0, 0, 0);
        move(count, 0, 0);
        move(count - 1, 1, 1e30);  // a point of no triangle
        move(count - 3, 2, 0.1);
        for (int k = 0; k < 100; ++k) {
            const std::uint32_t n = random.below(20);
            move(random.below(count - 1 - n), n, k % 10 == 9 ? 1 : 0.05);
        }
        expect_like_new(model, soup, "many parts");
        move(7, 2, 1e6);  // beyond what the tree reaches
        expect_like_new(model, soup, "beyond");
        // Back, part by part, each in reach of what the tree has become.
        for (std::uint32_t i = 0; i < count; i += 8) {
            const std::uint32_t n = std::min(8u, count - i);
            refitted(model, std::span(start.points).subspan(i, n), Rebuild::Never, i);
        }
        expect_like_new(model, start, "back");
    }
}

TEST(Refit, APartWalksAway) {
    // Small steps, each within reach, that take all of it far from where it was.
    for (const Kind& kind : kinds) {
        Soup soup = scenes::torus(1, 0.4, 12, 12);
        Model model = built(soup, kind);
        const std::uint32_t n = 6, count = static_cast<std::uint32_t>(soup.points.size());
        for (int round = 0; round < 20; ++round)
            for (std::uint32_t i = 0; i < count; i += n) {
                for (std::uint32_t k = i; k < i + n; ++k) soup.points[k] = soup.points[k] + Vec3{0.5, 0.25, 0};
                refitted(model, std::span(soup.points).subspan(i, n), Rebuild::Never, i);
                for (const detail::WideBox& b : detail::Access::data(model).wide.boxes)
                    ASSERT_LE(std::max({b.half[0], b.half[1], b.half[2]}), 64);
            }
        expect_like_new(model, soup, "walked");
    }
}

TEST(Refit, PartsOfFloats) {
    Soup soup = scenes::torus(1, 0.4, 16, 16);
    for (const Kind& kind : kinds) {
        Model model = built(soup, kind);
        const std::vector<float> xyz = {0.5f, 0.25f, 0.125f, 1, 1, 1};
        const Refit done = refitted(model, xyz, Rebuild::Never, 3);
        Soup now = soup;
        now.points[3] = {0.5, 0.25, 0.125};
        now.points[4] = {1, 1, 1};
        EXPECT_DOUBLE_EQ(done.moved,
                         std::max(length(now.points[3] - soup.points[3]), length(now.points[4] - soup.points[4])));
        expect_like_new(model, now, "floats");
    }
}

TEST(Refit, MovedAtEveryScale) {
    const Soup start = scenes::box();
    for (const double by : {0.0, 5e-324, 1e-200, 1.0, 1e200, 0x1p999}) {
        Model model = built(start, kinds[1]);
        Points points = start.points;
        points[5].y = by;
        EXPECT_DOUBLE_EQ(refitted(model, points).moved, std::abs(by - start.points[5].y));
        points[5].y = 0;
        EXPECT_EQ(refitted(model, points).moved, by);
    }
}

TEST(Refit, CopiesKeepTheirShape) {
    const Soup start = shape(), now = moved(start, wave);
    for (const Kind& kind : kinds) {
        Model model = built(start, kind);
        const Model copy = model;
        refitted(model, now.points);
        expect_like_new(copy, start, "the copy");
        expect_like_new(model, now, "the model");
        Model second = model;
        refitted(second, std::span(start.points).subspan(10, 5), Rebuild::Never, 10);
        expect_like_new(model, now, "the model, a part of a copy having moved");
    }
}

TEST(Refit, FaultsNameThePointAndChangeNothing) {
    const Soup start = shape();
    const auto count = start.points.size();
    for (const Kind& kind : kinds) {
        Model model = built(start, kind);
        const auto expect_fault = [&](const PointView& points, std::uint32_t first, FaultKind fault, const char* word) {
            const auto done = model.refit(points, {first, Rebuild::Never});
            ASSERT_FALSE(done.ok());
            EXPECT_EQ(done.fault().kind, fault) << done.fault().message;
            EXPECT_NE(done.fault().message.find(word), std::string::npos) << done.fault().message;
        };
        Points points = moved(start, wave).points;
        points[7].y = std::numeric_limits<double>::quiet_NaN();
        expect_fault(points, 0, FaultKind::NotFinite, "y of point 7");
        expect_fault(std::span(points).subspan(5, 4), 3, FaultKind::NotFinite, "y of point 5");
        points[7].y = -0x1.1p1000;
        expect_fault(points, 0, FaultKind::OutOfRange, "y of point 7");
        points[7].y = std::numeric_limits<double>::infinity();
        expect_fault(points, 0, FaultKind::NotFinite, "y of point 7");
        points[7].y = 0;
        expect_fault(points, 1, FaultKind::BadIndex, std::to_string(count).c_str());
        expect_fault(Points{}, static_cast<std::uint32_t>(count + 1), FaultKind::BadIndex,
                     std::to_string(count).c_str());
        expect_fault(std::span(&points[0].x, 7), 2, FaultKind::BadIndex, "point 4 is incomplete");
        EXPECT_EQ(model.decay(), 1);
        expect_like_new(model, start, "after faults");
    }
}

TEST(Refit, AMappedFileIsNotTouched) {
    const Soup start = shape(), now = moved(start, wave);
    const test::TemporaryFolder folder;
    const std::string path = folder.at("model");
    const auto bytes = [&] {
        std::ifstream in(path, std::ios::binary);
        return std::vector<char>(std::istreambuf_iterator<char>(in), {});
    };
    for (const Kind& kind : kinds) {
        ASSERT_TRUE(built(start, kind).save(path).ok());
        const auto before = bytes();
        auto model = Model::load(path);
        ASSERT_TRUE(model.ok());
        EXPECT_DOUBLE_EQ(model->decay(), 1);
        EXPECT_EQ(study::tree_settings(*model).volume, kind.volume);
        Soup part = start;
        part.points[40] = {1, 2, 0.5};
        refitted(*model, std::span(part.points).subspan(40, 1), Rebuild::Never, 40);
        expect_like_new(*model, part, "loaded, a part");
        auto again = Model::load(path);
        ASSERT_TRUE(again.ok());
        refitted(*again, now.points);
        expect_like_new(*again, now, "loaded");
        EXPECT_TRUE(bytes() == before);
        // A refitted model can be saved and loaded.
        ASSERT_TRUE(again->save(path).ok());
        const auto last = Model::load(path);
        ASSERT_TRUE(last.ok()) << last.fault().message;
        expect_like_new(*last, now, "saved");
        EXPECT_NEAR(last->decay(), again->decay(), 1e-9);
    }
}

double summed_area(const Model& model) {
    double sum = 0;
    for (const detail::WideBox& b : detail::Access::data(model).wide.boxes)
        sum += (double{b.half[0]} * b.half[1] + double{b.half[1]} * b.half[2] + double{b.half[2]} * b.half[0]);
    return sum;
}

TEST(Refit, AlignedBoxesAreAsTightAsNew) {
    const Soup start = scenes::landscape(40);
    const Soup scaled = moved(start, [](const Vec3& p) { return p * 4; });
    Model model = built(start, kinds[1]);
    EXPECT_EQ(refitted(model, start.points).decay, 1);
    const Refit done = refitted(model, scaled.points);
    EXPECT_EQ(done.decay, 1);  // a power of two: the same numbers in another unit
    const Model fresh = built(scaled, kinds[1]);
    EXPECT_DOUBLE_EQ(summed_area(model), summed_area(fresh));
    // A part there and back leaves what was, its sum but for rounding.
    Points points(scaled.points.begin() + 100, scaled.points.begin() + 110), high = points;
    for (Vec3& p : high) p.z += 3;
    EXPECT_GT(refitted(model, high, Rebuild::Never, 100).decay, 1);
    EXPECT_NEAR(refitted(model, points, Rebuild::Never, 100).decay, 1, 1e-12);
    EXPECT_DOUBLE_EQ(summed_area(model), summed_area(fresh));
}

TEST(Refit, PartsAddUpTheSameDecay) {
    const Soup start = scenes::landscape(40), now = moved(start, [](const Vec3& p) { return twist(p, 0.2); });
    for (const Kind& kind : kinds) {
        Model whole = built(start, kind), parts = built(start, kind);
        const double want = refitted(whole, now.points).decay;
        const auto count = static_cast<std::uint32_t>(now.points.size());
        for (std::uint32_t i = 0; i < count; i += 40)
            refitted(parts, std::span(now.points).subspan(i, std::min(40u, count - i)), Rebuild::Never, i);
        EXPECT_NEAR(parts.decay(), want, 0.1 * want);
        refitted(parts, now.points);
        EXPECT_NEAR(parts.decay(), want, 1e-12 * want);
    }
}

/// Small triangles here and there.
Soup scattered(std::uint64_t seed) {
    Soup soup;
    scenes::Random random(seed);
    for (int i = 0; i < 2000; ++i) {
        const Vec3 at = random.in_cube(-10, 10);
        const auto corner = [&] { return soup.add(at + random.in_cube(-0.1, 0.1)); };
        const std::uint32_t a = corner(), b = corner(), c = corner();
        soup.add_triangle(a, b, c);
    }
    return soup;
}

TEST(Refit, RebuildsWhenItPays) {
    const Soup start = scattered(1), shuffled = scattered(2);
    for (const Kind& kind : kinds) {
        Model model = built(start, kind);
        // Oriented boxes around oriented boxes: in a binary tree the slack adds up over its many levels.
        EXPECT_EQ(refitted(model, moved(start, wave).points, Rebuild::WhenItPays).rebuilt,
                  kind.tree == study::TreeKind::Binary);
        EXPECT_TRUE(refitted(model, start.points, Rebuild::Always).rebuilt);
        EXPECT_EQ(model.decay(), 1);
        EXPECT_FALSE(refitted(model, shuffled.points, Rebuild::Never).rebuilt);
        EXPECT_GT(model.decay(), 2);
        const Refit done = refitted(model, std::span(shuffled.points).first(3), Rebuild::WhenItPays);
        EXPECT_TRUE(done.rebuilt);
        EXPECT_EQ(done.decay, 1);
        EXPECT_EQ(model.decay(), 1);
        EXPECT_EQ(study::tree_settings(model).volume, kind.volume);
        expect_like_new(model, shuffled, "rebuilt");
    }
}

}  // namespace
}  // namespace graze
