// SPDX-License-Identifier: Apache-2.0
#include "walk/region_search.hpp"

#include <limits>

#include "model/any_view.hpp"
#include "walk/tree_walk.hpp"

namespace graze::detail {

namespace {

/// The visitor of a region for any tree.
struct RegionVisitor {
    using Task = RegionTask;
    static constexpr bool nearest_first = false;

    const AnyView& tree;
    const PlacedRegion& region;
    RegionQuery& query;

    static constexpr double limit() { return 0; }
    double bound(const Task& parent, std::uint32_t child, Task& next) const {
        next = {child, parent.open};
        if (next.open == 0) return 0;
        ++query.stats.box_tests;
        return region(tree.volume(child), next.open) ? 0 : std::numeric_limits<double>::infinity();
    }
    Step leaf(const Task& task, std::span<const std::uint32_t> triangles) const {
        for (const std::uint32_t t : triangles) {
            query.stats.triangle_tests += task.open != 0;
            if ((task.open != 0 ? query.decide(t, task.open) : query.report(t)) == Step::Stop) return Step::Stop;
        }
        return Step::Continue;
    }
};

}  // namespace

bool region_search(const ModelData& model, PlacedRegion& region, std::vector<RegionTask>& stack, RegionQuery& query) {
    const AnyView tree(model);
    region.place(query.slabs, query.box, query.region_from_model, tree.frame);
    if (tree.empty()) return true;
    RegionVisitor visitor{tree, region, query};
    stack.clear();
    RegionTask root;
    if (!(visitor.bound({0, region.open()}, tree.root(), root) > visitor.limit())) stack.push_back(root);
    return walk_tree(tree, stack, visitor);
}

}  // namespace graze::detail
