// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graze/triangle.hpp"

namespace graze::detail {

/// The least distance between an edge or corner of one triangle and the other triangle, in double. For two triangles
/// that do not cross this is their distance. For two that cross it is not zero, so ask `meet` first. It is off by about
/// 1e-15 of the extent of both together, whatever their shape, including triangles without area. The result has the
/// same bits on every machine.
double triangle_distance(const Triangle& s, const Triangle& t);

}  // namespace graze::detail
