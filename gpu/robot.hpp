// SPDX-License-Identifier: Apache-2.0
// A robot on a GPU: a lane places the links of a configuration and compares spheres before the walks, and looks for
// bodies inside one another after them. Compiles for a GPU and for the CPU; both compute the same bits.
#pragma once

#include "gpu/lane.hpp"
#include "gpu/solid_grid.hpp"
#include "robot/kinematics.hpp"

namespace graze::gpu {

/// No pose makes a length longer by more than this factor (Pose::tolerance).
inline constexpr double pose_stretch = 1.015;
static_assert(pose_stretch * pose_stretch > 1 + 3 * Pose::tolerance);

inline constexpr std::uint32_t no_link = ~0u;
inline constexpr std::uint32_t all_worlds = ~0u;

/// The numbers of a `Joint`.
struct RobotJoint {
    detail::Placing parent_from_joint;
    Vec3 axis;
    double multiplier, offset, pitch;
    std::uint32_t parent, child, value;
    JointType type;
};

/// The ball around a body, which tells pairs of bodies apart.
struct RobotBall {
    Vec3 centre;     ///< in the body's frame
    double radius;   ///< grown by `pose_stretch`
    double lengths;  ///< at least every length and sum of coordinates of the body
    std::uint32_t link;
};

/// One body of a pair: its shells may lie inside the other body, and its grid tells which places are inside itself.
struct RobotSolid {
    GridFrame grid;
    const CellSide* cells;
    const Vec3* points;    ///< `shell_points` for each shell
    std::uint32_t shells;  ///< number of shells that may find room in the other body
    double lengths;
};

struct RobotPair {
    std::uint32_t a, b;
    std::uint32_t world;  ///< the world that the pair is checked in, or `all_worlds`
    RobotSolid solids[2];
};

/// Bits that say what is known of a configuration.
namespace known {
inline constexpr std::uint8_t collides = 1;  ///< a pair does
inline constexpr std::uint8_t unsure = 2;    ///< a pair may
inline constexpr std::uint8_t refused = 4;   ///< its values exceed the GPU's limits: no pair was looked at
}  // namespace known

/// A chunk of configurations. Numbers of all configurations lie side by side where lanes read them together.
struct RobotChunk {
    const RobotJoint* joints;
    const RobotBall* balls;
    const RobotPair* pairs;
    std::uint32_t root, joint_count, value_count, ball_count, pair_count;
    std::uint32_t size;           ///< number of configurations
    bool first;                   ///< one colliding pair of a configuration is enough
    const double* values;         ///< configuration by configuration
    const std::uint32_t* worlds;  ///< the world of each configuration; may be null
    double* links;                ///< twelve numbers per link
    double* placed_balls;         ///< four numbers per body
    std::uint32_t* near;          ///< one bit per pair, in words of 32
    std::uint8_t* state;          ///< bits of `known`
    std::uint32_t* unsure;        ///< pairs that may collide, in words of 32, configuration by configuration
    std::uint32_t* found;         ///< with `first`: a pair that collides
    std::uint32_t* bits;          ///< otherwise: pairs that collide, in words of 32, configuration by configuration
    std::uint32_t* inside;        ///< pairs that collide, but whose surfaces do not meet
    // For the pair that is walked:
    std::uint32_t* members;  ///< the configurations to walk
    double* rows;            ///< the placements of B in A's frame

    GRAZE_LANE std::uint32_t words() const { return (pair_count + 31) / 32; }
};

struct RobotLane {
    const RobotChunk& chunk;

    GRAZE_LANE double& link_number(std::uint32_t link, int k, std::uint32_t i) const {
        return chunk.links[(12 * static_cast<std::uint64_t>(link) + static_cast<std::uint64_t>(k)) * chunk.size + i];
    }
    GRAZE_LANE void store(std::uint32_t link, std::uint32_t i, const detail::Placing& at) const {
        const Mat3& m = at.rotation;
#pragma unroll
        for (int r = 0; r < 3; ++r) {
            link_number(link, 4 * r, i) = m.row[r].x;
            link_number(link, 4 * r + 1, i) = m.row[r].y;
            link_number(link, 4 * r + 2, i) = m.row[r].z;
        }
        link_number(link, 3, i) = at.translation.x;
        link_number(link, 7, i) = at.translation.y;
        link_number(link, 11, i) = at.translation.z;
    }
    GRAZE_LANE detail::Placing load(std::uint32_t link, std::uint32_t i) const {
        detail::Placing at;
        if (link == no_link) return at;
#pragma unroll
        for (int r = 0; r < 3; ++r)
            at.rotation.row[r] = {link_number(link, 4 * r, i), link_number(link, 4 * r + 1, i),
                                  link_number(link, 4 * r + 2, i)};
        at.translation = {link_number(link, 3, i), link_number(link, 7, i), link_number(link, 11, i)};
        return at;
    }

    /// Places the links of configuration i as `graze::Robot::place` does. False when a value is too large or no number.
    GRAZE_LANE bool place(std::uint32_t i) const {
        store(chunk.root, i, {});
        const double* values = chunk.values + static_cast<std::uint64_t>(i) * chunk.value_count;
        detail::Placing at;
        std::uint32_t last = no_link;
        for (std::uint32_t j = 0; j < chunk.joint_count; ++j) {
            const RobotJoint& joint = chunk.joints[j];
            const double q = detail::joint_value(joint, values);
            if (!(fabs(q) <= detail::max_angle)) return false;
            at = detail::joined(joint.parent == last ? at : load(joint.parent, i), joint.parent_from_joint);
            at = detail::moved(at, joint, q,
                               q != 0 && detail::turns(joint.type) ? detail::sine_cosine(q) : detail::SineCosine{0, 1});
            store(joint.child, i, at);
            last = joint.child;
        }
        return true;
    }

    /// Places the ball around a body. The radius covers rounding (src/robot/near_pairs.cpp).
    GRAZE_LANE void place_ball(std::uint32_t body, std::uint32_t i) const {
        const RobotBall& ball = chunk.balls[body];
        const detail::Placing world = load(ball.link, i);
        const Vec3 c = world.rotation * ball.centre + world.translation;
        const Vec3& t = world.translation;
        double* to = chunk.placed_balls + 4 * static_cast<std::uint64_t>(body) * chunk.size + i;
        to[0] = c.x, to[chunk.size] = c.y, to[2ull * chunk.size] = c.z;
        to[3ull * chunk.size] = ball.radius + (0x1p-44 * (fabs(t.x) + fabs(t.y) + fabs(t.z) + ball.lengths) + 0x1p-500);
    }
    GRAZE_LANE bool apart(const RobotPair& pair, std::uint32_t i) const {
        const double* a = chunk.placed_balls + 4 * static_cast<std::uint64_t>(pair.a) * chunk.size + i;
        const double* b = chunk.placed_balls + 4 * static_cast<std::uint64_t>(pair.b) * chunk.size + i;
        double square = 0;
#pragma unroll
        for (std::uint64_t k = 0; k < 3; ++k) {
            const double d = a[k * chunk.size] - b[k * chunk.size];
            square += d * d;
        }
        const double radii = a[3ull * chunk.size] + b[3ull * chunk.size];
        return square > radii * radii;
    }

    /// Places configuration i and finds the pairs that are near each other.
    GRAZE_LANE void begin(std::uint32_t i) const {
        const bool good = place(i);
        chunk.state[i] = good ? 0 : known::refused;
        if (good)
            for (std::uint32_t body = 0; body < chunk.ball_count; ++body) place_ball(body, i);
        for (std::uint32_t word = 0; word < chunk.words(); ++word) {
            std::uint32_t bits = 0;
            for (std::uint32_t p = 32 * word; good && p < chunk.pair_count && p < 32 * word + 32; ++p) {
                const RobotPair& pair = chunk.pairs[p];
                const bool asked = pair.world == all_worlds || (chunk.worlds && chunk.worlds[i] == pair.world);
                if (asked && !apart(pair, i)) bits |= 1u << (p & 31);
            }
            chunk.near[static_cast<std::uint64_t>(word) * chunk.size + i] = bits;
        }
    }

    /// Whether pair p of configuration i is to be walked.
    GRAZE_LANE bool wanted(std::uint32_t p, std::uint32_t i) const {
        if (chunk.first && (chunk.state[i] & known::collides)) return false;
        return chunk.near[static_cast<std::uint64_t>(p / 32) * chunk.size + i] >> (p & 31) & 1;
    }
    /// Makes configuration i number `at` of those to walk.
    GRAZE_LANE void gather(std::uint32_t p, std::uint32_t i, std::uint32_t at) const {
        const RobotPair& pair = chunk.pairs[p];
        const detail::Placing r =
            detail::relative(load(chunk.balls[pair.a].link, i), load(chunk.balls[pair.b].link, i));
        chunk.members[at] = i;
        double* rows = chunk.rows + 12 * static_cast<std::uint64_t>(at);
        const double t[3] = {r.translation.x, r.translation.y, r.translation.z};
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            rows[4 * k] = r.rotation.row[k].x, rows[4 * k + 1] = r.rotation.row[k].y;
            rows[4 * k + 2] = r.rotation.row[k].z, rows[4 * k + 3] = t[k];
        }
    }

    /// Whether a shell of `inner` lies inside `outer`, whose surfaces do not meet.
    GRAZE_LANE static CellSide side(const RobotSolid& inner, const RobotSolid& outer, const detail::Placing& at) {
        if (!outer.cells || inner.shells == 0) return CellSide::Outside;
        const Vec3& t = at.translation;
        if (!(0x1p-40 * (fabs(t.x) + fabs(t.y) + fabs(t.z) + inner.lengths) < outer.grid.least_cell))
            return CellSide::Unsure;
        CellSide all = CellSide::Outside;
        for (std::uint32_t s = 0; s < inner.shells; ++s) {
            CellSide one = CellSide::Unsure;
            for (int k = 0; k < shell_points && one == CellSide::Unsure; ++k) {
                const Vec3 p = detail::mapped(at.rotation, at.translation, inner.points[shell_points * s + k]);
                const double x = (p.x - outer.grid.lo.x) * outer.grid.per_length.x;
                const double y = (p.y - outer.grid.lo.y) * outer.grid.per_length.y;
                const double z = (p.z - outer.grid.lo.z) * outer.grid.per_length.z;
                const int n = outer.grid.cells;
                const bool within = x >= 0 && x < n && y >= 0 && y < n && z >= 0 && z < n;
                one = within ? outer.cells[(static_cast<int>(z) * n + static_cast<int>(y)) * n + static_cast<int>(x)]
                             : CellSide::Outside;
            }
            if (one == CellSide::Inside) return one;
            if (one == CellSide::Unsure) all = one;
        }
        return all;
    }
    /// Whether one body of a pair lies inside the other, for the n-th configuration that was walked.
    GRAZE_LANE CellSide nested(std::uint32_t p, std::uint32_t n) const {
        const RobotPair& pair = chunk.pairs[p];
        const double* rows = chunk.rows + 12 * static_cast<std::uint64_t>(n);
        detail::Placing a_from_b;
#pragma unroll
        for (int k = 0; k < 3; ++k) a_from_b.rotation.row[k] = {rows[4 * k], rows[4 * k + 1], rows[4 * k + 2]};
        a_from_b.translation = {rows[3], rows[7], rows[11]};
        const CellSide b_in_a = side(pair.solids[1], pair.solids[0], a_from_b);
        if (b_in_a == CellSide::Inside) return b_in_a;
        const Mat3 back = detail::inverted(a_from_b.rotation);
        const CellSide a_in_b = side(pair.solids[0], pair.solids[1], {back, -(back * a_from_b.translation)});
        return a_in_b == CellSide::Inside || b_in_a == CellSide::Outside ? a_in_b : CellSide::Unsure;
    }

    /// Writes the answer for pair p in the n-th configuration that was walked. True when the pair collides.
    GRAZE_LANE bool finish(std::uint32_t p, std::uint32_t n, bool met, bool left) const {
        const std::uint32_t i = chunk.members[n];
        const CellSide inside = met ? CellSide::Inside : left ? CellSide::Unsure : nested(p, n);
        if (inside == CellSide::Outside) return false;
        chunk.state[i] |= inside == CellSide::Inside ? known::collides : known::unsure;
        const std::uint64_t word = static_cast<std::uint64_t>(i) * chunk.words() + p / 32;
        if (inside != CellSide::Inside) {
            chunk.unsure[word] |= 1u << (p & 31);
            return false;
        }
        if (chunk.first) {
            chunk.found[i] = p;
            return true;
        }
        chunk.bits[word] |= 1u << (p & 31);
        if (!met) chunk.inside[word] |= 1u << (p & 31);
        return true;
    }
};

}  // namespace graze::gpu
