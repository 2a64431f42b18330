// SPDX-License-Identifier: Apache-2.0
#include "solid/polygon.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace graze::detail {

std::array<Polygon, 2> cut(const Polygon& polygon, std::span<const double> at) {
    std::array<Polygon, 2> out;
    for (Polygon& part : out) part.reserve(polygon.size() + 2);
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const std::size_t k = (i + 1) % polygon.size();
        if (at[i] <= 0) out[0].push_back(polygon[i]);
        if (at[i] >= 0) out[1].push_back(polygon[i]);
        if ((at[i] < 0 && at[k] > 0) || (at[i] > 0 && at[k] < 0)) {
            const Vec3 p = polygon[i] + (polygon[k] - polygon[i]) * (at[i] / (at[i] - at[k]));
            out[0].push_back(p);
            out[1].push_back(p);
        }
    }
    return out;
}

std::array<Polygon, 2> cut_above(const Polygon& polygon, const Triangle& triangle) {
    const auto& [a, b, c] = triangle;
    std::vector<double> at(polygon.size()), best;
    double furthest = 0;
    const Vec3 normal = cross(b - a, c - a);
    for (const auto& [p, q] : {std::pair{a, b}, {b, c}, {c, a}}) {
        const Vec3 out = cross(q - p, normal);
        const double size = length(out);
        if (!(size > 0)) continue;
        for (std::size_t i = 0; i < at.size(); ++i) at[i] = dot(out, polygon[i] - p) / size;
        const auto [low, high] = std::ranges::minmax(at);
        if (std::min(-low, high) > 1e-3 * (high - low) && high > furthest) {
            furthest = high;
            best = at;
        }
    }
    if (!best.empty()) return cut(polygon, best);
    Vec3 low = polygon[0], high = polygon[0];
    for (const Vec3& p : polygon)
        for (int d = 0; d < 3; ++d) {
            low[d] = std::min(low[d], p[d]);
            high[d] = std::max(high[d], p[d]);
        }
    const Vec3 size = high - low;
    const int d = size.x > size.y ? (size.x > size.z ? 0 : 2) : (size.y > size.z ? 1 : 2);
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = polygon[i][d] - (low[d] * 0.5 + high[d] * 0.5);
    return cut(polygon, at);
}

namespace {

/// A directed line in a plane, from which heights are measured.
struct Line {
    Vec3 start, up;

    Line(const Segment& s, const Vec3& normal) : start(s[0]), up(cross(normal, s[1] - s[0])) {
        const double size = length(up);
        up = size > 0 ? up * (1 / size) : Vec3{};
    }
    double height(const Vec3& p) const { return dot(up, p - start); }
};

/// A polygon and the segments in it.
struct Piece {
    Polygon polygon;
    std::vector<Segment> segments;
};

/// Adds the part of a segment above a line, or below it, unless it runs along the line.
void add_part(std::vector<Segment>& out, const Segment& s, const std::array<double, 2>& at, double side, double slack) {
    if (side * at[0] <= slack && side * at[1] <= slack) return;
    Segment part = s;
    if (at[0] * at[1] < 0) part[side * at[0] < 0 ? 0 : 1] = s[0] + (s[1] - s[0]) * (at[0] / (at[0] - at[1]));
    out.push_back(part);
}

}  // namespace

std::vector<Polygon> cut_along(const Triangle& triangle, std::vector<Segment> segments, double slack) {
    const Vec3 normal = cross(triangle.b - triangle.a, triangle.c - triangle.a);
    const Polygon whole{triangle.a, triangle.b, triangle.c};
    std::vector<Polygon> done;
    if (!(length(normal) > 0)) return {whole};
    // Segments along an edge of the triangle pass through nothing.
    for (std::size_t k = 0; k < 3; ++k) {
        const Line edge({whole[k], whole[(k + 1) % 3]}, normal);
        std::erase_if(segments, [&](const Segment& s) {
            return std::abs(edge.height(s[0])) <= slack && std::abs(edge.height(s[1])) <= slack;
        });
    }
    std::vector<Piece> open;
    open.push_back({whole, std::move(segments)});
    while (!open.empty()) {
        Piece piece = std::move(open.back());
        open.pop_back();
        // The longest segment says best where its line runs.
        const auto size = [](const Segment& s) { return dot(s[1] - s[0], s[1] - s[0]); };
        const auto longest = std::ranges::max_element(piece.segments, {}, size);
        if (longest == piece.segments.end() || !(size(*longest) > slack * slack)) {
            done.push_back(std::move(piece.polygon));
            continue;
        }
        const Line line(*longest, normal);
        std::vector<double> heights;
        for (const Vec3& p : piece.polygon) heights.push_back(line.height(p));
        std::array<Polygon, 2> halves = cut(piece.polygon, heights);
        std::array<Piece, 2> parts;
        for (const Segment& s : piece.segments) {
            const std::array<double, 2> at{line.height(s[0]), line.height(s[1])};
            add_part(parts[0].segments, s, at, -1, slack);
            add_part(parts[1].segments, s, at, 1, slack);
        }
        for (std::size_t k = 0; k < 2; ++k) {
            if (halves[k].size() < 3) continue;
            parts[k].polygon = std::move(halves[k]);
            open.push_back(std::move(parts[k]));
        }
    }
    return done;
}

namespace {

/// The point of a segment that is closest to p.
Vec3 closest_on(const Vec3& a, const Vec3& b, const Vec3& p) {
    const Vec3 u = b - a;
    const double size = dot(u, u);
    return size > 0 ? a + u * std::clamp(dot(p - a, u) / size, 0.0, 1.0) : a;
}

}  // namespace

double furthest(const Polygon& polygon, const Triangle& triangle) {
    const auto& [a, b, c] = triangle;
    const Vec3 u = b - a, v = c - a, normal = cross(u, v);
    const double size = dot(normal, normal);
    double most = 0;
    for (const Vec3& p : polygon) {
        const Vec3 w = p - a;
        const double y = dot(cross(w, v), normal), z = dot(cross(u, w), normal);
        double least;
        if (size > 0 && y >= 0 && z >= 0 && y + z <= size) {
            const double height = dot(w, normal);
            least = height * height / size;
        } else {
            least = std::numeric_limits<double>::infinity();
            for (const auto& [s, t] : {std::pair{a, b}, {b, c}, {c, a}}) {
                const Vec3 d = p - closest_on(s, t, p);
                least = std::min(least, dot(d, d));
            }
        }
        most = std::max(most, least);
    }
    return std::sqrt(most);
}

}  // namespace graze::detail
