// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "geometry.hpp"
#include "graze/model.hpp"
#include "wide_tree.hpp"

namespace graze::detail {

struct ModelData {
    Geometry geometry;
    TreeKind kind = TreeKind::Wide;
    WideTree wide;
};

}  // namespace graze::detail
