// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <TopoDS_Shape.hxx>

#include "files/mesh_file.hpp"

namespace graze::files {

/// Triangles of a shape, in metres. Shapes are in millimetres.
struct ShapeMesh {
    Mesh mesh;
    std::size_t failed_faces = 0;  ///< number of faces that OpenCASCADE could not mesh
    double deflection = 0;         ///< largest distance from the surface that was asked for, in metres
};

/// Cuts the faces of a shape into triangles that are at most `deflection` metres from the surface. 0 stands for a
/// thousandth of the diagonal of the shape's box. Faces share the points of their common edges. Triangles from an
/// earlier call are forgotten.
///
/// The mesh's error is the largest tolerance of the shape's vertices, edges and faces. With curved faces or edges, add
/// the deflection: the one asked for, the one that OpenCASCADE reports, or that seen between the corners of the
/// triangles, whichever is largest.
ShapeMesh mesh_shape(const TopoDS_Shape& shape, double deflection);

/// The planes and cylinders among the faces of a shape, in metres.
std::vector<SimpleFace> simple_faces(const TopoDS_Shape& shape);

}  // namespace graze::files
