// SPDX-License-Identifier: Apache-2.0
// The volumes' and float filters' error bounds, attacked where they are thin: poses are driven by
// bisection with the exact predicate to the last bit between touching and apart, and the tree must
// answer as brute force does there and at every scale of distance around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "agree/duel.hpp"
#include "agree/golden.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using namespace test;
using scenes::Random;
using scenes::Soup;

Soup moved(Soup s, double factor, const Vec3& by) {
    for (Vec3& p : s.points) p = p * factor + by;
    return s;
}

Soup turned(const Soup& s, const Mat3& r) { return scenes::transformed(s, *Pose::from_matrix(r, {})); }

/// A flat square of 2·n² triangles in z = 0, [-1, 1]².
Soup plate(std::uint32_t n) {
    Soup s = scenes::integer_ground(n, 0);
    for (Vec3& p : s.points) p = {p.x * 2 / n - 1, p.y * 2 / n - 1, 0};
    return s;
}

/// A tetrahedron with a tip on the x axis, the other corners 1/16 off it, and n − 4 small triangles
/// scattered at its far end: a long box whose tip alone is in play.
Soup spear(std::uint32_t n, Random& random) {
    Soup s;
    s.points = {{1, 0, 0}, {-1, 0.0625, 0}, {-1, -0.0625, 0.0625}, {-1, 0, -0.0625}};
    s.corners = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    for (std::uint32_t i = 4; i < n; ++i) {
        const Vec3 c = Vec3{-0.9, 0, 0} + random.in_cube(-0.0625, 0.0625);
        const std::uint32_t p = s.add(c), q = s.add(c + random.in_cube(-0.01, 0.01)),
                            r = s.add(c + random.in_cube(-0.01, 0.01));
        s.add_triangle(p, q, r);
    }
    return s;
}

/// Eight small triangles that fill a leaf, and a ninth that makes the model larger by a power of two.
Soup details(Random& random) {
    Soup s = scenes::scale(scenes::tiny(8, random.bits()), std::ldexp(1, -static_cast<int>(random.below(40))));
    const std::uint32_t far = s.add({1, 1, 1});
    s.add_triangle(far, s.add({1, 2, 1}), s.add({1, 1, 2}));
    return s;
}

/// A matrix off orthonormal as far as a pose may be, by random stretching and shear.
Mat3 skewed(const Mat3& r, Random& random) {
    double low = 0, high = 0.02;
    Mat3 s;
    for (Vec3& row : s.row) row = random.below(2) ? random.in_cube(-1, 1) : Vec3{1, 1, -1} * random.between(-1, 1);
    const auto at = [&](double f) {
        Mat3 m;
        for (std::size_t i = 0; i < 3; ++i) m.row[i] = m.row[i] + s.row[i] * f;
        return r * m;
    };
    bisect(low, high, [&](double f) { return Pose::from_matrix(at(f), {}).ok(); });
    return at(low);
}

constexpr unsigned rotations = 7;
Pose rotation(unsigned kind, Random& random) {
    const Mat3 r = scenes::random_rotation(random).rotation();
    const auto made = [](const Mat3& m) { return *Pose::from_matrix(m, {}); };
    switch (kind % rotations) {
        case 0:
            return made(r);
        case 1:
            return scenes::axis_rotation(random.below(24));
        case 2:
            return *Pose::from_quaternion({random.between(-1e-8, 1e-8), random.between(-1e-8, 1e-8), 1e-8, 1}, {});
        case 3:
            return made(skewed(r, random));
        case 4:
            return made(skewed({}, random));
        case 5:
            return made({{-r.row[0], r.row[1], r.row[2]}});
        default: {
            const double f = random.below(2) ? 1.004 : 0.996;
            return made({{r.row[0] * f, r.row[1] * f, r.row[2] * f}});
        }
    }
}

constexpr unsigned shapes = 12;
Soup shape(unsigned kind, Random& random) {
    const std::uint64_t seed = random.bits();
    switch (kind % shapes) {
        case 0:
            return scenes::tiny(1, seed);
        case 1:
            return scenes::tiny(2 + random.below(8), seed);
        case 2:
            return scenes::needles(1 + random.below(12), seed, std::ldexp(1, 1 + static_cast<int>(random.below(40))));
        case 3:
            return scenes::box({1, random.between(0.01, 1), std::ldexp(1, -static_cast<int>(random.below(24)))});
        case 4:
            return plate(1 + random.below(4));
        case 5:
            return turned(plate(3), scenes::random_rotation(random).rotation());
        case 6:
            return turned(scenes::box({1, 0.5, 0.0625}), scenes::random_rotation(random).rotation());
        case 7:
            return scenes::random_soup(9 + random.below(40), 0.2, seed);
        case 8:
            return scenes::degenerate_mixture(20, seed);
        case 9:
            return spear(4 + random.below(20), random);
        case 10:
            return details(random);
        default:
            return scenes::sphere(80);
    }
}

Vec3 some_point(const Model& m, Random& random) {
    const Triangle t = m.triangle(random.below(m.triangle_count()));
    switch (random.below(3)) {
        case 0:
            return t.a * 0.375 + t.b * 0.375 + t.c * 0.25;
        case 1:
            return t.a * 0.5 + t.b * 0.5;
        default:
            return t.a;
    }
}

/// Along an axis, along a normal or an edge of either model, or anywhere.
Vec3 some_direction(const Duel& duel, const Pose& r, Random& random) {
    const auto unit = [&](const Vec3& v) {
        const double most = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
        if (!(most > 0)) return scenes::random_direction(random);
        const Vec3 w{v.x / most, v.y / most, v.z / most};
        return w * (1 / length(w));
    };
    Vec3 d = scenes::random_direction(random);
    const unsigned kind = random.below(6);
    if (kind == 0) return d;
    if (kind == 1) {
        d = {};
        d[static_cast<int>(random.below(3))] = random.below(2) ? 1 : -1;
        return d;
    }
    const Model& m = kind & 1 ? duel.a() : duel.b();
    const Triangle t = m.triangle(random.below(m.triangle_count()));
    const Vec3 u = unit(t.b - t.a), v = unit(t.c - t.a);
    d = kind < 4 ? unit(cross(u, v)) : u;
    if (!(kind & 1)) d = unit(r.rotation() * d);
    return random.below(2) ? d : -d;
}

/// `count` ties of one pair of models; the number that had one.
unsigned attack(Duel& duel, unsigned count, Random& random) {
    const double ra = radius(duel.a()), rb = radius(duel.b());
    unsigned found = 0;
    for (unsigned k = 0; k < count; ++k) {
        Line line;
        line.rotation = rotation(random.below(rotations), random);
        line.direction = some_direction(duel, line.rotation, random);
        line.from = some_point(duel.a(), random) - line.rotation(some_point(duel.b(), random));
        const std::optional<double> s = tie(duel, line, 4 * (ra + rb));
        if (!s) continue;
        ++found;
        if (!probe(duel, line, *s, random.below(2) ? ra : rb, random)) break;
    }
    return found;
}

bool failed() { return testing::Test::HasFailure(); }

TEST(Bounds, EveryShapeAgainstEvery) {
    Random random(1);
    unsigned found = 0;
    for (unsigned round = 0; round < scaled(24); ++round)
        for (unsigned i = 0; i < shapes && !failed(); ++i)
            for (unsigned j = 0; j < shapes && !failed(); ++j) {
                Duel duel(shape(i, random), shape(j, random));
                found += attack(duel, 4, random);
            }
    EXPECT_GT(found, scaled(24) * shapes * shapes);
}

TEST(Bounds, SingleTriangles) {
    Random random(2);
    unsigned found = 0;
    for (unsigned k = 0; k < scaled(20'000) && !failed(); ++k) {
        Duel duel(shape(random.below(3) == 0 ? 2 : 0, random), shape(0, random));
        found += attack(duel, 2, random);
    }
    EXPECT_GT(found, scaled(20'000));
}

/// Both models of one size, or of sizes that differ, from subnormal numbers to the largest.
TEST(Bounds, EveryScale) {
    Random random(3);
    constexpr double sizes[][2] = {
        {1e-12, 1e-12}, {1e12, 1e12}, {1e-300, 1e-300}, {1e-306, 1e-306}, {1e-310, 1e-310}, {1e-318, 1e-318},
        {1e299, 1e299}, {1, 1e6},     {1e6, 1},         {1, 6e10},        {6e10, 1},        {1e11, 1},
        {1, 1e13},      {1e300, 1},   {1, 1e-300},      {1e-300, 1e-290}, {1e290, 1e299},   {1e-316, 1e-308}};
    for (const auto& size : sizes) {
        unsigned found = 0;
        // The truth is slow to find over such a range of exponents.
        const bool slow = size[0] / size[1] > 1e100 || size[1] / size[0] > 1e100;
        const unsigned rounds = scaled(slow ? 8 : 60);
        for (unsigned k = 0; k < rounds && !failed(); ++k) {
            Duel duel(moved(shape(random.below(shapes), random), size[0], {}),
                      moved(shape(random.below(shapes), random), size[1], {}));
            found += attack(duel, 3, random);
        }
        EXPECT_GE(found, rounds / 4) << size[0] << ' ' << size[1];
        if (failed()) {
            std::printf("sizes %g %g\n", size[0], size[1]);
            return;
        }
    }
}

/// Far from the origin, together and by the pose's translation alone.
TEST(Bounds, FarFromTheOrigin) {
    Random random(4);
    for (const double far : {1e3, 1e6, 1e9, 1e12, 1e14, 1e15})
        for (int which = 1; which < 4; ++which) {
            unsigned found = 0;
            const unsigned rounds = scaled(50);
            for (unsigned k = 0; k < rounds && !failed(); ++k) {
                const double size = std::ldexp(1, static_cast<int>(random.below(60)) - 30);
                const Vec3 off_a = which & 1 ? scenes::random_direction(random) * (far * size) : Vec3{};
                const Vec3 off_b = which & 2 ? scenes::random_direction(random) * (far * size) : Vec3{};
                Duel duel(moved(shape(random.below(shapes), random), size, off_a),
                          moved(shape(random.below(shapes), random), size, off_b));
                found += attack(duel, 3, random);
            }
            EXPECT_GE(found, rounds / 8) << far << ' ' << which;
            if (failed()) {
                std::printf("far %g, which %d\n", far, which);
                return;
            }
        }
}

/// Faces parallel up to rounding, each model turned in its own frame: the boxes' own axes part
/// them, at every level of the tree, exactly where the triangles do.
TEST(Bounds, ParallelFaces) {
    Random random(5);
    unsigned found = 0;
    const unsigned rounds = scaled(1000);
    for (unsigned k = 0; k < rounds && !failed(); ++k) {
        const auto slab = [&] { return random.below(2) ? plate(2 + random.below(5)) : scenes::box({1, 0.75, 0.125}); };
        const double ratio = std::ldexp(1, static_cast<int>(random.below(20)));
        const Mat3 qa = scenes::random_rotation(random).rotation(), qb = scenes::random_rotation(random).rotation();
        Duel duel(turned(slab(), qa), moved(turned(slab(), qb), random.below(2) ? 1 : ratio, {}));
        const double ra = radius(duel.a()), rb = radius(duel.b());
        const Mat3 axes = scenes::axis_rotation(random.below(24)).rotation();
        Mat3 r = qa * axes * transpose(qb);
        if (random.below(3) == 0) r = skewed(r, random);
        for (int i = 0; i < 3; ++i) {
            Line line{*Pose::from_matrix(r, {}), {}, qa.column(i)};
            line.from = some_point(duel.a(), random) - line.rotation(some_point(duel.b(), random));
            if (const std::optional<double> s = tie(duel, line, 4 * (ra + rb))) {
                ++found;
                if (!probe(duel, line, *s, std::min(ra, rb), random)) break;
            }
        }
    }
    EXPECT_GT(found, rounds);
}

/// A box that slides on another's face and a lattice on a lattice: every contact is an exact tie.
TEST(Bounds, SlidingOnAFace) {
    Random random(6);
    Duel boxes(scenes::box({2, 1, 0.5}), scenes::box({0.25, 0.5, 1}));
    Duel grounds(scenes::integer_ground(6, 1, 1), scenes::integer_ground(5, 1, 2));
    Duel lattices(scenes::cube_lattice(2), scenes::cube_lattice(2));
    for (unsigned k = 0; k < scaled(600) && !failed(); ++k) {
        const double u = random.between(-2.5, 2.5), v = random.between(-2, 2);
        const Pose r = scenes::axis_rotation(random.below(24));
        const Vec3 half = r(Vec3{0.25, 0.5, 1});
        const double z = 0.5 + std::abs(half.z);
        for (const double at : {z, -z, std::nextafter(z, 9), std::nextafter(z, 0)})
            boxes.agrees(*Pose::from_matrix(r.rotation(), {u, v, at}));
        const auto whole = [&] { return static_cast<double>(random.below(9)) - 4; };
        for (Duel* d : {&grounds, &lattices}) {
            const Vec3 t{whole(), whole(), whole()};
            d->agrees(*Pose::from_matrix(r.rotation(), t));
            d->agrees(*Pose::from_matrix(r.rotation(), {std::nextafter(t.x, 9), t.y, std::nextafter(t.z, -9)}));
            d->agrees(*Pose::from_matrix(r.rotation(), {t.x + 0x1p-25, t.y, t.z - 0x1p-24}));
        }
    }
}

/// Long bodies under poses as skew as may be: the tips' true places and the boxes' differ most.
TEST(Bounds, SkewedTips) {
    Random random(7);
    unsigned found = 0;
    const unsigned rounds = scaled(1200);
    for (unsigned k = 0; k < rounds && !failed(); ++k) {
        const auto body = [&] { return random.below(2) ? spear(12, random) : scenes::box({1, 0x1p-6, 0x1p-10}); };
        Duel duel(turned(body(), scenes::random_rotation(random).rotation()),
                  turned(body(), scenes::random_rotation(random).rotation()));
        for (int i = 0; i < 4; ++i) {
            const Mat3 r = skewed(scenes::random_rotation(random).rotation(), random);
            Line line{*Pose::from_matrix(r, {}), {}, {}};
            line.direction = some_direction(duel, line.rotation, random);
            line.from = duel.a().triangle(0).a - line.rotation(duel.b().triangle(0).a);
            // A tip in the other's middle: somewhere near, the two meet.
            if (random.below(2)) line.from = some_point(duel.a(), random) - line.rotation(duel.b().triangle(0).a);
            if (const std::optional<double> s = tie(duel, line, 4.5)) {
                ++found;
                if (!probe(duel, line, *s, 1, random)) break;
            }
        }
    }
    EXPECT_GT(found, rounds / 2);
}

/// Climbs towards the thinnest margin: the way from the last touching place outwards to where the
/// tree is sure without the exact predicate, over the models' size. A bound too small would bring
/// it to zero; every pose on the way is compared with the truth.
class Climb {
public:
    Climb(std::uint64_t seed, unsigned a, unsigned b) : random_(seed) {
        state_ = {shape(a, random_),
                  shape(b, random_),
                  rotation(random_.below(rotations), random_).rotation(),
                  scenes::random_direction(random_),
                  {}};
        state_.from = state_.a.points[0] - state_.r * state_.b.points[0];
    }

    double run(unsigned steps) {
        double best = margin(state_).value_or(1);
        for (unsigned k = 0; k < steps && !failed(); ++k) {
            State next = state_;
            const double size = std::ldexp(1, -static_cast<int>(random_.below(30)));
            const auto nudge = [&](Vec3& v) { v = v + random_.in_cube(-size, size); };
            switch (random_.below(5)) {
                case 0:
                    nudge(next.a.points[random_.below(static_cast<std::uint32_t>(next.a.points.size()))]);
                    break;
                case 1:
                    nudge(next.b.points[random_.below(static_cast<std::uint32_t>(next.b.points.size()))]);
                    break;
                case 2:
                    nudge(next.r.row[random_.below(3)]);
                    break;
                case 3:
                    nudge(next.from);
                    break;
                default:
                    nudge(next.direction);
                    next.direction = next.direction * (1 / length(next.direction));
            }
            const std::optional<double> m = margin(next);
            if (m && *m <= best) best = *m, state_ = next;
        }
        return best;
    }

private:
    struct State {
        Soup a, b;
        Mat3 r;
        Vec3 direction, from;
    };

    /// Nothing when the models do not meet on the line.
    std::optional<double> margin(const State& state) {
        const auto r = Pose::from_matrix(state.r, {});
        if (!r) return {};
        Duel duel(state.a, state.b);
        const Line line{*r, state.from, state.direction};
        const std::optional<double> s = tie(duel, line, 8);
        if (!s) return {};
        for (const int k : {0, 1, -1, 4, -4}) duel.agrees(*line.at(stepped(*s, k)));
        for (int e = 18; e < 32; e += 1 + static_cast<int>(random_.below(3)))
            for (const double d : {std::ldexp(1, -e), -std::ldexp(1, -e)}) duel.agrees(*line.at(*s + d));
        // Sizes stay near one, so that a smaller margin is not just a smaller model.
        const double ra = radius(duel.a()), rb = radius(duel.b());
        if (!(ra > 0.3 && rb > 0.3 && ra < 3 && rb < 3)) return {};
        double unsure = *s, sure = *s + 0.25;
        bisect(unsure, sure, [&](double x) { return duel.effort(*line.at(x)) == 2; });
        for (const double x : {unsure, sure, stepped(sure, 1)}) duel.agrees(*line.at(x));
        return (unsure - *s) / (ra + rb);
    }

    Random random_;
    State state_;
};

TEST(Bounds, Climb) {
    double least = 1;
    const unsigned rounds = scaled(60);
    for (unsigned k = 0; k < rounds && !failed(); ++k) {
        const unsigned a = k % 3 == 0 ? 0 : k % shapes, b = k % 2 == 0 ? 0 : (k / 2) % shapes;
        least = std::min(least, Climb(100 + k, a, b).run(scaled(1000)));
    }
    std::printf("least margin 2^%.2f of the size\n", std::log2(least));
    EXPECT_GE(least, 0);
}

/// Details of a large model against a body of their own size.
TEST(Bounds, SmallDetails) {
    Random random(8);
    unsigned found = 0;
    const unsigned rounds = scaled(1000);
    for (unsigned k = 0; k < rounds && !failed(); ++k) {
        const Soup a = details(random);
        const double size = std::abs(a.points[0].x) + std::abs(a.points[1].x);
        const Soup b = moved(shape(random.below(shapes), random), size, {});
        Duel one(a, b), other(b, a);
        found += attack(one, 2, random) + attack(other, 2, random);
    }
    EXPECT_GT(found, rounds);
}

TEST(Bounds, EnoughWasTried) {
    const Tally& t = tally();
    std::printf("%llu evaluations, %llu pairs, %llu clear\n", static_cast<unsigned long long>(t.evaluations),
                static_cast<unsigned long long>(t.pairs), static_cast<unsigned long long>(t.clear));
    EXPECT_GE(t.pairs, t.evaluations / 2);
    EXPECT_GE(t.clear, t.evaluations / 8);
}

}  // namespace
}  // namespace graze
