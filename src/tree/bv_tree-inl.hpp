// SPDX-License-Identifier: Apache-2.0
// The functions of a binary tree. The file of each volume includes this and ends in `template struct BvTree<…>`.
#pragma once

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "tree/bv_tree.hpp"

namespace graze::detail {

/// A range of triangles whose tree is still to be made: its root, and where the nodes below it begin. There are 2·count
/// − 2 nodes below a root, so every group knows its place beforehand.
struct Group {
    std::uint32_t first, count, node, below, level;
};

/// The triangles in the tree's frame. They are moved as groups are cut, so a group is always contiguous.
struct Sorted {
    std::vector<Vec3> points;  ///< three per triangle
    std::vector<std::uint32_t> ids;

    Sorted(const Geometry& g, const Frame& frame);
    std::span<const Vec3> of(const Group& g) const {
        return std::span(points).subspan(3 * std::size_t{g.first}, 3 * std::size_t{g.count});
    }
};

/// Cuts groups of triangles and holds the working memory for that. Different threads cut different groups.
class Cutter {
public:
    explicit Cutter(Sorted& sorted) : sorted_(sorted) {}

    /// Moves the triangles of the first child to the front and returns their number. Neither child is empty. The axes
    /// are rows, in the order in which they are tried.
    std::uint32_t cut(const Group& g, const Mat3& axes, Split split);

private:
    struct Box {
        Vec3 low, high;
    };

    std::uint32_t at_mean(const Group& g, const Vec3& axis);
    std::uint32_t at_median(const Group& g, const Vec3& axis);
    std::uint32_t at_midpoint(const Group& g, const Vec3& axis);
    std::uint32_t least_overlap(const Group& g, const Vec3& axis);
    std::uint32_t least_area(const Group& g, const Mat3& axes);
    double sweep(const Group& g, int axis);
    double bins(const Group& g, int axis);

    void keep_order(const Group& g, std::size_t left);
    std::uint32_t partition(const Group& g);
    const Vec3* corners(std::uint32_t i) const { return &sorted_.points[3 * std::size_t{i}]; }

    Sorted& sorted_;
    std::vector<std::pair<double, std::uint32_t>> keys_;  // what a group is sorted by, and places in the group
    std::vector<Box> boxes_;                              // boxes of the triangles, along the axes
    std::vector<double> right_;                           // costs, or lower ends, of the parts from place i on
    std::vector<std::uint8_t> side_, best_side_;          // 1 for the second child
};

/// The model's axes, the one with the points' longest extent first.
Mat3 axes_by_extent(std::span<const Vec3> points);

/// The frame around the points that triangles use.
Frame frame_of(const Geometry& g);

template <class Bv>
BvTree<Bv> BvTree<Bv>::build(const Geometry& geometry, const TreeSettings& settings) {
    BvTree<Bv> tree;
    if (geometry.triangles.empty()) return tree;
    tree.frame = frame_of(geometry);
    Sorted sorted(geometry, tree.frame);
    const auto count = static_cast<std::uint32_t>(geometry.triangles.size());
    std::vector<Node> nodes(2 * std::size_t{count} - 1);

    // Makes nodes depth first. Groups of up to `small` triangles are put off.
    const auto grow = [&](const Group& root, std::uint32_t small, std::vector<Group>* later) {
        Cutter cutter(sorted);
        std::uint32_t depth = 0;
        std::vector<Group> stack{root};
        while (!stack.empty()) {
            const Group g = stack.back();
            stack.pop_back();
            if (g.count <= small) {
                later->push_back(g);
                continue;
            }
            depth = std::max(depth, g.level);
            Node& node = nodes[g.node];
            node.volume = Bv::around(sorted.of(g), settings);
            if (g.count == 1) {
                node.triangle = sorted.ids[g.first];
                continue;
            }
            Mat3 axes;
            if constexpr (requires { node.volume.axis(0); })
                axes = {{node.volume.axis(0), node.volume.axis(1), node.volume.axis(2)}};
            else
                axes = axes_by_extent(sorted.of(g));
            const std::uint32_t left = cutter.cut(g, axes, settings.split);
            node.child = g.below;
            stack.push_back({g.first + left, g.count - left, g.below + 1, g.below + 2 * left, g.level + 1});
            stack.push_back({g.first, left, g.below, g.below + 2, g.level + 1});
        }
        return depth;
    };
    // The parts do not depend on the number of threads, and no part depends on another.
    std::vector<Group> parts;
    tree.depth = grow({0, count, 0, 1, 1}, std::max(1024u, count / 64), &parts);
    std::vector<std::uint32_t> depths(parts.size());
    parallel_for(parts.size(), settings.threads, [&](std::size_t i) { depths[i] = grow(parts[i], 0, nullptr); });
    for (const std::uint32_t d : depths) tree.depth = std::max(tree.depth, d);
    tree.nodes = std::move(nodes);
    return tree;
}

template <class Bv>
std::string BvTree<Bv>::validate(const Geometry& geometry) const {
    const BvTree& tree = *this;
    const std::size_t triangles = geometry.triangles.size();
    const auto name = [](std::uint32_t n) { return "node " + std::to_string(n); };
    if (tree.nodes.size() != (triangles == 0 ? 0 : 2 * triangles - 1))
        return std::to_string(tree.nodes.size()) + " nodes for " + std::to_string(triangles) + " triangles";
    std::vector<bool> reached(tree.nodes.size()), held(triangles);
    std::size_t leaves = 0;
    struct Visit {
        std::uint32_t node, level;
    };
    std::vector<Visit> stack;
    std::vector<std::uint32_t> path;
    if (triangles > 0) stack.push_back({0, 0});
    while (!stack.empty()) {
        const auto [n, level] = stack.back();
        stack.pop_back();
        if (reached[n]) return name(n) + " has two parents";
        reached[n] = true;
        path.resize(level);
        path.push_back(n);
        const auto& node = tree.nodes[n];
        if (!tree.leaf(n)) {
            if (node.child <= n || node.child >= tree.nodes.size() - 1) return name(n) + " has a child out of place";
            stack.push_back({node.child + 1, level + 1});
            stack.push_back({node.child, level + 1});
            continue;
        }
        ++leaves;
        if (node.triangle >= triangles) return name(n) + " holds a triangle that does not exist";
        if (held[node.triangle]) return "triangle " + std::to_string(node.triangle) + " is in two leaves";
        held[node.triangle] = true;
        for (const std::uint32_t c : geometry.triangles[node.triangle])
            for (const std::uint32_t above : path)
                if (!tree.volume(above).holds(tree.frame.local(geometry.points[c])))
                    return name(above) + " does not hold point " + std::to_string(c) + " of triangle " +
                           std::to_string(node.triangle);
    }
    if (leaves != triangles) return std::to_string(leaves) + " leaves for " + std::to_string(triangles) + " triangles";
    return {};
}

template <class Bv>
void BvTree<Bv>::refit(const Geometry& geometry, const TreeSettings& settings) {
    if (empty()) return;
    frame = frame_of(geometry);
    const auto all = nodes.edit();
    for (std::size_t i = all.size(); i-- > 0;) refit_node(all, i, geometry, settings);
}

template <class Bv>
void BvTree<Bv>::refit(const Geometry& geometry, const TreeSettings& settings, std::span<const std::uint32_t> which) {
    const auto all = nodes.edit();
    for (const std::uint32_t i : which) refit_node(all, i, geometry, settings);
}

template <class Bv>
void BvTree<Bv>::refit_node(std::span<Node> all, std::size_t i, const Geometry& geometry,
                            const TreeSettings& settings) const {
    Node& node = all[i];
    if (node.child != 0) {
        node.volume = node.volume.around(all[node.child].volume, all[node.child + 1].volume);
        return;
    }
    const Triangle t = geometry.triangle(node.triangle);
    const Vec3 corners[3] = {frame.local(t.a), frame.local(t.b), frame.local(t.c)};
    node.volume = Bv::around(corners, settings);
}

template <class Bv>
bool BvTree<Bv>::reaches(const Vec3& p) const {
    const Vec3 q = frame.local(p);
    return std::abs(q.x) <= 1 && std::abs(q.y) <= 1 && std::abs(q.z) <= 1;
}

template <class Bv>
double BvTree<Bv>::cost() const {
    if (empty()) return 0;
    double sum = 0;
    for (const Node& node : nodes) sum += node.volume.area();
    if constexpr (!requires { Bv::loose; }) {
        return sum / nodes[0].volume.area();
    } else {
        // A refit enlarges the root's volume so much that all others would seem to have shrunk.
        Vec3 low{1, 1, 1}, high{-1, -1, -1};
        for (const Node& node : nodes) {
            if (node.child != 0) continue;
            const Vec3 c = node.volume.box().centre;
            for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], c[k]), high[k] = std::max(high[k], c[k]);
        }
        const double r = length(high - low) / 2;
        return r > 0 ? sum / (r * r) : 1;
    }
}

}  // namespace graze::detail
