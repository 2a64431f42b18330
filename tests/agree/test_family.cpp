// SPDX-License-Identifier: Apache-2.0
// Every volume with every split, rigid, scaled and deformed: the pairs that brute force finds, one hash for all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "agree/golden.hpp"
#include "graze/study.hpp"
#include "scenes/deform.hpp"
#include "scenes/pipes.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/reference.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

namespace graze {
namespace {

using scenes::Random;
using scenes::Soup;
using Pairs = std::vector<TrianglePair>;

struct Kind {
    std::string name;
    study::TreeSettings settings;
};

std::vector<Kind> kinds() {
    std::vector<Kind> out{{"wide, chosen", {.threads = 1}},
                          {"wide, oriented", {.volume = study::Volume::Obb, .threads = 1}},
                          {"wide, aligned", {.volume = study::Volume::Aabb, .threads = 1}}};
    for (const study::Volume volume : {study::Volume::Obb, study::Volume::Aabb, study::Volume::Sphere,
                                       study::Volume::Dop14, study::Volume::Dop18, study::Volume::Dop26}) {
        int k = 0;
        for (const study::Split split : {study::Split::Mean, study::Split::Median, study::Split::Midpoint,
                                         study::Split::Overlap, study::Split::Area})
            out.push_back(
                {std::string("binary, ") + name(volume) + ", split " + std::to_string(k++),
                 {.tree = study::TreeKind::Binary, .volume = volume, .refine = false, .split = split, .threads = 1}});
    }
    return out;
}

/// One of the placements that are not rigid: uneven scales, shears, mirrors, exact ones among them.
Affine scaled(std::uint32_t k, const Vec3& at, Random& random) {
    const auto of = [&at](const Mat3& m) { return *Affine::from_matrix(m, at); };
    if (k % 4 == 0) return of({{Vec3{2, 0, 0}, Vec3{0, 0.5, 0}, Vec3{0, 0, 1}}});
    if (k % 4 == 1) return of({{Vec3{-1, 0, 0}, Vec3{0, 1, 0.5}, Vec3{0, 0, 1}}});
    Mat3 m = scenes::random_rotation(random).rotation();
    const Vec3 s{random.between(0.2, 3), random.between(0.2, 3), random.between(-3, -0.2)};
    for (Vec3& row : m.row) row = {row.x * s.x, row.y * s.y, row.z * s.z};
    if (k % 4 == 3) m = scenes::random_rotation(random).rotation() * m;
    return of(m);
}

std::vector<Affine> placements(const Model& a, const Model& b, std::size_t count) {
    std::vector<Affine> out;
    for (const Pose& p : scenes::placements_at_hit_rate(a, b, 0.5, count / 2, 1)) out.push_back(p);
    for (const scenes::Touch& t : scenes::touching_placements(a, b, count / 8 + 1, 2)) {
        out.push_back(t.clear);
        out.push_back(t.hit);
    }
    Random random(3);
    const Vec3 middle = scenes::bounding_ball(a).centre;
    const double radius = scenes::bounding_ball(a).radius;
    for (std::uint32_t k = 0; k < count / 4 + 4; ++k) {
        const Vec3 at = k < 2 ? Vec3{} : middle + random.in_cube(-1, 1) * radius;
        out.push_back(scaled(k, at, random));
    }
    for (std::uint32_t k = 0; k < 4; ++k) out.push_back(scenes::axis_rotation(k));
    return out;
}

Soup mapped(Soup soup, const Affine& affine) {
    for (Vec3& p : soup.points) p = affine(p);
    return soup;
}

struct Scene {
    const char* name;
    Soup (*a)();
    Soup (*b)();
    std::uint64_t golden;
};

void PrintTo(const Scene& s, std::ostream* out) { *out << s.name; }

class Family : public testing::TestWithParam<Scene> {};

/// Rounds: as built; twisted by a refit; waved by another, of one part of the points.
TEST_P(Family, OneAnswer) {
    const Scene& scene = GetParam();
    Soup a = scene.a(), b = scene.b();
    const std::vector<Kind> all = kinds();
    std::vector<Model> in_a, in_b;
    for (const Kind& k : all) {
        in_a.push_back(*study::build(a, k.settings));
        in_b.push_back(*study::build(b, k.settings));
    }
    const std::vector<Affine> poses = placements(in_a[1], in_b[1], test::scaled(24));
    std::vector<test::Hash> hashes(all.size());
    test::Hash truth;
    Scratch scratch;
    std::size_t hits = 0;
    for (int round = 0; round < 3; ++round) {
        if (round == 1) {
            a.points = scenes::twisted(a, 0.3);
            for (Model& m : in_a) ASSERT_TRUE(m.refit(a.points, {.rebuild = Rebuild::Never}).ok());
        } else if (round == 2) {
            const std::vector<Vec3> waved = scenes::waved(b, 0.05, 2, 1);
            const std::size_t first = waved.size() / 3, count = waved.size() / 4 + 1;
            std::copy_n(waved.begin() + static_cast<std::ptrdiff_t>(first), count,
                        b.points.begin() + static_cast<std::ptrdiff_t>(first));
            const std::span<const Vec3> part(b.points.data() + first, count);
            for (Model& m : in_b)
                ASSERT_TRUE(
                    m.refit(part, {.first = static_cast<std::uint32_t>(first), .rebuild = Rebuild::Never}).ok());
        }
        for (std::size_t k = 0; k < all.size(); ++k) {
            const auto sound_a = in_a[k].validate(), sound_b = in_b[k].validate();
            ASSERT_TRUE(sound_a.ok()) << all[k].name << ", round " << round << ": " << sound_a.fault().message;
            ASSERT_TRUE(sound_b.ok()) << all[k].name << ", round " << round << ": " << sound_b.fault().message;
        }
        for (std::size_t i = 0; i < poses.size(); ++i) {
            const Soup placed = mapped(b, poses[i]);
            const Pairs right = scenes::Reference(a, placed).all(Pose());
            truth.add(right);
            hits += !right.empty();
            for (std::size_t k = 0; k < all.size(); ++k) {
                // Each kind with itself, and with another one.
                const Model& other = in_b[i % 2 ? k : (k + i) % all.size()];
                Pairs found;
                for (const Contact& c : collide(in_a[k], other, poses[i], {.scratch = &scratch}))
                    found.push_back(c.triangles);
                std::sort(found.begin(), found.end());
                ASSERT_EQ(found, right) << all[k].name << ", round " << round << ", placement " << i;
                ASSERT_EQ(intersects(in_a[k], other, poses[i], {.scratch = &scratch}), !right.empty())
                    << all[k].name << ", round " << round << ", placement " << i;
                hashes[k].add(found);
            }
        }
    }
    EXPECT_GT(hits, poses.size() / 2);
    EXPECT_LT(hits, 3 * poses.size());
    for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(hashes[k].value(), truth.value()) << all[k].name;
    if (test::percent() != 100) return;
    EXPECT_EQ(truth.value(), scene.golden);
    if (truth.value() != scene.golden)
        std::printf("actual hash: 0x%016llxu\n", static_cast<unsigned long long>(truth.value()));
}

std::vector<Scene> scenes_of() {
    using namespace scenes;
    return {
        {"Torus", [] { return torus(1, 0.4, 24, 20); }, [] { return torus(1, 0.4, 20, 16); }, 0x88412ba6e135df6eu},
        {"TorusInLandscape", [] { return landscape(24); }, [] { return torus(1, 0.3, 30, 12); }, 0x90fc7d11f4e55403u},
        {"Pipes", [] { return pipes({.cells = 2}); }, [] { return pipes({.cells = 2, .size = 0.4, .seed = 2}); },
         0x3b31d6dced567f58u},
        {"Teapot", [] { return teapot(4); }, [] { return teapot(4); }, 0x4f4d85f0e3f5807eu},
        {"IntegerGround", [] { return integer_ground(12, 2, 1); }, [] { return integer_ground(12, 2, 2); },
         0x2ae0f0491385fc26u},
        {"CubeLattice", [] { return cube_lattice(3); }, [] { return cube_lattice(3); }, 0x22fe149fcd24043du},
        {"Needles", [] { return needles(120, 1); }, [] { return needles(120, 2, 1e3); }, 0xa5e01cc06cf5d2ffu},
        {"DegenerateMixture", [] { return degenerate_mixture(200, 1); }, [] { return degenerate_mixture(200, 1); },
         0x94fc72af3e975652u},
        {"One", [] { return tiny(1, 1); }, [] { return tiny(9, 2); }, 0x964b791578d4bc2bu},
    };
}

INSTANTIATE_TEST_SUITE_P(All, Family, testing::ValuesIn(scenes_of()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace graze
