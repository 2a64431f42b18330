// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bv_tree.hpp"
#include "geometry.hpp"
#include "graze/model.hpp"
#include "mapped_file.hpp"
#include "wide_tree.hpp"

namespace graze::detail {

struct ModelData {
    Geometry geometry;
    TreeKind kind = TreeKind::Wide;
    WideTree wide;                           ///< empty in a model with a binary tree
    BvTree<Obb> binary;                      ///< empty in a model with a wide tree
    std::shared_ptr<const MappedFile> file;  ///< of a loaded model: what its arrays view
};

}  // namespace graze::detail
