// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

#include "model/any_view.hpp"
#include "walk/pair_walk.hpp"
#include "walk/search.hpp"

namespace graze::detail {

/// Calls f with the two trees as the pair walk takes them: two trees of one kind as they are, others as oriented boxes.
template <class F>
bool with_trees(const ModelData& a, const ModelData& b, F&& f) {
    if (a.is_wide() || b.is_wide() || a.binary.index() != b.binary.index()) return f(AnyView(a), AnyView(b));
    return std::visit([&]<class Tree>(const Tree& tree) { return f(tree, std::get<Tree>(b.binary)); }, a.binary);
}

/// Reports all contacts to the sink. False when the sink stopped it. Takes binary trees, trees of different kinds, and
/// wide trees that differ too much in size for float32.
bool pair_search(const Search& search, std::vector<NodePair>& stack, QueryStats& stats);

}  // namespace graze::detail
