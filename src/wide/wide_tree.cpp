// SPDX-License-Identifier: Apache-2.0
#include "wide/wide_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace graze::detail {

unsigned depth(const WideTree& tree) {
    if (tree.empty()) return 0;
    unsigned deepest = 1;
    std::vector<unsigned> level(tree.nodes.size(), 1);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i)
        for (unsigned k = 0; k < tree.boxes[i].count; ++k) {
            const std::uint32_t ref = tree.nodes[i].ref[k];
            if (ref < tree.first_leaf()) level[ref] = level[i] + 1;
            deepest = std::max(deepest, level[i] + 1);
        }
    return deepest;
}

namespace {

/// How far p sticks out of the box's slabs and zonotope, in units. Computed in double from the stored numbers, so the
/// result is good to about 2⁻⁴⁸ of the model's size.
double outside(const WideBox& box, double unit, const Vec3& p) {
    double a[3][3], s[3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) a[i][j] = box.axes[3 * i + j] / static_cast<double>(axis_unit);
    const Vec3 d{(p.x - box.centre[0]) / unit, (p.y - box.centre[1]) / unit, (p.z - box.centre[2]) / unit};
    double most = 0;
    for (int i = 0; i < 3; ++i) {
        s[i] = a[i][0] * d.x + a[i][1] * d.y + a[i][2] * d.z;
        most = std::max(most, std::abs(s[i]) - box.half[i]);
    }
    // Solves d = Aᵀ c by Cramer's rule.
    const Vec3 r[3] = {{a[0][0], a[0][1], a[0][2]}, {a[1][0], a[1][1], a[1][2]}, {a[2][0], a[2][1], a[2][2]}};
    const double det = dot(r[0], cross(r[1], r[2]));
    for (int i = 0; i < 3; ++i)
        most = std::max(most, std::abs(dot(d, cross(r[(i + 1) % 3], r[(i + 2) % 3])) / det) - box.half[i]);
    return most;
}

}  // namespace

std::string validate(const WideTree& tree, const Geometry& g) {
    const std::size_t nodes = tree.nodes.size(), leaves = tree.leaves.size();
    if (tree.boxes.size() != nodes + leaves) return "wide tree: boxes and nodes differ in number";
    if (leaves == 0) return g.triangles.empty() && nodes == 0 ? "" : "wide tree: triangles without leaves";
    if (nodes == 0 && leaves != 1) return "wide tree: leaves without a root";
    if (!(tree.unit > 0) || !std::isfinite(tree.unit) || !(tree.bound >= 0) || !std::isfinite(tree.bound))
        return "wide tree: the unit is not a positive number";
    constexpr double rounding = 0x1p-44;

    // Everything but the root has exactly one parent, which comes before it.
    constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> parent(nodes + leaves, none);
    for (std::size_t i = 0; i < nodes; ++i) {
        const std::string at = "wide tree: node " + std::to_string(i);
        const WideBox& own = tree.boxes[i];
        if (own.count < 1 || own.count > node_children) return at + " has " + std::to_string(own.count) + " children";
        if (!(own.size >= 0)) return at + " has no size";
        for (unsigned k = 0; k < own.count; ++k) {
            const std::uint32_t ref = tree.nodes[i].ref[k];
            if (ref >= nodes + leaves) return at + " refers to a child that does not exist";
            if (ref <= i) return at + " refers to a child before it";
            if (parent[ref] != none) return at + " shares a child with node " + std::to_string(parent[ref]);
            parent[ref] = static_cast<std::uint32_t>(i);
            // The lane repeats the child's box, relative to this node's centre.
            const WideBox& b = tree.boxes[ref];
            double off = 0, far = 0, extent = 0;
            for (int j = 0; j < 3; ++j) {
                const double c = (b.centre[j] - own.centre[j]) / tree.unit;
                off += std::abs(c - tree.nodes[i].centre[j][k]);
                far += std::abs(tree.nodes[i].centre[j][k]);
                extent += b.half[j];
            }
            for (int j = 0; j < 3; ++j)
                if (!(tree.nodes[i].half[j][k] * static_cast<double>(axis_unit) + rounding >= b.half[j] + off))
                    return at + ": lane " + std::to_string(k) + " is smaller than the child's box";
            if (!std::equal(b.axes, b.axes + 9, &tree.nodes[i].axes[0][k],
                            [&, j = 0](std::int16_t want, const std::int16_t&) mutable {
                                return want == tree.nodes[i].axes[j++][k];
                            }))
                return at + ": lane " + std::to_string(k) + " has other axes than the child's box";
            if (!(tree.nodes[i].reach + rounding >= far + extent)) return at + ": a child reaches further than stated";
        }
        for (unsigned k = own.count; k < node_children; ++k)
            if (!(tree.nodes[i].half[0][k] < 0)) return at + ": a lane past the count is not empty";
    }
    for (std::size_t i = 1; i < nodes + leaves; ++i)
        if (parent[i] == none) return "wide tree: box " + std::to_string(i) + " has no parent";

    std::vector<bool> seen(g.triangles.size());
    for (std::size_t l = 0; l < leaves; ++l) {
        const std::string at = "wide tree: leaf " + std::to_string(l);
        const WideBox& box = tree.boxes[nodes + l];
        if (box.count < 1 || box.count > leaf_triangles) return at + " has " + std::to_string(box.count) + " triangles";
        if (box.size != -1) return at + " has a node's size";
        for (unsigned k = 0; k < leaf_triangles; ++k) {
            const std::uint32_t id = tree.leaves[l].id[k];
            if (id >= g.triangles.size()) return at + " names a triangle that does not exist";
            if (k >= box.count) continue;
            const std::string which = "triangle " + std::to_string(id);
            if (seen[id]) return at + ": " + which + " is in two leaves";
            seen[id] = true;
            const Triangle t = g.triangle(id);
            const Vec3 corner[3] = {t.a, t.b, t.c};
            for (int v = 0; v < 3; ++v) {
                for (int j = 0; j < 3; ++j) {
                    const double x = (corner[v][j] - box.centre[j]) / tree.unit;
                    if (!(std::abs(x - tree.leaves[l].v[3 * v + j][k]) <= 0x1p-24 * std::abs(x) + 0x1p-149))
                        return at + ": " + which + " is stored elsewhere";
                }
                if (!(outside(box, tree.unit, corner[v]) <= rounding))
                    return at + ": " + which + " sticks out of the leaf";
                for (std::uint32_t n = parent[nodes + l]; n != none; n = parent[n])
                    if (!(outside(tree.boxes[n], tree.unit, corner[v]) <= rounding))
                        return at + ": " + which + " sticks out of node " + std::to_string(n);
            }
        }
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (!seen[i]) return "wide tree: triangle " + std::to_string(i) + " is in no leaf";
    return "";
}

}  // namespace graze::detail
