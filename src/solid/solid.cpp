// SPDX-License-Identifier: Apache-2.0
#include "graze/solid.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/float_environment.hpp"
#include "base/parallel.hpp"
#include "graze/ray.hpp"
#include "graze/self.hpp"
#include "solid/solid_data.hpp"
#include "solid/winding.hpp"

namespace graze {

namespace detail {

Flaw SolidData::find_flaw() {
    if (model.triangle_count() == 0) return Flaw::None;
    const Surface& surface = this->surface();
    if (!surface.closed) return Flaw::Open;
    if (surface.unorientable) return Flaw::Unorientable;
    for (const Shell& shell : surface.shells) {
        if (shell.doubtful) return Flaw::SelfCrossing;
        // The winding number around a shell is 0 and within it 1, or the other way round.
        int outer = 0;
        for (const std::uint32_t s : shell.around) outer += surface.shells[s].sign;
        if (outer != (shell.sign < 0)) return Flaw::SelfCrossing;
    }
    if (self_intersects(model)) return Flaw::SelfCrossing;
    return surface.misoriented > 0 ? Flaw::Misoriented : Flaw::None;
}

namespace {

/// The side of a point that a ray along x may start from.
Side decide_side(const Model& model, const Surface& surface, const Vec3& p) {
    const Result<Ray> here = Ray::from_direction(p, {1, 0, 0}, 0, 0);
    if (!here) return Side::Outside;
    if (any_hit(model, *here)) return Side::OnSurface;
    if (!surface.has_inside) return Side::Outside;
    int winding = 0;
    for (const RayHit& hit : all_hits(model, *Ray::from_direction(p, {1, 0, 0}))) {
        const std::uint32_t shell = surface.shell_of[hit.triangle];
        if (shell != no_shell && surface.shells[shell].inside)
            winding += surface.turned[hit.triangle] * passing(model.triangle(hit.triangle), p, -1);
    }
    return winding != 0 ? Side::Inside : Side::Outside;
}

}  // namespace
}  // namespace detail

Solid::Solid() : Solid(Model()) {}
Solid::Solid(const Model& model) : data_(std::make_shared<detail::SolidData>()) { data_->model = model; }

const Model& Solid::model() const { return data_->model; }

Flaw Solid::flaw() const {
    const detail::DefaultFloats floats;
    return data_->flaw();
}

namespace {

const detail::Surface& surface_of(detail::SolidData& data) {
    const detail::DefaultFloats floats;
    return data.surface();
}

}  // namespace

bool Solid::closed() const { return surface_of(*data_).closed; }
bool Solid::has_inside() const { return surface_of(*data_).has_inside; }
std::uint32_t Solid::shell_count() const { return surface_of(*data_).connected; }
std::uint64_t Solid::edge_count() const { return surface_of(*data_).edges; }
std::uint64_t Solid::open_edge_count() const { return surface_of(*data_).open_edges; }
std::uint64_t Solid::crowded_edge_count() const { return surface_of(*data_).crowded_edges; }
std::uint32_t Solid::degenerate_count() const { return surface_of(*data_).degenerate_count; }
std::uint32_t Solid::misoriented_count() const { return surface_of(*data_).misoriented; }

double Solid::volume() const {
    const detail::Surface& surface = surface_of(*data_);
    const Model& model = data_->model;
    if (!surface.has_inside) return 0;
    const Box& box = data_->bounds();
    const Vec3 size = box.hi() - box.lo();
    // In units of about the model's size, so that products stay in range.
    const int exponent = std::ilogb(std::max({size.x, size.y, size.z, 0x1p-1000}));
    const double scale = std::ldexp(1.0, -exponent);
    double sum = 0;
    for (std::uint32_t i = 0; i < model.triangle_count(); ++i) {
        const std::uint32_t shell = surface.shell_of[i];
        if (shell == detail::no_shell || !surface.shells[shell].inside) continue;
        const Triangle t = model.triangle(i);
        const Vec3 a = (t.a - box.lo()) * scale, b = (t.b - box.lo()) * scale, c = (t.c - box.lo()) * scale;
        sum += surface.turned[i] * dot(a, cross(b, c));
    }
    return std::ldexp(sum / 6, 3 * exponent);
}

Side side_of(const Solid& solid, const Vec3& point) {
    const detail::DefaultFloats floats;
    detail::SolidData& data = detail::SolidData::of(solid);
    return detail::decide_side(data.model, data.surface(), point);
}

namespace {

/// Calls f for each of n points, on threads. The surface, which they share, is made first.
template <class F>
void for_points(const Solid& solid, std::size_t n, const PointsSettings& settings, F&& f) {
    surface_of(detail::SolidData::of(solid));
    constexpr std::size_t chunk = 64;
    detail::parallel_for((n + chunk - 1) / chunk, settings.threads, [&](std::size_t k) {
        for (std::size_t i = k * chunk; i < std::min(n, (k + 1) * chunk); ++i) f(i);
    });
}

}  // namespace

void sides_of(const Solid& solid, std::span<const Vec3> points, std::span<Side> sides, const PointsSettings& settings) {
    assert(points.size() == sides.size());
    for_points(solid, points.size(), settings, [&](std::size_t i) { sides[i] = side_of(solid, points[i]); });
}

ClosestPoint signed_distance(const Solid& solid, const Vec3& point) {
    ClosestPoint closest = closest_point(solid.model(), point);
    if (closest.distance != 0 && side_of(solid, point) == Side::Inside) closest.distance = -closest.distance;
    return closest;
}

void signed_distances(const Solid& solid, std::span<const Vec3> points, std::span<ClosestPoint> closest,
                      const PointsSettings& settings) {
    assert(points.size() == closest.size());
    for_points(solid, points.size(), settings, [&](std::size_t i) { closest[i] = signed_distance(solid, points[i]); });
}

const char* name(Flaw flaw) {
    constexpr const char* names[] = {"none", "open", "unorientable", "self-crossing", "misoriented"};
    return names[static_cast<int>(flaw)];
}

}  // namespace graze
