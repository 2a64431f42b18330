// SPDX-License-Identifier: Apache-2.0
#include "walk/ray_search.hpp"

#include <limits>

#include "model/any_view.hpp"
#include "walk/tree_walk.hpp"

namespace graze::detail {

namespace {

/// The visitor of a ray for any tree, in double, in the coordinates of the tree's frame.
///
/// A box is |A (p − c)| ≤ h row by row, with numbers of magnitude at most 3, and p = o + t·d with |d| ≤ 1. For points
/// of the model (below 4) t is at most 2 (|o| + 4) =: L. With u = 2^-53, the errors in the distance along a row are:
/// the origin u|o|, its difference to c u (|o| + 3), three products and sums 3·3 u (|o| + 3), the rate A·d 4·3 u times
/// L, and the quotients 4 u (3 (|o| + 3) + h). Together they are below 64 u (L + 8). A rate counts as at least 2^-60 in
/// magnitude, which adds 2^-60 L.
class RayVisitor {
public:
    struct Task {
        double bound;  ///< where the ray enters the node's box
        std::uint32_t node;
    };
    static constexpr bool nearest_first = true;

    RayVisitor(const AnyView& tree, RaySearch& search) : tree_(tree), search_(search) {
        const ScaledDirection scaled(search.ray.ray().direction());
        d_ = scaled.d;
        o_ = tree.frame.local(search.ray.ray().origin());
        shift_ = scaled.exponent - tree.frame.exponent;
        length_ = 2 * (std::max({std::abs(o_.x), std::abs(o_.y), std::abs(o_.z)}) + 4);
        slack_ = (64 * 0x1p-53 + 0x1p-59) * (length_ + 8);
        begin_ = std::max(0.0, std::ldexp(search.ray.ray().t_min(), shift_) * (1 - 0x1p-50) - 0x1p-1000);
        set_end();
    }

    /// The root's task.
    Task start() const { return {begin_, tree_.root()}; }
    double limit() const { return end_; }
    double bound(const Task&, std::uint32_t child, Task& next) const {
        ++search_.stats.box_tests;
        next = {entry(tree_.volume(child)), child};
        return next.bound;
    }
    Step leaf(const Task&, std::span<const std::uint32_t> triangles) {
        for (const std::uint32_t triangle : triangles) {
            ++search_.stats.triangle_tests;
            if (search_.decide(triangle) == Step::Stop) return Step::Stop;
        }
        set_end();
        return Step::Continue;
    }

private:
    /// The search's limit in the frame, rounded up.
    void set_end() { end_ = std::min(length_, std::ldexp(search_.limit, shift_) * (1 + 0x1p-50) + 0x1p-1000); }

    /// Where the ray enters a box, or infinity when it certainly misses the box within [begin, end]. A number that
    /// overflowed counts as entered.
    double entry(const Obb& box) const {
        const Vec3 w = box.centre - o_;
        double near = begin_, far = end_;
        for (int i = 0; i < 3; ++i) {
            const double rate = dot(box.axes.row[i], d_), at = dot(box.axes.row[i], w);
            const double inverse = 1 / std::copysign(std::max(std::abs(rate), 0x1p-60), rate);
            const double middle = at * inverse, radius = (box.half[i] + slack_) * std::abs(inverse);
            if (middle - radius > near) near = middle - radius;
            if (middle + radius < far) far = middle + radius;
        }
        return near > far ? std::numeric_limits<double>::infinity() : near;
    }

    const AnyView& tree_;
    RaySearch& search_;
    Vec3 o_, d_;
    int shift_;  // t in the frame is the caller's t · 2^shift
    double length_, slack_, begin_, end_;
};

}  // namespace

void ray_search(const ModelData& model, RaySearch& search) {
    const AnyView tree(model);
    if (tree.empty()) return;
    RayVisitor visitor(tree, search);
    LocalStack<RayVisitor::Task> stack;
    stack.push_back(visitor.start());
    walk_tree(tree, stack, visitor);
}

}  // namespace graze::detail
