// SPDX-License-Identifier: Apache-2.0
#include "walk/triangle_search.hpp"

#include <cmath>
#include <span>

#include "model/any_view.hpp"
#include "walk/tree_walk.hpp"

namespace graze::detail {

namespace {

/// The visitor of the triangles nearest to a point, over oriented boxes in double.
class NearestVisitor {
public:
    struct Task {
        double bound;
        std::uint32_t node;
    };
    static constexpr bool nearest_first = true;

    NearestVisitor(const AnyView& tree, NearestSearch<PointTriangles>& search)
        : tree_(tree), point_(tree.frame.local(search.candidates().point)), search_(search) {
        // Points of the model are off by 2^-53 in the frame, this point and products by 2^-50 of their size.
        slack_ = 0x1p-46 * (4 + std::max({std::abs(point_.x), std::abs(point_.y), std::abs(point_.z)}));
    }

    double limit() const { return search_.limit(); }
    double bound(const Task&, std::uint32_t child, Task& next) const {
        ++search_.stats.box_tests;
        next = {distance(tree_.volume(child)), child};
        return next.bound;
    }
    Step leaf(const Task& task, std::span<const std::uint32_t> triangles) {
        for (const std::uint32_t i : triangles) {
            ++search_.stats.triangle_tests;
            const TriangleDistance found = distance_of(search_.candidates(), i);
            if (found.low() > search_.limit()) continue;
            search_.shrink(found.high());
            if (search_.add(std::max(task.bound, found.low()), i) == Step::Stop) return Step::Stop;
        }
        return Step::Continue;
    }

private:
    /// A lower bound of the distance from a box, in the model's lengths. Numbers that overflowed count as no distance.
    double distance(const Obb& box) const {
        double squares = 0;
        for (int i = 0; i < 3; ++i) {
            const double gap = std::abs(dot(box.axes.row[i], point_ - box.centre)) - box.half[i] - slack_;
            if (gap > 0) squares += gap * gap;
        }
        const double lower = std::ldexp(std::sqrt(squares) * (1 - 0x1p-40), tree_.frame.exponent);
        return std::isfinite(lower) ? lower : 0;
    }

    const AnyView& tree_;
    Vec3 point_;
    double slack_;
    NearestSearch<PointTriangles>& search_;
};

}  // namespace

void nearest_triangle(const ModelData& model, NearestSearch<PointTriangles>& search) {
    const AnyView tree(model);
    NearestVisitor visitor(tree, search);
    LocalStack<NearestVisitor::Task> stack;
    stack.push_back({0, tree.root()});
    walk_tree(tree, stack, visitor);
}

}  // namespace graze::detail
