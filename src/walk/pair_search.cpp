// SPDX-License-Identifier: Apache-2.0
#include "walk/pair_search.hpp"

namespace graze::detail {

bool pair_search(const Search& search, std::vector<NodePair>& stack, QueryStats& stats) {
    return with_trees(search.a, search.b, [&](const auto& a, const auto& b) {
        return walk_triangles(a, search.a.geometry, b, search.b.geometry, search.a_from_b, search.margin, stack, stats,
                              [&](std::uint32_t i, std::uint32_t j) { return search.report(i, j); });
    });
}

}  // namespace graze::detail
