// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/large_pages.hpp"
#include "base/parallel.hpp"
#include "tree/topology.hpp"
#include "wide/collapse.hpp"
#include "wide/wide_fit.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {
namespace {

constexpr double float_u = 0x1p-24;  ///< unit roundoff of float

class Builder {
public:
    Builder(const Geometry& g, const study::TreeSettings& s) : g_(g), s_(s) {}

    WideTree run(double& aligned_ratio) {
        WideTree tree;
        tree.aligned = s_.volume == study::Volume::Aabb;
        if (g_.triangles.empty()) return tree;
        make_topology(tree);
        plan();
        leaves_.resize(leaf_nodes_.size());
        make_room(nodes_, plans_.size());
        make_room(boxes_, plans_.size() + leaf_nodes_.size());
        if (s_.volume == study::Volume::Auto) {
            aligned_ratio = measure_ratio();
            tree.aligned = aligned_ratio < aligned_enough;
        }
        parts_ = {nodes_.data(), leaves_.data(), boxes_.data(), static_cast<std::uint32_t>(nodes_.size()), tree.unit};
        tree.aligned ? fit_aligned() : fit_oriented();
        for (const WideBox& b : boxes_) tree.area += area(b);
        tree.nodes = std::move(nodes_);
        tree.leaves = std::move(leaves_);
        tree.boxes = std::move(boxes_);
        return tree;
    }

private:
    struct Plan {
        std::uint32_t first_leaf, last_leaf;  ///< range, without `last_leaf`
        std::uint32_t ref[wide];
        unsigned count = 0;
    };

    static constexpr std::size_t chunk = 256;  ///< number of leaves that a thread takes at a time
    template <class F>
    void for_leaves(F&& f) {
        parallel_for((leaves_.size() + chunk - 1) / chunk, s_.threads,
                     [&](std::size_t k) { f(k * chunk, std::min(leaves_.size(), (k + 1) * chunk)); });
    }

    template <class T>
    static void make_room(std::vector<T>& v, std::size_t n) {
        reserve_large(v, n);
        v.resize(n);
    }

    /// Makes the topology, and the unit from the points that triangles use.
    void make_topology(WideTree& tree) {
        const std::size_t n = g_.triangles.size();
        // The topology works in the memory of the leaves, which are made after it: page faults dominate here. Leaves
        // are nearly full. If they do not fit, the vector grows.
        static_assert(sizeof(WideLeaf) >= wide * topology_room && alignof(WideLeaf) >= alignof(Box4));
        reserve_large(leaves_, n / wide + n / (8 * wide) + 1);
        leaves_.resize(n / wide + 1);
        std::vector<Bounds> bounds((n + box_block - 1) / box_block);
        Bounds all = bounds_of(g_.points.span()), used;
        for (bool again = false;; again = true) {
            set_frame(all);
            Box4 around;
            for (int j = 0; j < 4; ++j) around.lo[j] = around.hi[j] = 0;
            for (int j = 0; j < 3; ++j) {
                around.lo[j] = static_cast<float>((all.lo[j] - origin_[j]) * inv_unit_);
                around.hi[j] = static_cast<float>((all.hi[j] - origin_[j]) * inv_unit_);
            }
            topology_ = detail::make_topology(
                n,
                [&](std::size_t first, std::size_t last, Box4* out) {
                    bounds[first / box_block] = triangle_boxes(g_, first, last, origin_, 1 / inv_unit_, out);
                },
                around, std::as_writable_bytes(std::span(leaves_)), s_.threads);
            used = {};
            for (const Bounds& b : bounds) used.grow(b);
            // Points that no triangle uses may lie anywhere. If they changed the unit, a second pass is needed.
            if (again || used.unit() == all.unit()) break;
            all = used;
        }
        set_frame(used);
        tree.unit = used.unit();
        tree.bound = used.bound();
    }

    static double middle_of(const Bounds& b, int j) { return b.lo[j] / 2 + b.hi[j] / 2; }

    void set_frame(const Bounds& b) {
        for (int j = 0; j < 3; ++j) origin_[j] = middle_of(b, j);
        inv_unit_ = 1 / b.unit();
    }

    Vec3 normal(const Vec3& p) const { return (p - origin_) * inv_unit_; }

    /// Aligned boxes are taken below this ratio of areas: they are as tight, and cheaper to test, build and refit.
    static constexpr double aligned_enough = 1.1;

    /// The summed area of aligned leaves over that of oriented leaves, for a sample of leaves.
    double measure_ratio() const {
        const std::size_t n = leaf_nodes_.size(), sample = std::clamp<std::size_t>(n / 64, 64, 1024);
        double aligned = 0, oriented = 0;
        for (std::size_t k = 0; k < std::min(n, sample); ++k) {
            const std::size_t i = n <= sample ? k : k * n / sample;
            WideLeaf leaf;
            WideBox box;
            MergedMoments m;
            fit_leaf(i, leaf, box, m);
            aligned += topology_.nodes[leaf_nodes_[i]].area / 4;  // whole sides there, half sides here
            oriented += area(box);
        }
        return aligned / oriented;
    }

    void fit_aligned() {
        for_leaves([&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                set_triangles(i, leaves_[i], boxes_[plans_.size() + i]);
                set_aligned(boxes_[plans_.size() + i]);
            }
            fit_aligned_leaves(parts_, g_, first, last);
        });
        const auto fit = [&](std::size_t first, std::size_t last) {
            for (std::size_t i = last; i-- > first;) {
                set_aligned(boxes_[i]);
                boxes_[i].spare = 0;
                set_children(i);
            }
            fit_aligned_nodes(parts_, first, last);
        };
        if (s_.threads == 1) return fit(0, plans_.size());
        // Subtrees are runs of nodes. The nodes above them come last, one by one.
        const std::vector<Run> runs = subtrees();
        parallel_for(runs.size(), s_.threads, [&](std::size_t k) { fit(runs[k].first, runs[k].last); });
        std::size_t last = plans_.size();
        for (std::size_t k = runs.size(); k-- > 0; last = runs[k].first)
            for (std::size_t i = last; i-- > runs[k].last;) fit(i, i + 1);
        for (std::size_t i = last; i-- > 0;) fit(i, i + 1);
    }

    struct Run {
        std::uint32_t first, last;
    };

    /// Some tens of subtrees, each a run of nodes, in ascending order and without overlap.
    std::vector<Run> subtrees() const {
        std::vector<Run> runs;
        if (!plans_.empty()) runs.push_back({0, static_cast<std::uint32_t>(plans_.size())});
        for (int level = 0; level < 2; ++level) {
            std::vector<Run> below;
            for (const Run& r : runs) {
                const Plan& p = plans_[r.first];
                std::uint32_t last = r.last;
                for (unsigned k = p.count; k-- > 0;) {
                    if (p.ref[k] >= plans_.size()) continue;
                    below.push_back({p.ref[k], last});
                    last = p.ref[k];
                }
            }
            std::sort(below.begin(), below.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
            runs = std::move(below);
        }
        return runs;
    }

    void fit_oriented() {
        leaf_moments_.resize(leaves_.size());
        for_leaves([&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                fit_leaf(i, leaves_[i], boxes_[plans_.size() + i], leaf_moments_[i]);
                place_corners(parts_, g_, i);
            }
        });
        make_nodes();
    }

    void set_triangles(std::size_t i, WideLeaf& leaf, WideBox& box) const {
        const TopologyNode& node = topology_.nodes[leaf_nodes_[i]];
        for (unsigned k = 0; k < wide; ++k) leaf.id[k] = topology_.order[node.first + (k < node.count ? k : 0)];
        box.count = static_cast<std::uint16_t>(node.count);
        box.size = -1;
        box.spare = 0;
    }

    /// Chooses which topology nodes become wide nodes and leaves, in depth-first order, so that the leaves below a node
    /// are contiguous.
    void plan() {
        const Collapse collapse(topology_, s_.threads);
        // The highest bit marks a leaf until the number of nodes is known.
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

    /// Makes everything of a leaf but its corners.
    void fit_leaf(std::size_t i, WideLeaf& leaf, WideBox& box, MergedMoments& m) const {
        set_triangles(i, leaf, box);
        Vec3 p[3 * wide];  // in units, relative to the model's middle
        const unsigned n = 3u * box.count;
        for (unsigned k = 0; k < box.count; ++k) {
            const Triangle t = g_.triangle(leaf.id[k]);
            p[3 * k] = normal(t.a), p[3 * k + 1] = normal(t.b), p[3 * k + 2] = normal(t.c);
        }
        m.n = n;
        for (unsigned k = 0; k < n; ++k) m.mean = m.mean + p[k];
        m.mean = m.mean * (1.0 / n);
        for (unsigned k = 0; k < n; ++k) m.add_square(p[k] - m.mean, 1);

        Mat3 axes = s_.fit == study::Fit::Vertices ? principal_axes(m.second) : fit_axes({p, n}, s_.fit);
        for (int about = 0; s_.refine && about < 3; ++about) {
            float u[3 * wide], v[3 * wide];
            for (unsigned k = 0; k < n; ++k) {
                u[k] = static_cast<float>(dot(axes.row[0], p[k] - m.mean));
                v[k] = static_cast<float>(dot(axes.row[1], p[k] - m.mean));
            }
            axes = next_axis(turned(axes, {u, n}, {v, n}));
        }
        quantise(axes, box.axes);
        double q[9], lo[3] = {}, hi[3] = {}, reach = 0;  // zero is a valid start: the mean lies among the points
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
        // The bound covers the errors of `normal` (2⁻⁵² per coordinate, relative to the model) and of the dot products.
        finish(box, m.mean, lo, hi, 0x1p-48 * (1 + reach));
        box.size = -1;
    }

    /// The axes in cyclic order, the first becoming the third. Three calls restore the order.
    static Mat3 next_axis(const Mat3& m) { return {{m.row[1], m.row[2], m.row[0]}}; }

    static void quantise(const Mat3& axes, std::int16_t out[9]) {
        for (int a = 0; a < 3; ++a)
            for (int j = 0; j < 3; ++j)
                out[3 * a + j] =
                    static_cast<std::int16_t>(std::lround(axes.row[a][j] * static_cast<double>(axis_unit)));
    }
    /// Sets the centre and extents of a box whose axes are set, from the range of its points along them. The range is
    /// measured from `from` (in units, relative to the model's middle) with errors up to `error`.
    void finish(WideBox& box, const Vec3& from, const double lo[3], const double hi[3], double error) const {
        const Vec3 world = (from + middle(box, lo, hi)) * (1 / inv_unit_) + origin_;
        box.centre[0] = world.x, box.centre[1] = world.y, box.centre[2] = world.z;
        // The extents are measured from the rounded centre, which is the one that is stored.
        set_extents(box, normal(world) - from, lo, hi, error);
        box.spare = 0;
    }

    /// Fits the box of a node to all leaves below it.
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
        Mat3 axes = s_.fit == study::Fit::Vertices ? principal_axes(m.second) : fit_axes(points_below(plan), s_.fit);
        for (int about = 0; s_.refine && about < 3; ++about) axes = next_axis(turned_to(axes, leaves, at.data()));
        quantise(axes, box.axes);
        float q[9];
        for (int i = 0; i < 9; ++i) q[i] = box.axes[i] / axis_unit;
        // A projection rounds about 12 times, values up to reach each time. That includes the rounding of the axes.
        const Range range = range_along(q, leaves, at.data());
        double lo[3], hi[3];
        for (int a = 0; a < 3; ++a) lo[a] = range.lo[a], hi[a] = range.hi[a];
        finish(box, m.mean, lo, hi, 16 * float_u * reach + 0x1p-48);
    }

    /// Axes turned about the third one, by a sample of the leaves' corners.
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

    /// All corners below a node, in units, for the fits that need a hull.
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
        std::vector<MergedMoments> moments(plans_.size());
        for (std::size_t i = plans_.size(); i-- > 0;)
            for (unsigned k = 0; k < plans_[i].count; ++k) {
                const std::uint32_t ref = plans_[i].ref[k];
                moments[i].merge(ref >= plans_.size() ? leaf_moments_[ref - plans_.size()] : moments[ref]);
            }
        // Nodes are made level by level from the bottom, because the lanes of a node repeat its children's boxes.
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
                set_children(i);
                fill_lanes(parts_, i);
            });
    }

    /// Sets the references, axes and number of a node's children.
    void set_children(std::size_t i) {
        const Plan& p = plans_[i];
        WideNode& node = nodes_[i];
        boxes_[i].count = static_cast<std::uint16_t>(p.count);
        for (unsigned k = 0; k < wide; ++k) {
            node.ref[k] = k < p.count ? p.ref[k] : 0;
            for (int j = 0; j < 9; ++j) node.axes[j][k] = k < p.count ? boxes_[p.ref[k]].axes[j] : std::int16_t{0};
        }
        std::fill_n(node.spare, 3, 0u);
    }

    const Geometry& g_;
    const study::TreeSettings& s_;
    Vec3 origin_;
    double inv_unit_ = 1;
    Topology topology_;
    WideParts parts_{};
    std::vector<std::uint32_t> leaf_nodes_;
    std::vector<Plan> plans_;
    std::vector<MergedMoments> leaf_moments_;
    std::vector<WideNode> nodes_;
    std::vector<WideBox> boxes_;
    std::vector<WideLeaf> leaves_;
};

}  // namespace

WideTree build_wide_tree(const Geometry& geometry, const study::TreeSettings& settings, double& aligned_ratio) {
    return Builder(geometry, settings).run(aligned_ratio);
}

}  // namespace graze::detail
