// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <memory>

#include "parts.hpp"

namespace graze::python {

namespace {

py::handle touching_type;

/// Ids are plain integers in Python: the slot, and above it the generation.
std::uint64_t number_of(ObjectId id) { return std::uint64_t{id.generation} << 32 | id.slot; }
ObjectId id_of(std::uint64_t number) {
    return {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
}

py::array_t<std::uint64_t> ids_of(const std::vector<ObjectPair>& pairs) {
    py::array_t<std::uint64_t> out({static_cast<py::ssize_t>(pairs.size()), py::ssize_t{2}});
    std::uint64_t* to = out.mutable_data();
    for (const ObjectPair& pair : pairs) {
        *to++ = number_of(pair.a);
        *to++ = number_of(pair.b);
    }
    return out;
}

/// Boxes from two arrays of shape (n, 3), which may hold infinities. A lower corner above the upper one makes the empty
/// box.
std::vector<Box> boxes_between(py::handle low, py::handle high) {
    const Packed<double> lows = as_doubles(low, "low"), highs = as_doubles(high, "high");
    if (lows.ndim() != 2 || highs.ndim() != 2 || lows.shape(1) != 3 || highs.shape(1) != 3 ||
        lows.shape(0) != highs.shape(0))
        refuse(FaultKind::BadIndex, "boxes: the corners are not two arrays of shape (n, 3)");
    std::vector<Box> out;
    const double *lo = lows.data(), *hi = highs.data();
    for (py::ssize_t i = 0; i < lows.shape(0); ++i, lo += 3, hi += 3) {
        const bool empty = lo[0] > hi[0] || lo[1] > hi[1] || lo[2] > hi[2];
        out.push_back(empty ? Box() : take(Box::between({lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]})));
    }
    return out;
}

/// Pairs of boxes that overlap, of one list or of two.
py::array_t<std::uint32_t> box_pairs(py::handle low, py::handle high, py::handle other_low, py::handle other_high) {
    const std::vector<Box> boxes = boxes_between(low, high);
    std::vector<BoxPair> found;
    if (other_low.is_none())
        found = overlapping_pairs(boxes);
    else
        found = overlapping_pairs(boxes, boxes_between(other_low, other_high));
    std::vector<TrianglePair> pairs;
    pairs.reserve(found.size());
    for (const BoxPair& pair : found) pairs.push_back({pair.a, pair.b});
    return array_of(std::span<const TrianglePair>(pairs));
}

/// A scene that Python holds. An update runs without the interpreter's lock; other calls meanwhile are faults.
class PyScene {
public:
    PyScene(unsigned threads, bool hulls, bool fronts)
        : scene_({.threads = threads, .hulls = hulls, .fronts = fronts}) {}

    std::uint64_t add(const Model& model, py::handle placement, bool is_static, std::uint32_t layers,
                      std::uint32_t mask, std::uint64_t user_data) {
        const Affine at = Placements(placement, "world_from_object").one();
        const InUse use(in_use_, "scene");
        return number_of(take(
            scene_.add(model, at, {.is_static = is_static, .user_data = user_data, .layers = layers, .mask = mask})));
    }
    void move(py::handle objects, py::handle placements) {
        const Placements to(placements, "world_from_object");
        const InUse use(in_use_, "scene");
        if (!to.batch()) return take(scene_.move(id_of(objects.cast<std::uint64_t>()), to.one()));
        const auto ids = objects.cast<std::vector<std::uint64_t>>();
        if (ids.size() != to.size())
            refuse(FaultKind::BadIndex, "scene: " + std::to_string(ids.size()) + " objects and " +
                                            std::to_string(to.size()) + " placements");
        for (std::size_t i = 0; i < ids.size(); ++i) take(scene_.move(id_of(ids[i]), take(to[i])));
    }
    double refit(std::uint64_t object, py::handle points, std::uint32_t first) {
        const Points at(points);
        const InUse use(in_use_, "scene");
        return take(scene_.refit(id_of(object), at.view(), {.first = first})).moved;
    }
    Model replace(std::uint64_t object, const Model& model) {
        const InUse use(in_use_, "scene");
        return take(scene_.replace(id_of(object), model));
    }
    void remove(std::uint64_t object) {
        const InUse use(in_use_, "scene");
        take(scene_.remove(id_of(object)));
    }
    void ignore(std::uint64_t a, std::uint64_t b, std::string reason) {
        const InUse use(in_use_, "scene");
        take(scene_.ignore(id_of(a), id_of(b), std::move(reason)));
    }
    void unignore(std::uint64_t a, std::uint64_t b) {
        const InUse use(in_use_, "scene");
        take(scene_.unignore(id_of(a), id_of(b)));
    }
    std::optional<std::string> ignored(std::uint64_t a, std::uint64_t b) {
        const InUse use(in_use_, "scene");
        const std::string* reason = scene_.ignored(id_of(a), id_of(b));
        return reason ? std::optional(*reason) : std::nullopt;
    }
    py::object update() {
        const InUse use(in_use_, "scene");
        const TouchingPairs* pairs = nullptr;
        {
            const py::gil_scoped_release release;
            pairs = &scene_.update();
        }
        return touching_type(ids_of(pairs->begun), ids_of(pairs->persisting), ids_of(pairs->ended));
    }
    py::array_t<std::uint32_t> contacts(std::uint64_t a, std::uint64_t b) {
        const InUse use(in_use_, "scene");
        std::vector<TrianglePair> pairs;
        {
            const py::gil_scoped_release release;
            for (const Contact& contact : take(scene_.contacts(id_of(a), id_of(b)))) pairs.push_back(contact.triangles);
        }
        return array_of(std::span<const TrianglePair>(pairs));
    }
    py::array_t<double> placement(std::uint64_t object) {
        const InUse use(in_use_, "scene");
        return matrix_of(take(scene_.placement(id_of(object))));
    }
    Model model(std::uint64_t object) {
        const InUse use(in_use_, "scene");
        return take(scene_.model(id_of(object)));
    }
    std::uint64_t user_data(std::uint64_t object) {
        const InUse use(in_use_, "scene");
        return take(scene_.settings(id_of(object))).user_data;
    }
    bool contains(std::uint64_t object) {
        const InUse use(in_use_, "scene");
        return scene_.contains(id_of(object));
    }
    std::size_t size() {
        const InUse use(in_use_, "scene");
        return scene_.size();
    }

private:
    Scene scene_;
    bool in_use_ = false;
};

}  // namespace

void add_scene(py::module_& m) {
    m.def("_box_pairs", &box_pairs, py::arg("low"), py::arg("high"), py::arg("other_low") = py::none(),
          py::arg("other_high") = py::none());
    touching_type =
        named_tuple(m, "TouchingPairs", "begun persisting ended",
                    "The result of an update: pairs of objects that touch now and did not before, that touch "
                    "now and did before, and that have ceased to. Arrays of ids, of shape (k, 2).");
    add_class<PyScene>(m, "Scene", R"(Many objects, and which of them touch, from update to update.

    Scene(*, threads=0, hulls=False, fronts=False)

Objects are named by integers. Changes take effect at the next update. `hulls` and `fronts` are for scenes in which many
parts lie close together without touching: pairs are first tested by their convex hulls, and pairs that move slowly start
where their last test ended. No answer depends on them.

>>> scene = graze.Scene()
>>> box = graze.shapes.box([1, 1, 1])
>>> a = scene.add(box, is_static=True)
>>> b = scene.add(box, graze.pose(translation=[0.5, 0, 0]))
>>> scene.update().begun.tolist() == [[a, b]]
True
>>> scene.move(b, graze.pose(translation=[5, 0, 0]))
>>> len(scene.update().ended)
1
)")
        .def(py::init<unsigned, bool, bool>(), py::kw_only(), py::arg("threads") = 0u, py::arg("hulls") = false,
             py::arg("fronts") = false)
        .def("add", &PyScene::add, py::arg("model"), py::arg("world_from_object") = py::none(), py::kw_only(),
             py::arg("is_static") = false, py::arg("layers") = 1u, py::arg("mask") = ~std::uint32_t{0},
             py::arg("user_data") = std::uint64_t{0}, R"(Adds an object and returns its id.

Objects of one model share its memory. Two static objects are never tested against each other. `layers` is a bit set of
the layers that the object is on, `mask` one of those that it may touch; both objects must agree.)")
        .def("move", &PyScene::move, py::arg("objects"), py::arg("world_from_object"),
             "Moves an object to a new placement, or many objects to as many placements.")
        .def("refit", &PyScene::refit, py::arg("object"), py::arg("points"), py::kw_only(), py::arg("first") = 0u,
             "Deforms an object: moves points of its model as `Model.refit` does. Returns how far a point moved at "
             "most.")
        .def("replace", &PyScene::replace, py::arg("object"), py::arg("model"),
             "Gives an object another model and returns the one that it had.")
        .def("remove", &PyScene::remove, py::arg("object"), "Removes an object. Its id is never used again.")
        .def("ignore", &PyScene::ignore, py::arg("a"), py::arg("b"), py::arg("reason") = "",
             "Excludes a pair from all updates until `unignore`.")
        .def("unignore", &PyScene::unignore, py::arg("a"), py::arg("b"), "Includes an ignored pair again.")
        .def("ignored", &PyScene::ignored, py::arg("a"), py::arg("b"),
             "The reason why a pair is ignored. None for a pair that is not.")
        .def("update", &PyScene::update, "Finds out which objects touch: a TouchingPairs.")
        .def("contacts", &PyScene::contacts, py::arg("a"), py::arg("b"),
             "All pairs of triangles of two objects that meet at their current placements, of shape (k, 2).")
        .def("placement", &PyScene::placement, py::arg("object"), "The placement that was set last, of shape (4, 4).")
        .def("model", &PyScene::model, py::arg("object"), "The object's model. It shares memory with the scene's.")
        .def("user_data", &PyScene::user_data, py::arg("object"), "The number that `add` was given.")
        .def("__contains__", &PyScene::contains, py::arg("object"))
        .def("__len__", &PyScene::size)
        .def("__repr__", [](PyScene& scene) { return "<graze.Scene: " + counted(scene.size(), "object") + ">"; });
}

}  // namespace graze::python
