// SPDX-License-Identifier: Apache-2.0
// Aligned boxes on all fifteen axes, which queries do without.
#include "bench/fronts.hpp"
#include "model/access.hpp"
#include "tree/aabb.hpp"
#include "walk/pair_walk.hpp"

namespace graze::detail {

struct FullAabb {
    const Aabb* box;
};

template <>
class PairTest<FullAabb> {
    using Test = PairTest<Aabb>;

public:
    PairTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin) : test_(a, b, a_from_b, margin) {}

    bool a_larger(FullAabb a, FullAabb b) const { return test_.a_larger(*a.box, *b.box); }
    Test::PlacedA place_a(FullAabb a) const { return test_.place_a(*a.box); }
    Test::PlacedB place_b(FullAabb b) const { return test_.place_b(*b.box); }
    bool apart(FullAabb a, const Test::PlacedB& b) const { return test_.apart<true>(*a.box, b); }
    bool apart(const Test::PlacedA& a, FullAabb b) const { return test_.apart<true>(a, *b.box); }
    bool apart(FullAabb a, FullAabb b) const { return test_.apart<true>(*a.box, *b.box); }

private:
    Test test_;
};

namespace {

struct FullTree {
    using Volume = FullAabb;

    explicit FullTree(const BvTree<Aabb>& t) : tree(t), frame(t.frame) {}
    bool empty() const { return tree.empty(); }
    std::uint32_t root() const { return tree.root(); }
    bool leaf(std::uint32_t n) const { return tree.leaf(n); }
    FullAabb volume(std::uint32_t n) const { return {&tree.volume(n)}; }
    auto children(std::uint32_t n) const { return tree.children(n); }
    auto triangles(std::uint32_t n) const { return tree.triangles(n); }

    const BvTree<Aabb>& tree;
    Frame frame;
};

}  // namespace
}  // namespace graze::detail

namespace graze::bench {

void collide_full(const Model& a, const Model& b, const Affine& a_from_b, std::vector<Contact>& contacts,
                  QueryStats& stats) {
    thread_local std::vector<detail::NodePair> stack;
    const detail::ModelData &in_a = detail::Access::data(a), &in_b = detail::Access::data(b);
    const detail::FullTree tree_a(std::get<detail::BvTree<detail::Aabb>>(in_a.binary)),
        tree_b(std::get<detail::BvTree<detail::Aabb>>(in_b.binary));
    contacts.clear();
    detail::walk_triangles(tree_a, in_a.geometry, tree_b, in_b.geometry, a_from_b, 0, stack, stats,
                           [&](std::uint32_t i, std::uint32_t j) {
                               contacts.push_back({{i, j}, {in_a.geometry.polygon(i), in_b.geometry.polygon(j)}});
                               return Step::Continue;
                           });
}

}  // namespace graze::bench
