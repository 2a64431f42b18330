// SPDX-License-Identifier: Apache-2.0
#include "mesh_shape.hpp"

#include <BRepAdaptor_Curve.hxx>
#include <BRepAdaptor_Surface.hxx>
#include <BRepBndLib.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepTools.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <Geom2d_Curve.hxx>
#include <Geom_Surface.hxx>
#include <Poly_Triangulation.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Edge.hxx>
#include <TopoDS_Face.hxx>
#include <algorithm>
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

bool is_plane(const TopoDS_Face& face) {
    TopLoc_Location place;
    // A face that the file gives as triangles has no surface.
    return BRep_Tool::Surface(face, place).IsNull() || BRepAdaptor_Surface(face, false).GetType() == GeomAbs_Plane;
}

bool is_line(const TopoDS_Edge& edge) {
    TopLoc_Location place;
    double first = 0, last = 0;
    if (BRep_Tool::Degenerated(edge)) return true;
    if (BRep_Tool::Curve(edge, place, first, last).IsNull()) {
        // It may have a curve within its face alone. An edge of triangles has none at all.
        Handle(Geom2d_Curve) flat;
        Handle(Geom_Surface) surface;
        BRep_Tool::CurveOnSurface(edge, flat, surface, place, first, last);
        return flat.IsNull();
    }
    const BRepAdaptor_Curve curve(edge);
    switch (curve.GetType()) {
        case GeomAbs_Line:
            return true;
        case GeomAbs_BezierCurve:
        case GeomAbs_BSplineCurve:
            return curve.NbPoles() == 2;
        default:
            return false;
    }
}

/// The largest distance seen between the triangles of a face and its surface, at the middles of the triangles and of
/// their edges. OpenCASCADE aims at a deflection but does not promise it.
double sag(const TopoDS_Face& face, const Poly_Triangulation& triangles) {
    if (!triangles.HasUVNodes() || is_plane(face)) return 0;
    TopLoc_Location place;
    const Handle(Geom_Surface) surface = BRep_Tool::Surface(face, place);
    double most = 0;
    for (int i = 1; i <= triangles.NbTriangles(); ++i) {
        std::array<int, 3> node{};
        triangles.Triangle(i).Get(node[0], node[1], node[2]);
        std::array<gp_XYZ, 3> p;
        std::array<gp_XY, 3> uv;
        for (std::size_t k = 0; k < 3; ++k) {
            p[k] = triangles.Node(node[k]).XYZ();
            uv[k] = triangles.UVNode(node[k]).XY();
        }
        const gp_XYZ normal = (p[1] - p[0]).Crossed(p[2] - p[0]);
        const double area = normal.Modulus();
        if (!(area > 0)) continue;
        const auto look = [&](const gp_XY& at) {
            const gp_XYZ off = surface->Value(at.X(), at.Y()).XYZ() - p[0];
            most = std::max(most, std::abs(off.Dot(normal)) / area);
        };
        for (std::size_t k = 0; k < 3; ++k) look((uv[k] + uv[(k + 1) % 3]) / 2);
        look((uv[0] + uv[1] + uv[2]) / 3);
    }
    return most;
}

double largest_tolerance(const TopoDS_Shape& shape) {
    double most = 0;
    for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next())
        most = std::max(most, BRep_Tool::Tolerance(TopoDS::Face(at.Current())));
    for (TopExp_Explorer at(shape, TopAbs_EDGE); at.More(); at.Next())
        most = std::max(most, BRep_Tool::Tolerance(TopoDS::Edge(at.Current())));
    for (TopExp_Explorer at(shape, TopAbs_VERTEX); at.More(); at.Next())
        most = std::max(most, BRep_Tool::Tolerance(TopoDS::Vertex(at.Current())));
    return most;
}

bool is_curved(const TopoDS_Shape& shape) {
    for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next())
        if (!is_plane(TopoDS::Face(at.Current()))) return true;
    for (TopExp_Explorer at(shape, TopAbs_EDGE); at.More(); at.Next())
        if (!is_line(TopoDS::Edge(at.Current()))) return true;
    return false;
}

}  // namespace

ShapeMesh mesh_shape(const TopoDS_Shape& shape, double deflection) {
    ShapeMesh out;
    out.deflection = deflection > 0 ? deflection : std::max(diagonal(shape) * relative_deflection, 1e-6) * metres;
    IMeshTools_Parameters how;
    how.Deflection = out.deflection / metres;
    how.Angle = largest_angle;
    BRepTools::Clean(shape);
    const BRepMesh_IncrementalMesh run(shape, how);
    Welder welder(1024);
    double reached = how.Deflection;
    for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next()) {
        const TopoDS_Face& face = TopoDS::Face(at.Current());
        TopLoc_Location place;
        const Handle(Poly_Triangulation) triangles = BRep_Tool::Triangulation(face, place);
        if (triangles.IsNull() || triangles->NbTriangles() == 0) {
            ++out.failed_faces;
            continue;
        }
        append(face, *triangles, place, welder, out.mesh.corners);
        reached = std::max({reached, triangles->Deflection(), sag(face, *triangles)});
    }
    out.mesh.curved = is_curved(shape);
    out.mesh.error = ((out.mesh.curved ? reached : 0) + largest_tolerance(shape)) * metres;
    out.mesh.points = std::move(welder.points);
    return out;
}

std::vector<SimpleFace> simple_faces(const TopoDS_Shape& shape) {
    const auto vector = [](const gp_XYZ& v) { return Vec3{v.X(), v.Y(), v.Z()}; };
    std::vector<SimpleFace> out;
    for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next()) {
        const TopoDS_Face& face = TopoDS::Face(at.Current());
        const BRepAdaptor_Surface surface(face, false);
        const double side = face.Orientation() == TopAbs_REVERSED ? -1 : 1;
        if (surface.GetType() == GeomAbs_Plane) {
            const gp_Pln plane = surface.Plane();
            // The normal of a left-handed plane is the other way.
            const double sign = side * (plane.Direct() ? 1 : -1);
            out.push_back({vector(plane.Location().XYZ()) * metres, vector(plane.Axis().Direction().XYZ()) * sign, 0});
        } else if (surface.GetType() == GeomAbs_Cylinder) {
            const gp_Cylinder cylinder = surface.Cylinder();
            const double sign = side * (cylinder.Direct() ? 1 : -1);
            out.push_back({vector(cylinder.Location().XYZ()) * metres, vector(cylinder.Axis().Direction().XYZ()),
                           sign * cylinder.Radius() * metres});
        }
    }
    return out;
}

}  // namespace graze::files
