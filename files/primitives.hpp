// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/mesh_file.hpp"

namespace graze::files {

/// Around the origin; the cylinder along z. Lengths are above 0. Corners lie on the surface, and no point of the
/// surface is farther than `tolerance` from the mesh, unless that took more than 256 corners around.
Mesh box_mesh(const Vec3& size);
Mesh cylinder_mesh(double radius, double length, double tolerance);
Mesh sphere_mesh(double radius, double tolerance);

}  // namespace graze::files
