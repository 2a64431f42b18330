// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/mesh_file.hpp"

namespace graze::files {

/// Meshes around the origin; the axis of the cylinder is z. A length may be 0: a sphere
/// without radius is a point, whose triangles have no area. Corners lie on the surface. No
/// point of the surface is farther than `tolerance` from the mesh, unless that takes more than 256 corners around a
/// circle.
Mesh box_mesh(const Vec3& size);
Mesh cylinder_mesh(double radius, double length, double tolerance);
Mesh sphere_mesh(double radius, double tolerance);

}  // namespace graze::files
