// SPDX-License-Identifier: Apache-2.0
#include "shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace graze::report {

namespace {

/// Numbers the occupied cells of a grid over [-1, 1]³ in the order of their first point. Cells lie in a table with
/// open addressing, at most half full.
class Grid {
public:
    Grid(double cells, std::size_t points) : cells_(cells), slots_(std::size_t{16}) {
        std::size_t size = 16;
        while (size < 2 * points) size *= 2;
        slots_.assign(size, {});
    }

    std::uint32_t number(const Vec3& q) {
        const std::uint64_t key = (cell(q.x) << 42 | cell(q.y) << 21 | cell(q.z)) + 1;
        std::size_t at = (key * 0x9e3779b97f4a7c15u >> 20) & (slots_.size() - 1);
        while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
        if (slots_[at].key == 0) slots_[at] = {key, count_++};
        return slots_[at].number;
    }
    std::uint32_t count() const { return count_; }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t number = 0;
    };
    std::uint64_t cell(double x) const {
        return static_cast<std::uint64_t>(std::clamp((x + 1) / 2 * cells_, 0.0, cells_ - 1));
    }

    double cells_;
    std::vector<Slot> slots_;
    std::uint32_t count_ = 0;
};

double area(const detail::Geometry& geometry, const Extent& extent) {
    double sum = 0;
    for (std::uint32_t i = 0; i < geometry.triangles.size(); ++i) {
        const Triangle t = geometry.triangle(i);
        const Vec3 a = extent.unit(t.a);
        sum += length(cross(extent.unit(t.b) - a, extent.unit(t.c) - a)) / 2;
    }
    return sum;
}

/// With this many cells along the longest edge.
Shape merged(const detail::Geometry& geometry, const Extent& extent, double cells) {
    const std::size_t n = geometry.points.size();
    Grid grid(cells, n);
    std::vector<std::uint32_t> cell_of(n);
    for (std::size_t i = 0; i < n; ++i) cell_of[i] = grid.number(extent.unit(geometry.points[i]));

    // A cell's points become one: that nearest to their mean. It lies on the model, so that edges do not round off.
    std::vector<Vec3> mean(grid.count());
    std::vector<double> weight(grid.count(), 0);
    for (std::size_t i = 0; i < n; ++i) {
        mean[cell_of[i]] = mean[cell_of[i]] + extent.unit(geometry.points[i]);
        weight[cell_of[i]] += 1;
    }
    for (std::size_t c = 0; c < mean.size(); ++c) mean[c] = mean[c] * (1 / weight[c]);
    std::vector<double> best(grid.count(), 16);
    Shape shape;
    shape.points.resize(3 * mean.size());
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 q = extent.unit(geometry.points[i]), off = q - mean[cell_of[i]];
        if (dot(off, off) >= best[cell_of[i]]) continue;
        best[cell_of[i]] = dot(off, off);
        for (int k = 0; k < 3; ++k) shape.points[3 * cell_of[i] + k] = static_cast<float>(q[k]);
    }
    for (const detail::Corners& c : geometry.triangles) {
        const std::uint32_t a = cell_of[c[0]], b = cell_of[c[1]], d = cell_of[c[2]];
        if (a != b && b != d && d != a) shape.corners.insert(shape.corners.end(), {a, b, d});
    }
    return shape;
}

}  // namespace

Extent Extent::of(const Bounds& bounds) {
    Extent e;
    if (bounds.empty()) return e;
    const auto& [low, high] = bounds;
    e.half = {high.x / 2 - low.x / 2, high.y / 2 - low.y / 2, high.z / 2 - low.z / 2};
    e.centre = high - e.half;
    const double largest = std::max({e.half.x, e.half.y, e.half.z});
    if (largest > 0) e.size = largest;
    return e;
}

Extent Extent::around(std::span<const Vec3> points) {
    Bounds bounds;
    for (const Vec3& p : points) bounds.add(p);
    return of(bounds);
}

Shape shape_of(const detail::Geometry& geometry, const Extent& extent, std::size_t most) {
    const std::size_t triangles = geometry.triangles.size();
    if (triangles > most) {
        // A surface that is cut finer than the cells gives about three triangles for each cell-sized square of it.
        const double target = static_cast<double>(most);
        double cells = std::clamp(2 * std::sqrt(target / std::max(3 * area(geometry, extent), 1e-12)), 1.0, 0x1p20);
        for (int tries = 0;; ++tries) {
            Shape shape = merged(geometry, extent, cells);
            const double got = static_cast<double>(shape.triangle_count());
            const bool fits = shape.triangle_count() <= most;
            if (fits && (got > 0.6 * target || tries >= 2)) return shape;
            if (cells <= 1) return shape;
            cells *= got > 0 ? std::clamp(std::sqrt(0.9 * target / got), 0.125, 8.0) : 2;
            // Coarser each time where it must: ends at one cell, which has no triangles.
            cells = std::clamp(tries >= 2 ? cells * 0.8 : cells, 1.0, 0x1p20);
        }
    }
    Shape shape;
    shape.points.reserve(3 * geometry.points.size());
    for (const Vec3& p : geometry.points) {
        const Vec3 q = extent.unit(p);
        shape.points.insert(shape.points.end(),
                            {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z)});
    }
    shape.corners.reserve(3 * triangles);
    for (const detail::Corners& c : geometry.triangles) shape.corners.insert(shape.corners.end(), c.begin(), c.end());
    return shape;
}

namespace {

/// Where a triangle's border meets a plane, as distances along a direction, from the corners' signed distances to it.
struct Cut {
    Vec3 low, high;
    double from = 0, to = 0;
    bool empty = true;

    Cut(const std::array<Vec3, 3>& corner, const std::array<double, 3>& side, const Vec3& along) {
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            if (side[i] == 0) add(corner[i], along);
            if ((side[i] < 0 && side[j] > 0) || (side[i] > 0 && side[j] < 0))
                add(corner[i] + (corner[j] - corner[i]) * (side[i] / (side[i] - side[j])), along);
        }
    }

private:
    void add(const Vec3& p, const Vec3& along) {
        const double at = dot(p, along);
        if (empty || at < from) low = p, from = at;
        if (empty || at > to) high = p, to = at;
        empty = false;
    }
};

/// Cuts off what of a polygon in t's plane is outside of t (Sutherland and Hodgman 1974).
std::vector<Vec3> clipped(std::vector<Vec3> polygon, const Triangle& t, const Vec3& normal) {
    const std::array corner{t.a, t.b, t.c};
    std::vector<Vec3> kept;
    for (int i = 0; i < 3; ++i) {
        const Vec3 inward = cross(normal, corner[(i + 1) % 3] - corner[i]);
        kept.clear();
        for (std::size_t k = 0; k < polygon.size(); ++k) {
            const Vec3 &p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
            const double at_p = dot(inward, p - corner[i]), at_q = dot(inward, q - corner[i]);
            if (at_p >= 0) kept.push_back(p);
            if ((at_p < 0 && at_q > 0) || (at_p > 0 && at_q < 0)) kept.push_back(p + (q - p) * (at_p / (at_p - at_q)));
        }
        polygon.swap(kept);
    }
    return polygon;
}

}  // namespace

void crossing(const Triangle& s, const Triangle& t, std::vector<Vec3>& ends) {
    constexpr double near = 1e-12;
    const Vec3 ns = cross(s.b - s.a, s.c - s.a), nt = cross(t.b - t.a, t.c - t.a);
    const double size_of_s = length(ns), size_of_t = length(nt);
    if (size_of_s == 0 || size_of_t == 0) return;
    const auto sides = [](const Triangle& of, const Vec3& normal, double size, const Vec3& origin) {
        std::array side{dot(normal, of.a - origin), dot(normal, of.b - origin), dot(normal, of.c - origin)};
        for (double& d : side)
            if (std::abs(d) <= near * size) d = 0;
        return side;
    };
    const std::array side_s = sides(s, nt, size_of_t, t.a), side_t = sides(t, ns, size_of_s, s.a);
    constexpr std::array<double, 3> none{};
    if (side_s == none || side_t == none) {
        const std::vector<Vec3> common = clipped({s.a, s.b, s.c}, t, nt);
        for (std::size_t k = 0; k < common.size() && common.size() > 2; ++k)
            ends.insert(ends.end(), {common[k], common[(k + 1) % common.size()]});
        return;
    }
    const Vec3 along = cross(ns, nt) * (1 / size_of_s) * (1 / size_of_t);
    const Cut of_s({s.a, s.b, s.c}, side_s, along), of_t({t.a, t.b, t.c}, side_t, along);
    if (of_s.empty || of_t.empty || of_s.from > of_t.to || of_t.from > of_s.to) return;
    ends.insert(ends.end(), {of_s.from > of_t.from ? of_s.low : of_t.low, of_s.to < of_t.to ? of_s.high : of_t.high});
}

std::size_t fair_share(std::vector<Share> shares, std::size_t budget) {
    std::ranges::sort(shares, {}, &Share::count);
    std::size_t weight = 0;
    for (const Share& s : shares) weight += s.weight;
    for (const Share& s : shares) {
        // What is left goes to this one and all larger ones alike.
        if (s.count * weight > budget) return std::max<std::size_t>(budget / weight, 1);
        budget -= s.count * s.weight;
        weight -= s.weight;
    }
    return ~std::size_t{0};
}

}  // namespace graze::report
