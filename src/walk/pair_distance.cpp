// SPDX-License-Identifier: Apache-2.0
#include "walk/pair_distance.hpp"

#include "model/any_view.hpp"

namespace graze::detail {

namespace {

/// The visitor of the closest triangles, over oriented boxes.
struct DistanceVisitor {
    using Task = DistanceTask;
    static constexpr bool nearest_first = true;

    const PairTest<Obb>& test;
    std::uint32_t only;  ///< `DistanceStart::triangle`
    NearestSearch<ModelPairs>& search;

    double limit() const { return search.limit(); }
    static Arrival arrive(const Task&) { return Arrival::Open; }
    template <class InA, class InB>
    double bound(const Task&, const NodePair& child, const InA& in_a, const InB& in_b, Task& next) const {
        next = {child, test.distance(in_a, in_b)};
        return next.bound;
    }
    Step leaves(const Task& task, std::span<const std::uint32_t> in_a, std::span<const std::uint32_t> in_b) {
        if (only != DistanceStart::all) in_a = in_a.subspan(only, 1);
        for (const std::uint32_t i : in_a)
            for (const std::uint32_t j : in_b) {
                ++search.stats.triangle_tests;
                // Decided at once in double: waiting would only delay the limit.
                const TrianglePair pair{i, j};
                const TriangleDistance distance = distance_of(search.candidates(), pair);
                if (distance.low() > search.limit()) continue;
                search.shrink(distance.high());
                if (search.add(std::max(task.bound, distance.low()), pair) == Step::Stop) return Step::Stop;
            }
        return Step::Continue;
    }
};

}  // namespace

void pair_distance(const Search& where, const DistanceStart& start, std::vector<DistanceTask>& stack,
                   NearestSearch<ModelPairs>& search) {
    const AnyView a(where.a), b(where.b);
    const PairTest<Obb> test(a.frame, b.frame, where.a_from_b, 0);
    DistanceVisitor visitor{test, start.triangle, search};
    stack.clear();
    stack.push_back({{start.node, b.root()}, 0});
    walk_pairs(a, b, test, stack, search.stats.box_tests, visitor);
}

}  // namespace graze::detail
