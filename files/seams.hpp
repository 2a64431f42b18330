// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mesh_file.hpp"

namespace graze::files {

/// Closes gaps without area in the surface of a triangle mesh. Such a gap opens where triangles on one side of an edge
/// have a point on it that those on the other side lack. The point goes into that edge too, which splits its triangle.
/// Only edges of an odd number of triangles are split, and only at corners of such edges, no farther than `reach` from
/// the edge. Corners of such edges that are within `reach` of each other become one.
///
/// Returns how far the surface has moved at most.
double close_seams(Mesh& mesh, double reach);

}  // namespace graze::files
