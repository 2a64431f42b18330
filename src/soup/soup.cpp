// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/large_pages.hpp"
#include "soup/geometry.hpp"
#include "soup/triangulate.hpp"

namespace graze::detail {

namespace {

/// A binary tree over this many triangles has fewer than 2^32 nodes.
constexpr std::size_t max_triangles = (std::size_t{1} << 31) - 16;
constexpr std::size_t max_points = (std::size_t{1} << 32) - 16;

Fault fault(FaultKind kind, const std::string& message) { return {kind, "soup: " + message}; }

std::string too_many(const char* what, std::size_t count, std::size_t limit) {
    return std::to_string(count) + " " + what + ", the limit is " + std::to_string(limit);
}

Result<std::vector<Vec3>> copy_points(const SoupView& soup) {
    if (soup.coordinate_count() % 3 != 0)
        return fault(FaultKind::BadIndex, "point " + std::to_string(soup.point_count()) +
                                              " is incomplete: " + std::to_string(soup.coordinate_count()) +
                                              " coordinates are not a multiple of 3");
    if (soup.point_count() > max_points)
        return fault(FaultKind::TooMany, too_many("points", soup.point_count(), max_points));
    const std::size_t count = soup.point_count();
    std::vector<Vec3> points;
    reserve_large(points, count);
    bool sound = true;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 p = soup.point(i);
        for (int k = 0; k < 3; ++k) sound &= std::abs(p[k]) <= max_coordinate;
        points.push_back(p);
    }
    if (!sound) return bad_point("soup", soup.points(), 0);
    return points;
}

/// Indices must be lower than this.
std::size_t corner_limit(const SoupView& soup) {
    constexpr std::size_t first_negative = std::size_t{1} << 31;
    return soup.signed_corners() ? std::min(soup.point_count(), first_negative) : soup.point_count();
}

Fault bad_corner(const char* what, std::size_t i, std::uint32_t corner, const SoupView& soup) {
    const std::string number =
        soup.signed_corners() ? std::to_string(static_cast<std::int32_t>(corner)) : std::to_string(corner);
    return fault(FaultKind::BadIndex, std::string(what) + " " + std::to_string(i) + " names point " + number + " of " +
                                          std::to_string(soup.point_count()));
}

Result<std::vector<Corners>> copy_triangles(const SoupView& soup) {
    const auto corners = soup.corners();
    if (corners.size() % 3 != 0)
        return fault(FaultKind::BadPolygon, "triangle " + std::to_string(corners.size() / 3) + " is incomplete: " +
                                                std::to_string(corners.size()) + " corners are not a multiple of 3");
    if (corners.size() / 3 > max_triangles)
        return fault(FaultKind::TooMany, too_many("triangles", corners.size() / 3, max_triangles));
    const std::size_t points = corner_limit(soup);
    std::vector<Corners> triangles;
    reserve_large(triangles, corners.size() / 3);
    bool sound = true;
    for (std::size_t i = 0; i < corners.size(); i += 3) {
        for (std::size_t k = i; k < i + 3; ++k) sound &= corners[k] < points;
        triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
    }
    for (std::size_t i = 0; i < triangles.size() && !sound; ++i)
        for (const std::uint32_t c : triangles[i])
            if (c >= points) return bad_corner("triangle", i, c, soup);
    return triangles;
}

Result<void> check_polygons(const SoupView& soup) {
    const auto offsets = soup.offsets();
    const auto corners = soup.corners();
    if (offsets.front() != 0)
        return fault(FaultKind::BadPolygon,
                     "polygon 0 starts at corner " + std::to_string(offsets.front()) + ", not 0");
    std::size_t triangles = 0;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        const std::string polygon = "polygon " + std::to_string(i);
        if (offsets[i + 1] < offsets[i])
            return fault(FaultKind::BadPolygon, polygon + " has offsets that run backwards");
        if (offsets[i + 1] > corners.size())
            return fault(FaultKind::BadPolygon, polygon + " ends at corner " + std::to_string(offsets[i + 1]) + " of " +
                                                    std::to_string(corners.size()));
        const std::size_t count = offsets[i + 1] - offsets[i];
        if (count < 3)
            return fault(FaultKind::BadPolygon,
                         polygon + " has " + std::to_string(count) + (count == 1 ? " corner" : " corners"));
        triangles += count - 2;
        for (const std::uint32_t c : corners.subspan(offsets[i], count))
            if (c >= corner_limit(soup)) return bad_corner("polygon", i, c, soup);
    }
    if (offsets.back() != corners.size())
        return fault(FaultKind::BadPolygon, "the last polygon ends at corner " + std::to_string(offsets.back()) +
                                                ", but there are " + std::to_string(corners.size()));
    if (triangles > max_triangles) return fault(FaultKind::TooMany, too_many("triangles", triangles, max_triangles));
    return {};
}

}  // namespace

Fault bad_point(const std::string& what, const PointView& points, std::size_t first) {
    std::size_t i = 0;
    const auto sound = [&](int k) { return std::abs(points[i][k]) <= max_coordinate; };
    while (sound(0) && sound(1) && sound(2)) ++i;
    const int k = !sound(0) ? 0 : !sound(1) ? 1 : 2;
    const std::string where = what + ": " + "xyz"[k] + " of point " + std::to_string(first + i);
    return std::isfinite(points[i][k]) ? Fault{FaultKind::OutOfRange, where + " is beyond 2^1000"}
                                       : Fault{FaultKind::NotFinite, where + " is not finite"};
}

Result<Geometry> make_geometry(const SoupView& soup) {
    auto points = copy_points(soup);
    if (!points) return points.fault();

    Geometry g;
    const auto offsets = soup.offsets();
    if (offsets.empty()) {
        auto triangles = copy_triangles(soup);
        if (!triangles) return triangles.fault();
        g.polygon_count = static_cast<std::uint32_t>(triangles->size());
        g.triangles = std::move(*triangles);
    } else {
        const auto checked = check_polygons(soup);
        if (!checked) return checked.fault();
        g.polygon_count = static_cast<std::uint32_t>(offsets.size() - 1);
        std::vector<Corners> triangles;
        std::vector<std::uint32_t> polygon_of;
        triangles.reserve(soup.corners().size() - 2 * std::size_t{g.polygon_count});
        Triangulator triangulator;
        for (std::uint32_t i = 0; i < g.polygon_count; ++i)
            triangulator.cut(*points, soup.corners().subspan(offsets[i], offsets[i + 1] - offsets[i]), triangles);
        if (triangles.size() != g.polygon_count) {
            polygon_of.reserve(triangles.size());
            for (std::uint32_t i = 0; i < g.polygon_count; ++i)
                polygon_of.insert(polygon_of.end(), offsets[i + 1] - offsets[i] - 2, i);
        }
        g.triangles = std::move(triangles);
        g.polygon_of = std::move(polygon_of);
    }
    g.points = std::move(*points);
    return g;
}

}  // namespace graze::detail
