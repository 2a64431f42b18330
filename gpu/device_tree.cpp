// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/float_environment.hpp"
#include "base/parallel.hpp"
#include "gpu/half.hpp"
#include "model/access.hpp"
#include "tree/bv_tree.hpp"
#include "tree/obb.hpp"

namespace graze::gpu {
namespace {

using detail::BvTree;
using detail::Geometry;
using detail::Obb;
using Binary = BvTree<Obb>;

/// The smallest extent of `bits` bits that is no smaller than x.
std::uint32_t extent_bits(double x, int bits) {
    const double scaled = x / half_unit;
    auto f = static_cast<float>(scaled);
    if (f < scaled) f = std::nextafter(f, 1.0f);
    const int dropped = 28 - bits;  // a float's sign and upper three bits of the exponent are zero
    return (std::bit_cast<std::uint32_t>(f) + (1u << dropped) - 1) >> dropped;
}

class Maker {
public:
    explicit Maker(const Geometry& geometry) : g_(geometry) {}

    Result<DeviceTree> run() {
        const std::size_t n = g_.triangles.size();
        if (n > ref::max_index)
            return Fault{FaultKind::TooMany, "the model has " + std::to_string(n) + " triangles; a GPU takes at most " +
                                                 std::to_string(ref::max_index)};
        if (n == 0) return std::move(out_);
        detail::TreeSettings settings;
        settings.tree = detail::TreeKind::Binary;
        settings.volume = Volume::Obb;
        tree_ = Binary::build(g_, settings);
        list_triangles();
        plan();
        fit();
        return std::move(out_);
    }

private:
    struct Range {
        std::uint32_t first, count;
    };

    /// Lists the triangles so that those below every node are in a row.
    void list_triangles() {
        const std::size_t nodes = tree_.nodes.size();
        below_.assign(nodes, {0, 0});
        for (std::size_t i = nodes; i-- > 0;) {
            const auto c = tree_.nodes[i].child;
            below_[i].count = c == 0 ? 1 : below_[c].count + below_[c + 1].count;
        }
        out_.triangles.resize(g_.triangles.size());
        for (std::size_t i = 0; i < nodes; ++i) {
            const auto c = tree_.nodes[i].child;
            if (c != 0) {
                below_[c].first = below_[i].first;
                below_[c + 1].first = below_[i].first + below_[c].count;
                continue;
            }
            LeafTriangle& t = out_.triangles[below_[i].first];
            t.id = tree_.nodes[i].triangle;
            const Triangle exact = g_.triangle(t.id);
            const Vec3* corners[] = {&exact.a, &exact.b, &exact.c};
            for (int k = 0; k < 9; ++k) t.corner[k] = (*corners[k / 3])[k % 3];
        }
    }

    bool is_leaf(std::uint32_t node) const { return below_[node].count <= 2; }

    /// The nodes shown as children of one that is no leaf: the largest is opened until there are four.
    std::vector<std::uint32_t> children(std::uint32_t node) const {
        std::vector<std::uint32_t> shown{tree_.nodes[node].child, tree_.nodes[node].child + 1};
        while (shown.size() < 4) {
            double largest = -1;
            std::size_t at = 0;
            for (std::size_t i = 0; i < shown.size(); ++i)
                if (!is_leaf(shown[i]) && tree_.nodes[shown[i]].volume.area() > largest)
                    largest = tree_.nodes[shown[i]].volume.area(), at = i;
            if (largest < 0) break;
            const auto c = tree_.nodes[shown[at]].child;
            shown[at] = c;
            shown.push_back(c + 1);
        }
        return shown;
    }

    /// Decides which nodes become boxes, breadth first.
    void plan() {
        nodes_ = {0, none, none, none};
        std::vector<std::uint32_t> level{1, 0, 0, 0};
        out_.boxes.resize(4);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const auto node = nodes_[i];
            if (node == none) continue;
            out_.frame.depth = std::max(out_.frame.depth, level[i]);
            if (is_leaf(node)) {
                out_.boxes[i].ref = ref::leaf | (below_[node].count - 1) << 29 | below_[node].first;
                continue;
            }
            const auto shown = children(node);
            out_.boxes[i].ref = static_cast<std::uint32_t>((shown.size() - 1) << 29 | nodes_.size() / 4);
            for (std::size_t k = 0; k < 4; ++k) {
                nodes_.push_back(k < shown.size() ? shown[k] : none);
                level.push_back(level[i] + 1);
            }
            out_.boxes.resize(nodes_.size());
        }
    }

    void fit() {
        TreeFrame& f = out_.frame;
        for (int k = 0; k < 3; ++k) f.origin[k] = tree_.frame.centre[k];
        f.unit = std::ldexp(1, tree_.frame.exponent);
        std::vector<float> reach((nodes_.size() + 255) / 256);
        detail::parallel_for(reach.size(), 0, [&](std::size_t block) {
            for (std::size_t i = 256 * block; i < std::min(nodes_.size(), 256 * (block + 1)); ++i)
                if (nodes_[i] != none) reach[block] = std::max(reach[block], fit(i));
        });
        f.reach = *std::max_element(reach.begin(), reach.end()) * 1.0001f;
        f.bound = 0;
        for (const LeafTriangle& t : out_.triangles)
            for (const double x : t.corner) f.bound = std::max(f.bound, std::abs(x));
    }

    /// Fits a box along the axes of its node. Returns its reach.
    float fit(std::size_t i) {
        Box& box = out_.boxes[i];
        const Mat3& axes = tree_.nodes[nodes_[i]].volume.axes;
        std::uint32_t h[6];
        for (int k = 0; k < 6; ++k) h[k] = half_from(axes.row[k / 3][k % 3]);
        for (int k = 0; k < 3; ++k) box.axes[k] = h[2 * k] | h[2 * k + 1] << 16;
        const BoxShape shape = shape_of(box);
        const auto axis = [&](int k) { return Vec3{shape.axis[k][0], shape.axis[k][1], shape.axis[k][2]}; };
        const Vec3 a[3] = {axis(0), axis(1), axis(2)};
        // The dual axes: s_i = dual_i · (p − centre).
        const double scale = 1 / dot(a[0], cross(a[1], a[2]));
        const Vec3 dual[3] = {cross(a[1], a[2]) * scale, cross(a[2], a[0]) * scale, cross(a[0], a[1]) * scale};

        const Range below = below_[nodes_[i]];
        const auto corners = [&](const auto& f) {
            for (std::uint32_t t = below.first; t < below.first + below.count; ++t)
                for (int k = 0; k < 9; k += 3) {
                    const double* p = out_.triangles[t].corner + k;
                    f(tree_.frame.local({p[0], p[1], p[2]}));
                }
        };
        double lo[3] = {4, 4, 4}, hi[3] = {-4, -4, -4};
        corners([&](const Vec3& p) {
            for (int k = 0; k < 3; ++k) {
                const double s = dot(dual[k], p);
                lo[k] = std::min(lo[k], s), hi[k] = std::max(hi[k], s);
            }
        });
        const Vec3 middle = a[0] * ((lo[0] + hi[0]) / 2) + a[1] * ((lo[1] + hi[1]) / 2) + a[2] * ((lo[2] + hi[2]) / 2);
        for (int k = 0; k < 3; ++k) box.centre[k] = static_cast<float>(middle[k]);
        const Vec3 centre{box.centre[0], box.centre[1], box.centre[2]};
        double half[3] = {0, 0, 0};
        corners([&](const Vec3& p) {
            for (int k = 0; k < 3; ++k)
                half[k] = std::max({half[k], std::abs(dot(a[k], p - centre)), std::abs(dot(dual[k], p - centre))});
        });
        // Rounding above, and of `Frame::local`, is below 2^-48.
        for (double& x : half) x += 0x1p-46;
        box.half = extent_bits(half[0], 11) | extent_bits(half[1], 11) << 11 | extent_bits(half[2], 10) << 22;
        const BoxShape fitted = shape_of(box);
        const double size = fitted.half[0] + fitted.half[1] + fitted.half[2];
        const int key = std::clamp(static_cast<int>(std::floor(2 * std::log2(size))) + 28, 0, 31);
        box.ref |= static_cast<std::uint32_t>(key) << 24;
        return static_cast<float>(length(centre));
    }

    static constexpr std::uint32_t none = ~0u;
    const Geometry& g_;
    Binary tree_;
    std::vector<Range> below_;          ///< triangles below each node, as places in `out_.triangles`
    std::vector<std::uint32_t> nodes_;  ///< the node that each box shows
    DeviceTree out_;
};

}  // namespace

BoxShape shape_of(const Box& box) {
    BoxShape s;
    for (int k = 0; k < 6; ++k) s.axis[k / 3][k % 3] = half_to_float(box.axes[k / 2] >> 16 * (k % 2) & 0xffff);
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        s.axis[2][k] = s.axis[0][i] * s.axis[1][j] - s.axis[0][j] * s.axis[1][i];
    }
    const std::uint32_t bits[3] = {(box.half & 0x7ff) << 17, (box.half >> 11 & 0x7ff) << 17, box.half >> 22 << 18};
    for (int k = 0; k < 3; ++k) s.half[k] = static_cast<double>(std::bit_cast<float>(bits[k])) * half_unit;
    return s;
}

Result<DeviceTree> make_tree(const graze::Model& model) {
    const detail::DefaultFloats floats;
    return Maker(detail::Access::data(model).geometry).run();
}

}  // namespace graze::gpu
