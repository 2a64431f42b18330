// SPDX-License-Identifier: Apache-2.0
// Regions asked of every tree, against all triangles in rational arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "agree/golden.hpp"
#include "exact/region_exact.hpp"
#include "graze/graze.hpp"
#include "graze/study.hpp"
#include "region_oracle.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Random;
using scenes::Soup;
using test::RegionOracle;
using Triangles = std::vector<std::uint32_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A soup and its models by every tree and volume.
struct All {
    Soup soup;
    std::vector<Model> models;
    std::vector<std::string> names;

    explicit All(Soup s) : soup(std::move(s)) {
        for (const study::TreeKind tree : {study::TreeKind::Wide, study::TreeKind::Binary})
            for (const study::Volume volume : {study::Volume::Obb, study::Volume::Aabb, study::Volume::Sphere,
                                               study::Volume::Dop14, study::Volume::Dop18, study::Volume::Dop26}) {
                auto model = study::build(soup, {.tree = tree, .volume = volume, .threads = 1});
                EXPECT_TRUE(model.ok());
                names.push_back(model->summary());
                models.push_back(std::move(*model));
            }
    }

    Vec3 point(Random& random) const {
        return soup.points[random.below(static_cast<std::uint32_t>(soup.points.size()))];
    }
    /// Mapped as queries do.
    Triangle triangle(std::uint32_t i, const Affine& place) const {
        const Triangle t = models[0].triangle(i);
        return {place(t.a), place(t.b), place(t.c)};
    }
    template <class Meets>
    Triangles brute_force(const Affine& place, Meets&& meets) const {
        Triangles found;
        for (std::uint32_t i = 0; i < models[0].triangle_count(); ++i)
            if (meets(triangle(i, place))) found.push_back(i);
        return found;
    }

    template <class Region>
    std::size_t expect(const Region& region, const Affine& place) const {
        const Triangles expected = brute_force(place, [&](const Triangle& t) { return RegionOracle::meet(t, region); });
        Scratch scratch;
        for (std::size_t k = 0; k < models.size(); ++k) {
            SCOPED_TRACE(names[k]);
            EXPECT_EQ(overlapping(region, models[k], place, {.scratch = &scratch}), expected);
            EXPECT_EQ(intersects(region, models[k], place, {.scratch = &scratch}), !expected.empty());
        }
        return expected.size();
    }
    std::size_t expect_visible(std::span<const Slab> slabs, const Affine& place) const {
        const Triangles expected =
            brute_force(place, [&](const Triangle& t) { return RegionOracle::visible(t, slabs); });
        for (std::size_t k = 0; k < models.size(); ++k) {
            SCOPED_TRACE(names[k]);
            EXPECT_EQ(visible(slabs, models[k], place), expected);
        }
        return expected.size();
    }
};

Affine any_placement(Random& random, const Vec3& translation) {
    const Mat3 turn = scenes::random_rotation(random).rotation();
    switch (random.below(6)) {
        case 0:
            return {};
        case 1:
            return scenes::placed(scenes::axis_rotation(random.below(24)), translation);
        case 2: {  // sheared and scaled
            const Mat3 other = scenes::random_rotation(random).rotation();
            const Mat3 scale{{Vec3{0.3, 0, 0}, Vec3{0, 2, 0}, Vec3{0, 0, 1}}};
            return *Affine::from_matrix(turn * scale * other, translation);
        }
        case 3: {  // all but flat
            const Mat3 other = scenes::random_rotation(random).rotation();
            const Mat3 scale{{Vec3{1, 0, 0}, Vec3{0, 1e-9, 0}, Vec3{0, 0, 1}}};
            return *Affine::from_matrix(turn * scale * other, translation);
        }
        case 4: {  // scaled alike
            const double s = std::ldexp(1 + random.unit(), static_cast<int>(random.below(16)) - 8);
            return *Affine::from_matrix({{turn.row[0] * s, turn.row[1] * s, turn.row[2] * s}}, translation);
        }
        default:
            return scenes::placed(scenes::random_rotation(random), translation);
    }
}

/// About the image of a point of the model: touching it, or near it; bounds equal or infinite by chance.
test::BoxParts any_box(Random& random, const Vec3& at, double size) {
    test::BoxParts box{at, at};
    for (int i = 0; i < 3; ++i) {
        const std::uint32_t kind = random.below(7);
        if (kind != 0 && random.below(2)) box.hi[i] = box.lo[i] = at[i] + random.between(-size, size);
        if (kind == 1 || kind == 2) box.hi[i] += random.unit() * size;
        if (kind == 2 || kind == 3) box.lo[i] -= random.unit() * size;
        if (kind == 4 || kind == 6) box.hi[i] = infinity;
        if (kind == 5 || kind == 6) box.lo[i] = -infinity;
    }
    return box;
}

Slab any_slab(Random& random, const Vec3& at, double size) {
    Vec3 n = scenes::random_direction(random) * std::ldexp(1, static_cast<int>(random.below(60)) - 30);
    if (random.below(3) == 0) n = {static_cast<double>(random.below(3)), 1, 0};
    const double offset = dot(n, at), thick = length(n) * size * random.unit();
    switch (random.below(4)) {
        case 0:
            return *Slab::plane(n, offset);
        case 1:
            return *Slab::half_space(n, offset);
        case 2:
            return *Slab::between(n, offset, infinity);
        default:
            return *Slab::between(n, offset, offset + thick);
    }
}

/// Regions of every shape about points of the model, under placements of every kind.
std::size_t expect_agreement(const All& model, std::uint64_t seed, unsigned rounds, double size) {
    Random random(seed);
    std::size_t found = 0;
    for (unsigned k = 0; k < test::scaled(rounds); ++k) {
        SCOPED_TRACE(k);
        const Affine place = any_placement(random, random.in_cube(-3, 3) * size);
        const Vec3 at = place(model.point(random));
        const double extent = size * std::ldexp(1, -static_cast<int>(random.below(6)));
        found += model.expect<Box>(any_box(random, at, extent), place);
        found += model.expect(any_slab(random, at, extent), place);
        std::vector<Slab> slabs;
        for (std::uint32_t n = random.below(7); n > 0; --n)
            slabs.push_back(any_slab(random, at + random.in_cube(-size, size), size));
        found += model.expect_visible(slabs, place);
    }
    return found;
}

TEST(RegionsAgree, RandomSoups) {
    EXPECT_GT(expect_agreement(All(scenes::random_soup(150, 0.2, 1)), 1, 60, 0.5), test::scaled(3000));
    EXPECT_GT(expect_agreement(All(scenes::needles(60, 2)), 2, 30, 0.5), test::scaled(300));
}

TEST(RegionsAgree, DegenerateTriangles) {
    EXPECT_GT(expect_agreement(All(scenes::degenerate_mixture(120, 1)), 3, 50, 0.5), test::scaled(800));
}

TEST(RegionsAgree, Tiny) {
    for (std::uint32_t n = 1; n <= 9; n += 2) expect_agreement(All(scenes::tiny(n, n)), n, 15, 0.5);
}

TEST(RegionsAgree, EveryScale) {
    for (const int e : {-1065, -900, -300, 300, 900, 985}) {
        SCOPED_TRACE(e);
        const double unit = std::ldexp(1, e);
        const All model(scenes::scale(scenes::random_soup(50, 0.3, 5), unit));
        Random random(6);
        std::size_t found = 0;
        for (unsigned k = 0; k < test::scaled(12); ++k) {
            const Affine place = any_placement(random, random.in_cube(-2, 2) * unit);
            const Vec3 at = place(model.point(random));
            found += model.expect<Box>(any_box(random, at, 0.3 * unit), place);
            const Vec3 n = scenes::random_direction(random);
            const Slab slabs[] = {*Slab::half_space(n, dot(n, at)), *Slab::between({1, 0, 0}, at.x, infinity)};
            found += model.expect(slabs[0], place);
            found += model.expect_visible(slabs, place);
        }
        EXPECT_GT(found, test::scaled(100));
    }
}

/// Placements, normals and models as large and as small as they may be.
TEST(RegionsAgree, ExtremePlacements) {
    std::size_t found = 0;
    for (const auto& [scale, unit] : {std::pair{0x1p19, 0x1p999},
                                      {0x1p-900, 1.0},
                                      {0x1p-1000, 0x1p-60},
                                      {0x1p-1000, 0x1p990},
                                      {0x1p19, 0x1p-1065},
                                      {0x1p-1070, 0x1p999}}) {
        SCOPED_TRACE(scale);
        const All model(scenes::scale(scenes::random_soup(40, 0.3, 11), unit));
        Random random(12);
        for (unsigned k = 0; k < test::scaled(8); ++k) {
            const Mat3 turn = scenes::random_rotation(random).rotation();
            const Affine place = *Affine::from_matrix({{turn.row[0] * scale, turn.row[1] * scale, turn.row[2] * scale}},
                                                      random.in_cube(-1, 1) * (random.below(2) ? 0 : unit));
            test::BoxParts box = any_box(random, place(model.point(random)), 0.3 * unit * scale);
            for (int i = 0; i < 3; ++i)
                for (double* b : {&box.lo[i], &box.hi[i]})
                    if (std::isfinite(*b)) *b = std::clamp(*b, -max_coordinate, max_coordinate);
            found += model.expect<Box>(box, place);
            const Vec3 n = scenes::random_direction(random);
            for (const double size : {1.0, 0x1p-1060, 0x1p-500, 0x1p999}) {
                const double offset = dot(n * size, place(model.point(random)));
                found += model.expect(
                    *Slab::half_space(n * size,
                                      std::isfinite(offset) ? std::clamp(offset, -max_coordinate, max_coordinate) : 0),
                    place);
            }
        }
    }
    EXPECT_GT(found, test::scaled(800));
}

/// Boxes of integers against unit cubes and a ground of integers: every face, edge and corner touches.
TEST(RegionsAgree, IntegerTies) {
    std::size_t found = 0;
    for (const Soup& soup : {scenes::cube_lattice(2), scenes::integer_ground(8, 2)}) {
        const All model(soup);
        Random random(7);
        for (unsigned k = 0; k < test::scaled(60); ++k) {
            test::BoxParts box;
            for (int i = 0; i < 3; ++i) {
                box.lo[i] = static_cast<double>(random.below(5));
                box.hi[i] = box.lo[i] + random.below(3);
                if (random.below(5) == 0) box.lo[i] = -infinity;
                if (random.below(5) == 0) box.hi[i] = infinity;
            }
            const Vec3 by{static_cast<double>(random.below(3)), static_cast<double>(random.below(3)), 0};
            const Affine place =
                random.below(2) ? Affine() : scenes::placed(scenes::axis_rotation(random.below(24)), by);
            found += model.expect<Box>(box, place);
            const Vec3 n{static_cast<double>(random.below(3)), 1, static_cast<double>(random.below(2)) - 1};
            found += model.expect(*Slab::plane(n, static_cast<double>(random.below(8))), place);
            found += model.expect(*Slab::half_space(n, static_cast<double>(random.below(4))), place);
        }
    }
    EXPECT_GT(found, test::scaled(3000));
}

TEST(RegionsAgree, FarFromTheOrigin) {
    for (const double far : {1e8, 1e14, 3e15}) {
        Soup soup = scenes::random_soup(60, 0.4, 1);
        for (Vec3& p : soup.points) p = p + Vec3{far, -far, 0.3 * far};
        const All model(soup);
        Random random(8);
        for (unsigned k = 0; k < test::scaled(10); ++k) {
            const Affine place = any_placement(random, {-far, 0, far});
            const Vec3 at = place(model.point(random));
            model.expect<Box>(any_box(random, at, 0.5), place);
            model.expect(any_slab(random, at, 0.5), place);
        }
    }
}

/// Most of a large model is left out, or taken in whole, without a look at its triangles.
TEST(RegionsAgree, LargeModelsAreCulled) {
    const Soup soup = scenes::torus(1, 0.4, 200, 100);
    const std::size_t n = soup.triangle_count();
    for (const study::TreeKind tree : {study::TreeKind::Wide, study::TreeKind::Binary})
        for (const study::Volume volume : {study::Volume::Obb, study::Volume::Aabb}) {
            const Model model = *study::build(soup, {.tree = tree, .volume = volume});
            SCOPED_TRACE(model.summary());
            const auto expect = [&](const auto& region, const Affine& place, std::size_t most) {
                Triangles expected;
                for (std::uint32_t i = 0; i < n; ++i) {
                    const Triangle t = model.triangle(i);
                    bool exact = false;
                    if (detail::meet({place(t.a), place(t.b), place(t.c)}, region, exact)) expected.push_back(i);
                }
                QueryStats stats;
                const Triangles found = overlapping(region, model, place, {.stats = &stats});
                EXPECT_EQ(found, expected);
                EXPECT_LT(stats.box_tests + stats.triangle_tests, most);
                return found.size();
            };
            Random random(9);
            for (int k = 0; k < 5; ++k) {
                const Affine place = scenes::placed(scenes::random_rotation(random), random.in_cube(-1, 1));
                const Vec3 at = place(soup.points[random.below(static_cast<std::uint32_t>(soup.points.size()))]);
                const Vec3 half{0.03, 0.03, 0.03};
                EXPECT_GT(expect(*Box::between(at - half, at + half), place, n / 40), 10u);
                EXPECT_GT(expect(*Box::between(at, {infinity, at.y, at.z}), place, n / 40), 0u);
                const Vec3 normal = scenes::random_direction(random);
                EXPECT_GT(expect(*Slab::plane(normal, dot(normal, at)), place, n / 3), 10u);
                EXPECT_GT(expect(*Slab::half_space(normal, dot(normal, at)), place, n / 3), 10u);
            }
        }
}

/// A plane that a subtree is within is not asked of it again, and a subtree within all not at all.
TEST(RegionsAgree, WholeSubtreesAreTaken) {
    const Model model = *Model::build(scenes::sphere(8000));
    QueryStats stats;
    const Slab all[] = {*Slab::half_space({0, 0, 1}, 2), *Slab::half_space({1, 1, 0}, 2),
                        *Slab::between({0, 1, 0}, -3, 3)};
    EXPECT_EQ(visible(all, model, {}, {.stats = &stats}).size(), model.triangle_count());
    EXPECT_LT(stats.box_tests, 100u);
    EXPECT_EQ(stats.triangle_tests, 0u);
}

}  // namespace
}  // namespace graze
