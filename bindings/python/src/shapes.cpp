// SPDX-License-Identifier: Apache-2.0
// Boxes, slabs, hulls, fronts, placements and shapes.
#include <pybind11/stl.h>

#include "interrupt.hpp"
#include "parts.hpp"

namespace graze::python {

namespace {

/// The first three rows, and 0 0 0 1.
void write_matrix(const std::array<double, 12>& rows, double* to) {
    std::copy(rows.begin(), rows.end(), to);
    to[12] = to[13] = to[14] = 0;
    to[15] = 1;
}

py::array_t<double> pose(py::object quaternion, py::object translation) {
    if (quaternion.is_none()) quaternion = py::make_tuple(0, 0, 0, 1);
    if (translation.is_none()) translation = py::make_tuple(0, 0, 0);
    const Packed<double> q = as_doubles(quaternion, "quaternion"), t = as_doubles(translation, "translation");
    const auto fits = [](const Packed<double>& a, py::ssize_t n) {
        return (a.ndim() == 1 || a.ndim() == 2) && a.shape(a.ndim() - 1) == n;
    };
    if (!fits(q, 4)) refuse(FaultKind::BadIndex, "quaternion: the shape is " + shape_of(q) + ", not (4,) or (n, 4)");
    if (!fits(t, 3)) refuse(FaultKind::BadIndex, "translation: the shape is " + shape_of(t) + ", not (3,) or (n, 3)");
    const bool many_q = q.ndim() == 2, many_t = t.ndim() == 2;
    if (many_q && many_t && q.shape(0) != t.shape(0))
        refuse(FaultKind::BadIndex, "pose: " + std::to_string(q.shape(0)) + " quaternions and " +
                                        std::to_string(t.shape(0)) + " translations");
    const auto made = [&](py::ssize_t i) {
        const double *a = q.data() + (many_q ? 4 * i : 0), *b = t.data() + (many_t ? 3 * i : 0);
        return take(Pose::from_quaternion({a[0], a[1], a[2], a[3]}, {b[0], b[1], b[2]}));
    };
    if (!many_q && !many_t) return matrix_of(made(0));
    const py::ssize_t n = many_q ? q.shape(0) : t.shape(0);
    py::array_t<double> out({n, py::ssize_t{4}, py::ssize_t{4}});
    for (py::ssize_t i = 0; i < n; ++i) write_matrix(made(i).rows(), out.mutable_data() + 16 * i);
    return out;
}

py::array_t<double> relative_of(py::handle world_from_a, py::handle world_from_b) {
    const Placements a(world_from_a, "world_from_a"), b(world_from_b, "world_from_b");
    if (a.batch() && b.batch() && a.size() != b.size())
        refuse(FaultKind::BadIndex,
               "relative: " + std::to_string(a.size()) + " placements and " + std::to_string(b.size()));
    if (!a.batch() && !b.batch()) return matrix_of(take(relative(a.one(), b.one())));
    const std::size_t n = a.batch() ? a.size() : b.size();
    py::array_t<double> out({static_cast<py::ssize_t>(n), py::ssize_t{4}, py::ssize_t{4}});
    const auto named = [](std::size_t i, const Result<Affine>& result) {
        if (!result) refuse(result.fault().kind, "placement " + std::to_string(i) + ": " + result.fault().message);
        return *result;
    };
    for (std::size_t i = 0; i < n; ++i)
        write_matrix(named(i, relative(named(i, a[a.batch() ? i : 0]), named(i, b[b.batch() ? i : 0]))).rows(),
                     out.mutable_data() + 16 * i);
    return out;
}

void add_box(py::module_& m) {
    add_class<Box>(m, "Box", R"(A closed box along the axes: all points with lo ≤ x ≤ hi.

Bounds may be infinite, and equal ones make it flat.

>>> box = graze.Box([0, 0, 0], [1, 1, np.inf])
>>> box.hi.tolist()
[1.0, 1.0, inf]
)")
        .def(py::init(
                 [](py::handle lo, py::handle hi) { return take(Box::between(as_vec3(lo, "lo"), as_vec3(hi, "hi"))); }),
             py::arg("lo"), py::arg("hi"))
        .def_property_readonly(
            "lo", [](const Box& box) { return array_of(box.lo()); }, "The lower corner.")
        .def_property_readonly(
            "hi", [](const Box& box) { return array_of(box.hi()); }, "The upper corner.")
        .def("__repr__", [](const Box& box) {
            return "graze.Box(" + std::string(py::str(array_of(box.lo()).attr("tolist")())) + ", " +
                   std::string(py::str(array_of(box.hi()).attr("tolist")())) + ")";
        });
}

void add_slab(py::module_& m) {
    add_class<Slab>(m, "Slab", R"(The points between two parallel planes: lo ≤ normal · x ≤ hi.

The normal may have any length but zero. A bound may be infinite.

>>> graze.Slab([0, 0, 1], 0, 2).hi
2.0
)")
        .def(py::init([](py::handle normal, double lo, double hi) {
                 return take(Slab::between(as_vec3(normal, "normal"), lo, hi));
             }),
             py::arg("normal"), py::arg("lo"), py::arg("hi"))
        .def_static(
            "half_space",
            [](py::handle normal, double offset) { return take(Slab::half_space(as_vec3(normal, "normal"), offset)); },
            py::arg("normal"), py::arg("offset"), "The points with normal · x ≤ offset. The normal points out of it.")
        .def_static(
            "plane",
            [](py::handle normal, double offset) { return take(Slab::plane(as_vec3(normal, "normal"), offset)); },
            py::arg("normal"), py::arg("offset"), "The points with normal · x = offset.")
        .def_property_readonly(
            "normal", [](const Slab& slab) { return array_of(slab.normal()); }, "The normal.")
        .def_property_readonly("lo", &Slab::lo, "The lower bound of normal · x.")
        .def_property_readonly("hi", &Slab::hi, "The upper bound of normal · x.")
        .def("__repr__", [](const Slab& slab) {
            return "graze.Slab(" + std::string(py::str(array_of(slab.normal()).attr("tolist")())) + ", " +
                   std::string(py::str(py::float_(slab.lo()))) + ", " + std::string(py::str(py::float_(slab.hi()))) +
                   ")";
        });
}

Hull hull_of(py::handle source) {
    if (py::isinstance<Model>(source)) {
        const Model model = source.cast<Model>();
        return interruptible(model.triangle_count(), [model](Watch&) { return Hull(model); });
    }
    const Points points(source);
    points.check("soup");
    return interruptible(points.view().size(), [view = points.view()](Watch&) { return take(Hull::around(view)); },
                         {.kept = points.owner()});
}

void add_hull(py::module_& m) {
    add_class<Hull>(m, "Hull", R"(The convex hull of a model or of points.

>>> hull = graze.Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]])
>>> hull.dimension, len(hull.vertices), len(hull.edges), len(hull.faces)
(3, 4, 6, 4)
)")
        .def(py::init(&hull_of), py::arg("source"))
        .def_property_readonly("dimension", &Hull::dimension,
                               "3 for a solid, 2 for a polygon, 1 for a segment, 0 for a point, -1 for nothing.")
        .def_property_readonly(
            "vertices",
            [](const Hull& hull) {
                std::vector<Vec3> all;
                for (std::uint32_t i = 0; i < hull.vertex_count(); ++i) all.push_back(hull.vertex(i));
                return array_of(std::span<const Vec3>(all));
            },
            "The vertices, of shape (n, 3): some of the points given, bit for bit.")
        .def_property_readonly(
            "edges",
            [](const Hull& hull) {
                std::vector<TrianglePair> all;
                for (std::uint32_t i = 0; i < hull.edge_count(); ++i) all.push_back({hull.edge(i)[0], hull.edge(i)[1]});
                return array_of(std::span<const TrianglePair>(all));
            },
            "The two vertices of each edge, of shape (n, 2).")
        .def_property_readonly(
            "faces",
            [](const Hull& hull) {
                py::list all;
                for (std::uint32_t i = 0; i < hull.face_count(); ++i) {
                    const auto face = hull.face(i);
                    all.append(py::array_t<std::uint32_t>(static_cast<py::ssize_t>(face.size()), face.data()));
                }
                return all;
            },
            "The vertices of each face, anticlockwise seen from outside: a list of arrays.")
        .def_property_readonly(
            "normals",
            [](const Hull& hull) {
                std::vector<Vec3> all;
                for (std::uint32_t i = 0; i < hull.face_count(); ++i) all.push_back(hull.normal(i));
                return array_of(std::span<const Vec3>(all));
            },
            "The outward normal of each face, of unit length and shape (n, 3).")
        .def_property_readonly("slack", &Hull::slack, "No point lies further outside the hull than this.")
        .def_property_readonly("nbytes", &Hull::bytes, "Memory in bytes, shared with copies.")
        .def("__repr__", [](const Hull& hull) {
            return "<graze.Hull: dimension " + std::to_string(hull.dimension()) + ", " +
                   (hull.vertex_count() == 1 ? "1 vertex" : std::to_string(hull.vertex_count()) + " vertices") + ", " +
                   counted(hull.face_count(), "face") + ">";
        });
}

void add_front(py::module_& m) {
    add_class<PyFront>(m, "Front", R"(Where the last query between two models ended.

After a small motion the next query starts there, which is faster and gives the same answer. Use one front per pair of
models. One query at a time may use it. A batch with a front runs on one thread, placement by placement.

>>> front = graze.Front()
>>> a = b = graze.shapes.box([1, 1, 1])
>>> [graze.intersects(a, b, graze.pose(translation=[x, 0, 0]), front=front) for x in (0.9, 1.0, 1.1)]
[True, True, False]
)")
        .def(py::init([](std::size_t max_bytes) { return PyFront{Front({.max_bytes = max_bytes})}; }), py::kw_only(),
             py::arg("max_bytes") = FrontSettings{}.max_bytes)
        .def(
            "clear",
            [](PyFront& front) {
                const InUse use(front.in_use, "front");
                front.front.clear();
            },
            "Forgets everything.")
        .def_property_readonly(
            "warm",
            [](PyFront& front) {
                const InUse use(front.in_use, "front");
                return front.front.warm();
            },
            "True when the next query can start from this front.")
        .def_property_readonly(
            "nbytes",
            [](PyFront& front) {
                const InUse use(front.in_use, "front");
                return front.front.bytes();
            },
            "Memory held, in bytes.")
        .def("__repr__", [](PyFront& front) {
            const InUse use(front.in_use, "front");
            return front.front.warm() ? "<graze.Front: warm, " + counted(front.front.bytes(), "byte") + ">"
                                      : std::string("<graze.Front: cold>");
        });
}

/// For graze.fcl and graze.trimesh: what a model or a solid lacks is a radius.
void add_shape(py::module_& m) {
    const auto posed = [](py::handle a_from_b) {
        return take(Pose::from_rows(Placements(a_from_b, "a_from_b").one().rows()));
    };
    add_class<Shape>(m, "_Shape", "A point or a segment with a radius, a box, a surface or a solid.")
        .def(py::init([](const Model& surface) { return Shape(surface); }), py::arg("core"))
        .def(py::init([](const Solid& solid) { return Shape(solid); }), py::arg("core"))
        .def_static(
            "sphere", [](double radius) { return take(Shape::sphere({}, radius)); }, py::arg("radius"))
        .def_static(
            "capsule",
            [](py::handle from, py::handle to, double radius) {
                return take(Shape::capsule(as_vec3(from, "from"), as_vec3(to, "to"), radius));
            },
            py::arg("from"), py::arg("to"), py::arg("radius"))
        .def(
            "with_radius", [](const Shape& shape, double radius) { return take(shape.with_radius(radius)); },
            py::arg("radius"))
        .def_property_readonly("core", &Shape::core)
        .def_property_readonly("radius", &Shape::radius)
        .def(
            "intersects",
            [posed](Shape a, Shape b, py::handle a_from_b) {
                const Pose pose = posed(a_from_b);
                const py::gil_scoped_release release;
                return intersects(a, b, pose);
            },
            py::arg("other"), py::arg("a_from_b"))
        .def(
            "closest",
            [posed](Shape a, Shape b, py::handle a_from_b, double max_distance) {
                const Pose pose = posed(a_from_b);
                Closest found;
                {
                    const py::gil_scoped_release release;
                    found = distance(a, b, pose, {.max_distance = max_distance});
                }
                return py::make_tuple(found.distance, array_of(found.point_a), array_of(found.point_b));
            },
            py::arg("other"), py::arg("a_from_b"), py::arg("max_distance"));
}

}  // namespace

void add_shapes(py::module_& m) {
    m.def("pose", &pose, py::kw_only(), py::arg("quaternion") = py::none(), py::arg("translation") = py::none(),
          R"(A rigid placement as an array of shape (4, 4): first the rotation, then the translation.

    pose(*, quaternion=None, translation=None)

The quaternion is x, y, z, w, of any length but zero. Arrays of shape (n, 4) and (n, 3) give an array of shape (n, 4, 4).

>>> graze.pose(quaternion=[0, 0, 2, 0], translation=[5, 0, 0]).tolist()
[[-1.0, 0.0, 0.0, 5.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
)");
    m.def("relative", &relative_of, py::arg("world_from_a"), py::arg("world_from_b"),
          R"(The placement of B in A's frame when both are placed in the world: what queries take.

    relative(world_from_a, world_from_b)

Either may be a batch, or both.

>>> graze.relative(graze.pose(translation=[1, 0, 0]), graze.pose(translation=[5, 0, 0]))[:3, 3].tolist()
[4.0, 0.0, 0.0]
)");
    add_box(m);
    add_slab(m);
    add_hull(m);
    add_front(m);
    add_shape(m);
}

}  // namespace graze::python
