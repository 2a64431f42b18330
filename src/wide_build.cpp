// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "parallel.hpp"
#include "topology.hpp"
#include "wide_fit.hpp"
#include "wide_tree.hpp"

namespace graze::detail {
namespace {

constexpr double float_u = 0x1p-24;  ///< unit roundoff of float

class Builder {
public:
    Builder(const Geometry& g, const BuildSettings& s) : g_(g), s_(s) {}

    WideTree run() {
        WideTree tree;
        if (g_.triangles.empty()) return tree;
        normalise(tree);
        topology_ = make_topology(triangle_boxes(), s_.threads);
        plan();
        leaves_.resize(leaf_nodes_.size());
        boxes_.resize(plans_.size() + leaf_nodes_.size());
        leaf_moments_.resize(leaf_nodes_.size());
        constexpr std::size_t chunk = 256;
        parallel_for((leaves_.size() + chunk - 1) / chunk, s_.threads, [&](std::size_t k) {
            for (std::size_t i = k * chunk; i < std::min(leaves_.size(), (k + 1) * chunk); ++i) make_leaf(i);
        });
        make_nodes();
        tree.nodes = std::move(nodes_);
        tree.leaves = std::move(leaves_);
        tree.boxes = std::move(boxes_);
        return tree;
    }

private:
    struct Plan {
        std::uint32_t first_leaf, last_leaf;  ///< half-open
        std::uint32_t ref[wide];
        unsigned count = 0;
    };

    /// Units: a power of two no smaller than half the model's longest side.
    void normalise(WideTree& tree) {
        constexpr double inf = std::numeric_limits<double>::infinity();
        Vec3 lo{inf, inf, inf}, hi{-inf, -inf, -inf};
        for (const Corners& t : g_.triangles)
            for (std::uint32_t c : t)
                for (int j = 0; j < 3; ++j) {
                    lo[j] = std::min(lo[j], g_.points[c][j]);
                    hi[j] = std::max(hi[j], g_.points[c][j]);
                }
        double half = 0;
        for (int j = 0; j < 3; ++j) {
            half = std::max(half, hi[j] / 2 - lo[j] / 2);
            tree.bound = std::max({tree.bound, std::abs(lo[j]), std::abs(hi[j])});
            origin_[j] = lo[j] / 2 + hi[j] / 2;
        }
        const double size = half > 0 ? half : tree.bound > 0 ? tree.bound : 1;
        // Clamped so that its inverse is finite too.
        tree.unit = std::ldexp(1.0, std::clamp(std::ilogb(size) + 1, -1000, 1002));
        inv_unit_ = 1 / tree.unit;
    }

    Vec3 normal(const Vec3& p) const { return (p - origin_) * inv_unit_; }

    std::vector<Box4> triangle_boxes() const {
        std::vector<Box4> boxes(g_.triangles.size());
        constexpr std::size_t chunk = 4096;
        parallel_for((boxes.size() + chunk - 1) / chunk, s_.threads, [&](std::size_t k) {
            for (std::size_t i = k * chunk; i < std::min(boxes.size(), (k + 1) * chunk); ++i) {
                const Triangle t = g_.triangle(static_cast<std::uint32_t>(i));
                const Vec3 a = normal(t.a), b = normal(t.b), c = normal(t.c);
                for (int j = 0; j < 3; ++j) {
                    boxes[i].lo[j] = static_cast<float>(std::min({a[j], b[j], c[j]}));
                    boxes[i].hi[j] = static_cast<float>(std::max({a[j], b[j], c[j]}));
                }
                boxes[i].lo[3] = boxes[i].hi[3] = 0;
            }
        });
        return boxes;
    }

    /// Which topology nodes become wide nodes and leaves, in depth-first order, so that the leaves
    /// below a node are neighbours.
    void plan() {
        const Collapse collapse(topology_);
        // Until the number of nodes is known, a leaf is marked by the highest bit.
        constexpr std::uint32_t leaf_mark = 1u << 31;
        struct Job {
            std::uint32_t node, parent;
            unsigned lane;
        };
        constexpr auto none = std::numeric_limits<std::uint32_t>::max();
        std::vector<Job> stack{{0, none, 0}};
        while (!stack.empty()) {
            const Job j = stack.back();
            stack.pop_back();
            std::uint32_t ref;
            if (topology_.nodes[j.node].child == 0) {
                ref = leaf_mark | static_cast<std::uint32_t>(leaf_nodes_.size());
                leaf_nodes_.push_back(j.node);
            } else {
                ref = static_cast<std::uint32_t>(plans_.size());
                Plan p{static_cast<std::uint32_t>(leaf_nodes_.size()), 0, {}, 0};
                std::uint32_t children[wide];
                p.count = collapse.children(j.node, children);
                for (unsigned k = p.count; k-- > 0;) stack.push_back({children[k], ref, k});
                plans_.push_back(p);
            }
            if (j.parent != none) plans_[j.parent].ref[j.lane] = ref;
        }
        const auto nodes = static_cast<std::uint32_t>(plans_.size());
        for (std::uint32_t i = nodes; i-- > 0;) {
            Plan& p = plans_[i];
            for (unsigned k = 0; k < p.count; ++k)
                if (p.ref[k] & leaf_mark) p.ref[k] = (p.ref[k] & ~leaf_mark) + nodes;
            const std::uint32_t last = p.ref[p.count - 1];
            p.last_leaf = last >= nodes ? last - nodes + 1 : plans_[last].last_leaf;
        }
    }

    void make_leaf(std::size_t i) {
        const TopologyNode& node = topology_.nodes[leaf_nodes_[i]];
        WideLeaf& leaf = leaves_[i];
        Vec3 p[3 * wide];  // in units about the model's middle
        MergedMoments m;
        for (unsigned k = 0; k < node.count; ++k) {
            const std::uint32_t id = topology_.order[node.first + k];
            leaf.id[k] = id;
            const Triangle t = g_.triangle(id);
            p[3 * k] = normal(t.a), p[3 * k + 1] = normal(t.b), p[3 * k + 2] = normal(t.c);
        }
        for (unsigned k = node.count; k < wide; ++k) leaf.id[k] = leaf.id[0];
        const unsigned n = 3 * node.count;
        m.n = n;
        for (unsigned k = 0; k < n; ++k) m.mean = m.mean + p[k];
        m.mean = m.mean * (1.0 / n);
        for (unsigned k = 0; k < n; ++k) m.add_square(p[k] - m.mean, 1);
        leaf_moments_[i] = m;

        WideBox& box = boxes_[plans_.size() + i];
        Mat3 axes = s_.fit == Fit::Vertices ? principal_axes(m.second) : fit_axes({p, n}, s_.fit);
        if (s_.refine) {
            float u[3 * wide], v[3 * wide];
            for (unsigned k = 0; k < n; ++k) {
                u[k] = static_cast<float>(dot(axes.row[0], p[k] - m.mean));
                v[k] = static_cast<float>(dot(axes.row[1], p[k] - m.mean));
            }
            axes = turned(axes, {u, n}, {v, n});
        }
        quantise(axes, box.axes);
        box.count = static_cast<std::uint16_t>(node.count);
        double q[9], lo[3] = {}, hi[3] = {}, reach = 0;  // the mean is among the points
        axes_of(box, q);
        for (unsigned k = 0; k < n; ++k) {
            const Vec3 d = p[k] - m.mean;
            for (int a = 0; a < 3; ++a) {
                const double x = q[3 * a] * d.x + q[3 * a + 1] * d.y + q[3 * a + 2] * d.z;
                lo[a] = std::min(lo[a], x);
                hi[a] = std::max(hi[a], x);
            }
            reach = std::max(reach, std::abs(d.x) + std::abs(d.y) + std::abs(d.z));
        }
        // Errors of `normal` (relative to the model, 2⁻⁵² a coordinate) and of the dot products.
        finish(box, m.mean, lo, hi, 0x1p-48 * (1 + reach));
        box.size = -1;

        const Vec3 c{box.centre[0], box.centre[1], box.centre[2]};
        for (unsigned k = 0; k < wide; ++k) {
            const Triangle t = g_.triangle(leaf.id[k]);
            const Vec3* corner[3] = {&t.a, &t.b, &t.c};
            for (int v = 0; v < 3; ++v)
                for (int j = 0; j < 3; ++j)
                    leaf.v[3 * v + j][k] = static_cast<float>(((*corner[v])[j] - c[j]) * inv_unit_);
        }
    }

    static void quantise(const Mat3& axes, std::int16_t out[9]) {
        for (int a = 0; a < 3; ++a)
            for (int j = 0; j < 3; ++j)
                out[3 * a + j] =
                    static_cast<std::int16_t>(std::lround(axes.row[a][j] * static_cast<double>(axis_unit)));
    }
    static void axes_of(const WideBox& box, double out[9]) {
        for (int i = 0; i < 9; ++i) out[i] = box.axes[i] / static_cast<double>(axis_unit);
    }

    /// Centre and extents of a box whose axes are set, from the range of its points along them,
    /// measured from `from` (in units about the model's middle) with errors up to `error`.
    template <class Real>
    void finish(WideBox& box, const Vec3& from, const Real lo[3], const Real hi[3], double error) const {
        double q[9];
        axes_of(box, q);
        Vec3 c = from;
        for (int a = 0; a < 3; ++a) {
            const double mid = (static_cast<double>(lo[a]) + hi[a]) / 2;
            c = c + Vec3{q[3 * a], q[3 * a + 1], q[3 * a + 2]} * mid;
        }
        const Vec3 world = c * (1 / inv_unit_) + origin_;
        box.centre[0] = world.x, box.centre[1] = world.y, box.centre[2] = world.z;
        // The centre as rounded is what counts: slabs about it.
        const Vec3 d = normal(world) - from;
        double slab[3];
        for (int a = 0; a < 3; ++a) {
            const double at = q[3 * a] * d.x + q[3 * a + 1] * d.y + q[3 * a + 2] * d.z;
            slab[a] = std::max(hi[a] - at, at - lo[a]) + 2 * error;
        }
        // The zonotope's extents: s = G⁻¹ (a_i · x) with G the axes' Gram matrix, I + O(2⁻¹⁴).
        // |G⁻¹| ≤ |2I − G| + |I − G|² entry by entry bounds it; 2⁻²⁴ covers what is cut off.
        for (int a = 0; a < 3; ++a) {
            double sum = slab[a];
            for (int b = 0; b < 3; ++b) {
                const double g = q[3 * a] * q[3 * b] + q[3 * a + 1] * q[3 * b + 1] + q[3 * a + 2] * q[3 * b + 2];
                sum += (std::abs(a == b ? 1 - g : g) + 0x1p-24) * slab[b];
            }
            box.half[a] = round_up(sum);
        }
        box.size = box.half[0] + box.half[1] + box.half[2];
        box.spare = 0;
    }

    /// The box of all leaves below a node.
    void fit_node(WideBox& box, const Plan& plan, const MergedMoments& m) const {
        const std::span<const WideLeaf> leaves(&leaves_[plan.first_leaf], plan.last_leaf - plan.first_leaf);
        std::vector<Vec3> at(leaves.size());
        double reach = 0;
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            const WideBox& b = boxes_[plans_.size() + plan.first_leaf + i];
            at[i] = normal({b.centre[0], b.centre[1], b.centre[2]}) - m.mean;
            reach = std::max(reach, std::abs(at[i].x) + std::abs(at[i].y) + std::abs(at[i].z) +
                                        2 * (static_cast<double>(b.half[0]) + b.half[1] + b.half[2]));
        }
        Mat3 axes = s_.fit == Fit::Vertices ? principal_axes(m.second) : fit_axes(points_below(plan), s_.fit);
        if (s_.refine) axes = turned_to(axes, leaves, at.data());
        quantise(axes, box.axes);
        float q[9];
        for (int i = 0; i < 9; ++i) q[i] = box.axes[i] / axis_unit;
        // Each projection has 12 roundings or so of values up to reach, the axes' own among them.
        const Range range = range_along(q, leaves, at.data());
        finish(box, m.mean, range.lo, range.hi, 16 * float_u * reach + 0x1p-48);
    }

    /// Turned by a sample of the leaves' corners.
    static Mat3 turned_to(const Mat3& axes, std::span<const WideLeaf> leaves, const Vec3* at) {
        constexpr std::size_t sample = 48;
        float u[sample * 3 * wide], v[sample * 3 * wide];
        std::size_t n = 0;
        const std::size_t stride = (leaves.size() + sample - 1) / sample;
        float x[2][3];
        for (int a = 0; a < 2; ++a)
            for (int j = 0; j < 3; ++j) x[a][j] = static_cast<float>(axes.row[a][j]);
        for (std::size_t i = 0; i < leaves.size(); i += stride) {
            const auto base_u = static_cast<float>(dot(axes.row[0], at[i])),
                       base_v = static_cast<float>(dot(axes.row[1], at[i]));
            for (int c = 0; c < 3; ++c) {
                const float(*p)[wide] = leaves[i].v + 3 * c;
                for (unsigned k = 0; k < wide; ++k) {
                    u[n + k] = base_u + (x[0][0] * p[0][k] + x[0][1] * p[1][k] + x[0][2] * p[2][k]);
                    v[n + k] = base_v + (x[1][0] * p[0][k] + x[1][1] * p[1][k] + x[1][2] * p[2][k]);
                }
                n += wide;
            }
        }
        return turned(axes, {u, n}, {v, n});
    }

    /// All corners below, in units, for the fits that look at a hull.
    std::vector<Vec3> points_below(const Plan& plan) const {
        std::vector<Vec3> points;
        for (std::uint32_t i = plan.first_leaf; i < plan.last_leaf; ++i)
            for (unsigned k = 0; k < boxes_[plans_.size() + i].count; ++k) {
                const Triangle t = g_.triangle(leaves_[i].id[k]);
                for (const Vec3& p : {t.a, t.b, t.c}) points.push_back(normal(p));
            }
        return points;
    }

    void make_nodes() {
        nodes_.resize(plans_.size());
        std::vector<MergedMoments> moments(plans_.size());
        for (std::size_t i = plans_.size(); i-- > 0;)
            for (unsigned k = 0; k < plans_[i].count; ++k) {
                const std::uint32_t ref = plans_[i].ref[k];
                moments[i].merge(ref >= plans_.size() ? leaf_moments_[ref - plans_.size()] : moments[ref]);
            }
        // Level by level from the bottom: a node's lanes repeat its children's boxes.
        std::vector<unsigned> level(plans_.size());
        unsigned deepest = 0;
        for (std::size_t i = 0; i < plans_.size(); ++i) {
            deepest = std::max(deepest, level[i]);
            for (unsigned k = 0; k < plans_[i].count; ++k)
                if (plans_[i].ref[k] < plans_.size()) level[plans_[i].ref[k]] = level[i] + 1;
        }
        std::vector<std::vector<std::uint32_t>> at_level(deepest + 1);
        for (std::uint32_t i = 0; i < plans_.size(); ++i) at_level[level[i]].push_back(i);
        for (std::size_t l = at_level.size(); l-- > 0;)
            parallel_for(at_level[l].size(), s_.threads, [&](std::size_t k) {
                const std::uint32_t i = at_level[l][k];
                fit_node(boxes_[i], plans_[i], moments[i]);
                boxes_[i].count = static_cast<std::uint16_t>(plans_[i].count);
                fill(i);
            });
    }

    void fill(std::size_t i) {
        const Plan& p = plans_[i];
        WideNode& node = nodes_[i];
        const WideBox& own = boxes_[i];
        node.reach = 0;
        for (unsigned k = 0; k < wide; ++k) {
            if (k >= p.count) {
                for (int j = 0; j < 3; ++j) {
                    node.centre[j][k] = 0;
                    node.half[j][k] = -1e30f;
                }
                for (int j = 0; j < 9; ++j) node.axes[j][k] = 0;
                node.ref[k] = 0;
                continue;
            }
            const std::uint32_t ref = p.ref[k];
            const WideBox& b = boxes_[ref];
            double far = 0, extent = 0;
            for (int j = 0; j < 3; ++j) {
                node.centre[j][k] = static_cast<float>((b.centre[j] - own.centre[j]) * inv_unit_);
                far += std::abs(node.centre[j][k]);
            }
            for (int j = 0; j < 3; ++j) {
                // The rounding of `centre`: half an ulp a coordinate, met by an axis of length one.
                node.half[j][k] = round_up((b.half[j] + 2 * float_u * far + 0x1p-140) / static_cast<double>(axis_unit));
                extent += b.half[j] + 2 * float_u * far;
            }
            for (int j = 0; j < 9; ++j) node.axes[j][k] = b.axes[j];
            node.ref[k] = ref;
            node.reach = std::max(node.reach, round_up(far + 2 * extent));
        }
        std::fill_n(node.spare, 3, 0u);
    }

    const Geometry& g_;
    const BuildSettings& s_;
    Vec3 origin_;
    double inv_unit_ = 1;
    Topology topology_;
    std::vector<std::uint32_t> leaf_nodes_;
    std::vector<Plan> plans_;
    std::vector<MergedMoments> leaf_moments_;
    std::vector<WideNode> nodes_;
    std::vector<WideBox> boxes_;
    std::vector<WideLeaf> leaves_;
};

}  // namespace

WideTree build_wide_tree(const Geometry& geometry, const BuildSettings& settings) {
    return Builder(geometry, settings).run();
}

}  // namespace graze::detail
