// SPDX-License-Identifier: Apache-2.0
// Contacts of a model with itself, and models as solids.
#include "graze/solid.hpp"

#include "answers.hpp"
#include "graze/self.hpp"
#include "interrupt.hpp"
#include "parts.hpp"

namespace graze::python {

namespace {

py::handle side_type, overlap_type, penetration_type, curve_type;

constexpr double infinity = std::numeric_limits<double>::infinity();

py::array_t<std::uint32_t> self_contacts_of(Model model, unsigned rings, std::size_t max_contacts) {
    const auto pairs = interruptible(model.triangle_count(), [=](Watch& watch) {
        std::vector<TrianglePair> found;
        for_each_self_contact(model,
                              [&](const Contact& contact) {
                                  found.push_back(contact.triangles);
                                  return watch.stop ? Step::Stop : Step::Continue;
                              },
                              {.max_contacts = max_contacts, .rings = rings, .scratch = &scratch()});
        return found;
    });
    return array_of(std::span<const TrianglePair>(pairs));
}

bool self_intersects_of(Model model, unsigned rings) {
    return interruptible(model.triangle_count(),
                         [=](Watch&) { return self_intersects(model, {.rings = rings, .scratch = &scratch()}); });
}

/// A solid, also where a model is given.
Solid solid_of(py::handle object, const char* what) {
    if (py::isinstance<Solid>(object)) return object.cast<Solid>();
    if (py::isinstance<Model>(object)) return Solid(object.cast<Model>());
    throw py::type_error(std::string(what) + ": this is no graze.Solid and no graze.Model");
}

/// `f(point)` gives a number: one, or an array of them for many points.
template <class F>
py::object number_at(const Vectors& points, const BatchSettings& batch, F&& f) {
    using T = std::invoke_result_t<F&, const Vec3&>;
    if (!points.batch()) {
        T answer;
        {
            const py::gil_scoped_release release;
            answer = f(points[0]);
        }
        return py::cast(answer);
    }
    py::array_t<T> out(static_cast<py::ssize_t>(points.size()));
    T* to = out.mutable_data();
    run_batch(points.size(), batch.threads, batch.progress, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) to[i] = f(points[i]);
    });
    return out;
}

py::object side_of_points(py::handle given, py::handle points, unsigned threads, py::object progress) {
    const Solid solid = solid_of(given, "solid");
    const Vectors at(points, "points");
    const py::object sides = number_at(at, {threads, std::move(progress)}, [&](const Vec3& point) {
        return static_cast<std::int8_t>(side_of(solid, point));
    });
    return at.batch() ? sides : side_type(sides);
}

py::object contains_points(py::handle given, py::handle points, unsigned threads, py::object progress) {
    const Solid solid = solid_of(given, "solid");
    return number_at(Vectors(points, "points"), {threads, std::move(progress)},
                     [&](const Vec3& point) { return side_of(solid, point) != Side::Outside; });
}

py::object signed_distance_of(py::handle given, py::handle points, unsigned threads, py::object progress) {
    const Solid solid = solid_of(given, "solid");
    return closest_points_for(Vectors(points, "points"), {threads, std::move(progress)},
                              [&](const Vec3& point) { return signed_distance(solid, point); });
}

/// Two solids, and how the second one is placed in the frame of the first.
struct Placed {
    Solid a, b;
    Placements placements;
    BatchSettings batch;

    Placed(py::handle given_a, py::handle given_b, py::handle a_from_b, unsigned threads, py::object progress)
        : a(solid_of(given_a, "a")),
          b(solid_of(given_b, "b")),
          placements(a_from_b, "a_from_b"),
          batch{threads, std::move(progress)} {}
};

QuerySettings query_settings() { return {.scratch = &scratch()}; }

/// `f(a, b, placement)` for the only placement, in a call that Ctrl-C ends.
template <class F>
auto search(const Placed& given, F f) {
    const std::size_t size = std::size_t{given.a.model().triangle_count()} + given.b.model().triangle_count();
    return interruptible(
        size, [a = given.a, b = given.b, placement = given.placements.one(), f](Watch&) { return f(a, b, placement); });
}

/// `f(a, b, placement)` gives a number: one, or an array of them for a batch.
template <class F>
py::object number_for(const Placed& given, F f) {
    if (!given.placements.batch()) return py::cast(search(given, f));
    return number_for(given.placements, given.batch,
                      [&](const Affine& placement) { return f(given.a, given.b, placement); });
}

py::object relation_of(py::handle a, py::handle b, py::handle a_from_b, unsigned threads, py::object progress) {
    const Placed given(a, b, a_from_b, threads, std::move(progress));
    const py::object found = number_for(given, [](const Solid& s, const Solid& t, const Affine& s_from_t) {
        return static_cast<std::int8_t>(relation(s, t, s_from_t, query_settings()).relation);
    });
    if (!given.placements.batch()) return py::str(name(static_cast<Relation>(found.cast<int>())));
    py::list names;
    for (int i = 0; i <= static_cast<int>(Relation::Equal); ++i) names.append(name(static_cast<Relation>(i)));
    return py::module_::import("numpy").attr("array")(names).attr("take")(found);
}

py::object overlap_of(py::handle a, py::handle b, py::handle a_from_b, unsigned threads, py::object progress) {
    const Placed given(a, b, a_from_b, threads, std::move(progress));
    const auto at = [](const Solid& s, const Solid& t, const Affine& s_from_t) {
        return overlap(s, t, s_from_t, query_settings());
    };
    if (!given.placements.batch()) {
        const Overlap found = search(given, at);
        return overlap_type(found.volume, found.area);
    }
    const auto n = static_cast<py::ssize_t>(given.placements.size());
    py::array_t<double> volumes(n), areas(n);
    double *v = volumes.mutable_data(), *s = areas.mutable_data();
    for_each_placement(given.placements, given.batch, [&](std::size_t i, const Affine& placement) {
        const Overlap found = at(given.a, given.b, placement);
        v[i] = found.volume;
        s[i] = found.area;
    });
    return overlap_type(volumes, areas);
}

/// A fault when a number is NaN or below zero.
double not_negative(double number, const char* what) {
    if (checked(number, what) < 0) refuse(FaultKind::OutOfRange, std::string(what) + ": this is below zero");
    return number;
}

py::object inside_depth_of(py::handle a, py::handle b, py::handle a_from_b, double relative_error,
                           double absolute_error, double stop_above, unsigned threads, py::object progress) {
    const Placed given(a, b, a_from_b, threads, std::move(progress));
    const DepthSettings settings{.relative_error = not_negative(relative_error, "relative_error"),
                                 .absolute_error = not_negative(absolute_error, "absolute_error"),
                                 .stop_above = checked(stop_above, "stop_above")};
    return number_for(given, [settings](const Solid& s, const Solid& t, const Affine& s_from_t) {
        return inside_depth(s, t, s_from_t, settings).low;
    });
}

py::object touching_within_of(py::handle a, py::handle b, py::handle a_from_b, double tolerance, unsigned threads,
                              py::object progress) {
    const Placed given(a, b, a_from_b, threads, std::move(progress));
    tolerance = not_negative(tolerance, "tolerance");
    return number_for(given, [tolerance](const Solid& s, const Solid& t, const Affine& s_from_t) {
        return touching_within(s, t, s_from_t, tolerance);
    });
}

py::object penetration_of(py::handle a, py::handle b, py::handle a_from_b, py::handle direction, unsigned threads,
                          py::object progress) {
    const Placed given(a, b, a_from_b, threads, std::move(progress));
    const bool any = direction.is_none();
    const Vec3 along = any ? Vec3() : as_vec3(direction, "direction");
    const auto at = [any, along](const Solid& s, const Solid& t, const Affine& s_from_t) {
        return any ? penetration(s, t, s_from_t) : penetration_along(s, t, s_from_t, along);
    };
    if (!given.placements.batch()) {
        const Penetration found = search(given, at);
        return penetration_type(found.depth, array_of(found.translation));
    }
    const auto n = static_cast<py::ssize_t>(given.placements.size());
    py::array_t<double> depths(n), translations({n, py::ssize_t{3}});
    double *d = depths.mutable_data(), *t = translations.mutable_data();
    for_each_placement(given.placements, given.batch, [&](std::size_t i, const Affine& placement) {
        const Penetration found = at(given.a, given.b, placement);
        d[i] = found.depth;
        for (int k = 0; k < 3; ++k) t[3 * i + static_cast<std::size_t>(k)] = found.translation[k];
    });
    return penetration_type(depths, translations);
}

py::list intersection_curves_of(py::handle a, py::handle b, py::handle a_from_b) {
    const Placed given(a, b, a_from_b, 0, py::none());
    const std::vector<Curve> curves = search(given, [](const Solid& s, const Solid& t, const Affine& s_from_t) {
        return intersection_curves(s, t, s_from_t, query_settings());
    });
    py::list out;
    for (const Curve& curve : curves)
        out.append(curve_type(array_of(std::span<const Vec3>(curve.points)), curve.closed));
    return out;
}

void add_self(py::module_& m) {
    m.def("self_contacts", &self_contacts_of, py::arg("model"), py::arg("rings") = 0u,
          py::arg("max_contacts") = std::size_t{0},
          R"(All pairs of a model's triangles that meet in more than the corners and edges that they share.

    self_contacts(model, rings=0, max_contacts=0)

A uint32 array of shape (k, 2), in no particular order. The first of a pair is the smaller one. Corners with equal
coordinates are shared. The answer is exact, and touching counts. `rings` leaves out triangles that are connected by a
path of at most so many shared corners: 1 those that share a corner, 2 also those that share corners with a third one.
The query ends after `max_contacts`; 0 means no limit.

>>> graze.self_contacts(graze.shapes.box([1, 1, 1])).shape
(0, 2)
>>> floor, blade = [[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[1, 1, -1], [2, 1, -1], [1, 1, 1]]
>>> graze.self_contacts(graze.Model([floor, blade])).tolist()
[[0, 1]]
)");
    m.def("self_intersects", &self_intersects_of, py::arg("model"), py::arg("rings") = 0u,
          R"(Whether a model has a contact with itself, as `self_contacts` defines it. Stops at the first one.

    self_intersects(model, rings=0)

>>> graze.self_intersects(graze.shapes.box([1, 1, 1]))
False
)");
}

/// A property that may have to look at the whole surface first.
template <class F>
auto property(F f) {
    return [f](const Solid& solid) {
        return interruptible(solid.model().triangle_count(), [solid, f](Watch&) { return f(solid); });
    };
}

void add_solid_class(py::module_& m) {
    add_class<Solid>(m, "Solid", R"(A model seen as the boundary of a solid.

    Solid(model)

Corners with equal coordinates count as one point. A shell is a set of triangles that are connected by edges. A closed
shell wholly within another one is a cavity, one within that is solid again, whichever way their triangles face. Open
shells have no inside.

A solid shares its model's memory. What it needs to know about the surface is found out when first asked for, once, so
keep the solid when there are many questions. Functions that take a solid also take a model, and make a solid of it. Many
threads may use one solid at once. Solids can be pickled.

>>> solid = graze.Solid(graze.shapes.box([1, 2, 3]))
>>> solid.flaw, solid.shell_count, solid.volume
('none', 1, 6.0)
>>> graze.Solid(graze.Model(np.eye(3), [[0, 1, 2]])).flaw
'open'
)")
        .def(py::init<const Model&>(), py::arg("model"))
        .def_property_readonly(
            "model", [](const Solid& solid) { return solid.model(); },
            "The model as it was when the solid was made. A later refit does not reach it.")
        .def_property_readonly("flaw", property([](const Solid& solid) { return name(solid.flaw()); }),
                               R"(What keeps the surface from being the boundary of a solid, as a string.

'none'; 'open', when an edge has an odd number of triangles; 'unorientable'; 'self-crossing', when triangles meet in more
than what they share, or shells overlap; 'misoriented', when triangles face the wrong way, which no query minds. Where
several apply, it is the first of these. Looks for contacts of the model with itself.)")
        .def_property_readonly("closed", property([](const Solid& solid) { return solid.closed(); }),
                               "Whether every shell is closed, and some triangle has an area.")
        .def_property_readonly("has_inside", property([](const Solid& solid) { return solid.has_inside(); }),
                               "Whether some shell has an inside. Without one, no point is inside.")
        .def_property_readonly("shell_count", property([](const Solid& solid) { return solid.shell_count(); }),
                               "Number of shells.")
        .def_property_readonly("volume", property([](const Solid& solid) { return solid.volume(); }),
                               "Volume of the closed shells, cavities subtracted.")
        .def("__copy__", [](const Solid& solid) { return solid; })
        .def(
            "__deepcopy__", [](const Solid& solid, py::handle) { return solid; }, py::arg("memo"))
        .def("__repr__", [](const Solid& solid) { return "<graze.Solid: " + solid.model().summary() + ">"; })
        .def(py::pickle([](const Solid& solid) { return solid.model(); },
                        [](const Model& model) { return Solid(model); }));
}

void add_points(py::module_& m) {
    py::object side = py::module_::import("enum").attr("IntEnum")("Side", "OUTSIDE ON_SURFACE INSIDE",
                                                                  py::arg("start") = 0, py::arg("module") = "graze");
    side.attr("__doc__") = "Where a point lies: OUTSIDE is 0, ON_SURFACE is 1, INSIDE is 2.";
    m.attr("Side") = side;
    side_type = side.release();  // lives as long as the interpreter
    const auto def = [&](const char* name, auto function, const char* doc) {
        m.def(name, function, py::arg("solid"), py::arg("points"), py::kw_only(), py::arg("threads") = 0u,
              py::arg("progress") = py::none(), doc);
    };
    def("side_of", &side_of_points, R"(The side of a solid on which points lie, decided without rounding.

    side_of(solid, points, *, threads=0, progress=None)

`points` has the shape (3,) for a Side, or (n, 3) for an int8 array: 0 is outside, 1 on the surface, 2 inside. They are
in the solid's frame. The surface includes open shells.

>>> box = graze.Solid(graze.shapes.box([2, 2, 2]))
>>> graze.side_of(box, [0, 0, 1]).name
'ON_SURFACE'
>>> sides = graze.side_of(box, [[0, 0, 0], [0, 0, 1], [0, 0, 1.0000000000000002]])
>>> sides.tolist(), (sides == graze.Side.INSIDE).tolist()
([2, 1, 0], [True, False, False])
)");
    def("contains", &contains_points, R"(Whether points lie inside a solid or on its surface, decided without rounding.

    contains(solid, points, *, threads=0, progress=None)

A bool for a point of shape (3,), a bool array for points of shape (n, 3).

>>> graze.contains(graze.Solid(graze.shapes.box([2, 2, 2])), [[0, 0, 0], [0, 0, 1], [0, 0, 7]]).tolist()
[True, True, False]
)");
    def("signed_distance", &signed_distance_of,
        R"(The closest points of a solid's surface, with negative distances for points inside: a ClosestPoints.

    signed_distance(solid, points, *, threads=0, progress=None)

trimesh's `signed_distance` has the other sign: it is positive inside.

>>> graze.signed_distance(graze.Solid(graze.shapes.box([2, 2, 2])), [[0.5, 0, 0], [3, 0, 0]]).distance.tolist()
[-0.5, 2.0]
)");
}

/// Defines a function of two solids and placements, with arguments of its own.
template <class F, class... Own>
void def_pair(py::module_& m, const char* name, F function, const char* doc, const Own&... own) {
    m.def(name, function, py::arg("a"), py::arg("b"), py::arg("a_from_b") = py::none(), py::kw_only(), own...,
          py::arg("threads") = 0u, py::arg("progress") = py::none(), doc);
}

void add_relations(py::module_& m) {
    def_pair(m, "relation", &relation_of,
             R"(How two solids lie to each other, decided without rounding and without tolerance.

    relation(a, b, a_from_b=None, *, threads=0, progress=None)

'disjoint'; 'touching', when surfaces meet and no point of one is within the other; 'crossing'; 'a inside b' or 'b inside
a', when all of one is within the other, where surfaces may meet; 'equal', for the same set of points. An array of these
strings for a batch of placements. Nothing lies within a shell that is open or unorientable. The answer is certain where
both have the flaw 'none' or 'misoriented'.

>>> box, small = graze.Solid(graze.shapes.box([2, 2, 2])), graze.Solid(graze.shapes.box([1, 1, 1]))
>>> graze.relation(box, small)
'b inside a'
>>> graze.relation(box, small, graze.pose(translation=[[0.5, 0, 0], [1, 0, 0], [1.5, 0, 0], [9, 0, 0]])).tolist()
['b inside a', 'crossing', 'touching', 'disjoint']
)");
    def_pair(m, "overlap", &overlap_of,
             R"(Volume of the points within both solids, and the area of its surface: an Overlap.

    overlap(a, b, a_from_b=None, *, threads=0, progress=None)

Shells without inside do not count. Where shells of one solid overlap, a part within two of them counts twice. Both are
arrays for a batch of placements.

>>> box = graze.Solid(graze.shapes.box([2, 2, 2]))
>>> found = graze.overlap(box, box, graze.pose(translation=[1, 1, 1]))
>>> round(found.volume, 9), round(found.area, 9)
(1.0, 6.0)
)");
    def_pair(m, "inside_depth", &inside_depth_of, R"(How deep the surface of one solid reaches into the other.

    inside_depth(a, b, a_from_b=None, *, relative_error=0.01, absolute_error=0.0, stop_above=inf, threads=0,
                 progress=None)

The greatest distance from the surface of one of a point of the other's surface that lies inside it; 0 when no point
does. It may be too small by the relative error plus the absolute one, where 0 means a millionth of the smaller model's
size. The search ends when it knows a depth above `stop_above`. A float, or an array for a batch of placements.

>>> box, small = graze.Solid(graze.shapes.box([2, 2, 2])), graze.Solid(graze.shapes.box([1, 1, 1]))
>>> round(graze.inside_depth(box, small, graze.pose(translation=[0, 0, 1])), 2)
0.5
)",
             py::arg("relative_error") = 0.01, py::arg("absolute_error") = 0.0, py::arg("stop_above") = infinity);
    m.def("touching_within", &touching_within_of, py::arg("a"), py::arg("b"), py::arg("a_from_b"), py::arg("tolerance"),
          py::kw_only(), py::arg("threads") = 0u, py::arg("progress") = py::none(),
          R"(Whether two solids meet, and no point of the surface of one is deeper than a tolerance inside the other.

    touching_within(a, b, a_from_b, tolerance, *, threads=0, progress=None)

Decided within 1 % of the tolerance. Use it beside `relation` for parts whose coordinates are inexact, as those of CAD
exports are. A bool, or an array for a batch of placements.

>>> box = graze.Solid(graze.shapes.box([1, 1, 1]))
>>> graze.touching_within(box, box, graze.pose(translation=[[0.9999, 0, 0], [0.9, 0, 0]]), 0.001).tolist()
[True, False]
)");
    def_pair(m, "penetration", &penetration_of, R"(A translation of B that parts two solids: a Penetration.

    penetration(a, b, a_from_b=None, *, direction=None, threads=0, progress=None)

The shortest of those along the normals of triangles in contact: an upper bound on the least one. With a `direction` it
is the way out along it. Zero when the solids have no part in common, infinite for a direction that is zero. Depth and
translation are arrays for a batch of placements.

>>> box = graze.Solid(graze.shapes.box([1, 1, 1]))
>>> found = graze.penetration(box, box, graze.pose(translation=[0.75, 0.5, 0.5]))
>>> round(found.depth, 6), round(found.translation[0], 6)
(0.25, 0.25)
)",
             py::arg("direction") = py::none());
    m.def("intersection_curves", &intersection_curves_of, py::arg("a"), py::arg("b"), py::arg("a_from_b") = py::none(),
          R"(The curves in which the surfaces of two solids cross: a list of Curve.

    intersection_curves(a, b, a_from_b=None)

Where the surfaces meet along an edge, through a corner or face to face, the curves are those of B moved by an
infinitesimal amount. The curves of two closed models are closed. Each coordinate is the nearest double to its true
value.

>>> box = graze.Solid(graze.shapes.box([2, 2, 2]))
>>> [curve] = graze.intersection_curves(box, box, graze.pose(translation=[1, 1, 1]))
>>> curve.closed, curve.points.min(), curve.points.max()
(True, 0.0, 1.0)
)");
}

}  // namespace

void add_solid(py::module_& m) {
    overlap_type = named_tuple(m, "Overlap", "volume area",
                               "What two solids have in common: its volume, and the area of its surface.");
    penetration_type = named_tuple(m, "Penetration", "depth translation",
                                   "A way to part two solids: a translation of B in A's frame, and its length.");
    curve_type = named_tuple(m, "Curve", "points closed",
                             "A curve in which two surfaces cross: points of shape (n, 3) in A's frame. A closed curve "
                             "does not repeat its first point.");
    add_self(m);
    add_solid_class(m);
    add_points(m);
    add_relations(m);
}

}  // namespace graze::python
