// SPDX-License-Identifier: Apache-2.0
#include "scenes/dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace graze::scenes {

namespace {

constexpr int rounds = 10;             // of sequential impulses over all contacts
constexpr double push_share = 0.2;     // of a contact's depth that one step takes back
constexpr double longest_push = 0.01;  // a step, of the body's radius

Mat3 scaled(const Mat3& m, double s) { return {{m.row[0] * s, m.row[1] * s, m.row[2] * s}}; }

void add_product(Mat3& m, const Vec3& v, double weight) {
    for (int i = 0; i < 3; ++i) m.row[i] = m.row[i] + v * (v[i] * weight);
}

Mat3 diagonal(double d) { return {{Vec3{d, 0, 0}, Vec3{0, d, 0}, Vec3{0, 0, d}}}; }

/// Symmetric and positive.
Mat3 inverted(const Mat3& m) {
    const Vec3 x = cross(m.row[1], m.row[2]), y = cross(m.row[2], m.row[0]), z = cross(m.row[0], m.row[1]);
    return scaled({{x, y, z}}, 1 / dot(m.row[0], x));
}

Quaternion normalised(const Quaternion& q) {
    const double n = std::sqrt(((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3]);
    return {q[0] / n, q[1] / n, q[2] / n, q[3] / n};
}

/// Of unit length, or zero for a triangle without area.
Vec3 normal(const Triangle& t) {
    const Vec3 n = cross(t.b - t.a, t.c - t.a);
    const double q = dot(n, n);
    return q > 0 ? n * (1 / std::sqrt(q)) : Vec3{};
}

/// How far the furthest corner of `t` is behind the plane through `origin`.
double depth_behind(const Triangle& t, const Vec3& origin, const Vec3& n) {
    return std::max({0.0, dot(n, origin - t.a), dot(n, origin - t.b), dot(n, origin - t.c)});
}

/// What a plane cuts out of a triangle, its ends ordered along a line.
struct Cut {
    Vec3 first, last;
    double low = 0, high = 0;
};

std::optional<Cut> cut(const Triangle& t, const Vec3& origin, const Vec3& n, const Vec3& line) {
    const Vec3 corner[3] = {t.a, t.b, t.c};
    double side[3];
    for (int i = 0; i < 3; ++i) side[i] = dot(n, corner[i] - origin);
    std::optional<Cut> out;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        if ((side[i] > 0) == (side[j] > 0)) continue;
        const Vec3 p = corner[i] + (corner[j] - corner[i]) * (side[i] / (side[i] - side[j]));
        const double at = dot(line, p);
        if (!out) out = Cut{p, p, at, at};
        if (at < out->low) out->first = p, out->low = at;
        if (at > out->high) out->last = p, out->high = at;
    }
    return out;
}

Vec3 middle(const Triangle& t) { return (t.a + t.b + t.c) * (1.0 / 3); }

double size2(const Triangle& t) {
    const Vec3 ab = t.b - t.a, bc = t.c - t.b, ca = t.a - t.c;
    return std::max({dot(ab, ab), dot(bc, bc), dot(ca, ca)});
}

}  // namespace

Mass surface_mass(const Model& model) {
    const Ball ball = bounding_ball(model);
    // ∫ p pᵀ over a triangle is its area / 12 · (aaᵀ + bbᵀ + ccᵀ + ssᵀ), s being the sum of the corners.
    double area = 0;
    Vec3 first;
    Mat3 second = diagonal(0);
    for (std::uint32_t i = 0; i < model.triangle_count(); ++i) {
        const Triangle t = model.triangle(i);
        const Vec3 a = t.a - ball.centre, b = t.b - ball.centre, c = t.c - ball.centre, s = a + b + c;
        const Vec3 n = cross(b - a, c - a);
        const double w = std::sqrt(dot(n, n)) / 2;
        area += w;
        first = first + s * (w / 3);
        for (const Vec3& p : {a, b, c, s}) add_product(second, p, w / 12);
    }
    if (!(area > 0)) return {ball.centre, diagonal(ball.radius > 0 ? 0.4 * ball.radius * ball.radius : 1)};
    const Vec3 offset = first * (1 / area);
    second = scaled(second, 1 / area);
    add_product(second, offset, -1);
    const double trace = second.row[0].x + second.row[1].y + second.row[2].z;
    // A thousandth more on the diagonal keeps needles from spinning without bound.
    Mass mass{ball.centre + offset, diagonal(trace * 1.001)};
    for (int i = 0; i < 3; ++i) mass.inertia.row[i] = mass.inertia.row[i] - second.row[i];
    return mass;
}

std::uint64_t fingerprint(std::span<const Pose> path) {
    // As points of a soup, four a pose.
    Soup all;
    for (const Pose& p : path)
        for (const Vec3& v : {p.rotation().row[0], p.rotation().row[1], p.rotation().row[2], p.translation()})
            all.add(v);
    return fingerprint(all);
}

Simulation::Simulation(const Model& body, const World& in, const Body& start)
    : world(in),
      state(start),
      body_(body),
      mass_(surface_mass(body)),
      inverse_(inverted(mass_.inertia)),
      radius_(bounding_ball(body).radius) {
    state.rotation = normalised(state.rotation);
}

Pose Simulation::pose() const {
    const Pose turned = *Pose::from_quaternion({}, state.rotation);
    return placed(turned, state.position - turned.rotation() * mass_.centre);
}

Vec3 Simulation::acceleration() const { return world.gravity + (world.centre - state.position) * world.pull; }

double Simulation::kinetic() const {
    const Vec3 w = transpose(Pose::from_quaternion({}, state.rotation)->rotation()) * state.spin;
    return (dot(state.velocity, state.velocity) + dot(w, mass_.inertia * w)) / 2;
}

double Simulation::energy() const {
    const Vec3 d = state.position - world.centre;
    return kinetic() - dot(world.gravity, state.position) + world.pull * dot(d, d) / 2;
}

Vec3 Simulation::velocity_at(const Vec3& arm) const { return state.velocity + cross(state.spin, arm); }

void Simulation::apply(const Vec3& impulse, const Vec3& arm) {
    state.velocity = state.velocity + impulse;
    state.spin = state.spin + inverse_here_ * cross(arm, impulse);
}

/// The velocity along a direction that a unit impulse along it gives the point.
double Simulation::softness(const Vec3& direction, const Vec3& arm) const {
    const Vec3 lever = cross(arm, direction);
    return 1 + dot(lever, inverse_here_ * lever);
}

/// The pair's point is the middle of the segment that the triangles have in common, its normal
/// that of the triangle whose plane the other has to go the shorter way to be in front of; zero
/// when neither has area.
Simulation::Meet Simulation::meet_of(const TrianglePair& pair, const Pose& pose) const {
    const Triangle s = world.environment.triangle(pair.a), own = body_.triangle(pair.b);
    const Triangle t{pose(own.a), pose(own.b), pose(own.c)};
    const Vec3 n = normal(s), m = normal(t);
    const double into_s = depth_behind(t, s.a, n), into_t = depth_behind(s, t.a, m);
    const bool by_s = n != Vec3{} && (m == Vec3{} || into_s <= into_t);
    Meet out;
    out.normal = by_s ? n : -m;
    out.depth = by_s ? into_s : into_t;
    const Vec3 line = cross(n, m);
    const std::optional<Cut> p = cut(s, t.a, m, line), q = cut(t, s.a, n, line);
    if (p && q) {
        out.from = p->low > q->low ? p->first : q->first;
        out.to = p->high < q->high ? p->last : q->last;
    } else
        out.from = out.to = middle(size2(s) < size2(t) ? s : t);
    out.point = (out.from + out.to) * 0.5;
    return out;
}

void Simulation::find_meets(const Pose& pose) {
    meets_.clear();
    for (const Contact& c : contacts_) meets_.push_back(meet_of(c.triangles, pose));
    // Groups by union-find: neighbours in the order of A's triangles, then of B's.
    const auto root = [&](std::uint32_t i) {
        while (meets_[i].group != i) i = meets_[i].group = meets_[meets_[i].group].group;
        return i;
    };
    const auto unite = [&](std::uint32_t i, std::uint32_t j) {
        i = root(i), j = root(j);
        meets_[std::max(i, j)].group = std::min(i, j);
    };
    std::vector<std::uint32_t> order(meets_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = meets_[i].group = i;
    for (std::uint32_t i = 1; i < order.size(); ++i)
        if (contacts_[i].triangles.a == contacts_[i - 1].triangles.a) unite(i, i - 1);
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return contacts_[i].triangles.b; });
    for (std::size_t i = 1; i < order.size(); ++i)
        if (contacts_[order[i]].triangles.b == contacts_[order[i - 1]].triangles.b) unite(order[i], order[i - 1]);
    for (std::uint32_t i = 0; i < order.size(); ++i) meets_[i].group = root(i);
    join_normals();
}

/// Where two closed surfaces meet, the segments in common make closed curves. The area that such a
/// curve bounds, as a vector, is how the common volume shrinks as the body moves: the direction that
/// parts them, also for a finger stuck in, whose own sides only say which way it cannot go. Pairs
/// keep their own normal when their group's curve is not one (touching only, or at a surface's rim).
void Simulation::join_normals() {
    groups_.assign(meets_.size(), {});
    for (const Meet& c : meets_) {
        Group& g = groups_[c.group];
        const Vec3 origin = meets_[c.group].point, area = cross(c.from - origin, c.to - origin);
        g.area = g.area + area;
        g.size += std::sqrt(dot(area, area));
        g.points = g.points + c.point;
        ++g.count;
    }
    for (Meet& c : meets_) {
        Group& g = groups_[c.group];
        const double size = std::sqrt(dot(g.area, g.area));
        g.joined = size > 0.1 * g.size;
        if (g.joined) c.normal = g.area * (1 / size);
    }
}

/// Half a step's acceleration, the kick, then sequential impulses (Catto 2005): each contact in
/// turn, sums clamped.
void Simulation::solve() {
    const Vec3 a = acceleration(), kick = a * (world.dt / 2);
    const double slow = -4 * world.dt * std::sqrt(dot(a, a));
    // Fast contacts bounce at the velocity before the kick and are then kicked: the other way round
    // each bounce would gain energy. For slow ones the kick counts as pressure.
    const auto target = [&](const Vec3& normal, const Vec3& arm) {
        const double v = dot(normal, velocity_at(arm));
        return v < slow ? std::max(0.0, dot(normal, kick) - world.restitution * v) : 0;
    };
    for (Meet& c : meets_) c.target = target(c.normal, c.point - state.position);
    for (std::size_t i = 0; i < groups_.size(); ++i)
        if (Group& g = groups_[i]; g.joined) {
            g.arm = g.points * (1.0 / g.count) - state.position;
            g.target = target(meets_[i].normal, g.arm);
        }
    const double before = kinetic();
    state.velocity = state.velocity + kick;
    // Each group first as one contact in its middle, which is most of the way.
    for (std::size_t i = 0; i < groups_.size(); ++i)
        if (Group& g = groups_[i]; g.joined) {
            const Vec3 normal = meets_[i].normal;
            const double missing = (g.target - dot(normal, velocity_at(g.arm))) / softness(normal, g.arm);
            g.pressed = std::max(0.0, missing) / g.count;
            apply(normal * (g.pressed * g.count), g.arm);
        }
    for (Meet& c : meets_) c.pressed = groups_[c.group].pressed;
    // To and fro, so that no contact always has the last word.
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < meets_.size(); ++i) {
            Meet& c = meets_[round % 2 ? meets_.size() - 1 - i : i];
            const Vec3 arm = c.point - state.position;
            const double missing = (c.target - dot(c.normal, velocity_at(arm))) / softness(c.normal, arm);
            const double pressed = std::max(0.0, c.pressed + missing);
            apply(c.normal * (pressed - c.pressed), arm);
            c.pressed = pressed;

            const Vec3 v = velocity_at(arm), along = v - c.normal * dot(c.normal, v);
            const double speed = std::sqrt(dot(along, along)), most = world.friction * c.pressed;
            Vec3 rubbed = c.rubbed;
            if (speed > 0) rubbed = rubbed - along * (1 / softness(along * (1 / speed), arm));
            const double size = std::sqrt(dot(rubbed, rubbed));
            if (size > most) rubbed = rubbed * (most / size);
            apply(rubbed - c.rubbed, arm);
            c.rubbed = rubbed;
        }
    // Bounces of several contacts at once may add up to more than came in.
    state.velocity = state.velocity - kick;
    if (const double after = kinetic(); after > before) slow_down(std::sqrt(before / after));
    state.velocity = state.velocity + kick;
}

/// Moves the body out of what it has sunk into, a little a step.
void Simulation::part() {
    const double most = longest_push * radius_;
    Vec3 push;
    for (const Meet& c : meets_) {
        const double missing = std::min(push_share * c.depth, most) - dot(c.normal, push);
        if (missing > 0) push = push + c.normal * missing;
    }
    // Normals that nearly oppose each other make it long.
    const double size = std::sqrt(dot(push, push));
    if (size > most) push = push * (most / size);
    state.position = state.position + push;
    // What it was lifted by is taken out of its motion, as far as there is any.
    const double lifted = -dot(acceleration(), push), moving = kinetic();
    if (lifted > 0 && moving > 0) slow_down(std::sqrt(std::max(0.0, 1 - lifted / moving)));
}

void Simulation::slow_down(double share) {
    state.velocity = state.velocity * share;
    state.spin = state.spin * share;
}

/// By the spin, and the spin such that the angular momentum stays. Energy that discrete steps would
/// gain is taken out.
void Simulation::turn() {
    const Vec3 momentum = axes_ * (mass_.inertia * (transpose(axes_) * state.spin));
    // q + ½ω·q, normalised: short of the angle by its cube / 12.
    const Vec3 half = state.spin * (world.dt / 2), v{state.rotation[0], state.rotation[1], state.rotation[2]};
    const double w = state.rotation[3];
    const Vec3 turned = v + (half * w + cross(half, v));
    state.rotation = normalised({turned.x, turned.y, turned.z, w - dot(half, v)});
    const Mat3 axes = Pose::from_quaternion({}, state.rotation)->rotation();
    const Vec3 spin = axes * (inverse_ * (transpose(axes) * momentum));
    const double before = dot(momentum, state.spin), after = dot(momentum, spin);
    state.spin = after > before ? spin * std::sqrt(before / after) : spin;
}

void Simulation::step() {
    const Pose here = pose();
    // Sorted, as impulses depend on the order.
    collide(world.environment, body_, here, contacts_, {.scratch = &scratch_});
    std::sort(contacts_.begin(), contacts_.end());
    ++stats_.frames;
    stats_.touching += !contacts_.empty();
    stats_.contacts += contacts_.size();

    axes_ = here.rotation();
    inverse_here_ = axes_ * inverse_ * transpose(axes_);
    find_meets(here);

    // Leapfrog: half of the acceleration before the move, half after it.
    solve();
    part();
    state.position = state.position + state.velocity * world.dt;
    turn();
    state.velocity = state.velocity + acceleration() * (world.dt / 2);
}

std::vector<Pose> Simulation::run(std::size_t steps) {
    std::vector<Pose> path;
    for (std::size_t i = 0; i < steps; ++i) {
        path.push_back(pose());
        step();
    }
    return path;
}

}  // namespace graze::scenes
