// SPDX-License-Identifier: Apache-2.0
#include "mesh_shape.hpp"

#include <BRepBndLib.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <Poly_Triangulation.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Face.hxx>
#include <array>
#include <cmath>

#include "files/welder.hpp"

namespace graze::files {

namespace {

constexpr double metres = 1e-3;
constexpr double relative_deflection = 1e-3;
/// Largest angle between neighbouring pieces of a curve, in radians. It keeps small holes of large parts round.
constexpr double largest_angle = 0.3;

double diagonal(const TopoDS_Shape& shape) {
    Bnd_Box box;
    BRepBndLib::Add(shape, box, false);
    return box.IsVoid() || box.IsOpen() ? 0 : std::sqrt(box.SquareExtent());
}

/// Appends the triangles of a face, turned outwards.
void append(const TopoDS_Face& face, const Poly_Triangulation& triangles, const TopLoc_Location& place, Welder& welder,
            std::vector<std::uint32_t>& corners) {
    std::vector<std::uint32_t> number;
    for (int i = 1; i <= triangles.NbNodes(); ++i) {
        const gp_Pnt p = triangles.Node(i).Transformed(place.Transformation());
        welder.weld(std::array{Vec3{p.X() * metres, p.Y() * metres, p.Z() * metres}}, number);
    }
    const bool inside_out = (face.Orientation() == TopAbs_REVERSED) != place.Transformation().IsNegative();
    for (int i = 1; i <= triangles.NbTriangles(); ++i) {
        int a = 0, b = 0, c = 0;
        triangles.Triangle(i).Get(a, b, c);
        if (inside_out) std::swap(b, c);
        std::array<std::uint32_t, 3> corner{};
        for (std::size_t k = 0; const int node : {a, b, c}) corner[k++] = number[static_cast<std::size_t>(node - 1)];
        // At the pole of a sphere an edge has no length.
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
        corners.insert(corners.end(), corner.begin(), corner.end());
    }
}

}  // namespace

ShapeMesh mesh_shape(const TopoDS_Shape& shape, double deflection) {
    ShapeMesh out;
    out.deflection = deflection > 0 ? deflection : std::max(diagonal(shape) * relative_deflection, 1e-6) * metres;
    IMeshTools_Parameters how;
    how.Deflection = out.deflection / metres;
    how.Angle = largest_angle;
    const BRepMesh_IncrementalMesh run(shape, how);
    Welder welder(1024);
    for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next()) {
        const TopoDS_Face& face = TopoDS::Face(at.Current());
        TopLoc_Location place;
        const Handle(Poly_Triangulation) triangles = BRep_Tool::Triangulation(face, place);
        if (triangles.IsNull() || triangles->NbTriangles() == 0)
            ++out.failed_faces;
        else
            append(face, *triangles, place, welder, out.mesh.corners);
    }
    out.mesh.points = std::move(welder.points);
    return out;
}

}  // namespace graze::files
