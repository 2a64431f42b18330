// SPDX-License-Identifier: Apache-2.0
#include "scenes/paths.hpp"

#include <algorithm>

#include "scenes/trig.hpp"

namespace graze::scenes {

namespace {

double dot4(const Quaternion& p, const Quaternion& q) {
    return ((p[0] * q[0] + p[1] * q[1]) + p[2] * q[2]) + p[3] * q[3];
}

Quaternion times(const Quaternion& p, const Quaternion& q) {
    const Vec3 a{p[0], p[1], p[2]}, b{q[0], q[1], q[2]};
    const Vec3 v = a * q[3] + b * p[3] + cross(a, b);
    return {v.x, v.y, v.z, p[3] * q[3] - dot(a, b)};
}

/// `turns` about an axis of unit length.
Quaternion turn(const Vec3& axis, double turns) {
    const SinCos half = sin_cos(turns / 2);
    return {axis.x * half.sin, axis.y * half.sin, axis.z * half.sin, half.cos};
}

}  // namespace

std::vector<Pose> interpolate(std::span<const Keyframe> keys, std::size_t frames) {
    std::vector<Pose> poses;
    if (keys.empty()) return poses;
    // A rotation has two quaternions. Take the one nearer to the key before.
    std::vector<Keyframe> k(keys.begin(), keys.end());
    for (std::size_t i = 1; i < k.size(); ++i)
        if (dot4(k[i - 1].rotation, k[i].rotation) < 0)
            for (double& c : k[i].rotation) c = -c;

    const auto last = static_cast<std::ptrdiff_t>(k.size()) - 1;
    for (std::size_t f = 0; f < frames; ++f) {
        const double at =
            frames > 1 ? static_cast<double>(f) * static_cast<double>(last) / static_cast<double>(frames - 1) : 0;
        const auto i = std::min(static_cast<std::ptrdiff_t>(at), std::max<std::ptrdiff_t>(last - 1, 0));
        const double t = at - static_cast<double>(i);
        const double weight[4] = {((-t + 2) * t - 1) * t / 2, ((3 * t - 5) * t * t + 2) / 2,
                                  ((-3 * t + 4) * t + 1) * t / 2, (t - 1) * t * t / 2};
        Vec3 position;
        Quaternion rotation{};
        for (int w = 0; w < 4; ++w) {
            const Keyframe& key = k[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i + w - 1, 0, last))];
            position = position + key.position * weight[w];
            for (int c = 0; c < 4; ++c) rotation[c] += key.rotation[c] * weight[w];
        }
        poses.push_back(*Pose::from_quaternion(rotation, position));
    }
    return poses;
}

std::vector<Pose> tumble_path(std::size_t frames, std::uint64_t seed, double radius) {
    Random random(seed);
    std::vector<Keyframe> keys;
    Quaternion rotation = random_quaternion(random);
    for (std::size_t i = 0; i < std::max<std::size_t>(2, frames / 40 + 1); ++i) {
        Vec3 place;
        do place = random.in_cube(-radius, radius);
        while (dot(place, place) > radius * radius);
        keys.push_back({place, rotation});
        const Vec3 axis = random_direction(random);
        rotation = times(turn(axis, random.between(0.15, 0.3)), rotation);
    }
    return interpolate(keys, frames);
}

std::vector<Pose> stalagmite_path(std::size_t frames, std::uint64_t seed) {
    Random random(seed);
    std::vector<Keyframe> keys;
    for (std::size_t i = 0; i < std::max<std::size_t>(2, frames / 40 + 1); ++i) {
        const double height = 1.4 + 1.2 * sin_cos(static_cast<double>(i) / 10 + 0.25).sin;
        const double x = random.between(-0.25, 0.25), y = random.between(-0.25, 0.25);
        const SinCos tilt = sin_cos(random.unit());
        const Quaternion rock = turn({tilt.cos, tilt.sin, 0}, random.between(0, 0.06));
        keys.push_back({{x, y, height}, times(rock, turn({0, 0, 1}, random.between(-0.1, 0.1)))});
    }
    return interpolate(keys, frames);
}

}  // namespace graze::scenes
