// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "answers.hpp"
#include "parts.hpp"

namespace graze::python {

namespace {

py::handle hit_type, hits_type, all_hits_type, overlaps_type;

/// The rays of a query. One origin goes with many directions, and the other way round.
class GivenRays {
public:
    GivenRays(py::handle origins, py::handle directions, double t_min, double t_max)
        : origins_(origins, "origins"), directions_(directions, "directions"), t_min_(t_min), t_max_(t_max) {
        if (origins_.batch() && directions_.batch() && origins_.size() != directions_.size())
            refuse(FaultKind::BadIndex, "rays: " + std::to_string(origins_.size()) + " origins and " +
                                            std::to_string(directions_.size()) + " directions");
    }
    bool batch() const { return origins_.batch() || directions_.batch(); }
    std::size_t size() const { return origins_.batch() ? origins_.size() : directions_.size(); }
    Ray one() const { return take(Ray::from_direction(origins_[0], directions_[0], t_min_, t_max_)); }
    /// The rays of a batch, which live as long as this.
    Rays all() const { return take(Rays::from_directions(origins_.view(), directions_.view(), t_min_, t_max_)); }

private:
    Vectors origins_, directions_;
    double t_min_, t_max_;
};

/// Hits as arrays, one per member.
struct HitArrays {
    py::array_t<std::uint32_t> triangle, polygon;
    py::array_t<double> t, u, v;
    std::uint32_t *to_triangle, *to_polygon;
    double *to_t, *to_u, *to_v;

    explicit HitArrays(std::size_t n)
        : triangle(static_cast<py::ssize_t>(n)),
          polygon(static_cast<py::ssize_t>(n)),
          t(static_cast<py::ssize_t>(n)),
          u(static_cast<py::ssize_t>(n)),
          v(static_cast<py::ssize_t>(n)),
          to_triangle(triangle.mutable_data()),
          to_polygon(polygon.mutable_data()),
          to_t(t.mutable_data()),
          to_u(u.mutable_data()),
          to_v(v.mutable_data()) {}
    void set(std::size_t i, const RayHit& hit) {
        to_triangle[i] = hit.triangle;
        to_polygon[i] = hit.polygon;
        to_t[i] = hit.t;
        to_u[i] = hit.u;
        to_v[i] = hit.v;
    }
};

py::object nearest_hit_of(Model model, py::handle origins, py::handle directions, double t_min, double t_max,
                          unsigned threads, py::object progress) {
    const GivenRays rays(origins, directions, t_min, t_max);
    if (!rays.batch()) {
        const std::optional<RayHit> hit = nearest_hit(model, rays.one());
        if (!hit) return py::none();
        return hit_type(hit->triangle, hit->polygon, hit->t, hit->u, hit->v);
    }
    const Rays all = rays.all();
    std::vector<std::optional<RayHit>> found(rays.size());
    run_library_batch(RayBatchSettings{.threads = threads}, progress,
                      [&](const auto& settings) { return nearest_hits(model, all, found, settings); });
    HitArrays arrays(rays.size());
    py::array_t<bool> is_hit(static_cast<py::ssize_t>(rays.size()));
    bool* to_hit = is_hit.mutable_data();
    const RayHit none{
        .triangle = ~std::uint32_t{0}, .polygon = ~std::uint32_t{0}, .t = std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i < found.size(); ++i) {
        to_hit[i] = found[i].has_value();
        arrays.set(i, found[i].value_or(none));
    }
    return hits_type(is_hit, arrays.triangle, arrays.polygon, arrays.t, arrays.u, arrays.v);
}

py::object any_hit_of(Model model, py::handle origins, py::handle directions, double t_min, double t_max,
                      unsigned threads, py::object progress) {
    const GivenRays rays(origins, directions, t_min, t_max);
    if (!rays.batch()) return py::cast(any_hit(model, rays.one()));
    const Rays all = rays.all();
    static_assert(sizeof(bool) == sizeof(std::uint8_t));
    py::array_t<bool> out(static_cast<py::ssize_t>(rays.size()));
    const std::span to(reinterpret_cast<std::uint8_t*>(out.mutable_data()), rays.size());
    run_library_batch(RayBatchSettings{.threads = threads}, progress,
                      [&](const auto& settings) { return any_hits(model, all, to, settings); });
    return out;
}

py::object all_hits_of(Model model, py::handle origins, py::handle directions, double t_min, double t_max,
                       unsigned threads, py::object progress) {
    const GivenRays rays(origins, directions, t_min, t_max);
    const Rays all = rays.all();
    BatchHits found;
    run_library_batch(RayBatchSettings{.threads = threads}, progress,
                      [&](const auto& settings) { return all_hits(model, all, found, settings); });
    HitArrays arrays(found.hits.size());
    for (std::size_t i = 0; i < found.hits.size(); ++i) arrays.set(i, found.hits[i]);
    const std::vector<std::int64_t> offsets(found.offsets.begin(), found.offsets.end());
    return all_hits_type(arrays.triangle, arrays.polygon, arrays.t, arrays.u, arrays.v, array_of(offsets));
}

void add_rays(py::module_& m) {
    hit_type = named_tuple(m, "RayHit", "triangle polygon t u v",
                           "Where a ray meets a triangle first: at origin + t · direction, which is (1 - u - v) · a + "
                           "u · b + v · c of its corners.");
    hits_type =
        named_tuple(m, "RayHits", "hit triangle polygon t u v",
                    "The nearest hits of many rays. Where `hit` is False, t is infinite and triangle is 2^32 - 1.");
    all_hits_type = named_tuple(m, "AllHits", "triangle polygon t u v offsets",
                                "All hits of rays: those of ray i are from offsets[i] to offsets[i + 1].");
    const auto def = [&](const char* name, auto function, const char* doc) {
        m.def(name, function, py::arg("model"), py::arg("origins"), py::arg("directions"), py::kw_only(),
              py::arg("t_min") = 0.0, py::arg("t_max") = std::numeric_limits<double>::infinity(),
              py::arg("threads") = 0u, py::arg("progress") = py::none(), doc);
    };
    def("nearest_hit", &nearest_hit_of,
        R"(The triangle that a ray meets first: a RayHit or None, for many rays a RayHits.

    nearest_hit(model, origins, directions, *, t_min=0.0, t_max=inf, threads=0, progress=None)

Origins and directions have the shape (3,) or (n, 3), in the model's frame. Directions may have any length but zero. A
ray is made of the points origin + t · direction with t_min ≤ t ≤ t_max. Which triangles are hit is exact.

>>> box = graze.shapes.box([1, 1, 1])
>>> graze.nearest_hit(box, [-3, 0.1, 0.2], [1, 0, 0]).t
2.5
>>> graze.nearest_hit(box, [[-3, 0, 0], [-3, 7, 0]], [1, 0, 0]).hit.tolist()
[True, False]
)");
    def("any_hit", &any_hit_of, R"(Whether a ray meets a triangle: a bool, or an array of them for many rays.

    any_hit(model, origins, directions, *, t_min=0.0, t_max=inf, threads=0, progress=None)

>>> graze.any_hit(graze.shapes.box([1, 1, 1]), [-3, 0, 0], [1, 0, 0], t_max=2)
False
)");
    def("all_hits", &all_hits_of, R"(All triangles that rays meet, in ascending order of t: an AllHits.

    all_hits(model, origins, directions, *, t_min=0.0, t_max=inf, threads=0, progress=None)

>>> graze.all_hits(graze.shapes.box([1, 1, 1]), [-3, 0.1, 0.2], [1, 0, 0]).t.tolist()
[2.5, 3.5]
)");
}

template <class Region>
py::object intersects_region(const Region& given, Model model, py::handle region_from_model, unsigned threads,
                             py::object progress) {
    const Region region = given;
    return number_for(
        Placements(region_from_model, "region_from_model"), {threads, std::move(progress)},
        [&](const Affine& placement) { return intersects(region, model, placement, {.scratch = &scratch()}); });
}

template <class Region>
py::object overlapping_region(const Region& given, Model model, py::handle region_from_model, unsigned threads,
                              py::object progress) {
    const Region region = given;
    const Placements placements(region_from_model, "region_from_model");
    const auto [triangles, offsets] = list_for<std::uint32_t>(
        placements, {threads, std::move(progress)}, [&](const Affine& placement, std::vector<std::uint32_t>& list) {
            const auto found = overlapping(region, model, placement, {.scratch = &scratch()});
            list.insert(list.end(), found.begin(), found.end());
        });
    py::object array = array_of(triangles);
    return placements.batch() ? overlaps_type(array, offsets) : array;
}

py::array_t<std::uint32_t> visible_of(const py::iterable& slabs, Model model, py::handle region_from_model) {
    std::vector<Slab> all;
    for (const py::handle slab : slabs) {
        if (!py::isinstance<Slab>(slab)) throw py::type_error("slabs: not all of these are graze.Slab");
        all.push_back(slab.cast<Slab>());
    }
    const Affine placement = Placements(region_from_model, "region_from_model").one();
    std::vector<std::uint32_t> found;
    {
        const py::gil_scoped_release release;
        found = visible(all, model, placement, {.scratch = &scratch()});
    }
    return array_of(found);
}

template <class Region>
void add_region(py::module_& m, const char* doc) {
    m.def("intersects", &intersects_region<Region>, py::arg("region"), py::arg("model"),
          py::arg("region_from_model") = py::none(), py::kw_only(), py::arg("threads") = 0u,
          py::arg("progress") = py::none());
    m.def("overlapping", &overlapping_region<Region>, py::arg("region"), py::arg("model"),
          py::arg("region_from_model") = py::none(), py::kw_only(), py::arg("threads") = 0u,
          py::arg("progress") = py::none(), doc);
}

}  // namespace

void add_rays_and_regions(py::module_& m) {
    add_rays(m);
    overlaps_type =
        named_tuple(m, "Overlaps", "triangles offsets",
                    "The triangles of a batch: those of placement i are from offsets[i] to offsets[i + 1].");
    add_region<Box>(m, R"(The triangles that overlap a Box or a Slab, in ascending order, as a uint32 array.

    overlapping(region, model, region_from_model=None, *, threads=0, progress=None)

`region_from_model` places the model in the region's frame. For a batch of placements the answer is an Overlaps.

>>> ground = graze.Model([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]])
>>> graze.overlapping(graze.Box([3, 0, -1], [4, 1, 1]), ground).tolist()
[0]
)");
    add_region<Slab>(m, "");
    m.def("visible", &visible_of, py::arg("slabs"), py::arg("model"), py::arg("region_from_model") = py::none(),
          R"(The triangles that overlap each of the slabs, in ascending order, as a uint32 array.

    visible(slabs, model, region_from_model=None)

Given the planes of a view frustum these are all that it shows, and perhaps some near its edges.

>>> box = graze.shapes.box([1, 1, 1])
>>> len(graze.visible([graze.Slab.half_space([0, 0, 1], 0.0), graze.Slab.half_space([1, 0, 0], 0.0)], box))
8
)");
}

}  // namespace graze::python
