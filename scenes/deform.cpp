// SPDX-License-Identifier: Apache-2.0
#include "scenes/deform.hpp"

#include <algorithm>
#include <utility>

#include "scenes/random.hpp"
#include "scenes/trig.hpp"

namespace graze::scenes {
namespace {

/// Calls `f(point, x)` on a copy of each point, x running from 0 at one end of the soup to 1 at the other.
template <class F>
std::vector<Vec3> along_x(const Soup& soup, F&& f) {
    std::vector<Vec3> out = soup.points;
    if (out.empty()) return out;
    const auto [low, high] = std::ranges::minmax(out, {}, &Vec3::x);
    const double first = low.x, size = high.x > low.x ? high.x - low.x : 1;
    for (Vec3& p : out) f(p, (p.x - first) / size);
    return out;
}

}  // namespace

std::vector<Vec3> twisted(const Soup& soup, double turns) {
    return along_x(soup, [&](Vec3& p, double x) {
        const SinCos a = sin_cos(turns * x);
        p = {p.x, a.cos * p.y - a.sin * p.z, a.sin * p.y + a.cos * p.z};
    });
}

std::vector<Vec3> waved(const Soup& soup, double amplitude, double waves, double phase) {
    return along_x(soup, [&](Vec3& p, double x) { p.z += amplitude * sin_cos(waves * x + phase).sin; });
}

std::vector<Vec3> scattered(const Soup& soup, double distance, std::uint64_t seed) {
    std::vector<Vec3> out = soup.points;
    Random random(seed);
    for (Vec3& p : out) p = p + random.in_cube(-distance, distance);
    return out;
}

std::vector<Vec3> shuffled(const Soup& soup, std::uint64_t seed) {
    std::vector<Vec3> out = soup.points;
    Random random(seed);
    for (std::size_t i = out.size(); i > 1; --i)
        std::swap(out[i - 1], out[random.below(static_cast<std::uint32_t>(i))]);
    return out;
}

}  // namespace graze::scenes
