// SPDX-License-Identifier: Apache-2.0
#include "placing.hpp"

#include <cmath>

#include "rounding.hpp"
#include "text.hpp"

namespace graze::files {

namespace {

/// The scale of a matrix that only turns, mirrors and scales evenly, up to the rounding of its floats. Otherwise 1.
double even_scale(const Mat3& m) {
    const double s = std::cbrt(std::abs(dot(m.row[0], cross(m.row[1], m.row[2]))));
    if (!(s > 1e-30)) return 1;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (!(std::abs(dot(m.row[i], m.row[j]) / (s * s) - (i == j)) <= 1e-4)) return 1;
    return std::abs(s - 1) < 1e-6 ? 1 : s;
}

}  // namespace

Place Place::operator*(const Place& inner) const {
    const double mine = stretch(linear), its = stretch(inner.linear);
    return {linear * inner.linear, linear * inner.translation + translation,
            mine * inner.off + off_per_length * length(inner.translation) + off,
            mine * inner.off_per_length + off_per_length * its};
}

bool Place::finite() const {
    double sum = 0;
    for (const Vec3& v : {linear.row[0], linear.row[1], linear.row[2], translation})
        sum += std::abs(v.x) + std::abs(v.y) + std::abs(v.z);
    return std::isfinite(sum);
}

void place_parts(Assembly& assembly, std::span<const Place> places, double factor, const std::string& path) {
    // One scale per mesh: that of its first place, or 1 when another place has another scale.
    std::vector<double> scales(assembly.meshes.size(), 0);
    for (std::size_t i = 0; i < places.size(); ++i) {
        double& scale = scales[assembly.parts[i].mesh];
        const double own = even_scale(places[i].linear);
        if (scale == 0) scale = own;
        if (std::abs(own / scale - 1) > 1e-6) scale = 1;
    }
    const auto bounded = [](double error) { return error < max_coordinate ? error : max_coordinate; };
    std::vector<double> sizes;  // one per mesh, before any scale
    for (std::size_t i = 0; i < scales.size(); ++i) {
        if (scales[i] == 0) scales[i] = 1;
        sizes.push_back(std::sqrt(3.0) * largest_coordinate(assembly.meshes[i].points));
        scale(assembly.meshes[i], factor * scales[i]);
    }
    std::size_t flat = 0, first = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        Part& part = assembly.parts[i];
        Place place = places[i];
        part.extra_error = bounded(factor * (place.off + place.off_per_length * sizes[part.mesh]));
        place.translation = place.translation * factor;
        for (Vec3& row : place.linear.row) row = row * (1 / scales[part.mesh]);
        if (Result<Affine> good = Affine::from_matrix(place.linear, place.translation)) {
            part.world_from_mesh = *good;
            continue;
        }
        // The placement flattens, or is beyond what queries take: it is applied to the points instead.
        Mesh placed = assembly.meshes[part.mesh];
        for (Vec3& p : placed.points) p = place.linear * p + place.translation;
        placed.error = bounded(placed.error * stretch(place.linear));
        part.mesh = static_cast<std::uint32_t>(assembly.meshes.size());
        assembly.meshes.push_back(std::move(placed));
        if (flat++ == 0) first = i;
    }
    if (flat == 0) return;
    assembly.notes.push_back(
        path + ": node " + in_quotes(assembly.parts[first].name) + (flat == 1 ? " has" : " and others have") +
        " a transform without an inverse: it is applied to the points" + (flat == 1 ? "" : " of each"));
}

}  // namespace graze::files
