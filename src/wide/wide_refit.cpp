// SPDX-License-Identifier: Apache-2.0
#include "wide/wide_refit.hpp"

#include <algorithm>
#include <cmath>

#include "wide/wide_fit.hpp"

namespace graze::detail {

namespace {

constexpr double float_u = 0x1p-24;  ///< unit roundoff of float

Vec3 vec(const double v[3]) { return {v[0], v[1], v[2]}; }

/// A refit in progress. It edits the arrays, so those of a mapped file are copied first.
struct Refitter {
    WideTree& tree;
    const Geometry& g;
    WideParts parts;
    Bounds all;                            ///< around the leaves fitted so far
    std::span<const std::uint32_t> boxes;  ///< the boxes of a partial refit; empty for all

    Refitter(WideTree& t, const Geometry& geometry)
        : tree(t),
          g(geometry),
          parts{t.nodes.edit().data(), t.leaves.edit().data(), t.boxes.edit().data(), t.first_leaf(), t.unit} {}

    /// Measures the leaf from a point in its middle, then from the centre that its axes give.
    void fit_oriented_leaf(std::size_t i) {
        WideBox& box = parts.boxes[parts.first_leaf + i];
        all.grow(fit_aligned_leaves(parts, g, i, i + 1));
        const double reach = static_cast<double>(box.half[0]) + box.half[1] + box.half[2];
        double lo[3], hi[3];
        const Vec3 at{};
        range(box, i, at, lo, hi);
        finish(box, vec(box.centre), lo, hi, 16 * float_u * reach + 0x1p-48);
        box.size = -1;
        place_corners(parts, g, i);
    }

    /// Fits a node to the corners of its leaves and the boxes of its nodes.
    void fit_oriented_node(std::size_t i) {
        WideBox& box = parts.boxes[i];
        const WideNode& node = parts.nodes[i];
        Vec3 from;
        for (unsigned k = 0; k < box.count; ++k) from = from + vec(parts.boxes[node.ref[k]].centre) * (1.0 / box.count);
        double q[9], lo[3], hi[3], reach = 0;
        axes_of(box, q);
        std::fill_n(lo, 3, std::numeric_limits<double>::infinity());
        std::fill_n(hi, 3, -std::numeric_limits<double>::infinity());
        for (unsigned k = 0; k < box.count; ++k) {
            const WideBox& b = parts.boxes[node.ref[k]];
            const Vec3 at = (vec(b.centre) - from) * (1 / parts.unit);
            reach = std::max(reach, std::abs(at.x) + std::abs(at.y) + std::abs(at.z) +
                                        2 * (static_cast<double>(b.half[0]) + b.half[1] + b.half[2]));
            double l[3], h[3];
            if (node.ref[k] >= parts.first_leaf)
                range(box, node.ref[k] - parts.first_leaf, at, l, h);
            else
                range(q, b, at, l, h);
            for (int a = 0; a < 3; ++a) lo[a] = std::min(lo[a], l[a]), hi[a] = std::max(hi[a], h[a]);
        }
        if (boxes.empty())
            clip_to_model(q, from, lo, hi);
        else if (i == 0)
            clip_to_root(q, from, lo, hi);
        // The bound is that of a build: about 12 roundings of float projections up to reach.
        finish(box, from, lo, hi, 16 * float_u * reach + 0x1p-48);
        fill_lanes(parts, i);
    }

    /// Fits the root to all corners. A root around boxes around boxes would hide in `cost` how much these have grown.
    void fit_oriented_root() {
        WideBox& box = parts.boxes[0];
        const std::size_t leaves = tree.leaves.size();
        const Vec3 from{all.lo[0] / 2 + all.hi[0] / 2, all.lo[1] / 2 + all.hi[1] / 2, all.lo[2] / 2 + all.hi[2] / 2};
        float q[9];
        for (int i = 0; i < 9; ++i) q[i] = box.axes[i] / axis_unit;
        double lo[3], hi[3];
        constexpr std::size_t chunk = 64;
        Vec3 at[chunk];
        for (std::size_t i = 0; i < leaves; i += chunk) {
            const std::size_t n = std::min(chunk, leaves - i);
            for (std::size_t k = 0; k < n; ++k)
                at[k] = (vec(parts.boxes[parts.first_leaf + i + k].centre) - from) * (1 / parts.unit);
            const Range r = range_along(q, {parts.leaves + i, n}, at);
            for (int a = 0; a < 3; ++a) {
                lo[a] = i == 0 ? r.lo[a] : std::min<double>(lo[a], r.lo[a]);
                hi[a] = i == 0 ? r.hi[a] : std::max<double>(hi[a], r.hi[a]);
            }
        }
        // Corners are within one unit per coordinate; centres, and corners relative to them, are within 9 in all.
        finish(box, from, lo, hi, 16 * float_u * 9 + 0x1p-48);
        fill_lanes(parts, 0);
    }

    /// The range of a leaf's corners along a box's axes.
    void range(const WideBox& box, std::size_t leaf, const Vec3& at, double lo[3], double hi[3]) const {
        float q[9];
        for (int i = 0; i < 9; ++i) q[i] = box.axes[i] / axis_unit;
        const Range r = range_along(q, {parts.leaves + leaf, 1}, &at);
        for (int a = 0; a < 3; ++a) lo[a] = r.lo[a], hi[a] = r.hi[a];
    }

    /// The range of a box's zonotope along axes q.
    static void range(const double q[9], const WideBox& b, const Vec3& at, double lo[3], double hi[3]) {
        double c[9];
        axes_of(b, c);
        for (int a = 0; a < 3; ++a) {
            const Vec3 axis{q[3 * a], q[3 * a + 1], q[3 * a + 2]};
            double radius = 0;
            for (int i = 0; i < 3; ++i)
                radius += b.half[i] * std::abs(dot(axis, {c[3 * i], c[3 * i + 1], c[3 * i + 2]}));
            lo[a] = dot(axis, at) - radius;
            hi[a] = dot(axis, at) + radius;
        }
    }

    /// Clips a range to the model, because boxes around boxes could reach out of it in a deep tree. The 2⁻⁴⁸ of
    /// `finish` covers the roundings, as lengths in units are below 8.
    void clip_to_model(const double q[9], const Vec3& from, double lo[3], double hi[3]) const {
        for (int a = 0; a < 3; ++a) {
            double l = 0, h = 0;
            for (int j = 0; j < 3; ++j) {
                const double x = (all.lo[j] - from[j]) / parts.unit * q[3 * a + j],
                             y = (all.hi[j] - from[j]) / parts.unit * q[3 * a + j];
                l += std::min(x, y);
                h += std::max(x, y);
            }
            lo[a] = std::max(lo[a], l);
            hi[a] = std::min(hi[a], h);
        }
    }

    /// Clips the root of a partial refit to where it was before and to the leaves that have moved. Otherwise the root,
    /// around boxes around boxes, would hide in `cost` how much these have grown.
    void clip_to_root(const double q[9], const Vec3& from, double lo[3], double hi[3]) const {
        const WideBox& root = parts.boxes[0];
        const Vec3 d = (vec(root.centre) - from) * (1 / parts.unit);
        double low[3], high[3];
        for (int a = 0; a < 3; ++a) {
            const double at = dot({q[3 * a], q[3 * a + 1], q[3 * a + 2]}, d);
            low[a] = at - root.half[a], high[a] = at + root.half[a];
        }
        for (const std::uint32_t i : boxes) {
            if (i < parts.first_leaf) break;
            double l[3], h[3];
            range(root, i - parts.first_leaf, (vec(parts.boxes[i].centre) - from) * (1 / parts.unit), l, h);
            for (int a = 0; a < 3; ++a) low[a] = std::min(low[a], l[a]), high[a] = std::max(high[a], h[a]);
        }
        for (int a = 0; a < 3; ++a) lo[a] = std::max(lo[a], low[a]), hi[a] = std::min(hi[a], high[a]);
    }

    void finish(WideBox& box, const Vec3& from, const double lo[3], const double hi[3], double error) const {
        const Vec3 centre = from + middle(box, lo, hi) * parts.unit;
        box.centre[0] = centre.x, box.centre[1] = centre.y, box.centre[2] = centre.z;
        set_extents(box, (centre - from) * (1 / parts.unit), lo, hi, error);
    }

    void fit_leaves(double unit) {
        parts.unit = unit;
        all = {};
        if (tree.aligned)
            all = fit_aligned_leaves(parts, g, 0, tree.leaves.size());
        else
            for (std::size_t i = 0; i < tree.leaves.size(); ++i) fit_oriented_leaf(i);
    }

    void fit(std::uint32_t i) {
        if (i >= parts.first_leaf) {
            const std::size_t leaf = i - parts.first_leaf;
            tree.aligned ? all.grow(fit_aligned_leaves(parts, g, leaf, leaf + 1)) : fit_oriented_leaf(leaf);
        } else {
            tree.aligned ? fit_aligned_nodes(parts, i, i + 1) : fit_oriented_node(i);
        }
    }
};

double summed_area(const WideTree& tree) {
    double sum = 0;
    for (const WideBox& b : tree.boxes) sum += area(b);
    return sum;
}

}  // namespace

void refit(WideTree& tree, const Geometry& g) {
    if (tree.empty()) return;
    Refitter r(tree, g);
    // Points that no triangle uses may lie anywhere. Where they change the unit, a second pass uses the right one.
    const double guess = bounds_of(g.points.span()).unit();
    r.fit_leaves(guess);
    if (r.all.unit() != guess) r.fit_leaves(r.all.unit());
    tree.unit = r.parts.unit;
    tree.bound = r.all.bound();
    if (tree.aligned)
        fit_aligned_nodes(r.parts, 0, tree.nodes.size());
    else
        for (std::size_t i = tree.nodes.size(); i-- > 0;) i == 0 ? r.fit_oriented_root() : r.fit_oriented_node(i);
    tree.area = summed_area(tree);
}

void refit(WideTree& tree, const Geometry& g, std::span<const std::uint32_t> boxes) {
    if (boxes.empty()) return;
    if (tree.area == 0) tree.area = summed_area(tree);
    Refitter r(tree, g);
    r.boxes = boxes;
    double before = 0, after = 0;
    for (const std::uint32_t i : boxes) {
        before += area(tree.boxes[i]);
        r.fit(i);
        after += area(tree.boxes[i]);
    }
    // If little is left of the sum, it is mostly rounding error, and the areas are summed anew.
    const double sum = tree.area + (after - before);
    tree.area = sum > 0x1p-20 * tree.area ? sum : summed_area(tree);
    tree.bound = std::max(tree.bound, r.all.bound());
    // Past this size the unit is chosen anew. It leaves room for what an oriented box adds.
    const WideBox& root = tree.boxes[0];
    if (std::max({root.half[0], root.half[1], root.half[2]}) > 8) refit(tree, g);
}

bool reaches(const WideTree& tree, const Vec3& p) {
    // The root of an aligned tree never grows past this, however often parts are refitted.
    constexpr double far = 1.5;
    if (tree.empty()) return true;
    const Vec3 d = (p - vec(tree.boxes[0].centre)) * (1 / tree.unit);
    return std::abs(d.x) <= far && std::abs(d.y) <= far && std::abs(d.z) <= far;
}

double cost(const WideTree& tree) {
    if (tree.empty()) return 0;
    return (tree.area > 0 ? tree.area : summed_area(tree)) / area(tree.boxes[0]);
}

}  // namespace graze::detail
