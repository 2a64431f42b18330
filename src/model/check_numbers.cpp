// SPDX-License-Identifier: Apache-2.0
#include "model/check_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace graze::detail {

namespace {

/// Whether all numbers are at most `most` in magnitude. Numbers that are not finite fail. There is no branch per
/// number.
template <class Real>
bool within(const Real* numbers, std::size_t n, Real most) {
    bool all = true;
    for (std::size_t i = 0; i < n; ++i) all &= std::abs(numbers[i]) <= most;
    return all;
}

/// The extent of the corners of all triangles. Points that no triangle uses do not count.
struct Extent {
    Vec3 low, high;

    explicit Extent(const Geometry& g) {
        if (g.triangles.empty()) return;
        low = high = g.points[g.triangles[0][0]];
        for (std::size_t i = 0; i < g.triangles.size(); ++i)
            for (const std::uint32_t c : g.triangles[i]) {
                const Vec3& p = g.points[c];
                for (int k = 0; k < 3; ++k) {
                    low[k] = std::min(low[k], p[k]);
                    high[k] = std::max(high[k], p[k]);
                }
            }
    }

    bool within(const Vec3& centre, double radius) const {
        for (int k = 0; k < 3; ++k)
            if (!(centre[k] - low[k] <= radius && high[k] - centre[k] <= radius)) return false;
        return true;
    }
};

/// Whether stored axes are orthonormal up to the rounding of their 16-bit components, 2^-14 each. `finish` in
/// wide_build.cpp assumes 2^-13.
bool orthonormal(const std::int16_t* axes) {
    constexpr std::int32_t one = 32767 * 32767, off = one >> 12;
    bool all = true;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            std::int32_t sum = i == j ? -one : 0;
            for (int k = 0; k < 3; ++k) {
                const std::int32_t product = std::int32_t{axes[3 * i + k]} * axes[3 * j + k];
                if (__builtin_add_overflow(sum, product, &sum)) return false;
            }
            all &= sum <= off && sum >= -off;
        }
    return all;
}

bool same_axes(const WideNode& node, unsigned lane, const WideBox& child) {
    bool all = true;
    for (int i = 0; i < 9; ++i) all &= node.axes[i][lane] == child.axes[i];
    return all;
}

constexpr std::int16_t aligned_axes[9] = {32767, 0, 0, 0, 32767, 0, 0, 0, 32767};

/// Lengths are in units. No vector of a sound tree is longer than 4 units; the limits leave room.
std::string check_wide(const ModelData& m, const Extent& extent) {
    const WideTree& t = m.wide;
    if (t.empty()) return "";
    constexpr float most = 64;
    const WideBox& root = t.boxes[0];
    const Vec3 centre{root.centre[0], root.centre[1], root.centre[2]};
    const float sum = root.half[0] + root.half[1] + root.half[2];
    if (!extent.within(centre, 2.0 * sum * t.unit)) return "the root's box is too small for the triangles";
    if (!extent.within({}, t.bound)) return "has coordinates beyond its bound";
    const double far = 8.0 * sum * t.unit;
    for (std::size_t i = 0; i < t.boxes.size(); ++i) {
        const WideBox& box = t.boxes[i];
        bool sound = orthonormal(box.axes) && (!t.aligned || std::equal(box.axes, box.axes + 9, aligned_axes));
        for (int j = 0; j < 3; ++j) sound &= box.half[j] <= 8 * sum && std::abs(box.centre[j] - centre[j]) <= far;
        if (!sound) return "box " + std::to_string(i) + " is not valid";
    }
    for (std::size_t i = 0; i < t.nodes.size(); ++i) {
        const WideNode& node = t.nodes[i];
        // Lanes past the count have negative extents, which may be large.
        bool sound = within(node.centre[0], 3 * node_children, most) &&
                     within(node.half[0], 3 * node_children, 1e38f) && node.reach >= 0 && node.reach <= 8 * most;
        for (unsigned k = 0; k < t.boxes[i].count; ++k) {
            for (int j = 0; j < 3; ++j) sound &= node.half[j][k] >= 0 && node.half[j][k] <= most;
            sound &= same_axes(node, k, t.boxes[node.ref[k]]);
        }
        if (!sound) return "node " + std::to_string(i) + " has a child that is not valid";
    }
    for (std::size_t i = 0; i < t.leaves.size(); ++i)
        if (!within(t.leaves[i].v[0], 9 * leaf_triangles, most))
            return "leaf " + std::to_string(i) + " is out of range";
    return "";
}

/// Whether a volume, in the frame of its tree, is well formed. All points there have a magnitude of at most 1.
template <class Bv>
bool proper(const Bv& volume) {
    // Every volume is made of doubles.
    static_assert(std::is_trivially_copyable_v<Bv> && sizeof(Bv) % sizeof(double) == 0);
    double numbers[sizeof(Bv) / sizeof(double)];
    std::memcpy(numbers, &volume, sizeof volume);
    if (!within(numbers, std::size(numbers), 64.0)) return false;
    const Obb box = volume.box();
    bool sound = box.half.x >= 0 && box.half.y >= 0 && box.half.z >= 0;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) sound &= std::abs(dot(box.axes.row[i], box.axes.row[j]) - (i == j)) <= 0x1p-45;
    if constexpr (requires { volume.reach; })
        for (std::size_t i = 0; i < volume.reach.size(); i += 2) sound &= volume.reach[i] + volume.reach[i + 1] >= 0;
    return sound;
}

template <class Bv>
std::string check_binary(const BvTree<Bv>& t, const Extent& extent) {
    if (t.empty()) return "";
    if (!extent.within(t.frame.centre, std::ldexp(4, t.frame.exponent))) return "the frame is too small";
    for (std::size_t i = 0; i < t.nodes.size(); ++i)
        if (!proper(t.nodes[i].volume)) return "the volume of node " + std::to_string(i) + " is not valid";
    return "";
}

}  // namespace

std::string check_numbers(const ModelData& m) {
    if (!(m.built_cost >= 0 && m.built_cost <= 0x1p1000 && m.aligned_ratio >= 0 && m.aligned_ratio <= 0x1p30))
        return "has no proper costs";
    const Extent extent(m.geometry);
    return m.is_wide() ? check_wide(m, extent)
                       : std::visit([&](const auto& tree) { return check_binary(tree, extent); }, m.binary);
}

}  // namespace graze::detail
