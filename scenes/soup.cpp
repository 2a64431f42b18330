// SPDX-License-Identifier: Apache-2.0
#include "scenes/soup.hpp"

#include <bit>
#include <map>
#include <tuple>

namespace graze::scenes {

Soup scale(Soup soup, double factor) {
    for (Vec3& p : soup.points) p = p * factor;
    return soup;
}

Soup transformed(Soup soup, const Pose& pose) {
    for (Vec3& p : soup.points) p = pose(p);
    return soup;
}

Soup joined(Soup first, const Soup& second) {
    const auto base = static_cast<std::uint32_t>(first.points.size());
    first.points.insert(first.points.end(), second.points.begin(), second.points.end());
    first.corners.reserve(first.corners.size() + second.corners.size());
    for (const std::uint32_t c : second.corners) first.corners.push_back(base + c);
    return first;
}

Soup welded(const Soup& soup) {
    Soup out;
    std::map<std::tuple<double, double, double>, std::uint32_t> seen;  // finds -0 equal to 0
    std::vector<std::uint32_t> index;
    index.reserve(soup.points.size());
    for (const Vec3& p : soup.points) {
        const auto next = static_cast<std::uint32_t>(out.points.size());
        const auto [at, fresh] = seen.try_emplace({p.x, p.y, p.z}, next);
        if (fresh) out.points.push_back(p);
        index.push_back(at->second);
    }
    for (std::size_t i = 0; i < soup.corners.size(); i += 3) {
        const std::uint32_t a = index[soup.corners[i]], b = index[soup.corners[i + 1]], c = index[soup.corners[i + 2]];
        if (a != b && b != c && c != a) out.add_triangle(a, b, c);
    }
    return out;
}

std::uint64_t fingerprint(const Soup& soup) {
    std::uint64_t h = 0xcbf29ce484222325u;
    const auto mix = [&h](std::uint64_t v) {
        h = (h ^ v) * 0x100000001b3u;
        h ^= h >> 32;
    };
    // Adding zero turns -0 into 0.
    for (const Vec3& p : soup.points)
        for (int i = 0; i < 3; ++i) mix(std::bit_cast<std::uint64_t>(p[i] + 0.0));
    for (const std::uint32_t c : soup.corners) mix(c);
    return h;
}

}  // namespace graze::scenes
