// SPDX-License-Identifier: Apache-2.0
// Queries between two models, and between two hulls.
#include <optional>

#include "answers.hpp"
#include "device_array.hpp"
#include "exact/triangle_distance.hpp"
#include "graze/contact.hpp"
#include "interrupt.hpp"
#include "parts.hpp"

namespace graze::python {

namespace {

py::handle contacts_type, closest_type, closest_points_type, geometry_type;

/// A front that queries may use until this is gone. With a front a batch is one motion, so it runs on one thread.
class FrontInUse {
public:
    FrontInUse(py::handle front, BatchSettings& batch) {
        if (front.is_none()) return;
        if (!py::isinstance<PyFront>(front)) throw py::type_error("front: this is no graze.Front");
        PyFront& held = front.cast<PyFront&>();
        use_.emplace(held.in_use, "front");
        get_ = &held.front;
        batch.threads = 1;
    }
    Front* get() const { return get_; }

private:
    std::optional<InUse> use_;
    Front* get_ = nullptr;
};

py::object within_models(Model a, Model b, py::handle a_from_b, double length, py::handle front, unsigned threads,
                         py::object progress) {
    BatchSettings batch{threads, std::move(progress)};
    const Placements placements(a_from_b, "a_from_b");
    const FrontInUse using_front(front, batch);
    length = checked(length, "length");
    if (!placements.batch())
        return number_for(placements, batch, [&](const Affine& placement) {
            return within(a, b, placement, length, {.scratch = &scratch(), .front = using_front.get()});
        });
    static_assert(sizeof(bool) == sizeof(std::uint8_t));
    py::array_t<bool> answers(static_cast<py::ssize_t>(placements.size()));
    const std::span to(reinterpret_cast<std::uint8_t*>(answers.mutable_data()), placements.size());
    run_library_batch(graze::BatchSettings{.threads = threads, .front = using_front.get()}, batch.progress,
                      [&](const auto& settings) { return within(a, b, placements.poses(), length, to, settings); });
    return answers;
}

py::object intersects_models(Model a, Model b, py::handle a_from_b, py::handle front, unsigned threads,
                             py::object progress) {
    if (!on_gpu(a_from_b)) return within_models(a, b, a_from_b, 0, front, threads, std::move(progress));
    if (!front.is_none()) refuse(FaultKind::OutOfRange, "a_from_b: an array on a GPU is for queries without a front");
    return intersects_on_gpu(a, b, a_from_b, "a_from_b");
}

py::object collide_within_models(Model a, Model b, py::handle a_from_b, double length, std::size_t max_contacts,
                                 bool polygons, py::handle front, unsigned threads, py::object progress) {
    BatchSettings batch{threads, std::move(progress)};
    const Placements placements(a_from_b, "a_from_b");
    const FrontInUse using_front(front, batch);
    length = checked(length, "length");
    const auto pairs_of = [&](std::span<const Contact> contacts) {
        py::array_t<std::uint32_t> out({static_cast<py::ssize_t>(contacts.size()), py::ssize_t{2}});
        std::uint32_t* to = out.mutable_data();
        for (const Contact& contact : contacts) {
            const TrianglePair& pair = polygons ? contact.polygons : contact.triangles;
            *to++ = pair.a;
            *to++ = pair.b;
        }
        return out;
    };
    if (!placements.batch()) {
        const Affine placement = placements.one();
        std::vector<Contact> contacts;
        {
            const py::gil_scoped_release release;
            collide_within(a, b, placement, length, contacts,
                           {.max_contacts = max_contacts, .scratch = &scratch(), .front = using_front.get()});
        }
        return pairs_of(contacts);
    }
    BatchContacts found;
    run_library_batch(graze::BatchSettings{.threads = threads, .front = using_front.get()}, batch.progress,
                      [&](const auto& settings) {
                          return collide_within(a, b, placements.poses(), length, found,
                                                {.max_contacts = max_contacts,
                                                 .threads = settings.threads,
                                                 .front = settings.front,
                                                 .progress = settings.progress});
                      });
    const std::vector<std::int64_t> offsets(found.offsets.begin(), found.offsets.end());
    return contacts_type(pairs_of(found.contacts), array_of(offsets));
}

py::object collide_models(Model a, Model b, py::handle a_from_b, std::size_t max_contacts, bool polygons,
                          py::handle front, unsigned threads, py::object progress) {
    return collide_within_models(a, b, a_from_b, 0, max_contacts, polygons, front, threads, std::move(progress));
}

py::object closest_of(const ClosestTriangles& found) {
    return closest_type(found.distance, array_of(found.point_a), array_of(found.point_b), found.triangles.a,
                        found.triangles.b);
}

/// The answers of a batch as arrays, one per member.
py::object closest_of(const std::vector<ClosestTriangles>& all) {
    const auto n = static_cast<py::ssize_t>(all.size());
    py::array_t<double> distances(n), points_a({n, py::ssize_t{3}}), points_b({n, py::ssize_t{3}});
    py::array_t<std::uint32_t> triangles_a(n), triangles_b(n);
    double *d = distances.mutable_data(), *pa = points_a.mutable_data(), *pb = points_b.mutable_data();
    std::uint32_t *ta = triangles_a.mutable_data(), *tb = triangles_b.mutable_data();
    for (const ClosestTriangles& found : all) {
        *d++ = found.distance;
        for (int k = 0; k < 3; ++k) {
            *pa++ = found.point_a[k];
            *pb++ = found.point_b[k];
        }
        *ta++ = found.triangles.a;
        *tb++ = found.triangles.b;
    }
    return closest_type(distances, points_a, points_b, triangles_a, triangles_b);
}

py::object least_of(const ClosestTriangles& found) { return py::cast(found.distance); }

py::object least_of(const std::vector<ClosestTriangles>& all) {
    py::array_t<double> out(static_cast<py::ssize_t>(all.size()));
    double* to = out.mutable_data();
    for (const ClosestTriangles& found : all) *to++ = found.distance;
    return out;
}

/// The function that Python calls for a distance. `answer` makes its result from the closest triangles of one
/// placement, or from those of a batch.
template <class Answer>
auto distance_query(Answer answer) {
    return
        [answer](Model a, Model b, py::handle a_from_b, double max_distance, double stop_below, double relative_error,
                 double absolute_error, py::handle front, unsigned threads, py::object progress) -> py::object {
            BatchSettings batch{threads, std::move(progress)};
            const Placements placements(a_from_b, "a_from_b");
            const FrontInUse using_front(front, batch);
            const DistanceBatchSettings settings{.max_distance = checked(max_distance, "max_distance"),
                                                 .stop_below = checked(stop_below, "stop_below"),
                                                 .relative_error = checked(relative_error, "relative_error"),
                                                 .absolute_error = checked(absolute_error, "absolute_error"),
                                                 .threads = threads,
                                                 .front = using_front.get()};
            if (!placements.batch()) {
                const Affine placement = placements.one();
                ClosestTriangles found;
                {
                    const py::gil_scoped_release release;
                    found = distance(a, b, placement,
                                     {.max_distance = settings.max_distance,
                                      .stop_below = settings.stop_below,
                                      .relative_error = settings.relative_error,
                                      .absolute_error = settings.absolute_error,
                                      .scratch = &scratch(),
                                      .front = settings.front});
                }
                return answer(found);
            }
            std::vector<ClosestTriangles> found(placements.size());
            run_library_batch(settings, batch.progress,
                              [&](const auto& all) { return distances(a, b, placements.poses(), found, all); });
            return answer(found);
        };
}

py::array_t<double> clearances_of(Model a, Model b, py::handle a_from_b, double max_distance, unsigned threads) {
    const Affine placement = Placements(a_from_b, "a_from_b").one();
    max_distance = checked(max_distance, "max_distance");
    return array_of(interruptible(std::max(a.triangle_count(), b.triangle_count()), [=](Watch&) {
        return clearances(a, b, placement, {.max_distance = max_distance, .threads = threads});
    }));
}

py::object closest_points_of(Model model, py::handle points, double max_distance, unsigned threads,
                             py::object progress) {
    max_distance = checked(max_distance, "max_distance");
    return closest_points_for(Vectors(points, "points"), {threads, std::move(progress)}, [&](const Vec3& point) {
        return closest_point(model, point, {.max_distance = max_distance});
    });
}

py::object distance_hulls(Hull a, Hull b, py::handle a_from_b, unsigned threads, py::object progress) {
    return number_for(Placements(a_from_b, "a_from_b"), {threads, std::move(progress)},
                      [&](const Affine& placement) { return distance(a, b, placement).distance; });
}

/// A point of each pair of triangles that meet.
py::array_t<double> contact_points_of(Model a, Model b, py::handle pairs, py::handle a_from_b) {
    const Affine placement = Placements(a_from_b, "a_from_b").one();
    const std::vector<TrianglePair> all = as_pairs(pairs, a.triangle_count(), b.triangle_count());
    std::vector<Vec3> points;
    {
        const py::gil_scoped_release release;
        points.reserve(all.size());
        for (const TrianglePair& pair : all) {
            const Triangle t = b.triangle(pair.b);
            const Triangle placed{placement(t.a), placement(t.b), placement(t.c)};
            points.push_back(detail::TriangleDistance(a.triangle(pair.a), placed).on_s());
        }
    }
    return array_of(std::span<const Vec3>(points));
}

/// Point, normal and depth of each pair.
py::object contact_geometry_of(Model a, Model b, py::handle pairs, py::handle a_from_b) {
    const Affine placement = Placements(a_from_b, "a_from_b").one();
    const std::vector<TrianglePair> all = as_pairs(pairs, a.triangle_count(), b.triangle_count());
    std::vector<Vec3> points(all.size()), normals(all.size());
    std::vector<double> depths(all.size());
    {
        const py::gil_scoped_release release;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const ContactPoint found = contact_point(a, b, placement, {all[i], {}});
            points[i] = found.point;
            normals[i] = found.normal;
            depths[i] = found.depth;
        }
    }
    return geometry_type(array_of(std::span<const Vec3>(points)), array_of(std::span<const Vec3>(normals)),
                         array_of(depths));
}

constexpr double infinity = std::numeric_limits<double>::infinity();

void add_distances(py::module_& m) {
    const auto number = [](const auto& found) { return least_of(found); };
    m.def("distance", distance_query(number), py::arg("a"), py::arg("b"), py::arg("a_from_b") = py::none(),
          py::kw_only(), py::arg("max_distance") = infinity, py::arg("stop_below") = 0.0,
          py::arg("relative_error") = 0.0, py::arg("absolute_error") = 0.0, py::arg("front") = py::none(),
          py::arg("threads") = 0u, py::arg("progress") = py::none(),
          R"(The least distance between two models, or between two hulls.

    distance(a, b, a_from_b=None, *, max_distance=inf, stop_below=0.0, relative_error=0.0, absolute_error=0.0,
             front=None, threads=0, progress=None)

The true distance, rounded to the nearest double; 0 exactly when they intersect. A float, or a float64 array for a batch
of placements. What is further apart than `max_distance` is infinitely far, which is found faster. `stop_below` ends the
search once a pair of triangles no further apart than this is known. The errors say how much too large the distance may
be. `closest` also tells where.

>>> a = b = graze.shapes.box([1, 1, 1])
>>> graze.distance(a, b, graze.pose(translation=[3, 0, 0]))
2.0
>>> graze.distance(a, b, graze.pose(translation=[[0, 0, 1], [0, 2, 0]])).tolist()
[0.0, 1.0]
)");
    m.def("distance", &distance_hulls, py::arg("a"), py::arg("b"), py::arg("a_from_b") = py::none(), py::kw_only(),
          py::arg("threads") = 0u, py::arg("progress") = py::none());
    const auto points = [](const auto& found) { return closest_of(found); };
    m.def("closest", distance_query(points), py::arg("a"), py::arg("b"), py::arg("a_from_b") = py::none(),
          py::kw_only(), py::arg("max_distance") = infinity, py::arg("stop_below") = 0.0,
          py::arg("relative_error") = 0.0, py::arg("absolute_error") = 0.0, py::arg("front") = py::none(),
          py::arg("threads") = 0u, py::arg("progress") = py::none(),
          R"(Where two models are closest: a Closest, of arrays for a batch.

    closest(a, b, a_from_b=None, *, max_distance=inf, stop_below=0.0, relative_error=0.0, absolute_error=0.0,
            front=None, threads=0, progress=None)

>>> a = b = graze.shapes.box([1, 1, 1])
>>> found = graze.closest(a, b, graze.pose(translation=[3, 0, 0]))
>>> found.distance, found.point_a[0], found.point_b[0]
(2.0, 0.5, 2.5)
)");
    m.def("clearances", &clearances_of, py::arg("a"), py::arg("b"), py::arg("a_from_b") = py::none(), py::kw_only(),
          py::arg("max_distance") = infinity, py::arg("threads") = 0u,
          R"(The distance of each triangle of A from B: a clearance map, as a float64 array.

    clearances(a, b, a_from_b=None, *, max_distance=inf, threads=0)

>>> box = graze.shapes.box([1, 1, 1])
>>> sorted(set(graze.clearances(box, box, graze.pose(translation=[2, 0, 0])).tolist()))
[1.0, 2.0]
)");
    m.def("closest_points", &closest_points_of, py::arg("model"), py::arg("points"), py::kw_only(),
          py::arg("max_distance") = infinity, py::arg("threads") = 0u, py::arg("progress") = py::none(),
          R"(The points of a model's surface that are closest to given ones: a ClosestPoints.

    closest_points(model, points, *, max_distance=inf, threads=0, progress=None)

`points` has the shape (n, 3), or (3,) for one point, in the model's frame. The distance is infinite beyond
`max_distance`.

>>> graze.closest_points(graze.shapes.box([1, 1, 1]), [[2, 0, 0], [0, 0, -3]]).distance.tolist()
[1.5, 2.5]
)");
}

}  // namespace

py::object closest_points_for(const Vectors& points, const BatchSettings& batch,
                              const std::function<ClosestPoint(const Vec3&)>& f) {
    if (!points.batch()) {
        ClosestPoint found;
        {
            const py::gil_scoped_release release;
            found = f(points[0]);
        }
        return closest_points_type(found.distance, array_of(found.point), found.triangle);
    }
    const auto n = static_cast<py::ssize_t>(points.size());
    py::array_t<double> distances(n), on({n, py::ssize_t{3}});
    py::array_t<std::uint32_t> triangles(n);
    double *d = distances.mutable_data(), *p = on.mutable_data();
    std::uint32_t* t = triangles.mutable_data();
    run_batch(points.size(), batch.threads, batch.progress, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const ClosestPoint found = f(points[i]);
            d[i] = found.distance;
            for (int k = 0; k < 3; ++k) p[3 * i + static_cast<std::size_t>(k)] = found.point[k];
            t[i] = found.triangle;
        }
    });
    return closest_points_type(distances, on, triangles);
}

void add_queries(py::module_& m) {
    contacts_type =
        named_tuple(m, "Contacts", "pairs offsets",
                    "The contacts of a batch: `pairs[offsets[i]:offsets[i + 1]]` are those of placement i.");
    closest_type = named_tuple(m, "Closest", "distance point_a point_b triangle_a triangle_b",
                               "Where A and B are closest: both points are in A's frame. They mean nothing when the "
                               "distance is infinite.");
    geometry_type = named_tuple(m, "ContactGeometry", "point normal depth",
                                "Where pairs of triangles meet and how they come apart, in A's frame.");
    closest_points_type = named_tuple(m, "ClosestPoints", "distance point triangle",
                                      "The closest points of a surface, and the triangles that they are on.");
    m.def("intersects", &intersects_models, py::arg("a"), py::arg("b"), py::arg("a_from_b") = py::none(), py::kw_only(),
          py::arg("front") = py::none(), py::arg("threads") = 0u, py::arg("progress") = py::none(),
          R"(Whether two models, or a Box or Slab and a model, have a point in common.

    intersects(a, b, a_from_b=None, *, front=None, threads=0, progress=None)
    intersects(region, model, region_from_model=None, *, threads=0, progress=None)

`a_from_b` places B in A's frame: an array of shape (4, 4) or (3, 4); the identity without one. The answer is exact, and
touching counts. With placements of shape (n, 4, 4) or (n, 3, 4) the answers are an array of n. They are found on
`threads` threads, one per core for 0, without the interpreter's lock. Ctrl-C ends a batch. `progress` is called with
the number of further placements that are done, as `tqdm.update` takes it.

Placements of shape (n, 3, 4) in the memory of a GPU, such as those of CuPy, PyTorch or JAX, are used there by a graze that
was built with CUDA: packed, in float32 or float64, without `front`.

>>> a = b = graze.shapes.box([1, 1, 1])
>>> graze.intersects(a, b, graze.pose(translation=[1, 0, 0]))
True
>>> graze.intersects(a, b, graze.pose(translation=[[0, 0, 0.5], [0, 0, 1.5]])).tolist()
[True, False]
)");
    m.def("collide", &collide_models, py::arg("a"), py::arg("b"), py::arg("a_from_b") = py::none(), py::kw_only(),
          py::arg("max_contacts") = std::size_t{0}, py::arg("polygons") = false, py::arg("front") = py::none(),
          py::arg("threads") = 0u, py::arg("progress") = py::none(),
          R"(All pairs of triangles that meet, as a uint32 array of shape (k, 2), in no particular order.

    collide(a, b, a_from_b=None, *, max_contacts=0, polygons=False, front=None, threads=0, progress=None)

The first column has the triangles of A, the second those of B. With `polygons` they are the polygons that the triangles
were cut from. For a batch of placements the answer is a Contacts. A query ends after `max_contacts`; 0 means no limit.

>>> floor = graze.Model([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]])
>>> blade = graze.Model([[0, 0, -1], [1, 0, -1], [0, 0, 1]], [[0, 1, 2]])
>>> graze.collide(floor, blade, graze.pose(translation=[2, 1, 0])).tolist()
[[0, 0]]
>>> found = graze.collide(floor, blade, graze.pose(translation=[[2, 1, 0], [9, 9, 9]]))
>>> found.pairs.tolist(), found.offsets.tolist()
([[0, 0]], [0, 1, 1])
)");
    m.def("within", &within_models, py::arg("a"), py::arg("b"), py::arg("a_from_b"), py::arg("length"), py::kw_only(),
          py::arg("front") = py::none(), py::arg("threads") = 0u, py::arg("progress") = py::none(),
          R"(Whether two models are no further apart than a length, decided without rounding.

    within(a, b, a_from_b, length, *, front=None, threads=0, progress=None)

>>> a = b = graze.shapes.box([1, 1, 1])
>>> graze.within(a, b, graze.pose(translation=[3, 0, 0]), 2.0)
True
>>> graze.within(a, b, graze.pose(translation=[3, 0, 0]), 1.9999999999999998)
False
)");
    m.def("collide_within", &collide_within_models, py::arg("a"), py::arg("b"), py::arg("a_from_b"), py::arg("length"),
          py::kw_only(), py::arg("max_contacts") = std::size_t{0}, py::arg("polygons") = false,
          py::arg("front") = py::none(), py::arg("threads") = 0u, py::arg("progress") = py::none(),
          R"(All pairs of triangles that are no further apart than a length, decided as `within` does.

    collide_within(a, b, a_from_b, length, *, max_contacts=0, polygons=False, front=None, threads=0, progress=None)

The answer is like that of `collide`.

>>> floor = graze.Model([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]])
>>> blade = graze.Model([[0, 0, -1], [1, 0, -1], [0, 0, 1]], [[0, 1, 2]])
>>> graze.collide_within(floor, blade, graze.pose(translation=[2, 1, 1.25]), 0.25).tolist()
[[0, 0]]
)");
    m.def("contact_points", &contact_points_of, py::arg("a"), py::arg("b"), py::arg("pairs"),
          py::arg("a_from_b") = py::none(), R"(A common point of each pair of triangles that meet, of shape (k, 3).

    contact_points(a, b, pairs, a_from_b=None)

`pairs` is what `collide` returns. The points are in A's frame, on A's triangles up to rounding. For triangles that do
not meet it is the point of A's triangle that is closest to B's.

>>> floor = graze.Model([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]])
>>> blade = graze.Model([[0, 0, -1], [1, 0, -1], [0, 0, 1]], [[0, 1, 2]])
>>> at = graze.pose(translation=[2, 1, 0])
>>> float(graze.contact_points(floor, blade, graze.collide(floor, blade, at), at)[0, 2])
0.0
)");
    m.def("contact_geometry", &contact_geometry_of, py::arg("a"), py::arg("b"), py::arg("pairs"),
          py::arg("a_from_b") = py::none(), R"(Point, normal and depth of each pair of triangles: a ContactGeometry.

    contact_geometry(a, b, pairs, a_from_b=None)

`pairs` is what `collide` returns. The point is the middle of what the two triangles have in common. Moving B's triangle
by depth · normal parts them: this is the least translation that does, and the normal points from A to B. For triangles
that do not meet the depth is their distance with a negative sign. All is in A's frame.

>>> floor = graze.Model([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]])
>>> blade = graze.Model([[0, 0, -0.25], [1, 0, 1], [0, 0, 1]], [[0, 1, 2]])
>>> at = graze.pose(translation=[2, 1, 0])
>>> found = graze.contact_geometry(floor, blade, graze.collide(floor, blade, at), at)
>>> found.normal.tolist(), found.depth.tolist()
([[0.0, 0.0, 1.0]], [0.25])
)");
    add_distances(m);
}

}  // namespace graze::python
