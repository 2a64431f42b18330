// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "checks/causes.hpp"
#include "checks/clash.hpp"
#include "files/write.hpp"
#include "scenes/parts.hpp"
#include "scenes/placements.hpp"
#include "scenes/reference.hpp"
#include "scenes/shapes.hpp"
#include "temporary_folder.hpp"

namespace graze::checks {
namespace {

namespace fs = std::filesystem;
using scenes::Random;
using scenes::Soup;

Pose at(double x, double y, double z) { return *Pose::from_matrix({}, {x, y, z}); }

/// Parts as they would be read, and their soups for brute force.
struct Assembly {
    Parts parts;
    std::vector<Soup> soups;

    std::uint32_t shape(Soup soup) {
        parts.models.push_back(*Model::build(soup.view(), {.threads = 1}));
        soups.push_back(std::move(soup));
        return static_cast<std::uint32_t>(soups.size() - 1);
    }
    void place(std::uint32_t shape, const Affine& placement) {
        parts.parts.push_back({"part-" + std::to_string(parts.parts.size()), shape, placement});
    }
    void add(Soup soup, const Affine& placement = {}) { place(shape(std::move(soup)), placement); }

    std::vector<TrianglePair> contacts(std::uint32_t a, std::uint32_t b) const {
        const Part &p = parts.parts[a], &q = parts.parts[b];
        return scenes::Reference(soups[p.model], soups[q.model]).all(*relative(p.world_from_model, q.world_from_model));
    }
    bool crosses(std::uint32_t a, std::uint32_t b, const std::vector<TrianglePair>& pairs) const {
        const Part &p = parts.parts[a], &q = parts.parts[b];
        const Affine a_from_b = *relative(p.world_from_model, q.world_from_model);
        return std::any_of(pairs.begin(), pairs.end(), [&](const TrianglePair& pair) {
            const Triangle t = parts.models[q.model].triangle(pair.b);
            return meeting(parts.models[p.model].triangle(pair.a), {a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)}) ==
                   Meeting::Crossing;
        });
    }
};

std::map<std::array<std::uint32_t, 2>, Kind> kinds_of(const Clashes& clashes) {
    std::map<std::array<std::uint32_t, 2>, Kind> kinds;
    for (const Clash& c : clashes.clashes) kinds[{c.a, c.b}] = c.kind;
    EXPECT_EQ(kinds.size(), clashes.clashes.size());
    return kinds;
}

/// The kind of the only pair, or none.
std::optional<Kind> kind_of_two(const Assembly& assembly) {
    const Result<Clashes> found = find_clashes(assembly.parts);
    EXPECT_TRUE(found);
    return found->clashes.empty() ? std::nullopt : std::optional(found->clashes[0].kind);
}

using Cells = std::set<std::array<int, 3>>;  ///< unit cubes of the lattice, by their low corners

/// The surface of cells, two triangles for each face. Where cells meet in an edge alone, it has four triangles.
Soup surface(const Cells& cells) {
    Soup soup;
    for (const std::array<int, 3>& cell : cells)
        for (int d = 0; d < 3; ++d)
            for (const int side : {0, 1}) {
                std::array<int, 3> beside = cell;
                beside[d] += side == 0 ? -1 : 1;
                if (cells.contains(beside)) continue;
                std::array<std::uint32_t, 4> corner{};
                for (int k = 0; k < 4; ++k) {
                    Vec3 p{double(cell[0]), double(cell[1]), double(cell[2])};
                    p[d] += side;
                    p[(d + 1) % 3] += k == 1 || k == 2;
                    p[(d + 2) % 3] += k > 1;
                    corner[k] = soup.add(p);
                }
                soup.add_quad(corner[0], corner[1], corner[2], corner[3]);
            }
    return scenes::welded(soup);
}

Cells moved(const Cells& cells, const Pose& pose) {
    Cells out;
    for (const std::array<int, 3>& c : cells) {
        const Vec3 middle = pose({c[0] + 0.5, c[1] + 0.5, c[2] + 0.5});
        out.insert({int(std::floor(middle.x)), int(std::floor(middle.y)), int(std::floor(middle.z))});
    }
    return out;
}

/// Blocks of 3×3×3 cells on a random walk, so that a cell fits inside one; or a single cell.
Cells random_cells(Random& random) {
    if (random.below(2) == 0) return {{0, 0, 0}};
    Cells cells;
    std::array<int, 3> at{};
    for (std::uint32_t n = 1 + random.below(4); n > 0; --n) {
        for (int i = 0; i < 27; ++i) cells.insert({at[0] + i % 3, at[1] + i / 3 % 3, at[2] + i / 9});
        at[random.below(3)] += random.below(2) ? 3 : -3;
    }
    return cells;
}

/// Bodies made of cells meet in exact ties nearly always: flush faces, common edges, corners on faces. Their
/// intersection is known from the cells, and whether their surfaces meet from brute force.
TEST(Clash, BodiesOfCellsAreClassifiedAsTheirCellsSay) {
    Random random(5);
    std::map<Kind, int> seen;
    for (int round = 0; round < 24; ++round) {
        Assembly assembly;
        std::vector<Cells> world;
        for (int i = 0; i < 14; ++i) {
            const Cells cells = random_cells(random);
            assembly.shape(surface(cells));
            for (std::uint32_t n = 1 + random.below(2); n > 0; --n) {
                const Vec3 to{double(random.below(10)), double(random.below(10)), double(random.below(10))};
                const Pose pose = scenes::placed(scenes::axis_rotation(random.below(24)), to);
                assembly.place(static_cast<std::uint32_t>(i), pose);
                world.push_back(moved(cells, pose));
                if (random.below(6) > 0) continue;
                assembly.place(static_cast<std::uint32_t>(i), pose);
                world.push_back(world.back());
            }
        }
        const Result<Clashes> found = find_clashes(assembly.parts);
        ASSERT_TRUE(found);
        auto kinds = kinds_of(*found);
        for (std::uint32_t a = 0; a < world.size(); ++a)
            for (std::uint32_t b = a + 1; b < world.size(); ++b) {
                const bool share = std::any_of(world[a].begin(), world[a].end(),
                                               [&](const auto& cell) { return world[b].contains(cell); });
                const bool meets = !assembly.contacts(a, b).empty();
                const Part &p = assembly.parts.parts[a], &q = assembly.parts.parts[b];
                std::optional<Kind> expected;
                if (p.model == q.model && p.world_from_model == q.world_from_model)
                    expected = Kind::Duplicate;
                else if (world[a] == world[b])
                    expected = Kind::Duplicate;
                else if (share)
                    expected = meets && !std::ranges::includes(world[a], world[b]) &&
                                       !std::ranges::includes(world[b], world[a])
                                   ? Kind::Crossing
                                   : Kind::Inside;
                else if (meets)
                    expected = Kind::Touching;
                const auto at = kinds.find({a, b});
                ASSERT_EQ(at != kinds.end(), expected.has_value()) << round << ": " << a << " and " << b;
                if (!expected) continue;
                EXPECT_STREQ(name(at->second), name(*expected)) << round << ": " << a << " and " << b;
                ++seen[*expected];
            }
    }
    for (const Kind kind : {Kind::Duplicate, Kind::Crossing, Kind::Inside, Kind::Touching})
        EXPECT_GT(seen[kind], 5) << name(kind);
}

/// Spheres and parts, turned any way and some scaled: no ties.
TEST(Clash, RandomAssembliesAgreeWithBruteForce) {
    Random random(11);
    int inside = 0, crossing = 0;
    for (int round = 0; round < 4; ++round) {
        Assembly assembly;
        for (const Soup& part : scenes::parts(400)) assembly.shape(part);
        const std::uint32_t ball = assembly.shape(scenes::sphere(320));
        std::vector<double> radius;  // 0: no ball
        for (int i = 0; i < 40; ++i) {
            const Vec3 to = random.in_cube(0, 5);
            const Pose turn = scenes::random_rotation(random);
            if (random.below(2) == 0) {
                assembly.place(random.below(ball), scenes::placed(turn, to));
                radius.push_back(0);
            } else {
                const double r = random.below(2) ? random.between(0.1, 0.3) : random.between(0.8, 1.6);
                Mat3 m = turn.rotation();
                for (Vec3& row : m.row) row = row * r;
                assembly.place(ball, *Affine::from_matrix(m, to));
                radius.push_back(r);
            }
        }
        const Result<Clashes> found = find_clashes(assembly.parts);
        ASSERT_TRUE(found);
        std::map<std::array<std::uint32_t, 2>, const Clash*> clash;
        for (const Clash& c : found->clashes) clash[{c.a, c.b}] = &c;
        for (std::uint32_t a = 0; a < radius.size(); ++a)
            for (std::uint32_t b = a + 1; b < radius.size(); ++b) {
                const std::vector<TrianglePair> pairs = assembly.contacts(a, b);
                const auto at = clash.find({a, b});
                if (!pairs.empty()) {
                    ASSERT_NE(at, clash.end()) << a << " and " << b;
                    EXPECT_EQ(at->second->contacts, pairs.size());
                    EXPECT_EQ(at->second->pairs, pairs);
                    EXPECT_EQ(at->second->kind, assembly.crosses(a, b, pairs) ? Kind::Crossing : Kind::Touching);
                    ++crossing;
                } else if (radius[a] > 0 && radius[b] > 0) {
                    // Balls that do not meet are one in the other, or apart by more than their facets.
                    const Vec3 way = assembly.parts.parts[a].world_from_model.translation() -
                                     assembly.parts.parts[b].world_from_model.translation();
                    const bool holds = length(way) < std::max(radius[a], radius[b]);
                    ASSERT_EQ(at != clash.end(), holds) << a << " and " << b;
                    if (holds) {
                        EXPECT_EQ(at->second->kind, Kind::Inside);
                    }
                    inside += holds;
                } else if (at != clash.end()) {
                    EXPECT_EQ(at->second->kind, Kind::Inside);
                }
            }
    }
    EXPECT_GT(inside, 5);
    EXPECT_GT(crossing, 50);
}

/// The model as it lies in the world.
Model in_world(const Assembly& assembly, std::uint32_t part) {
    Soup soup = assembly.soups[assembly.parts.parts[part].model];
    for (Vec3& p : soup.points) p = assembly.parts.parts[part].world_from_model(p);
    return *Model::build(soup.view(), {.threads = 1});
}

TEST(Clash, PartsThatAreTooCloseAgreeWithAllDistances) {
    Random random(3);
    int close = 0, scaled_first = 0;
    for (int round = 0; round < 2; ++round) {
        Assembly assembly;
        for (const Soup& part : scenes::parts(30)) assembly.shape(part);
        const std::uint32_t ball = assembly.shape(scenes::sphere(20));
        for (int i = 0; i < 30; ++i) {
            Mat3 m = scenes::random_rotation(random).rotation();
            const bool scaled = random.below(2) == 0;
            for (Vec3& row : m.row) row = row * (scaled ? random.between(0.5, 0.85) : 1);
            assembly.place(random.below(ball + 1), *Affine::from_matrix(m, random.in_cube(0, 5)));
        }
        const Rules rules = *parse_rules(
            "clearance: part-1? * 0.25\n"
            "clearance: part-2 * 0\n"
            "clearance: part-2 part-11 9\n",
            "rules.txt");
        const auto expected = [](std::uint32_t a, std::uint32_t b) {
            const auto tens = [](std::uint32_t i) { return i >= 10 && i < 20; };
            if ((a == 2 && b == 11) || (a == 11 && b == 2)) return 9.0;
            return a == 2 || b == 2 ? 0.0 : tens(a) || tens(b) ? 0.25 : 0.6;
        };
        const Result<Clashes> found = find_clashes(assembly.parts, {.rules = rules, .clearance = 0.6});
        const Result<Clashes> without = find_clashes(assembly.parts);
        ASSERT_TRUE(found && without);
        std::map<std::array<std::uint32_t, 2>, const Clash*> clash;
        for (const Clash& c : found->clashes) clash[{c.a, c.b}] = &c;
        const auto other = kinds_of(*without);
        std::vector<Model> world;
        for (std::uint32_t i = 0; i < 30; ++i) world.push_back(in_world(assembly, i));
        for (std::uint32_t a = 0; a < 30; ++a)
            for (std::uint32_t b = a + 1; b < 30; ++b) {
                const auto at = clash.find({a, b});
                if (const auto kind = other.find({a, b}); kind != other.end()) {
                    ASSERT_NE(at, clash.end()) << a << " and " << b;
                    EXPECT_EQ(at->second->kind, kind->second);
                    EXPECT_FALSE(at->second->closest);
                    continue;
                }
                const double apart = distance(world[a], world[b], {}).distance;
                ASSERT_EQ(at != clash.end(), apart <= expected(a, b)) << a << " and " << b << ": " << apart;
                if (at == clash.end()) continue;
                const Clash& c = *at->second;
                EXPECT_EQ(c.kind, Kind::Clearance);
                EXPECT_EQ(grade(c), 0);
                EXPECT_EQ(c.contacts, 0u);
                ASSERT_TRUE(c.closest);
                EXPECT_NEAR(c.closest->distance, apart, 1e-12);
                EXPECT_NEAR(length(c.closest->point_a - c.closest->point_b), apart, 1e-12);
                EXPECT_NEAR(c.severity, 0.999 * (1 - apart / expected(a, b)), 1e-9);
                ++close;
                const Vec3& row = assembly.parts.parts[a].world_from_model.linear().row[0];
                scaled_first += length(row) < 0.9;
            }
    }
    EXPECT_GT(close, 30);
    EXPECT_GT(scaled_first, 5);
}

TEST(Clash, PartsAtExactlyTheClearanceAreTooClose) {
    for (const double far : {0.0, 1e6}) {
        Assembly assembly;
        const std::uint32_t box = assembly.shape(scenes::box());
        assembly.place(box, at(far, 0, 0));
        assembly.place(box, at(far + 2.5, 0, 0));
        const Result<Clashes> found = find_clashes(assembly.parts, {.clearance = 0.5});
        ASSERT_EQ(found->clashes.size(), 1u);
        EXPECT_EQ(found->clashes[0].kind, Kind::Clearance);
        EXPECT_EQ(found->clashes[0].closest->distance, 0.5);
        EXPECT_EQ(found->clashes[0].closest->point_a.x, far + 1);
        EXPECT_EQ(found->clashes[0].closest->point_b.x, far + 1.5);
        EXPECT_TRUE(find_clashes(assembly.parts, {.clearance = std::nextafter(0.5, 0)})->clashes.empty());
        EXPECT_TRUE(find_clashes(assembly.parts)->clashes.empty());
    }
}

TEST(Clash, RulesAndChoicesCountForPartsThatAreTooClose) {
    Assembly assembly;
    const std::uint32_t box = assembly.shape(scenes::box());
    for (int i = 0; i < 3; ++i) assembly.place(box, at(2.5 * i, 0, 0));
    const auto found = [&](const char* rules) {
        return *find_clashes(assembly.parts, {.rules = *parse_rules(rules, "rules.txt"), .clearance = 1});
    };
    EXPECT_EQ(found("").clashes.size(), 2u);
    const Clashes ignored = found("part-0 * may be close");
    EXPECT_EQ(ignored.clashes.size(), 1u);
    ASSERT_EQ(ignored.ignored.size(), 1u);
    EXPECT_EQ(ignored.ignored[0].b, 1u);
    EXPECT_EQ(found("between: part-2 *").clashes.size(), 1u);
    Clashes all = found("");
    find_causes(assembly.parts, all);
    ASSERT_EQ(all.causes.size(), 1u);
    EXPECT_NE(all.causes[0].find("are too close to each other"), std::string::npos) << all.causes[0];
    keep(all, {.kinds = {true, true, true, true, false}});
    EXPECT_TRUE(all.clashes.empty());
}

TEST(Clash, FlushBoxesReachIntoEachOther) {
    for (const double x : {0.5, 1.0, 1.999}) {
        Assembly assembly;
        assembly.add(scenes::box());
        assembly.add(scenes::box(), at(x, 0, 0));
        ASSERT_FALSE(assembly.crosses(0, 1, assembly.contacts(0, 1))) << "no two triangles cross";
        EXPECT_EQ(kind_of_two(assembly), Kind::Crossing) << x;
    }
    Assembly side_by_side;
    side_by_side.add(scenes::box());
    side_by_side.add(scenes::box(), at(2, 0, 0));
    EXPECT_EQ(kind_of_two(side_by_side), Kind::Touching);
    Assembly apart;
    apart.add(scenes::box());
    apart.add(scenes::box(), at(std::nextafter(2.0, 3.0), 0, 0));
    EXPECT_EQ(kind_of_two(apart), std::nullopt);
}

/// A closed cylinder with a ring of edges at z = 0.
Soup cylinder() {
    std::vector<scenes::Knot> profile{{0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}};
    return scenes::revolved(profile, false, 24);
}

Soup square(double half, double x = 0) {
    Soup soup;
    for (const Vec3& p : {Vec3{-half, -half, 0}, Vec3{half, -half, 0}, Vec3{half, half, 0}, Vec3{-half, half, 0}})
        soup.add(p + Vec3{x, 0, 0});
    soup.add_quad(0, 1, 2, 3);
    return soup;
}

TEST(Clash, APlaneThroughARingOfEdgesCrosses) {
    for (const double x : {0.0, 0.3, 20.0}) {
        // Far larger than the cylinder, so that no corner and no middle of its triangles is inside.
        Assembly assembly;
        assembly.add(cylinder());
        assembly.add(square(50, x));
        ASSERT_TRUE(Solid(assembly.parts.models[0]).closed());
        const auto pairs = assembly.contacts(0, 1);
        ASSERT_FALSE(pairs.empty());
        ASSERT_FALSE(assembly.crosses(0, 1, pairs)) << "the ring is not in the plane";
        EXPECT_EQ(kind_of_two(assembly), Kind::Crossing);
    }
    // On its lid it only lies.
    Assembly lid;
    lid.add(cylinder());
    lid.add(square(50), at(0, 0, 1));
    EXPECT_EQ(kind_of_two(lid), Kind::Touching);
}

TEST(Clash, OfAnOpenBoxNothingIsInside) {
    Soup open = scenes::box({2, 2, 2});
    open.corners.resize(open.corners.size() - 3);
    Assembly outer_open;
    outer_open.add(open);
    outer_open.add(scenes::box());
    EXPECT_EQ(kind_of_two(outer_open), std::nullopt);

    Assembly inner_open;
    Soup small = scenes::box();
    small.corners.resize(small.corners.size() - 3);
    inner_open.add(small);
    inner_open.add(scenes::box({2, 2, 2}));
    EXPECT_EQ(kind_of_two(inner_open), Kind::Inside);
    // Standing on the floor from inside.
    inner_open.parts.parts[0].world_from_model = at(0, 0, -1);
    EXPECT_EQ(kind_of_two(inner_open), Kind::Inside);
}

TEST(Clash, ACavityIsOutside) {
    Soup inner = scenes::box({2, 2, 2});
    Assembly assembly;
    assembly.add(scenes::joined(scenes::box({3, 3, 3}), inner));
    assembly.add(scenes::box());
    EXPECT_EQ(kind_of_two(assembly), std::nullopt);
    assembly.parts.parts[1].world_from_model = at(1, 0, 0);
    EXPECT_EQ(kind_of_two(assembly), Kind::Touching);
    assembly.parts.parts[1].world_from_model = at(1.5, 0, 0);
    EXPECT_EQ(kind_of_two(assembly), Kind::Crossing);
}

/// Flush in the world, but placed by rotations that round: what is decided is never more than what rounding allows.
TEST(Clash, TurnedBoxesSideBySideAreNeverTakenForOneInTheOther) {
    Random random(3);
    for (int i = 0; i < 200; ++i) {
        Assembly assembly;
        const Pose turn = scenes::random_rotation(random);
        assembly.add(scenes::box(), turn);
        assembly.add(scenes::box({1, 0.5, 0.25}), compose(turn, at(2, 0, 0)));
        const Result<Clashes> found = find_clashes(assembly.parts);
        ASSERT_TRUE(found);
        const auto pairs = assembly.contacts(0, 1);
        ASSERT_EQ(found->clashes.size(), pairs.empty() ? 0u : 1u);
        if (pairs.empty()) continue;
        EXPECT_EQ(found->clashes[0].kind, assembly.crosses(0, 1, pairs) ? Kind::Crossing : Kind::Touching);
    }
}

TEST(Clash, ThreadsAndLimitsDoNotChangeTheAnswer) {
    Random random(2);
    Assembly assembly;
    for (const Soup& part : scenes::parts(600)) assembly.shape(part);
    for (int i = 0; i < 60; ++i)
        assembly.place(random.below(6), scenes::placed(scenes::random_rotation(random), random.in_cube(0, 4)));
    std::size_t last = 0, total = 0;
    const Result<Clashes> one = find_clashes(assembly.parts, {.threads = 1}, [&](std::size_t done, std::size_t of) {
        EXPECT_GE(done, last);
        last = done;
        total = of;
    });
    EXPECT_EQ(last, total);
    const Result<Clashes> two = find_clashes(assembly.parts, {.pairs = 5, .threads = 2});
    ASSERT_TRUE(one && two);
    ASSERT_EQ(one->clashes.size(), two->clashes.size());
    EXPECT_GT(one->clashes.size(), 20u);
    for (std::size_t i = 0; i < one->clashes.size(); ++i) {
        const Clash &x = one->clashes[i], &y = two->clashes[i];
        EXPECT_EQ(std::tuple(x.a, x.b, x.kind, x.contacts), std::tuple(y.a, y.b, y.kind, y.contacts));
        EXPECT_EQ(x.low, y.low);
        EXPECT_EQ(x.high, y.high);
        EXPECT_EQ(std::tuple(x.extent, x.measures.depth, x.severity),
                  std::tuple(y.extent, y.measures.depth, y.severity));
        EXPECT_LE(y.pairs.size(), 5u);
        EXPECT_TRUE(std::includes(x.pairs.begin(), x.pairs.end(), y.pairs.begin(), y.pairs.end()));
        for (int d = 0; d < 3; ++d) EXPECT_LE(x.low[d], x.high[d]);
    }
}

/// The only clash of two parts, with a tolerance of 10 µm.
Clash clash_of_two(Soup a, Soup b, const Affine& world_from_b, double tolerance = 1e-5) {
    Assembly assembly;
    assembly.add(std::move(a));
    assembly.add(std::move(b), world_from_b);
    const Result<Clashes> found = find_clashes(assembly.parts, {.tolerance = tolerance});
    EXPECT_TRUE(found);
    EXPECT_EQ(found->clashes.size(), 1u);
    return found->clashes.empty() ? Clash() : found->clashes[0];
}

Soup tube(double radius, double length, int around, int rings) {
    std::vector<scenes::Knot> profile{{0, -length / 2}};
    for (int i = 0; i <= rings; ++i) profile.push_back({radius, length * (double(i) / rings - 0.5)});
    profile.push_back({0, length / 2});
    return scenes::revolved(profile, false, around);
}

/// A wall, 2 × 2 × 0.2, with a square hole of the given half width.
Soup wall_with_hole(double half) {
    Soup soup;
    const auto ring = [&](double r, double z) {
        for (const auto& [x, y] : {std::pair(-r, -r), std::pair(r, -r), std::pair(r, r), std::pair(-r, r)})
            soup.add({x, y, z});
    };
    ring(1, -0.1), ring(1, 0.1), ring(half, 0.1), ring(half, -0.1);
    for (std::uint32_t r = 0; r < 4; ++r)
        for (std::uint32_t k = 0; k < 4; ++k) {
            const std::uint32_t next = (r + 1) % 4;
            soup.add_quad(4 * r + k, 4 * r + (k + 1) % 4, 4 * next + (k + 1) % 4, 4 * next + k);
        }
    return soup;
}

const Pose turned = *Pose::from_matrix(Mat3{{Vec3{0, 0, 1}, Vec3{1, 0, 0}, Vec3{0, 1, 0}}}, {});

TEST(Overlap, SliversAreThin) {
    // One face a little inside a larger one, beside it, at a corner, and in any direction.
    for (const double by : {1e-6, 5e-6, 1e-9}) {
        for (const Vec3& to : {Vec3{0, 0, 3 - by}, Vec3{1.5, 1.5, 3 - by}, Vec3{3 - by, 2.5, 2.5}}) {
            const Clash clash = clash_of_two(scenes::box({2, 2, 2}), scenes::box(), at(to.x, to.y, to.z));
            EXPECT_EQ(clash.kind, Kind::Crossing);
            EXPECT_TRUE(clash.thin) << by;
            EXPECT_NEAR(*clash.measures.depth, by, 0.05 * by);
            EXPECT_EQ(grade(clash), 2);
        }
        // A window that is a little too large for the hole: thin on all sides, though wide as a whole.
        const Clash window = clash_of_two(wall_with_hole(0.5), scenes::box({0.5 + by, 0.5 + by, 0.3}), Affine());
        EXPECT_EQ(window.kind, Kind::Crossing);
        EXPECT_TRUE(window.thin);
        EXPECT_GT(window.extent, 1.4);
    }
    Random random(7);
    for (int i = 0; i < 20; ++i) {
        const Pose turn = scenes::random_rotation(random);
        const Clash clash = clash_of_two(scenes::transformed(scenes::box({2, 2, 2}), turn), scenes::box(),
                                         compose(turn, at(0, 0, 3 - 1e-6)));
        EXPECT_TRUE(clash.thin);
        EXPECT_GT(*clash.measures.depth, 0.5e-6);
        EXPECT_LT(*clash.measures.depth, 1.01e-6);
    }
}

TEST(Overlap, WhatReachesDeepIsNotThin) {
    const Clash pipes = clash_of_two(tube(0.05, 2, 24, 1), tube(0.05, 2, 24, 20), turned);
    EXPECT_EQ(pipes.kind, Kind::Crossing);
    EXPECT_FALSE(pipes.thin);
    EXPECT_GT(*pipes.measures.depth, 0.005);
    // A bolt of 4 mm through a sheet of 1 mm, whose contacts are two plane circles.
    const Clash bolt = clash_of_two(scenes::box({0.1, 0.1, 0.0005}), tube(0.002, 0.02, 24, 40), Affine());
    EXPECT_FALSE(bolt.thin);
    EXPECT_GT(*bolt.measures.depth, 1e-4);
    // A pipe that ends in a wall: one plane curve, with triangles smaller than the tolerance.
    const Clash end = clash_of_two(scenes::box(), tube(0.05, 1, 24, 400), at(0, 0, 1.3), 0.004);
    EXPECT_FALSE(end.thin);
    EXPECT_GT(*end.measures.depth, 0.02);
    EXPECT_NEAR(end.extent, 0.1 * std::sqrt(2), 0.01) << "of the curve, not of the triangles";
    // Walls that are flush on all sides: no two triangles cross.
    const Clash walls = clash_of_two(scenes::box({2, 0.1, 1.5}), scenes::box({2, 0.1, 1.5}), at(3.95, 0, 0));
    EXPECT_EQ(walls.kind, Kind::Crossing);
    EXPECT_FALSE(walls.thin);
    EXPECT_NEAR(*walls.measures.depth, 0.05, 0.001);
    // Faces that lie on each other have no overlap at all.
    const Clash faces = clash_of_two(scenes::box(), scenes::box(), at(2, 0.5, 0));
    EXPECT_EQ(faces.kind, Kind::Touching);
    EXPECT_FALSE(faces.thin);
    EXPECT_EQ(faces.measures.depth, std::nullopt);
    EXPECT_NEAR(faces.extent, std::hypot(1.5, 2), 1e-12);
    // Two open parts have no inside, but it is known how far one passes through the other.
    const auto sheets = [&](double x) {
        return clash_of_two(square(1), scenes::transformed(square(1), turned), at(x, 0, 0));
    };
    for (const double x : {0.999999, 0.9}) {
        EXPECT_EQ(sheets(x).kind, Kind::Crossing);
        EXPECT_EQ(sheets(x).thin, x > 0.99);
        EXPECT_NEAR(*sheets(x).measures.depth, 1 - x, 1e-12);
    }
}

TEST(Overlap, GraverKindsAndLargerRegionsAreMoreSevere) {
    Assembly assembly;
    assembly.add(scenes::box({3, 3, 3}));
    assembly.add(scenes::box());                               // inside
    assembly.add(scenes::box(), at(3, 0, 0));                  // crosses
    assembly.add(scenes::box({0.5, 0.5, 0.5}), at(-3, 0, 0));  // crosses in a smaller region
    assembly.add(scenes::box(), at(0, 4, 0));                  // touches
    assembly.add(scenes::box(), at(0, -4 + 1e-6, 0));          // thin
    assembly.place(1, at(50, 0, 0));
    assembly.place(1, at(50, 0, 0));  // duplicates
    Clashes found = *find_clashes(assembly.parts, {.tolerance = 1e-5});
    std::ranges::sort(found.clashes, std::greater(), &Clash::severity);
    std::vector<std::uint32_t> order;
    for (const Clash& clash : found.clashes) order.push_back(clash.b);
    EXPECT_EQ(order, (std::vector<std::uint32_t>{7, 2, 3, 1, 5, 4}));
}

/// Parts by their paths, and clashes between them by number. Where a clash lies does not matter unless it is set.
struct Listed {
    Parts parts;
    Clashes clashes;

    explicit Listed(const std::vector<std::string>& paths) {
        for (const std::string& path : paths) parts.parts.push_back({path, 0, {}});
    }
    Clash& add(std::uint32_t a, std::uint32_t b, Kind kind = Kind::Crossing) {
        Clash& clash = clashes.clashes.emplace_back();
        clash.a = a, clash.b = b, clash.kind = kind;
        const double far = 100.0 * static_cast<double>(clashes.clashes.size());
        clash.low = clash.high = {far, far, far};
        return clash;
    }
    /// The causes of the clashes, in the order of the clashes.
    std::vector<std::string> causes() {
        find_causes(parts, clashes);
        std::vector<std::string> names;
        for (const Clash& clash : clashes.clashes) names.push_back(clashes.causes.at(clash.cause - 1));
        return names;
    }
};

TEST(Causes, NamesAreAsShortAsTheyCanBe) {
    const Listed listed({"house/floor 1/pipe", "house/floor 2/pipe", "house/door", "door", "a/b#2", "/x", ""});
    EXPECT_EQ(short_names(listed.parts),
              (std::vector<std::string>{"floor 1/pipe", "floor 2/pipe", "house/door", "door", "b#2", "/x", ""}));
}

TEST(Causes, APartThatClashesWithMany) {
    Listed listed({"m/pipe-12", "m/beam-1", "m/beam-2", "m/beam-3", "m/wall", "m/slab"});
    for (std::uint32_t i = 1; i < 4; ++i) listed.add(0, i);
    listed.add(4, 5);
    listed.add(0, 5, Kind::Touching);  // is of another grade
    EXPECT_EQ(
        listed.causes(),
        (std::vector<std::string>{"pipe-12 crosses 3 parts like beam-1", "pipe-12 crosses 3 parts like beam-1",
                                  "pipe-12 crosses 3 parts like beam-1", "wall crosses slab", "pipe-12 touches slab"}));
    EXPECT_EQ(listed.clashes.clashes[0].cause, 1u) << "more clashes come first";
    listed.clashes.clashes[3].state = State::Worse;
    listed.causes();
    EXPECT_EQ(listed.clashes.clashes[3].cause, 1u) << "worse ones come before";
}

TEST(Causes, APartInTheWrongPlaceAndOneOfManyAlike) {
    // Twenty risers through ten slabs are one cause. A crate that meets something of everything is another.
    std::vector<std::string> paths{"crate", "door", "lamp", "desk"};
    for (int i = 0; i < 20; ++i) paths.push_back("riser-" + std::to_string(i));
    for (int i = 0; i < 10; ++i) paths.push_back("slab-" + std::to_string(i));
    Listed listed(paths);
    for (std::uint32_t i = 1; i < 4; ++i) listed.add(0, i);
    for (std::uint32_t riser = 4; riser < 24; ++riser)
        for (std::uint32_t slab = 24; slab < 34; ++slab) listed.add(riser, slab);
    listed.causes();
    EXPECT_EQ(listed.clashes.causes,
              (std::vector<std::string>{"200 pairs like riser-0 and slab-0 cross", "crate crosses 3 parts"}));
}

TEST(Causes, EqualPairsOfAStorey) {
    Listed listed({"bolt-1", "nut-1", "bolt-2", "nut-2", "bolt-13", "nut-13", "bolt-4", "nut-4"});
    for (std::uint32_t i = 0; i < 8; i += 2) listed.add(i, i + 1);
    EXPECT_EQ(listed.causes(), std::vector<std::string>(4, "4 pairs like bolt-1 and nut-1 cross"));
    for (std::uint32_t i = 0; i < 8; ++i) listed.parts.parts[i].labels.storey = i < 4 ? "EG" : "OG";
    EXPECT_EQ(listed.causes(), (std::vector<std::string>{"2 pairs like bolt-1 and nut-1 cross, storey EG",
                                                         "2 pairs like bolt-1 and nut-1 cross, storey EG",
                                                         "2 pairs like bolt-13 and nut-13 cross, storey OG",
                                                         "2 pairs like bolt-13 and nut-13 cross, storey OG"}));
    EXPECT_EQ(listed.clashes.causes.size(), 2u);
}

TEST(Causes, ClashesOfOnePlace) {
    Listed listed({"duct", "wall", "lamp", "tray", "door", "sink"});
    listed.add(0, 1).low = {1, 1, 1};
    listed.add(2, 3).low = {1, 1, 1.5};
    listed.add(4, 5).low = {1, 1, 9};
    for (Clash& clash : listed.clashes.clashes) {
        clash.high = clash.low + Vec3{0.5, 0.5, 0.25};
        clash.extent = 0.75;
    }
    EXPECT_EQ(listed.causes(), (std::vector<std::string>{"2 pairs near duct and wall cross",
                                                         "2 pairs near duct and wall cross", "door crosses sink"}));
    listed.clashes.clashes.clear();
    EXPECT_TRUE(listed.causes().empty());
    EXPECT_TRUE(listed.clashes.causes.empty());
}

TEST(Clash, PointsThatNoTriangleUsesDoNotMatter) {
    for (const Vec3& place : {Vec3{}, Vec3{0.25, 0, 0}}) {
        Assembly assembly;
        assembly.add(scenes::box({3, 3, 3}));
        scenes::Soup inner = scenes::box();
        inner.add({100, 0, 0});
        assembly.add(inner, at(place.x, place.y, place.z));
        const Result<Clashes> found = find_clashes(assembly.parts);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->count(Kind::Inside), 1u);
    }
}

TEST(Clash, RulesLeavePairsOutAndSayWhich) {
    Assembly assembly;
    assembly.add(scenes::box({3, 3, 3}));
    assembly.add(scenes::box());                  // inside
    assembly.add(scenes::box(), at(3, 0, 0.25));  // crosses the first
    assembly.parts.parts[0].path = "frame/housing";
    assembly.parts.parts[1].path = "frame/bolt-1";
    assembly.parts.parts[2].path = "bolt-2";
    Rules rules;
    rules.rules = {{"nut-*", "*", "no such thing"}, {"bolt-*", "housing", "moulded in"}};
    const Result<Clashes> found = find_clashes(assembly.parts, {.rules = rules});
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->clashes.empty());
    ASSERT_EQ(found->ignored.size(), 2u);
    for (const Ignored& pair : found->ignored) EXPECT_EQ(pair.rule, 1u);
    ASSERT_EQ(find_clashes(assembly.parts)->count(Kind::Inside), 1u);
    EXPECT_EQ(find_clashes(assembly.parts)->clashes[1].note, "frame/bolt-1 is inside");
    Clashes all = *find_clashes(assembly.parts);
    all.clashes[0].thin = true;
    Clashes thin = all;
    keep(all, {.kinds = {false, true, false, false}});
    EXPECT_EQ(all.clashes.size(), 1u) << "thin by default";
    keep(all, {.thin = false});
    EXPECT_TRUE(all.clashes.empty());
    keep(thin, {.kinds = {}});
    ASSERT_EQ(thin.clashes.size(), 1u);
    EXPECT_EQ(thin.count_thin(), 1u);
}

TEST(Clash, OnlyPairsThatAreAskedForAreChecked) {
    Random random(4);
    Assembly assembly;
    for (const Soup& part : scenes::parts(200)) assembly.shape(part);
    assembly.shape(scenes::box({3, 3, 3}));
    for (int i = 0; i < 60; ++i)
        assembly.place(random.below(7), scenes::placed(scenes::random_rotation(random), random.in_cube(0, 4)));
    for (int i = 0; i < 10; ++i) assembly.parts.parts.push_back(assembly.parts.parts[i]);
    for (std::uint32_t i = 0; i < 70; ++i) assembly.parts.parts[i].path = std::to_string(i);
    const Clashes all = *find_clashes(assembly.parts);
    std::string text = "between: 1? 2?\nbetween: 3? 6?\nbetween: ? 6?\nbetween: 4* 4*\n";
    for (int more = 0; more < 2; ++more) {
        ClashSettings settings{.rules = *parse_rules(text, "rules.txt")};
        const Clashes some = *find_clashes(assembly.parts, settings);
        std::vector<std::array<std::uint32_t, 2>> expected, got;
        const WantedPairs wanted(assembly.parts, settings.rules);
        for (const Clash& c : all.clashes)
            if (wanted(c.a, c.b)) expected.push_back({c.a, c.b});
        for (const Clash& c : some.clashes) got.push_back({c.a, c.b});
        EXPECT_EQ(got, expected);
        EXPECT_GT(got.size(), 20u);
        EXPECT_LT(got.size(), all.clashes.size() / 2);
        EXPECT_GT(some.count(Kind::Duplicate), 0u);
        EXPECT_GT(some.count(Kind::Inside), 0u);
        for (int i = 0; i < 20; ++i) text += "between: none none\n";  // more than a scene has layers for
    }
}

class ReadParts : public test::InTemporaryFolder {
protected:
    using InTemporaryFolder::write;
    void write(const std::string& name, const Soup& soup, const Affine& placement = {}) const {
        fs::create_directories((folder_ / name).parent_path());
        files::Mesh mesh;
        mesh.points = soup.points;
        mesh.corners = soup.corners;
        files::Assembly assembly = files::single(std::move(mesh));
        assembly.parts[0].world_from_mesh = placement;
        ASSERT_TRUE(files::write_assembly((folder_ / name).string(), assembly));
    }
    Result<Parts> read(const std::vector<std::string>& names, unsigned threads = 0,
                       const files::ReadOptions& options = {}, BadFiles bad_files = BadFiles::LeaveOut) const {
        std::vector<std::string> paths;
        for (const std::string& name : names) paths.push_back((folder_ / name).string());
        return read_parts(paths, options, threads, {}, bad_files);
    }
    static std::vector<std::string> paths_of(const Parts& parts) {
        std::vector<std::string> paths;
        for (const Part& part : parts.parts) paths.push_back(part.path);
        return paths;
    }
};

TEST_F(ReadParts, AFolderIsReadWholeInTheOrderOfNames) {
    write("in/b.stl", scenes::box());
    write("in/a.ply", scenes::sphere(80));
    write("in/a.obj", scenes::box({1, 2, 3}));
    write("in/sub/c.v2.stl", scenes::box());
    write("in/.hidden/d.stl", scenes::box());
    write("in/readme.txt", "no mesh");
    write("in/a.mtl", "no mesh");
    for (const unsigned threads : {1u, 2u}) {
        const Result<Parts> parts = read({"in"}, threads);
        ASSERT_TRUE(parts) << parts.fault().message;
        EXPECT_EQ(paths_of(*parts), (std::vector<std::string>{"a", "a#2", "b", "sub/c.v2"}));
        ASSERT_EQ(parts->notes.size(), 1u);
        EXPECT_NE(parts->notes[0].find("2 files of other kinds"), std::string::npos);
        // b and c are the same, and so share a model.
        EXPECT_EQ(parts->models.size(), 3u);
        EXPECT_EQ(parts->parts[2].model, parts->parts[3].model);
        EXPECT_EQ(parts->triangle_count(), 12u + 80 + 12 + 12);
        const Result<Clashes> found = find_clashes(*parts);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->count(Kind::Duplicate), 1u);
    }
}

TEST_F(ReadParts, LinksThatLeadNowhereAreLeftOut) {
    write("in/a.stl", scenes::box());
    write("elsewhere/b.stl", scenes::box());
    std::filesystem::create_symlink(folder_ / "elsewhere/b.stl", folder_ / "in/b.stl");
    std::filesystem::create_symlink(folder_ / "absent.stl", folder_ / "in/c.stl");
    std::filesystem::create_symlink(folder_ / "absent", folder_ / "in/mount");
    std::filesystem::create_symlink(folder_ / "absent.txt", folder_ / "in/d.txt");  // no mesh by its name
    std::filesystem::create_symlink(folder_ / "elsewhere", folder_ / "in/more");
    const Result<Parts> parts = read({"in"});
    ASSERT_TRUE(parts) << parts.fault().message;
    EXPECT_EQ(paths_of(*parts), (std::vector<std::string>{"a", "b"}));
    std::vector<std::string> reasons;
    for (const LeftOut& one : parts->left_out) reasons.push_back(one.reason);
    const std::string in = (folder_ / "in").string();
    EXPECT_EQ(reasons, (std::vector<std::string>{in + "/c.stl: the link leads nowhere",
                                                 in + "/more: links to folders are not followed",
                                                 in + "/mount: the link leads nowhere"}));
    EXPECT_EQ(parts->file_names, (std::vector<std::string>{"in/a.stl", "in/b.stl"}));
    const Result<Parts> strict = read({"in"}, 1, {}, BadFiles::Stop);
    ASSERT_FALSE(strict);
    EXPECT_EQ(strict.fault().message, reasons[0]);
}

TEST_F(ReadParts, BadFilesAreLeftOutOrStopTheReading) {
    for (int i = 0; i < 20; ++i) write("in/" + std::to_string(100 + i) + ".stl", scenes::box());
    write("in/105.stl", "solid cut short");
    write("in/115.stl", "");
    for (const unsigned threads : {1u, 2u}) {
        const Result<Parts> strict = read({"in"}, threads, {}, BadFiles::Stop);
        ASSERT_FALSE(strict);
        EXPECT_TRUE(strict.fault().message.starts_with((folder_ / "in/105.stl").string() + ":"))
            << strict.fault().message;
        const Result<Parts> parts = read({"in", "absent.stl"}, threads);
        ASSERT_TRUE(parts);
        EXPECT_EQ(parts->parts.size(), 18u);
        EXPECT_EQ(parts->models.size(), 1u);
        ASSERT_EQ(parts->left_out.size(), 3u);
        EXPECT_EQ(parts->left_out[0].file, (folder_ / "in/105.stl").string());
        EXPECT_EQ(parts->left_out[1].file, (folder_ / "in/115.stl").string());
        EXPECT_EQ(parts->left_out[2].file, (folder_ / "absent.stl").string());
        EXPECT_TRUE(parts->left_out[0].reason.starts_with(parts->left_out[0].file + ":"));
    }
    EXPECT_FALSE(read({"absent"}));
    fs::create_directories(folder_ / "empty");
    EXPECT_FALSE(read({"empty"}));
}

TEST_F(ReadParts, GroupsOfOneFileAreNamedByThemselves) {
    write("two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no left\nf 1 2 3\no right\nf 1 2 4\no left\nf 1 3 4\n");
    EXPECT_EQ(paths_of(*read({"two.obj"})), (std::vector<std::string>{"two"}));
    const files::ReadOptions groups{.groups = true};
    EXPECT_EQ(paths_of(*read({"two.obj"}, 0, groups)), (std::vector<std::string>{"left", "right"}));
    EXPECT_EQ(paths_of(*read({"two.obj", "two.obj"}, 0, groups)),
              (std::vector<std::string>{"two/left", "two/right", "two/left#2", "two/right#2"}));
    const Parts twice = *read({"two.obj", "two.obj"}, 0, groups);
    EXPECT_EQ(twice.models.size(), 2u);
    EXPECT_EQ(find_clashes(twice)->count(Kind::Duplicate), 2u);
}

TEST_F(ReadParts, APlacementNoSceneTakesGoesIntoThePoints) {
    Mat3 m;
    m.row[0] = m.row[0] * 2000;
    write("scaled.glb", scenes::box(), *Affine::from_matrix(m, {1, 0, 0}));
    const Result<Parts> parts = read({"scaled.glb"});
    ASSERT_TRUE(parts) << parts.fault().message;
    ASSERT_EQ(parts->parts.size(), 1u);
    EXPECT_NEAR(parts->models[parts->parts[0].model].bounds().hi().x, 2001, 0.01);
    ASSERT_EQ(parts->notes.size(), 1u);
    EXPECT_NE(parts->notes[0].find("they went into the points"), std::string::npos);
    EXPECT_TRUE(find_clashes(*parts));
}

}  // namespace
}  // namespace graze::checks
