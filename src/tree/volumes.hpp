// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "tree/aabb.hpp"
#include "tree/dop.hpp"
#include "tree/obb.hpp"
#include "tree/sphere.hpp"

namespace graze::detail {

/// A binary tree over one of the kinds of volume. This is the list of kinds. The `kind` of each says which
/// `graze::Volume` it is. Oriented boxes come first.
using AnyBvTree =
    std::variant<BvTree<Obb>, BvTree<Aabb>, BvTree<Sphere>, BvTree<Dop<14>>, BvTree<Dop<18>>, BvTree<Dop<26>>>;

/// Makes `any` the empty tree over the kind named. False when there is no such kind.
template <std::size_t i = 0>
bool set_kind(AnyBvTree& any, graze::Volume kind) {
    if constexpr (i == std::variant_size_v<AnyBvTree>) {
        return false;
    } else {
        using Tree = std::variant_alternative_t<i, AnyBvTree>;
        if (Tree::Volume::kind != kind) return set_kind<i + 1>(any, kind);
        any.emplace<i>();
        return true;
    }
}

}  // namespace graze::detail
