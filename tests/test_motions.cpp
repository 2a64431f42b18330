// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "scenes/motions.hpp"
#include "scenes/shapes.hpp"

namespace graze::scenes {
namespace {

constexpr double small = 0.05;

const std::vector<Motion>& small_motions() {
    static const std::vector<Motion> all = motions(small);
    return all;
}

/// Every directed edge as often as the other way.
bool is_closed(const Soup& s) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (std::size_t i = 0; i < s.corners.size(); i += 3)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = s.corners[i + k], b = s.corners[i + (k + 1) % 3];
            ++edges[{a, b}];
            --edges[{b, a}];
        }
    return std::ranges::all_of(edges, [](const auto& e) { return e.second == 0; });
}

/// Pieces that share no point, as soups.
std::vector<Soup> pieces(const Soup& s) {
    std::vector<std::uint32_t> of(s.points.size());
    for (std::uint32_t i = 0; i < of.size(); ++i) of[i] = i;
    const auto root = [&](std::uint32_t i) {
        while (of[i] != i) i = of[i] = of[of[i]];
        return i;
    };
    for (std::size_t i = 0; i < s.corners.size(); i += 3)
        for (std::size_t k = 1; k < 3; ++k) of[root(s.corners[i + k])] = root(s.corners[i]);
    std::map<std::uint32_t, Soup> out;
    for (std::size_t i = 0; i < s.corners.size(); i += 3) {
        out[root(s.corners[i])].add_triangle(s.corners[i], s.corners[i + 1], s.corners[i + 2]);
    }
    std::vector<Soup> list;
    for (auto& [key, piece] : out) {
        piece.points = s.points;
        list.push_back(std::move(piece));
    }
    return list;
}

double volume(const Soup& s) {
    double v = 0;
    for (std::size_t i = 0; i < s.corners.size(); i += 3)
        v += dot(s.points[s.corners[i]], cross(s.points[s.corners[i + 1]], s.points[s.corners[i + 2]])) / 6;
    return v;
}

TEST(Motions, HaveTheSizesStatedAndContacts) {
    struct Stated {
        std::size_t environment, body, frames;
    };
    const std::map<std::string_view, Stated> stated{{"pipes", {145'440, 145'440, 4000}},
                                                    {"torus", {97'682, 20'000, 3000}},
                                                    {"hand", {169'920, 404, 2500}},
                                                    {"flange", {960, 5304, 2000}}};
    for (const std::string_view name : motion_names) {
        SCOPED_TRACE(name);
        SimulationStats stats;
        const std::optional<Motion> m = motion(name, 1, &stats);
        ASSERT_TRUE(m);
        EXPECT_EQ(m->name, name);
        EXPECT_EQ(m->environment.triangle_count(), stated.at(name).environment);
        EXPECT_EQ(m->body.triangle_count(), stated.at(name).body);
        EXPECT_EQ(m->path.size(), stated.at(name).frames);
        EXPECT_EQ(stats.frames, m->path.size());
        EXPECT_GT(stats.touching, m->path.size() / 50);
        EXPECT_LT(stats.touching, m->path.size() * 3 / 4);
        EXPECT_LT(stats.contacts, 40 * m->path.size());
        // Contacts are found along the whole of it.
        const Model a = *Model::build(m->environment), b = *Model::build(m->body);
        for (int part = 0; part < 4; ++part) {
            const std::size_t n = m->path.size() / 4;
            const auto first = m->path.begin() + static_cast<std::ptrdiff_t>(part * n);
            EXPECT_TRUE(std::any_of(first, first + static_cast<std::ptrdiff_t>(n), [&](const Pose& p) {
                return intersects(a, b, p);
            })) << part;
        }
    }
    EXPECT_FALSE(motion("teapot"));
}

TEST(Motions, AreTheSameInEveryBuild) {
    const std::uint64_t expected[] = {0x66421322a543b266u, 0xab15224820b9b59eu, 0xc494893be327d6d7u,
                                      0xc66e9e859c5309ffu};
    for (std::size_t i = 0; i < motion_names.size(); ++i)
        EXPECT_EQ(fingerprint(small_motions()[i].path), expected[i]) << motion_names[i];
}

TEST(Motions, SurfacesAreClosedAndLookOutwards) {
    for (const Motion& m : small_motions()) {
        SCOPED_TRACE(m.name);
        for (const Soup* s : {&m.environment, &m.body}) {
            if (m.name == "torus" && s == &m.environment) continue;  // the landscape is a sheet
            EXPECT_TRUE(is_closed(*s));
            if (s->triangle_count() > 10'000) continue;  // known from their own tests
            for (const Soup& piece : pieces(*s)) EXPECT_GT(volume(piece), 0);
        }
    }
    EXPECT_EQ(pieces(small_motions()[2].body).size(), 6u);
    EXPECT_EQ(pieces(small_motions()[3].environment).size(), 1u);
}

TEST(Motions, StatisticsCountThePathsContacts) {
    SimulationStats stats, found;
    const Motion m = *motion("flange", small, &stats);
    const Model a = *Model::build(m.environment), b = *Model::build(m.body);
    for (const Pose& p : m.path) {
        const std::size_t n = collide(a, b, p).size();
        found.contacts += n;
        found.touching += n > 0;
    }
    EXPECT_EQ(stats.contacts, found.contacts);
    EXPECT_EQ(stats.touching, found.touching);
}

TEST(Motions, StayInPlaceAndAreCoherent) {
    for (const Motion& m : small_motions()) {
        SCOPED_TRACE(m.name);
        const double reach = 2.5 * bounding_ball(*Model::build(m.environment)).radius;
        const MotionSize size(m.body);
        double most = 0;
        for (std::size_t i = 0; i < m.path.size(); ++i) {
            ASSERT_LT(length(m.path[i].translation()), reach) << i;
            // Around the stalagmite, not below the ground.
            ASSERT_TRUE(m.name != "torus" || m.path[i].translation().z > 0.3) << i;
            if (i > 0) most = std::max(most, size(m.path[i - 1], m.path[i]));
        }
        EXPECT_LT(most, 0.3);
        EXPECT_GT(most, 0.01);
    }
}

/// By the matrices' difference: its Frobenius norm is √8·sin(angle / 2).
double angle_between(const Pose& p, const Pose& q) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        const Vec3 d = p.rotation().row[i] - q.rotation().row[i];
        sum += dot(d, d);
    }
    return 2 * std::asin(std::min(1.0, std::sqrt(sum / 8)));
}

TEST(Motions, MotionSizeOfKnownMoves) {
    const Soup body = transformed(box({1, 2, 2}), *Pose::from_matrix({}, {5, 0, 0}));  // 4 long, 3 from the centre
    const MotionSize size(body);
    EXPECT_EQ(size.centre(), (Vec3{5, 0, 0}));
    EXPECT_NEAR(size({}, *Pose::from_matrix({}, {0.3, 0, 0.4})), 0.5 / 4, 1e-15);
    for (const double angle : {1e-6, 0.1, 1.0, 2.0, 3.0, 3.1415926}) {
        const Pose turned = *Pose::from_quaternion({std::sin(angle / 2), 0, 0, std::cos(angle / 2)}, {});
        EXPECT_NEAR(size({}, turned), 3 * angle / 4, 1e-7 * angle) << angle;
        EXPECT_NEAR(size(turned, {}), 3 * angle / 4, 1e-7 * angle) << angle;
    }
    EXPECT_EQ(size({}, {}), 0);
}

TEST(Motions, ResampledFramesHaveTheMotionAskedFor) {
    for (const Motion& m : small_motions()) {
        SCOPED_TRACE(m.name);
        const Ball ball = bounding_ball(*Model::build(m.body));
        Vec3 low = m.body.points[0], high = low;
        for (const Vec3& p : m.body.points)
            for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
        const double edge = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
        const std::span<const Pose> part(m.path.data(), 400);
        for (const double motion : {0.001, 0.01, 0.1, 0.3}) {
            const std::vector<Pose> frames = resampled(part, m.body, motion);
            ASSERT_GT(frames.size(), motion < 0.1 ? 100u : 5u);
            EXPECT_EQ(frames[0], m.path[0]);
            for (std::size_t i = 1; i < frames.size(); ++i) {
                const Vec3 d = frames[i](ball.centre) - frames[i - 1](ball.centre);
                const double moved = std::sqrt(dot(d, d)) + angle_between(frames[i - 1], frames[i]) * ball.radius;
                ASSERT_NEAR(moved / edge, motion, 0.01 * motion) << i;
            }
        }
    }
}

TEST(Motions, ResampledFramesStayOnThePath) {
    for (const Motion& m : small_motions()) {
        SCOPED_TRACE(m.name);
        const Vec3 centre = MotionSize(m.body).centre();
        const std::span<const Pose> part(m.path.data(), 300);
        std::size_t at = 0;
        for (const Pose& frame : resampled(part, m.body, 0.03)) {
            // In order: on the first segment, from the last one's on, whose ends it is between. On
            // the shortest turn the angles to both ends add up to the whole.
            const auto is_on = [&](const Pose& p, const Pose& q) {
                const Vec3 a = p(centre), ab = q(centre) - a, d = frame(centre) - a;
                const double t = dot(ab, ab) > 0 ? std::clamp(dot(d, ab) / dot(ab, ab), 0.0, 1.0) : 0;
                const Vec3 off = d - ab * t;
                return dot(off, off) < 1e-20 &&
                       std::abs(angle_between(p, frame) + angle_between(frame, q) - angle_between(p, q)) < 1e-6;
            };
            while (at + 1 < part.size() && !is_on(part[at], part[at + 1])) ++at;
            ASSERT_LT(at + 1, part.size());
        }
        EXPECT_GT(at, 200u);
    }
}

TEST(Motions, ResamplingPathsOfFewFrames) {
    const Soup body = box();
    EXPECT_TRUE(resampled({}, body, 0.1).empty());
    const std::vector<Pose> rest(10);
    EXPECT_EQ(resampled(rest, body, 0.1).size(), 1u);
    const std::vector<Pose> line{Pose(), *Pose::from_matrix({}, {2.001, 0, 0})};  // 1.0005 of the body's size
    EXPECT_EQ(resampled(line, body, 0.1).size(), 11u);
    EXPECT_NEAR(resampled(line, body, 0.1)[5].translation().x, 1, 1e-9);
}

}  // namespace
}  // namespace graze::scenes
