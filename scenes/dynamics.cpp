// SPDX-License-Identifier: Apache-2.0
#include "scenes/dynamics.hpp"

#include <algorithm>
#include <cmath>

namespace graze::scenes {

namespace {

constexpr int rounds = 10;             // rounds of sequential impulses over all contacts
constexpr double push_share = 0.2;     // share of a contact's depth that one step takes back
constexpr double longest_push = 0.01;  // a step, of the body's radius

}  // namespace

std::uint64_t fingerprint(std::span<const Pose> path) {
    // As points of a soup, four a pose.
    Soup all;
    for (const Pose& p : path)
        for (const Vec3& v : {p.rotation().row[0], p.rotation().row[1], p.rotation().row[2], p.translation()})
            all.add(v);
    return fingerprint(all);
}

Simulation::Simulation(const Model& body, const World& in, const Body& start)
    : Rigid(body, start), world(in), body_(body) {}

Vec3 Simulation::acceleration() const { return world.gravity + (world.centre - state.position) * world.pull; }

double Simulation::energy() const {
    const Vec3 d = state.position - world.centre;
    return kinetic() - dot(world.gravity, state.position) + world.pull * dot(d, d) / 2;
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
    for (Meet& c : meets_.all) c.target = target(c.normal, c.point - state.position);
    for (std::size_t i = 0; i < meets_.groups.size(); ++i)
        if (MeetGroup& g = meets_.groups[i]; g.joined) {
            g.arm = g.points * (1.0 / g.count) - state.position;
            g.target = target(meets_.all[i].normal, g.arm);
        }
    const double before = kinetic();
    state.velocity = state.velocity + kick;
    // Each group first as one contact in its middle, which is most of the way.
    for (std::size_t i = 0; i < meets_.groups.size(); ++i)
        if (MeetGroup& g = meets_.groups[i]; g.joined) {
            const Vec3 normal = meets_.all[i].normal;
            const double missing = (g.target - dot(normal, velocity_at(g.arm))) / softness(normal, g.arm);
            g.pressed = std::max(0.0, missing) / g.count;
            apply(normal * (g.pressed * g.count), g.arm);
        }
    for (Meet& c : meets_.all) c.pressed = meets_.groups[c.group].pressed;
    // To and fro, so that no contact always has the last word.
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < meets_.all.size(); ++i) {
            Meet& c = meets_.all[round % 2 ? meets_.all.size() - 1 - i : i];
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
    const double most = longest_push * radius();
    Vec3 push;
    for (const Meet& c : meets_.all) {
        const double missing = std::min(push_share * c.depth, most) - dot(c.normal, push);
        if (missing > 0) push = push + c.normal * missing;
    }
    // Normals that nearly oppose each other make it long.
    const double size = std::sqrt(dot(push, push));
    if (size > most) push = push * (most / size);
    state.position = state.position + push;
    // The energy gained by lifting is taken out of its motion, as far as there is any.
    const double lifted = -dot(acceleration(), push), moving = kinetic();
    if (lifted > 0 && moving > 0) slow_down(std::sqrt(std::max(0.0, 1 - lifted / moving)));
}

void Simulation::step() {
    const Pose here = pose();
    // Sorted, as impulses depend on the order.
    collide(world.environment, body_, here, contacts_, {.scratch = &scratch_});
    std::sort(contacts_.begin(), contacts_.end());
    ++stats_.frames;
    stats_.touching += !contacts_.empty();
    stats_.contacts += contacts_.size();

    begin_step();
    meets_.find(world.environment, body_, here, contacts_);

    // Leapfrog: half of the acceleration before the move, half after it.
    solve();
    part();
    state.position = state.position + state.velocity * world.dt;
    turn(world.dt);
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
