// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/large_pages.hpp"
#include "base/parallel.hpp"
#include "tree/topology.hpp"
#include "wide/collapse.hpp"
#include "wide/wide_orient.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {
namespace {

class Builder {
public:
    Builder(const Geometry& g, const TreeSettings& s) : g_(g), s_(s) {}

    WideTree run(double& aligned_ratio) {
        WideTree tree;
        tree.aligned = s_.volume == graze::Volume::Aabb;
        if (g_.triangles.empty()) return tree;
        make_topology(tree);
        plan();
        leaves_.resize(leaf_nodes_.size());
        make_room(nodes_, plans_.size());
        make_room(boxes_, plans_.size() + leaf_nodes_.size());
        parts_ = {nodes_.data(), leaves_.data(), boxes_.data(), static_cast<std::uint32_t>(nodes_.size()), tree.unit};
        if (s_.volume == graze::Volume::Auto) {
            aligned_ratio = measure_ratio();
            tree.aligned = aligned_ratio < aligned_enough;
        }
        tree.aligned ? fit_aligned() : fit_oriented();
        for (const WideBox& b : boxes_) tree.area += area(b);
        tree.nodes = std::move(nodes_);
        tree.leaves = std::move(leaves_);
        tree.boxes = std::move(boxes_);
        return tree;
    }

private:
    /// Numbers from first on, without the last.
    struct Run {
        std::uint32_t first, last;
    };

    struct Plan {
        Run nodes, leaves;  ///< below the node
        std::uint32_t ref[node_children];
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
        static_assert(sizeof(WideLeaf) >= leaf_triangles * topology_room && alignof(WideLeaf) >= alignof(Box4));
        reserve_large(leaves_, n / leaf_triangles + n / (8 * leaf_triangles) + 1);
        leaves_.resize(n / leaf_triangles + 1);
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
        double aligned = 0, turned = 0;
        for (std::size_t k = 0; k < std::min(n, sample); ++k) {
            const std::size_t i = n <= sample ? k : k * n / sample;
            const Triangles triangles = triangles_of(i);
            WideBox box;
            MergedMoments m;
            fit_oriented_leaves(oriented(), {&triangles, 1}, &box, &m);
            aligned += topology_.nodes[leaf_nodes_[i]].area / 4;  // whole sides there, half sides here
            turned += area(box);
        }
        return aligned / turned;
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
        for_nodes(fit);
    }

    /// Calls f(first, last) for runs of nodes that make up the tree, those below a node before it.
    template <class F>
    void for_nodes(F&& f) {
        if (s_.threads == 1) return f(0, plans_.size());
        // The nodes above those of the runs come last, one by one.
        const std::vector<Run> runs = subtrees();
        parallel_for(runs.size(), s_.threads, [&](std::size_t k) { f(runs[k].first, runs[k].last); });
        std::size_t last = plans_.size();
        for (std::size_t k = runs.size(); k-- > 0; last = runs[k].first)
            for (std::size_t i = last; i-- > runs[k].last;) f(i, i + 1);
        for (std::size_t i = last; i-- > 0;) f(i, i + 1);
    }

    /// The subtrees of the nodes two levels below the root: runs of nodes, in ascending order and without overlap.
    std::vector<Run> subtrees() const {
        std::vector<Run> runs;
        const auto each_inner = [this](const Plan& p, auto&& f) {
            for (unsigned k = 0; k < p.count; ++k)
                if (p.ref[k] < plans_.size()) f(plans_[p.ref[k]]);
        };
        if (plans_.empty()) return runs;
        each_inner(plans_[0], [&](const Plan& child) {
            each_inner(child, [&](const Plan& p) {
                if (p.nodes.first < p.nodes.last) runs.push_back(p.nodes);
            });
        });
        return runs;
    }

    void fit_oriented() {
        const auto leaf_moments = make_large<MergedMoments>(leaves_.size());
        for_leaves([&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; i += wide) {
                const std::size_t n = std::min<std::size_t>(wide, last - i);
                Triangles triangles[wide];
                for (std::size_t k = 0; k < n; ++k) triangles[k] = triangles_of(i + k);
                for (std::size_t k = i + n; k < std::min(last, i + n + wide); ++k)
                    for (const std::uint32_t t : triangles_of(k)) __builtin_prefetch(&g_.triangles[t]);
                WideBox* boxes = &boxes_[plans_.size() + i];
                fit_oriented_leaves(oriented(), {triangles, n}, boxes, &leaf_moments[i]);
                for (std::size_t k = 0; k < n; ++k) {
                    set_triangles(i + k, leaves_[i + k], boxes[k]);
                    place_corners(parts_, g_, i + k);
                }
            }
        });
        std::vector<MergedMoments> moments(plans_.size());
        std::vector<Axes> axes(plans_.size());
        const auto far = make_large<FarPoints>(plans_.size());
        OrientedFit fit = oriented();
        fit.far = far.get();
        for_nodes([&](std::size_t first, std::size_t last) {
            for (std::size_t i = last; i-- > first;)
                for (unsigned k = 0; k < plans_[i].count; ++k) {
                    const std::uint32_t ref = plans_[i].ref[k];
                    moments[i].merge(ref >= plans_.size() ? leaf_moments[ref - plans_.size()] : moments[ref]);
                }
            principal_axes(std::span(moments).subspan(first, last - first), axes.data() + first);
            for (std::size_t i = last; i-- > first;) {
                if (s_.fit != Fit::Vertices) axes[i] = hull_axes(plans_[i]);
                set_children(i);
                fit_oriented_node(fit, i, moments[i].mean, axes[i]);
                fill_lanes(parts_, i);
            }
        });
    }

    OrientedFit oriented() const { return {parts_, g_, s_, origin_}; }

    Triangles triangles_of(std::size_t leaf) const {
        const TopologyNode& node = topology_.nodes[leaf_nodes_[leaf]];
        return std::span(topology_.order).subspan(node.first, node.count);
    }

    void set_triangles(std::size_t i, WideLeaf& leaf, WideBox& box) const {
        const TopologyNode& node = topology_.nodes[leaf_nodes_[i]];
        for (unsigned k = 0; k < leaf_triangles; ++k)
            leaf.id[k] = topology_.order[node.first + (k < node.count ? k : 0)];
        box.count = static_cast<std::uint16_t>(node.count);
        box.size = -1;
        box.spare = 0;
    }

    /// Chooses which topology nodes become wide nodes and leaves. Siblings follow each other, so that a step finds the
    /// boxes it chooses from side by side. The subtree of a node is one run of nodes and one of leaves, without the
    /// node.
    void plan() {
        const Collapse collapse(topology_, s_.threads);
        if (topology_.nodes[0].child == 0) {
            leaf_nodes_.push_back(0);
            return;
        }
        // The highest bit marks a leaf until the number of nodes is known.
        constexpr std::uint32_t leaf_mark = 1u << 31;
        struct Job {
            std::uint32_t node, plan;
        };
        std::vector<Job> stack{{0, 0}};
        plans_.emplace_back();
        while (!stack.empty()) {
            const Job j = stack.back();
            stack.pop_back();
            const auto first_node = static_cast<std::uint32_t>(plans_.size());
            const auto first_leaf = static_cast<std::uint32_t>(leaf_nodes_.size());
            Plan p{{first_node, 0}, {first_leaf, 0}, {}, 0};
            std::uint32_t children[node_children];
            p.count = collapse.children(j.node, children);
            for (unsigned k = 0; k < p.count; ++k) {
                if (topology_.nodes[children[k]].child == 0) {
                    p.ref[k] = leaf_mark | static_cast<std::uint32_t>(leaf_nodes_.size());
                    leaf_nodes_.push_back(children[k]);
                } else {
                    p.ref[k] = static_cast<std::uint32_t>(plans_.size());
                    plans_.emplace_back();
                }
            }
            for (unsigned k = p.count; k-- > 0;)
                if (!(p.ref[k] & leaf_mark)) stack.push_back({children[k], p.ref[k]});
            plans_[j.plan] = p;
        }
        const auto nodes = static_cast<std::uint32_t>(plans_.size());
        for (std::uint32_t i = nodes; i-- > 0;) {
            Plan& p = plans_[i];
            for (unsigned k = 0; k < p.count; ++k) {
                std::uint32_t& ref = p.ref[k];
                if (ref & leaf_mark) {
                    ref &= ~leaf_mark;
                    p.leaves.last = std::max(p.leaves.last, ref + 1);
                    ref += nodes;
                } else {
                    p.leaves.last = std::max(p.leaves.last, plans_[ref].leaves.last);
                    p.nodes.last = std::max({p.nodes.last, ref + 1, plans_[ref].nodes.last});
                }
            }
        }
    }

    /// Axes by the convex hull of all corners below a node.
    Axes hull_axes(const Plan& plan) const {
        std::vector<Vec3> points;
        for (std::uint32_t i = plan.leaves.first; i < plan.leaves.last; ++i)
            for (const std::uint32_t k : triangles_of(i)) {
                const Triangle t = g_.triangle(k);
                for (const Vec3& p : {t.a, t.b, t.c}) points.push_back(normal(p));
            }
        return rounded(fit_axes(points, s_.fit));
    }

    /// Sets the references, axes and number of a node's children.
    void set_children(std::size_t i) {
        const Plan& p = plans_[i];
        WideNode& node = nodes_[i];
        boxes_[i].count = static_cast<std::uint16_t>(p.count);
        for (unsigned k = 0; k < node_children; ++k) {
            node.ref[k] = k < p.count ? p.ref[k] : 0;
            for (int j = 0; j < 9; ++j) node.axes[j][k] = k < p.count ? boxes_[p.ref[k]].axes[j] : std::int16_t{0};
        }
        std::fill_n(node.spare, 3, 0u);
    }

    const Geometry& g_;
    const TreeSettings& s_;
    Vec3 origin_;
    double inv_unit_ = 1;
    Topology topology_;
    WideParts parts_{};
    std::vector<std::uint32_t> leaf_nodes_;
    std::vector<Plan> plans_;
    std::vector<WideNode> nodes_;
    std::vector<WideBox> boxes_;
    std::vector<WideLeaf> leaves_;
};

}  // namespace

WideTree build_wide_tree(const Geometry& geometry, const TreeSettings& settings, double& aligned_ratio) {
    return Builder(geometry, settings).run(aligned_ratio);
}

}  // namespace graze::detail
