// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "bv_tree.hpp"

namespace graze::detail {

namespace {

/// A range of triangles whose tree is still to be made.
struct Group {
    std::uint32_t first, count, node, level;
};

/// The triangles in the tree's frame, moved about as groups are cut: a group is always contiguous.
class Sorter {
public:
    Sorter(const Geometry& g, const Frame& frame) : points_(g.triangles.size() * 3), ids_(g.triangles.size()) {
        for (std::uint32_t i = 0; i < ids_.size(); ++i) {
            ids_[i] = i;
            for (int k = 0; k < 3; ++k) points_[3 * std::size_t{i} + k] = frame.local(g.points[g.triangles[i][k]]);
        }
    }

    std::span<const Vec3> points(const Group& g) const {
        return std::span(points_).subspan(3 * std::size_t{g.first}, 3 * std::size_t{g.count});
    }
    std::uint32_t id(std::uint32_t i) const { return ids_[i]; }

    /// How many triangles go to the first child; 0 when their centres are all the same along the axis.
    std::uint32_t cut(const Group& g, const Vec3& axis, Split split) {
        // Sums over the corners, not means: only comparisons matter. The mean of the vertices is that of
        // the centres, as each triangle has three.
        double low = key(g.first, axis), high = low, sum = 0;
        for (std::uint32_t i = g.first; i < g.first + g.count; ++i) {
            const double k = key(i, axis);
            low = std::min(low, k), high = std::max(high, k), sum += k;
        }
        if (!(low < high)) return 0;
        if (split == Split::Median) return halve(g, axis);
        // Rounding could put the mean past every centre.
        const double mean = std::clamp(sum / g.count, low, std::nextafter(high, low));
        std::uint32_t i = g.first, j = g.first + g.count;
        while (i < j) {
            if (key(i, axis) <= mean)
                ++i;
            else
                swap(i, --j);
        }
        return i - g.first;
    }

private:
    double key(std::uint32_t i, const Vec3& axis) const {
        const Vec3* p = &points_[3 * std::size_t{i}];
        return dot(axis, p[0] + p[1] + p[2]);
    }

    void swap(std::uint32_t i, std::uint32_t j) {
        std::swap(ids_[i], ids_[j]);
        std::swap_ranges(&points_[3 * std::size_t{i}], &points_[3 * std::size_t{i}] + 3, &points_[3 * std::size_t{j}]);
    }

    std::uint32_t halve(const Group& g, const Vec3& axis) {
        keys_.clear();
        for (std::uint32_t i = g.first; i < g.first + g.count; ++i) keys_.push_back({key(i, axis), i});
        const auto middle = keys_.begin() + g.count / 2;
        std::nth_element(keys_.begin(), middle, keys_.end());
        // Those that change sides trade places; as many leave the one as the other.
        auto right = middle;
        for (auto left = keys_.begin(); left != middle; ++left) {
            if (left->second < g.first + g.count / 2) continue;
            while (right->second >= g.first + g.count / 2) ++right;
            swap(left->second, right->second);
            ++right;
        }
        return g.count / 2;
    }

    std::vector<Vec3> points_;
    std::vector<std::uint32_t> ids_;
    std::vector<std::pair<double, std::uint32_t>> keys_;
};

Frame frame_of(const Geometry& g) {
    // Only points that a triangle uses: others may lie anywhere.
    std::vector<bool> used(g.points.size());
    for (const Corners& t : g.triangles)
        for (const std::uint32_t c : t) used[c] = true;
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < g.points.size(); ++i)
        if (used[i]) points.push_back(g.points[i]);
    return Frame::around(points);
}

}  // namespace

template <class Bv>
BvTree<Bv> build_bv_tree(const Geometry& geometry, const BuildSettings& settings) {
    using Node = typename BvTree<Bv>::Node;
    BvTree<Bv> tree;
    if (geometry.triangles.empty()) return tree;
    tree.frame = frame_of(geometry);
    Sorter sorter(geometry, tree.frame);
    const auto count = static_cast<std::uint32_t>(geometry.triangles.size());
    std::vector<Node> nodes;
    nodes.reserve(2 * std::size_t{count} - 1);
    nodes.emplace_back();
    std::vector<Group> stack{{0, count, 0, 1}};
    while (!stack.empty()) {
        const Group g = stack.back();
        stack.pop_back();
        tree.depth = std::max(tree.depth, g.level);
        const Bv volume = Bv::around(sorter.points(g), settings);
        nodes[g.node].volume = volume;
        if (g.count == 1) {
            nodes[g.node].triangle = sorter.id(g.first);
            continue;
        }
        std::uint32_t left = 0;
        for (int axis = 0; axis < 3 && left == 0; ++axis) left = sorter.cut(g, volume.axis(axis), settings.split);
        if (left == 0) left = g.count / 2;
        const auto child = static_cast<std::uint32_t>(nodes.size());
        nodes[g.node].child = child;
        nodes.resize(nodes.size() + 2);
        stack.push_back({g.first + left, g.count - left, child + 1, g.level + 1});
        stack.push_back({g.first, left, child, g.level + 1});
    }
    tree.nodes = std::move(nodes);
    return tree;
}

template <class Bv>
std::string validate(const BvTree<Bv>& tree, const Geometry& geometry) {
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

template BvTree<Obb> build_bv_tree(const Geometry&, const BuildSettings&);
template std::string validate(const BvTree<Obb>&, const Geometry&);

}  // namespace graze::detail
