// SPDX-License-Identifier: Apache-2.0
#include "scenes/feeder.hpp"

#include <algorithm>
#include <cmath>

#include "scenes/parts.hpp"
#include "scenes/trig.hpp"

namespace graze::scenes {

namespace {

constexpr double pitch = 2.05;         // distance of the places where parts start
constexpr std::size_t layers = 4;      // layers of these places
constexpr int rounds = 8;              // rounds of sequential impulses over all pushes
constexpr double push_share = 0.2;     // share of a depth that one step takes back
constexpr double longest_push = 0.02;  // a step
constexpr double slowest_bounce = 0.05;

/// Places within a circle, at least as many as asked for; the circle's radius.
std::pair<std::vector<Vec3>, double> places(std::size_t count) {
    for (int n = 1;; ++n) {
        std::vector<Vec3> out;
        for (int x = -n; x <= n; ++x)
            for (int y = -n; y <= n; ++y)
                if (x * x + y * y <= n * n) out.push_back({x * pitch, y * pitch, 0});
        if (out.size() >= count) return {out, n * pitch};
    }
}

/// A solid, as deep as its wall is thick, whose floor rises to the middle: parts go outwards.
Soup bowl(double radius, double rim) {
    const double out = radius + 2;
    const Knot profile[] = {{0, -2},     {out, -2},       {out, rim},       {radius, rim},
                            {radius, 1}, {radius - 1, 0}, {0, 0.1 * radius}};
    return revolved(profile, false, 8000);
}

}  // namespace

Feeder::Feeder(const FeederSettings& s) : settings_(s), scene_(s.scene) {
    const auto [floor, reach] = places((s.count + layers - 1) / layers);
    radius_ = reach + 1.5;
    rim_ = 0.1 * radius_ + (layers + 3) * pitch;
    objects_.shapes = scenes::parts(s.triangles);
    const auto kinds = static_cast<std::uint32_t>(objects_.shapes.size());
    objects_.shapes.push_back(bowl(radius_, rim_));
    models_ = objects_.models();
    Random random(s.seed);
    for (std::size_t i = 0; i < s.count; ++i) {
        const double height = 0.1 * radius_ + 1.5 + static_cast<double>(i / floor.size()) * pitch;
        const auto shape = static_cast<std::uint32_t>(i) % kinds;
        const Quaternion turn = random_quaternion(random);
        const Vec3 velocity = random.in_cube(-0.2, 0.2), spin = random.in_cube(-1, 1);
        parts_.emplace_back(models_[shape], Body{floor[i % floor.size()] + Vec3{0, 0, height}, turn, velocity, spin});
        objects_.shape.push_back(shape);
    }
    objects_.shape.push_back(kinds);
    objects_.placed.resize(objects_.shape.size());
    for (std::size_t i = 0; i <= s.count; ++i) {
        objects_.placed[i] = i < s.count ? parts_[i].pose() : bowl_pose();
        ids_.push_back(*scene_.add(models_[objects_.shape[i]], objects_.placed[i], {.user_data = i}));
    }
}

Pose Feeder::bowl_pose() const {
    const double wave =
        settings_.stroke * sin_cos(settings_.frequency * settings_.dt * static_cast<double>(steps_)).sin;
    return *Pose::from_quaternion(turned_by({0, 0, 0.5 * wave / radius_}, {0, 0, 0, 1}), {0, 0, wave});
}

Vec3 Feeder::velocity_at(std::uint32_t body, const Vec3& point) const {
    if (!is_bowl(body)) return parts_[body].velocity_at(point - parts_[body].state.position);
    constexpr double turn = 6.28318530717958647693;
    const double wave = settings_.stroke * turn * settings_.frequency *
                        sin_cos(settings_.frequency * settings_.dt * static_cast<double>(steps_)).cos;
    return Vec3{0, 0, wave} + cross({0, 0, wave / radius_}, point);
}

void Feeder::apply(std::uint32_t body, const Vec3& impulse, const Vec3& point) {
    if (!is_bowl(body)) parts_[body].apply(impulse, point - parts_[body].state.position);
}

double Feeder::softness(const Push& push, const Vec3& direction) const {
    double sum = 0;
    for (const std::uint32_t body : {push.a, push.b})
        if (!is_bowl(body)) sum += parts_[body].softness(direction, push.point - parts_[body].state.position);
    return sum;
}

/// One for each group of triangles that meet, in its middle.
void Feeder::find_pushes() {
    pushes_.clear();
    contacts_ = 0;
    const TouchingPairs& touching = scene_.update();
    std::vector<ObjectPair> pairs;
    std::ranges::merge(touching.begun, touching.persisting, std::back_inserter(pairs));
    for (const ObjectPair& p : pairs) {
        const auto a = static_cast<std::uint32_t>(scene_.settings(p.a)->user_data);
        const auto b = static_cast<std::uint32_t>(scene_.settings(p.b)->user_data);
        std::vector<Contact> found = *scene_.contacts(p.a, p.b);
        std::ranges::sort(found);  // impulses depend on the order
        contacts_ += found.size();
        const Pose& place = objects_.placed[a];
        meets_.find(models_[objects_.shape[a]], models_[objects_.shape[b]], relative(place, objects_.placed[b]), found);
        for (std::size_t i = 0; i < meets_.groups.size(); ++i) {
            const MeetGroup& g = meets_.groups[i];
            if (g.count == 0) continue;
            Push push{a, b, place(g.points * (1.0 / g.count)), place.rotation() * meets_.all[i].normal, 0};
            for (const Meet& m : meets_.all)
                if (m.group == i) push.depth = std::max(push.depth, m.depth);
            pushes_.push_back(push);
        }
    }
}

/// Sequential impulses (Catto 2005): each push in turn, sums clamped.
void Feeder::solve() {
    for (Push& p : pushes_) {
        const double v = dot(p.normal, approach(p));
        p.target = v < -slowest_bounce ? -settings_.restitution * v : 0;
    }
    for (Rigid& r : parts_) r.state.velocity.z -= settings_.dt;
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < pushes_.size(); ++i) {
            // To and fro, so that none always has the last word.
            Push& p = pushes_[round % 2 ? pushes_.size() - 1 - i : i];
            const double missing = (p.target - dot(p.normal, approach(p))) / softness(p, p.normal);
            const double pressed = std::max(0.0, p.pressed + missing);
            apply(p.a, -p.normal * (pressed - p.pressed), p.point);
            apply(p.b, p.normal * (pressed - p.pressed), p.point);
            p.pressed = pressed;

            const Vec3 v = approach(p), along = v - p.normal * dot(p.normal, v);
            const double speed = std::sqrt(dot(along, along)), most = settings_.friction * p.pressed;
            Vec3 rubbed = p.rubbed;
            if (speed > 0) rubbed = rubbed - along * (1 / softness(p, along * (1 / speed)));
            const double size = std::sqrt(dot(rubbed, rubbed));
            if (size > most) rubbed = rubbed * (most / size);
            apply(p.a, p.rubbed - rubbed, p.point);
            apply(p.b, rubbed - p.rubbed, p.point);
            p.rubbed = rubbed;
        }
}

/// Moves bodies out of what they have sunk into, a little a step.
void Feeder::part() {
    std::vector<Vec3> moves(parts_.size());
    for (const Push& p : pushes_) {
        const double way = std::min(push_share * p.depth, longest_push) / (is_bowl(p.a) || is_bowl(p.b) ? 1 : 2);
        const auto move = [&](std::uint32_t body, const Vec3& normal) {
            if (is_bowl(body)) return;
            const double missing = way - dot(normal, moves[body]);
            if (missing > 0) moves[body] = moves[body] + normal * missing;
        };
        move(p.a, -p.normal);
        move(p.b, p.normal);
    }
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        // Normals that nearly oppose each other make it long.
        const double size = std::sqrt(dot(moves[i], moves[i]));
        parts_[i].state.position =
            parts_[i].state.position + moves[i] * (size > longest_push ? longest_push / size : 1);
    }
}

void Feeder::step() {
    for (Rigid& r : parts_) r.begin_step();
    find_pushes();
    solve();
    part();
    ++steps_;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
        if (is_bowl(static_cast<std::uint32_t>(i))) {
            objects_.placed[i] = bowl_pose();
        } else {
            Rigid& r = parts_[i];
            r.state.position = r.state.position + r.state.velocity * settings_.dt;
            r.turn(settings_.dt);
            objects_.placed[i] = r.pose();
        }
        (void)scene_.move(ids_[i], objects_.placed[i]);
    }
}

bool Feeder::holds(const Rigid& part) const {
    const Vec3& at = part.state.position;
    return at.x * at.x + at.y * at.y < radius_ * radius_ && at.z > 0 && at.z < rim_;
}

}  // namespace graze::scenes
