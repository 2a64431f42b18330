// SPDX-License-Identifier: Apache-2.0
#include "shape.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace graze::report {

namespace {

/// Indices of a triangle's corners.
using Corners = std::array<std::uint32_t, 3>;

/// Numbers the occupied cells of a grid over [-1, 1]³ in the order of their first point. Cells lie in a table with
/// open addressing, at most half full.
class Grid {
public:
    Grid(float cells, std::size_t expected) : cells_(cells), slots_(std::bit_ceil(2 * expected + 64)) {}

    std::uint32_t number(const float* q) {
        const std::uint64_t key = (cell(q[0]) << 42 | cell(q[1]) << 21 | cell(q[2])) + 1;
        Slot& slot = find(key);
        if (slot.key == key) return slot.number;
        slot = {key, count_++};
        if (2 * count_ > slots_.size()) grow();
        return count_ - 1;
    }
    std::uint32_t count() const { return count_; }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t number = 0;
    };
    std::uint64_t cell(float x) const {
        return static_cast<std::uint64_t>(std::clamp((x + 1) / 2 * cells_, 0.0f, cells_ - 1));
    }
    Slot& find(std::uint64_t key) {
        std::size_t at = (key * 0x9e3779b97f4a7c15u >> 32) & (slots_.size() - 1);
        while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
        return slots_[at];
    }
    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& s : old)
            if (s.key != 0) find(s.key) = s;
    }

    float cells_;
    std::vector<Slot> slots_;
    std::uint32_t count_ = 0;
};

std::vector<float> in_units(std::span<const Vec3> points, const Extent& extent) {
    std::vector<float> out(3 * points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 q = extent.unit(points[i]);
        for (int k = 0; k < 3; ++k) out[3 * i + k] = static_cast<float>(q[k]);
    }
    return out;
}

/// The area of the triangles, estimated from a sample of them.
double area(std::span<const Corners> triangles, const std::vector<float>& points) {
    // An odd step, since meshes often repeat after an even number.
    const std::size_t step = triangles.size() / 1024 | 1;
    double sum = 0;
    for (std::size_t i = 0; i < triangles.size(); i += step) {
        const auto point = [&](std::uint32_t p) { return Vec3{points[3 * p], points[3 * p + 1], points[3 * p + 2]}; };
        const auto& [a, b, c] = triangles[i];
        sum += length(cross(point(b) - point(a), point(c) - point(a))) / 2;
    }
    return sum * static_cast<double>(step);
}

/// The shape with its points merged on a grid of this many cells along the longest edge.
Shape merged(std::span<const Corners> triangles, const std::vector<float>& points, double cells, std::size_t most) {
    const std::size_t n = points.size() / 3;
    // A closed surface has half as many points as triangles.
    Grid grid(static_cast<float>(cells), std::min(n, most));
    std::vector<std::uint32_t> cell_of(n);
    for (std::size_t i = 0; i < n; ++i) cell_of[i] = grid.number(&points[3 * i]);

    // The point of a cell that is nearest to their mean stays. It is a point of the model, so edges stay sharp.
    struct Cell {
        float mean[3] = {};
        float weight = 0, best = 16;
    };
    std::vector<Cell> cell(grid.count());
    for (std::size_t i = 0; i < n; ++i) {
        Cell& c = cell[cell_of[i]];
        for (int k = 0; k < 3; ++k) c.mean[k] += points[3 * i + k];
        c.weight += 1;
    }
    for (Cell& c : cell)
        for (float& x : c.mean) x /= c.weight;
    Shape shape;
    shape.points.resize(3 * cell.size());
    for (std::size_t i = 0; i < n; ++i) {
        Cell& c = cell[cell_of[i]];
        float off = 0;
        for (int k = 0; k < 3; ++k) off += (points[3 * i + k] - c.mean[k]) * (points[3 * i + k] - c.mean[k]);
        if (off >= c.best) continue;
        c.best = off;
        for (int k = 0; k < 3; ++k) shape.points[3 * cell_of[i] + k] = points[3 * i + k];
    }
    for (const Corners& t : triangles) {
        const std::uint32_t a = cell_of[t[0]], b = cell_of[t[1]], c = cell_of[t[2]];
        if (a != b && b != c && c != a) shape.corners.insert(shape.corners.end(), {a, b, c});
    }
    shape.merged_into = std::move(cell_of);
    return shape;
}

}  // namespace

Extent Extent::of(const Bounds& bounds) {
    Extent e;
    if (bounds.empty()) return e;
    e.half = bounds.half();
    e.centre = bounds.hi - e.half;
    const double largest = std::max({e.half.x, e.half.y, e.half.z});
    if (largest > 0) e.size = largest;
    return e;
}

Extent Extent::around(std::span<const Vec3> points) {
    Bounds bounds;
    for (const Vec3& p : points) bounds.add(p);
    return of(bounds);
}

Shape shape_of(const Model& model, const Extent& extent, std::size_t most) {
    const std::span<const Corners> triangles = model.triangles();
    std::vector<float> points = in_units(model.points(), extent);
    if (triangles.size() <= most) {
        Shape shape{.points = std::move(points), .corners = {}};
        shape.corners.reserve(3 * triangles.size());
        for (const Corners& c : triangles) shape.corners.insert(shape.corners.end(), c.begin(), c.end());
        return shape;
    }
    // A surface that is cut finer than the cells gives about three triangles for each cell-sized square of it.
    const double target = static_cast<double>(most);
    double cells = std::clamp(2 * std::sqrt(target / std::max(3 * area(triangles, points), 1e-12)), 1.0, 0x1p20);
    for (int tries = 0;; ++tries) {
        Shape shape = merged(triangles, points, cells, most);
        const double got = static_cast<double>(shape.triangle_count());
        const bool fits = shape.triangle_count() <= most;
        if (fits && (got > 0.6 * target || tries >= 2)) return shape;
        if (cells <= 1) return shape;
        cells *= got > 0 ? std::clamp(std::sqrt(0.9 * target / got), 0.125, 8.0) : 2;
        // After some tries the grid gets coarser each time. This ends at one cell, which has no triangles.
        cells = std::clamp(tries >= 2 ? cells * 0.8 : cells, 1.0, 0x1p20);
    }
}

std::size_t fair_share(std::vector<Share> shares, std::size_t budget) {
    std::ranges::sort(shares, {}, &Share::count);
    std::size_t weight = 0;
    for (const Share& s : shares) weight += s.weight;
    for (const Share& s : shares) {
        // The rest of the budget is shared evenly by this one and all larger ones.
        if (s.count * weight > budget) return std::max<std::size_t>(budget / weight, 1);
        budget -= s.count * s.weight;
        weight -= s.weight;
    }
    return ~std::size_t{0};
}

}  // namespace graze::report
