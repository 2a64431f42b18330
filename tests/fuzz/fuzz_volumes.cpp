// SPDX-License-Identifier: Apache-2.0
// Small soups from bytes in trees of every kind, placed by any matrix and refitted: contacts, boxes and rays answer as
// every triangle by itself does.
#include <algorithm>
#include <vector>

#include "brute_force.hpp"
#include "models.hpp"

namespace {

using namespace graze;

void compare(const Model& a, const Model& b, const Affine& a_from_b) {
    std::vector<TrianglePair> pairs;
    for (const Contact& c : collide(a, b, a_from_b)) pairs.push_back(c.triangles);
    std::sort(pairs.begin(), pairs.end());
    fuzz::require(pairs == fuzz::by_brute_force(a, b, a_from_b), "contacts as by brute force");
    fuzz::require(intersects(a, b, a_from_b) == !pairs.empty(), "first contact as all contacts");
}

/// A segment as a triangle without area, as a ray and as a flat box along an axis: the same triangles.
void compare_segments(const Model& a, const Vec3& from, double to) {
    if (!(to >= from.x) || !fuzz::is_valid({to, 0, 0})) return;
    const Triangle segment{from, {to, from.y, from.z}, from};
    std::vector<std::uint32_t> met;
    for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
        if (meet(a.triangle(i), segment)) met.push_back(i);
    fuzz::require(overlapping(*Box::between(from, {to, from.y, from.z}), a) == met,
                  "a flat box as the segment that it is");
    // From the origin of the axis t is the coordinate itself, exactly.
    if (from.x < 0) return;
    std::vector<std::uint32_t> hit;
    for (const RayHit& h : all_hits(a, *Ray::from_direction({0, from.y, from.z}, {1, 0, 0}, from.x, to)))
        hit.push_back(h.triangle);
    std::sort(hit.begin(), hit.end());
    fuzz::require(hit == met, "a ray as the segment that it is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes(data, size);
    const auto style = bytes.take<std::uint8_t>();
    Model a = fuzz::make_model(bytes, style);
    const Model b = fuzz::make_model(bytes, style);
    const Affine placement = fuzz::make_placement(bytes, style);
    compare(a, b, Affine());
    compare(a, b, placement);
    const Vec3 from = bytes.point(style);
    if (fuzz::is_valid(from)) {
        compare_segments(a, from, bytes.point(style).x);
        compare_segments(a, {0, from.y, from.z}, from.x);
    }
    const std::uint32_t start = bytes.take<std::uint8_t>() % a.point_count();
    const std::vector<Vec3> moved = fuzz::make_points(bytes, a.point_count() - start, style);
    const auto rebuild = static_cast<Rebuild>(bytes.take<std::uint8_t>() % 3);
    fuzz::require(a.refit(moved, {.first = start, .rebuild = rebuild}).ok() && a.validate().ok(), "a refit is sound");
    compare(a, b, placement);
    return 0;
}
