// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "files/temporary_folder.hpp"
#include "interrupt.hpp"
#include "parts.hpp"

namespace graze::python {

namespace {

Volume volume_of(const std::string& name) {
    if (name == "auto") return Volume::Auto;
    if (name == "obb") return Volume::Obb;
    if (name == "aabb") return Volume::Aabb;
    refuse(FaultKind::BadIndex, "volume: '" + name + "' is none of auto, obb, aabb");
}

Rebuild rebuild_of(const std::string& name) {
    if (name == "when_it_pays") return Rebuild::WhenItPays;
    if (name == "never") return Rebuild::Never;
    if (name == "always") return Rebuild::Always;
    refuse(FaultKind::BadIndex, "rebuild: '" + name + "' is none of when_it_pays, never, always");
}

bool is_path(py::handle object) {
    return py::isinstance<py::str>(object) || py::isinstance<py::bytes>(object) || py::hasattr(object, "__fspath__");
}

Model build(py::handle points, py::handle triangles, py::handle offsets, const std::string& volume, unsigned threads) {
    if (is_path(points)) throw py::type_error("points: this is a path; use graze.read for files");
    if (triangles.is_none() && py::hasattr(points, "vertices") && py::hasattr(points, "faces")) {
        const py::object vertices = points.attr("vertices"), faces = points.attr("faces");
        return build(vertices, faces, offsets, volume, threads);
    }
    const Volume chosen = volume_of(volume);
    const Points at(points, Points::Shape::OrSoup);
    at.check("soup");
    Corners corners;
    if (at.is_soup()) {
        if (!triangles.is_none() || !offsets.is_none())
            refuse(FaultKind::BadPolygon, "triangles: points of shape (n, 3, 3) are triangles already");
        if (at.view().size() > 0xffffffffu) refuse(FaultKind::TooMany, "soup: more than 2^32 points");
        corners.corners.resize(at.view().size());
        std::iota(corners.corners.begin(), corners.corners.end(), std::uint32_t{0});
    } else if (triangles.is_none()) {
        refuse(FaultKind::BadPolygon, "triangles: points of shape (n, 3) need triangles");
    } else {
        corners = as_corners(triangles, offsets, at.view().size());
    }
    const std::size_t count = corners.corners.size() / 3;
    return interruptible(count,
                         [points = at.view(), corners = std::move(corners), chosen, threads](Watch&) {
                             const SoupView soup =
                                 SoupView(points, corners.corner_view()).with_polygons(corners.offset_view());
                             return take(Model::build(soup, {.volume = chosen, .threads = threads}));
                         },
                         {.kept = at.owner()});
}

py::handle refit_type;

py::object refit(Model& model, py::handle points, std::uint32_t first, const std::string& rebuild) {
    const Rebuild chosen = rebuild_of(rebuild);
    const Points at(points);
    // The lock stays: another thread must not use the model while it changes.
    const Refit done = take(model.refit(at.view(), {.first = first, .rebuild = chosen}));
    return refit_type(done.moved, done.decay, done.rebuilt);
}

py::array_t<std::uint32_t> triangles_of(const Model& model) {
    const auto all = model.triangles();
    return py::array_t<std::uint32_t>({static_cast<py::ssize_t>(all.size()), py::ssize_t{3}},
                                      all.empty() ? nullptr : all[0].data());
}

py::array_t<std::uint32_t> polygons_of(const Model& model) {
    py::array_t<std::uint32_t> out(static_cast<py::ssize_t>(model.triangle_count()));
    for (std::uint32_t i = 0; i < model.triangle_count(); ++i) out.mutable_data()[i] = model.polygon_of(i);
    return out;
}

py::array_t<double> corners_of(const Model& model, py::handle triangles) {
    const std::vector<std::uint32_t> all = as_triangles(triangles, model.triangle_count());
    static_assert(sizeof(Triangle) == 9 * sizeof(double));
    py::array_t<double> out({static_cast<py::ssize_t>(all.size()), py::ssize_t{3}, py::ssize_t{3}});
    double* to = out.mutable_data();
    for (const std::uint32_t i : all) {
        const Triangle triangle = model.triangle(i);
        std::memcpy(to, &triangle, sizeof triangle);
        to += 9;
    }
    return out;
}

py::array_t<double> bounds_of(const Model& model) {
    const Box box = model.bounds();
    const std::array corners = {box.lo(), box.hi()};
    return array_of(std::span<const Vec3>(corners));
}

/// A file in a folder that is gone with this.
class TemporaryFile {
public:
    TemporaryFile() {
        if (folder_.path().empty()) refuse(FaultKind::File, "no folder can be made for the model");
    }
    std::string path() const { return folder_.at("model"); }

private:
    files::TemporaryFolder folder_;
};

/// The bytes of a saved model, its tree included: what arrives in another process answers bit for bit alike.
py::bytes to_bytes(const Model& model) {
    const TemporaryFile file;
    take(model.save(file.path()));
    std::ifstream in(file.path(), std::ios::binary);
    std::string bytes(std::filesystem::file_size(file.path()), '\0');
    if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        refuse(FaultKind::File, file.path() + ": cannot be read");
    return bytes;
}

Model from_bytes(const py::bytes& bytes) {
    const TemporaryFile file;
    const std::string_view view(bytes);
    std::ofstream out(file.path(), std::ios::binary);
    out.write(view.data(), static_cast<std::streamsize>(view.size()));
    out.close();
    if (!out) refuse(FaultKind::File, file.path() + ": cannot be written");
    return take(Model::load(file.path()));
}

}  // namespace

void add_model(py::module_& m) {
    refit_type = named_tuple(m, "Refit", "moved decay rebuilt",
                             "What a refit did: the greatest distance that a point moved, the model's decay "
                             "afterwards, and whether a new tree was built.");
    add_class<Model>(m, "Model", R"(A polygon soup made ready for queries: its exact triangles and a tree over them.

    Model(points, triangles=None, offsets=None, *, volume='auto', threads=0)
    Model(mesh)

`points` has the shape (n, 3), of float32 or float64. `triangles` has the shape (m, 3), of any integers. An array of
shape (m, k) means polygons of k corners; a list of lists means polygons of different sizes, and so do all corners in
a row with `offsets`. Without triangles `points` has the shape (m, 3, 3): the corners of each triangle. Any order,
strides and byte order will do. Degenerate, duplicate and zero-area triangles are kept. A mesh is anything with `vertices`
and `faces`, such as a Trimesh.

Copies share memory. Many threads may query one model at once. Models can be pickled.

>>> model = graze.Model(np.eye(3), [[0, 1, 2]])
>>> model.triangle_count, model.bounds.tolist()
(1, [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
>>> graze.Model([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]]).triangle_count
2
)")
        .def(py::init(&build), py::arg("points"), py::arg("triangles") = py::none(), py::arg("offsets") = py::none(),
             py::kw_only(), py::arg("volume") = "auto", py::arg("threads") = 0u)
        .def_static(
            "load",
            [](py::handle path, bool validate) {
                const std::string file = path_of(path);
                return interruptible(validate ? unknown_size : 0, [file, validate](Watch&) {
                    return take(Model::load(file, {.validate = validate}));
                });
            },
            py::arg("path"), py::kw_only(), py::arg("validate") = false,
            R"(Maps a model that `save` wrote into memory.

A damaged file is a Fault. For files from a source that is not trusted use `validate`, which also refuses a forged tree.
While the model lives, its file may be removed or replaced, but not written to.)")
        .def(
            "save",
            [](const Model& model, py::handle path) {
                const std::string file = path_of(path);
                const Model copy = model;
                const py::gil_scoped_release release;
                take(copy.save(file));
            },
            py::arg("path"), "Writes the model and its tree to a file, which `load` reads in no time.")
        .def("refit", &refit, py::arg("points"), py::kw_only(), py::arg("first") = 0u,
             py::arg("rebuild") = "when_it_pays", R"(Moves points and fits the tree to them.

As many points move as are given, beginning with number `first`. The triangles keep their corners. `rebuild` says whether
a new tree is built: 'when_it_pays', 'never' or 'always'. Copies of the model do not change. After a Fault nothing has.

>>> model = graze.Model(np.eye(3), [[0, 1, 2]])
>>> model.refit([[3, 0, 0]]).moved
2.0
)")
        .def_property_readonly(
            "points", [](const Model& model) { return array_of(model.points()); },
            "A copy of the points, of shape (n, 3) and dtype float64.")
        .def_property_readonly(
            "triangles", &triangles_of,
            "A copy of the corners, of shape (m, 3) and dtype uint32. Polygons follow one another as "
            "they were cut.")
        .def_property_readonly("polygon_of", &polygons_of,
                               "For each triangle the polygon that it was cut from; dtype uint32.")
        .def("corners", &corners_of, py::arg("triangles"), R"(The corners of some triangles, of shape (k, 3, 3).

>>> graze.Model(np.eye(3), [[0, 1, 2], [2, 1, 0]]).corners([1])[0].tolist()
[[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
)")
        .def_property_readonly(
            "bounds", &bounds_of,
            "The two corners of the smallest box that holds all triangles, of shape (2, 3). The lower "
            "corner of an empty model is inf, the upper one -inf.")
        .def_property_readonly("triangle_count", &Model::triangle_count,
                               "Number of triangles. Polygons count as the triangles they were cut into.")
        .def_property_readonly("polygon_count", &Model::polygon_count, "Number of polygons given.")
        .def_property_readonly("point_count", &Model::point_count, "Number of points given.")
        .def_property_readonly("decay", &Model::decay,
                               "How much larger the tree's volumes are than when it was built: 1 for a new tree.")
        .def_property_readonly("nbytes", &Model::bytes, "Memory in bytes, shared with copies.")
        .def(
            "validate", [](const Model& model) { take(model.validate()); },
            "Checks that every volume of the tree holds what is below it. A Fault says what does not.")
        .def(
            "copy", [](const Model& model) { return model; },
            "A copy that shares memory until one of them is refitted.")
        .def("__copy__", [](const Model& model) { return model; })
        .def(
            "__deepcopy__", [](const Model& model, py::handle) { return model; }, py::arg("memo"))
        .def("__repr__", [](const Model& model) { return "<graze.Model: " + model.summary() + ">"; })
        .def(py::pickle(&to_bytes, &from_bytes));
}

}  // namespace graze::python
