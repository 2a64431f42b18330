// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graze/triangle.hpp"

namespace graze::detail {

/// The least distance between an edge or corner of one and the other, in double: for two triangles
/// that do not cross it is their distance, for two that cross it is not zero (ask `meet` first).
/// Off by about 1e-15 of the extent of both together, whatever their shape; triangles without area
/// included. The same bits on every machine.
double triangle_distance(const Triangle& s, const Triangle& t);

}  // namespace graze::detail
