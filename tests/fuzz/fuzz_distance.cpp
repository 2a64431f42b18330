// SPDX-License-Identifier: Apache-2.0
// Small soups from bytes in trees of every kind, placed by any matrix: distances, clearances and closest points are
// those of every triangle by itself, and a front changes none of them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "exact/triangle_distance.hpp"
#include "models.hpp"

namespace {

using namespace graze;

void compare(const Model& a, const Model& b, const Affine& a_from_b, Front& front) {
    std::vector<double> map(a.triangle_count(), INFINITY);
    double least = INFINITY;
    for (std::uint32_t j = 0; j < b.triangle_count(); ++j) {
        const Triangle t = b.triangle(j), placed{a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)};
        for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
            map[i] = std::min(map[i], detail::triangle_distance(a.triangle(i), placed));
    }
    for (const double d : map) least = std::min(least, d);
    fuzz::require(distance(a, b, a_from_b).distance == least, "the distance of all pairs");
    fuzz::require(distance(a, b, a_from_b, {.front = &front}).distance == least, "the same distance from a front");
    fuzz::require(clearances(a, b, a_from_b, {.threads = 1}) == map, "the clearances of all pairs");
    fuzz::require((least == 0) == intersects(a, b, a_from_b), "zero where they meet");
    fuzz::require(within(a, b, a_from_b, std::nextafter(least, INFINITY)), "within a little more");
    if (least > 0)
        fuzz::require(!within(a, b, a_from_b, std::nextafter(std::nextafter(least, 0), 0)), "not within less");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes(data, size);
    const auto style = bytes.take<std::uint8_t>();
    const Model a = fuzz::make_model(bytes, style), b = fuzz::make_model(bytes, style);
    Front front;
    compare(a, b, Affine(), front);
    compare(a, b, fuzz::make_placement(bytes, style), front);
    compare(a, b, fuzz::make_placement(bytes, style), front);
    const Vec3 p = bytes.point(style);
    if (!fuzz::is_valid(p)) return 0;
    double least = INFINITY;
    bool exact = false;
    for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
        least = std::min(least, detail::TriangleDistance(p, a.triangle(i)).rounded(INFINITY, exact));
    fuzz::require(closest_point(a, p).distance == least, "the closest point of all triangles");
    return 0;
}
