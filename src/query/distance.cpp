// SPDX-License-Identifier: Apache-2.0
#include "graze/distance.hpp"

#include <cassert>
#include <cmath>
#include <optional>

#include "base/float_environment.hpp"
#include "base/parallel.hpp"
#include "front/front.hpp"
#include "front/wide_distance.hpp"
#include "model/access.hpp"
#include "model/any_view.hpp"
#include "query/margin.hpp"
#include "walk/tree_walk.hpp"
#include "wide_walk/run.hpp"

namespace graze {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

using detail::Access;
using detail::ModelData;

void find_closest(const detail::Search& where, const detail::WideDistanceStart& start, Scratch::Impl& scratch,
                  detail::NearestSearch<detail::ModelPairs>& search) {
    if (!detail::goes_wide(where) || !detail::wide_distance(where, start, scratch.wide, search))
        detail::pair_distance(where, start, scratch.near, search);
    search.finish();
}

ClosestPoint closest_point(const ModelData& model, const Vec3& point, double max_distance, QueryStats* stats) {
    ClosestPoint out;
    for (int i = 0; i < 3; ++i)
        if (!(std::abs(point[i]) <= max_coordinate)) return out;
    if (model.geometry.triangles.empty()) return out;
    detail::NearestSearch<detail::PointTriangles> search({model.geometry, point}, {.max_distance = max_distance});
    run(model, search);
    search.finish();
    if (stats) *stats += search.stats;
    out.distance = search.distance();
    if (out.distance == infinite) return out;
    out.triangle = search.nearest();
    out.point = search.on_t();
    return out;
}

/// Number of points or triangles that one thread takes at a time.
constexpr std::size_t batch = 64;

/// Calls f for all indices below n, on threads.
template <class F>
void in_batches(std::size_t n, unsigned threads, F&& f) {
    detail::parallel_for((n + batch - 1) / batch, threads, [&](std::size_t k) {
        const detail::DefaultFloats floats;
        for (std::size_t i = k * batch; i < std::min(n, (k + 1) * batch); ++i) f(i);
    });
}

}  // namespace

ClosestTriangles distance(const Model& a, const Model& b, const Affine& a_from_b, const DistanceSettings& settings) {
    const detail::DefaultFloats floats;
    const ModelData &in_a = Access::data(a), &in_b = Access::data(b);
    if (in_a.geometry.triangles.empty() || in_b.geometry.triangles.empty()) return {};
    const detail::Search where{in_a, in_b, a_from_b, {}, false, 0};
    detail::NearestSearch<detail::ModelPairs> search(
        {in_a.geometry, in_b.geometry, a_from_b},
        {settings.max_distance, settings.stop_below, settings.relative_error, settings.absolute_error});
    std::optional<Scratch::Impl> own;
    Scratch::Impl& scratch = settings.scratch ? Access::impl(*settings.scratch) : own.emplace();
    if (settings.front) {
        Front::Impl& front = Access::impl(*settings.front);
        find_closest(where, front.distance.begin(where, search), scratch, search);
        front.distance.end(search, front.settings.max_bytes);
    } else {
        find_closest(where, {}, scratch, search);
    }
    if (settings.stats) *settings.stats += search.stats;
    ClosestTriangles out;
    out.distance = search.distance();
    if (out.distance == infinite) return out;
    out.point_a = search.on_s();
    out.point_b = search.on_t();
    out.triangles = search.nearest();
    return out;
}

bool within(const Model& a, const Model& b, const Affine& a_from_b, double length, const IntersectSettings& settings) {
    if (length < 0) return false;
    // A front knows contacts within a margin. For small margins the search for contacts is the faster one too: its
    // boxes are tested abreast. The bound was measured.
    const ModelData &in_a = Access::data(a), &in_b = Access::data(b);
    const double small = std::min(in_a.wide.unit, in_b.wide.unit) / 32;
    if (!(length > small) || length == infinite || settings.front)
        return detail::intersects(a, b, a_from_b, length, settings);
    if (settings.witness) {
        const detail::DefaultFloats floats;
        QueryStats stats;
        const bool seen = detail::pair_within(in_a, in_b, a_from_b, *settings.witness, length, stats);
        if (settings.stats) *settings.stats += stats;
        if (seen) return true;
    }
    const ClosestTriangles found =
        distance(a, b, a_from_b,
                 {.max_distance = length, .stop_below = length, .stats = settings.stats, .scratch = settings.scratch});
    if (found.distance == infinite) return false;
    if (settings.witness) *settings.witness = found.triangles;
    return true;
}

void collide_within(const Model& a, const Model& b, const Affine& a_from_b, double length,
                    std::vector<Contact>& contacts, const ContactSettings& settings) {
    contacts.clear();
    if (!(length < 0)) detail::collide(a, b, a_from_b, length, contacts, settings);
}

std::vector<Contact> collide_within(const Model& a, const Model& b, const Affine& a_from_b, double length,
                                    const ContactSettings& settings) {
    std::vector<Contact> contacts;
    collide_within(a, b, a_from_b, length, contacts, settings);
    return contacts;
}

bool detail::for_each_within(const Model& a, const Model& b, const Affine& a_from_b, double length, WithinSink sink,
                             void* context, const QuerySettings& settings) {
    if (length < 0) return true;
    const ModelPairs pairs{Access::data(a).geometry, Access::data(b).geometry, a_from_b};
    return for_each_contact(
        a, b, a_from_b, length,
        [&](const Contact& contact) {
            const DefaultFloats floats;
            bool exact = false;
            const TriangleDistance found = distance_of(pairs, contact.triangles);
            ClosestTriangles out;
            out.distance = found.rounded(infinite, exact);
            out.point_a = found.on_s();
            out.point_b = found.on_t();
            out.triangles = contact.triangles;
            return sink(context, out);
        },
        settings);
}

ClosestPoint closest_point(const Model& model, const Vec3& point, const ClosestPointSettings& settings) {
    const detail::DefaultFloats floats;
    return closest_point(Access::data(model), point, settings.max_distance, settings.stats);
}

void closest_points(const Model& model, std::span<const Vec3> points, std::span<ClosestPoint> closest,
                    const ClearanceSettings& settings) {
    const ModelData& data = Access::data(model);
    assert(closest.size() == points.size());
    in_batches(points.size(), settings.threads,
               [&](std::size_t i) { closest[i] = closest_point(data, points[i], settings.max_distance, nullptr); });
}

std::vector<double> clearances(const Model& a, const Model& b, const Affine& a_from_b,
                               const ClearanceSettings& settings) {
    const ModelData &in_a = Access::data(a), &in_b = Access::data(b);
    std::vector<double> out(in_a.geometry.triangles.size(), infinite);
    if (out.empty() || in_b.geometry.triangles.empty()) return out;
    const detail::AnyView tree(in_a);
    std::vector<std::uint32_t> leaves{tree.root()};
    while (detail::next_level(tree, leaves, true)) {
    }
    detail::parallel_for(leaves.size(), settings.threads, [&](std::size_t i) {
        const detail::DefaultFloats floats;
        const detail::Search where{in_a, in_b, a_from_b, {}, false, 0};
        Scratch::Impl scratch;
        const std::span<const std::uint32_t> triangles = tree.triangles(leaves[i]);
        std::optional<std::uint32_t> last;  // the triangle closest to the last one is close to the next
        for (std::uint32_t k = 0; k < triangles.size(); ++k) {
            detail::NearestSearch<detail::ModelPairs> search({in_a.geometry, in_b.geometry, a_from_b},
                                                             {.max_distance = settings.max_distance});
            detail::WideDistanceStart start{{leaves[i], k}};
            if (last) start.aim = search.expect({triangles[k], *last});
            find_closest(where, start, scratch, search);
            out[triangles[k]] = search.distance();
            if (out[triangles[k]] < infinite) last = search.nearest().b;
        }
    });
    return out;
}

}  // namespace graze
