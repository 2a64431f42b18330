// SPDX-License-Identifier: Apache-2.0
// Walks over two binary trees as the papers describe them, with counts of what was tested.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <variant>
#include <vector>

#include "exact/decide.hpp"
#include "model/access.hpp"
#include "tree/aabb.hpp"
#include "tree/obb.hpp"
#include "walk/pair_walk.hpp"

namespace graze::bench::papers {

using detail::NodePair;

/// The axes of two boxes: 0 to 2 are A's face normals, 3 to 5 are B's, 6 to 14 are the products of their edges.
/// Returns the first one that separates, or `axes` where none of the first `axes` does. `row(i)` gives row i of the
/// rotation, `component(i)` that of the vector between the centres. The widening is far above the rounding of the
/// models and placements that it is used with.
template <int axes, class Row, class Component>
[[gnu::always_inline]] inline int separating_axis(const Vec3& a, const Vec3& b, const Row& row,
                                                  const Component& component) {
    static_assert(axes == 6 || axes == 15);
    constexpr double widen = 1e-12;
    Vec3 r[3], q[3];
    double t[3];
    for (int i = 0; i < 3; ++i) {
        r[i] = row(i);
        t[i] = component(i);
        q[i] = {std::abs(r[i].x) + widen, std::abs(r[i].y) + widen, std::abs(r[i].z) + widen};
        if (std::abs(t[i]) > a[i] + dot(b, q[i]) + widen) return i;
    }
    for (int j = 0; j < 3; ++j) {
        const double along = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
        if (std::abs(along) > b[j] + (a.x * q[0][j] + a.y * q[1][j] + a.z * q[2][j]) + widen) return 3 + j;
    }
    if constexpr (axes == 15) {
        for (int i = 0; i < 3; ++i) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            for (int j = 0; j < 3; ++j) {
                const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                const double along = t[i2] * r[i1][j] - t[i1] * r[i2][j];
                const double radii = a[i1] * q[i2][j] + a[i2] * q[i1][j] + b[j1] * q[i][j2] + b[j2] * q[i][j1];
                if (std::abs(along) > radii + widen) return 6 + 3 * i + j;
            }
        }
    }
    return axes;
}

/// Tests boxes on 15 axes ("SAT") or on the six of the faces ("SAT lite"). Rigid placements only.
template <class Bv, int axes>
class AxisTest;

template <int axes>
class AxisTest<detail::Obb, axes> {
public:
    AxisTest(const detail::Frame& a, const detail::Frame& b, const Affine& a_from_b) : at_(a, b, a_from_b, 0) {}

    bool a_larger(const detail::Obb& a, const detail::Obb& b) const {
        return a.half.x * at_.a_unit > b.half.x * at_.b_unit;
    }
    [[gnu::always_inline]] int axis(const detail::Obb& a, const detail::Obb& b) const {
        // B's axes and centre in A's model frame. The rows of the rotation follow as they are needed.
        const Mat3 c = at_.matrix * transpose(b.axes);
        const Vec3 between = at_.matrix * (b.centre * at_.b_unit) + at_.offset - a.centre * at_.a_unit;
        return separating_axis<axes>(
            a.half * at_.a_unit, b.half * at_.b_unit,
            [&](int i) { return c.row[0] * a.axes.row[i].x + c.row[1] * a.axes.row[i].y + c.row[2] * a.axes.row[i].z; },
            [&](int i) { return dot(a.axes.row[i], between); });
    }
    bool apart(const detail::Obb& a, const detail::Obb& b) const { return axis(a, b) < axes; }

private:
    detail::Placement at_;
};

/// All boxes of a tree have one orientation, so that the matrix is the same for all pairs.
template <int axes>
class AxisTest<detail::Aabb, axes> {
public:
    AxisTest(const detail::Frame& a, const detail::Frame& b, const Affine& a_from_b)
        : at_(a, b, a_from_b, 0), library_(a, b, a_from_b, 0) {}

    bool a_larger(const detail::Aabb& a, const detail::Aabb& b) const { return library_.a_larger(a, b); }
    int axis(const detail::Aabb& a, const detail::Aabb& b) const {
        const Vec3 between =
            at_.matrix * ((b.low + b.high) * (0.5 * at_.b_unit)) + at_.offset - (a.low + a.high) * (0.5 * at_.a_unit);
        return separating_axis<axes>((a.high - a.low) * (0.5 * at_.a_unit), (b.high - b.low) * (0.5 * at_.b_unit),
                                     [&](int i) { return at_.matrix.row[i]; }, [&](int i) { return between[i]; });
    }
    bool apart(const detail::Aabb& a, const detail::Aabb& b) const { return library_.apart < axes == 15 > (a, b); }

private:
    detail::Placement at_;
    detail::PairTest<detail::Aabb> library_;
};

/// The work of walks.
struct Tests {
    std::uint64_t boxes = 0, triangles = 0, contacts = 0;
};

/// Keeps nothing of a walk.
struct NoRecord {
    void boxes(const NodePair&) {}
    void triangles(std::uint32_t, std::uint32_t) {}
};

/// Keeps the pairs that were tested, to time them by themselves.
struct Record {
    std::vector<NodePair> box_pairs, triangle_pairs;

    void boxes(const NodePair& pair) { box_pairs.push_back(pair); }
    void triangles(std::uint32_t i, std::uint32_t j) { triangle_pairs.push_back({i, j}); }
};

/// A model's tree over the volume.
template <class Bv>
const detail::BvTree<Bv>& tree_of(const Model& model) {
    return std::get<detail::BvTree<Bv>>(detail::Access::data(model).binary);
}

inline bool triangles_meet(const Model& a, const Model& b, const Affine& a_from_b, const NodePair& pair) {
    const Triangle t = b.triangle(pair.b);
    QueryStats stats;
    return detail::decide(a.triangle(pair.a), {a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)}, 0, stats);
}

/// Walks two trees in the order of the papers' programs: a pair of volumes is tested when it is reached, the larger one
/// is opened, and the first child is followed down to its leaves before the second one is tested. The library's own
/// walk tests both children before it goes on, which shares work between them; only the count of a walk that stops at
/// the first contact depends on that.
template <class Bv, class Test, class Kept>
void walk_in_paper_order(const Model& a, const Model& b, const Test& test, const Affine& a_from_b, bool first,
                         std::vector<NodePair>& stack, Tests& tests, Kept&& kept) {
    const detail::BvTree<Bv>&in_a = tree_of<Bv>(a), &in_b = tree_of<Bv>(b);
    stack.assign(1, NodePair{0, 0});
    while (!stack.empty()) {
        const NodePair pair = stack.back();
        stack.pop_back();
        ++tests.boxes;
        kept.boxes(pair);
        const Bv &va = in_a.volume(pair.a), &vb = in_b.volume(pair.b);
        if (test.apart(va, vb)) continue;
        const bool leaf_a = in_a.leaf(pair.a), leaf_b = in_b.leaf(pair.b);
        if (leaf_a && leaf_b) {
            const NodePair triangles{in_a.nodes[pair.a].triangle, in_b.nodes[pair.b].triangle};
            ++tests.triangles;
            kept.triangles(triangles.a, triangles.b);
            if (!triangles_meet(a, b, a_from_b, triangles)) continue;
            ++tests.contacts;
            if (first) return;
        } else if (leaf_b || (!leaf_a && test.a_larger(va, vb))) {
            const auto [one, two] = in_a.children(pair.a);
            stack.push_back({two, pair.b});
            stack.push_back({one, pair.b});
        } else {
            const auto [one, two] = in_b.children(pair.b);
            stack.push_back({pair.a, two});
            stack.push_back({pair.a, one});
        }
    }
}

}  // namespace graze::bench::papers
