// SPDX-License-Identifier: Apache-2.0
#include "scenes/crowd.hpp"

#include <algorithm>
#include <cmath>

#include "graze/study.hpp"
#include "scenes/rigid.hpp"

namespace graze::scenes {

namespace {

/// Newton's steps: libraries differ in the last bit.
double cube_root(double x) {
    double root = x > 1 ? x : 1;
    for (int i = 0; i < 200; ++i) root = (2 * root + x / (root * root)) / 3;
    return root;
}

}  // namespace

std::vector<Model> Objects::models(const study::TreeSettings& settings) const {
    std::vector<Model> out;
    for (const Soup& s : shapes) out.push_back(*study::build(s, settings));
    return out;
}

Crowd::Crowd(const CrowdSettings& s, std::vector<Soup> shapes) {
    objects_.shapes = std::move(shapes);
    const double side = cube_root(static_cast<double>(s.count)), edge = side * s.room;
    const auto row = static_cast<std::size_t>(std::ceil(side - 1e-9));
    Random random(s.seed);
    for (std::size_t i = 0; i < s.count; ++i) {
        Way w;
        if (s.apart) {
            const std::size_t at[3] = {i % row, i / row % row, i / row / row};
            for (int k = 0; k < 3; ++k) {
                w.low[k] = static_cast<double>(at[k]) * s.room + 1;
                w.high[k] = w.low[k] + (s.room - 2);
            }
        } else {
            w.high = {edge, edge, edge};
        }
        const Vec3 share = random.in_cube(0, 1);
        for (int k = 0; k < 3; ++k) w.position[k] = w.low[k] + (w.high[k] - w.low[k]) * share[k];
        w.velocity = random_direction(random) * s.speed;
        w.rotation = random_quaternion(random);
        w.half_turn = random_direction(random) * (s.spin / 2);
        ways_.push_back(w);
        objects_.shape.push_back(static_cast<std::uint32_t>(i % objects_.shapes.size()));
        objects_.placed.push_back(*Pose::from_quaternion(w.rotation, w.position));
    }
}

void Crowd::step() {
    for (std::size_t i = 0; i < ways_.size(); ++i) {
        Way& w = ways_[i];
        w.position = w.position + w.velocity;
        for (int k = 0; k < 3; ++k)
            if (w.position[k] < w.low[k] || w.position[k] > w.high[k]) {
                w.velocity[k] = -w.velocity[k];
                w.position[k] = std::clamp(w.position[k], w.low[k], w.high[k]);
            }
        w.rotation = turned_by(w.half_turn, w.rotation);
        objects_.placed[i] = *Pose::from_quaternion(w.rotation, w.position);
    }
}

}  // namespace graze::scenes
