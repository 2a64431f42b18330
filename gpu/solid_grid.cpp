// SPDX-License-Identifier: Apache-2.0
#include "gpu/solid_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/float_environment.hpp"
#include "solid/solid_data.hpp"
#include "tree/sphere.hpp"

namespace graze::gpu {
namespace {

class GridMaker {
public:
    explicit GridMaker(const Solid& solid) : solid_(solid), model_(solid.model()) {
        // Solids of many triangles are likely to be large, with room for small things.
        cells_ = model_.triangle_count() < 5'000 ? 64 : 192;
    }

    SolidGrid run() {
        if (!solid_.has_inside()) return {};
        const graze::Box bounds = model_.bounds();
        double bound = 0;
        for (int k = 0; k < 3; ++k) bound = std::max({bound, std::abs(bounds.lo()[k]), std::abs(bounds.hi()[k])});
        // Cells are so large that the rounding of a coordinate is next to nothing. The surface is in the inner ones.
        for (int k = 0; k < 3; ++k) {
            cell_[k] = std::max((bounds.hi()[k] - bounds.lo()[k]) / (cells_ - 4), 0x1p-30 * bound);
            lo_[k] = bounds.lo()[k] - 2 * cell_[k];
        }
        rounding_ = 0x1p-51 * (bound / std::min({cell_.x, cell_.y, cell_.z}) + cells_);
        const auto n = static_cast<std::size_t>(cells_);
        out_.cells.assign(n * n * n, none);
        for (std::uint32_t i = 0; i < model_.triangle_count(); ++i) mark(model_.triangle(i));
        for (std::size_t i = 0; i < out_.cells.size(); ++i)
            if (out_.cells[i] == none) fill(i);
        out_.frame = {lo_, {1 / cell_.x, 1 / cell_.y, 1 / cell_.z}, std::min({cell_.x, cell_.y, cell_.z}), cells_};
        return std::move(out_);
    }

private:
    static constexpr CellSide none = static_cast<CellSide>(255);  ///< not known yet
    static constexpr double reach = 0.5 + 0.125 + 0x1p-6;         ///< from a cell's middle, in cells

    std::size_t index(const int (&at)[3]) const {
        const auto [x, y, z] = at;
        return (static_cast<std::size_t>(z) * static_cast<std::size_t>(cells_) + static_cast<std::size_t>(y)) *
                   static_cast<std::size_t>(cells_) +
               static_cast<std::size_t>(x);
    }
    /// The cells along an axis whose middles are within `reach` of [from, to], in cells from the corner.
    std::pair<int, int> range(double from, double to) const {
        const double first = std::ceil(from - reach - 0.5), last = std::floor(to + reach - 0.5);
        return {static_cast<int>(std::clamp<double>(first, 0, cells_)),
                static_cast<int>(std::clamp<double>(last, -1, cells_ - 1))};
    }

    /// Marks the cells that a triangle may be in or close to, column by column along the axis that its plane is
    /// steepest to.
    void mark(const Triangle& t) {
        Vec3 p[3] = {t.a, t.b, t.c};
        for (Vec3& q : p)
            for (int k = 0; k < 3; ++k) q[k] = (q[k] - lo_[k]) / cell_[k];
        const Vec3 n = cross(p[1] - p[0], p[2] - p[0]);
        int k = 0;
        for (int other = 1; other < 3; ++other)
            if (std::abs(n[other]) > std::abs(n[k])) k = other;
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const auto span = [&](int axis) {
            return std::pair(std::min({p[0][axis], p[1][axis], p[2][axis]}),
                             std::max({p[0][axis], p[1][axis], p[2][axis]}));
        };
        const auto [i_lo, i_hi] = span(i);
        const auto [j_lo, j_hi] = span(j);
        const auto [k_lo, k_hi] = span(k);
        const auto [i_first, i_last] = range(i_lo, i_hi);
        const auto [j_first, j_last] = range(j_lo, j_hi);
        // The normal is off by 2^9 times the rounding of a corner. Where that is 2^-15 of it or less, the plane is off
        // by 2^-7 of a cell at most.
        const bool has_plane = std::abs(n[k]) > 0x1p24 * rounding_;
        const double slope_i = n[i] / n[k], slope_j = n[j] / n[k];
        const double spread = (std::abs(slope_i) + std::abs(slope_j)) * reach;
        for (int x = i_first; x <= i_last; ++x)
            for (int y = j_first; y <= j_last; ++y) {
                double from = k_lo, to = k_hi;
                const double middle = p[0][k] - slope_i * (x + 0.5 - p[0][i]) - slope_j * (y + 0.5 - p[0][j]);
                if (has_plane) from = std::max(from, middle - spread), to = std::min(to, middle + spread);
                const auto [first, last] = range(from, to);
                for (int z = first; z <= last; ++z) {
                    int at[3];
                    at[i] = x, at[j] = y, at[k] = z;
                    out_.cells[index(at)] = CellSide::Unsure;
                }
            }
    }

    /// Gives the cells that are joined to one its side: no surface is between them.
    void fill(std::size_t start) {
        std::vector<std::size_t> todo{start};
        const auto n = static_cast<std::size_t>(cells_);
        const auto at = [n](std::size_t i, int k) {
            for (; k > 0; --k) i /= n;
            return static_cast<int>(i % n);
        };
        Vec3 p;
        for (int k = 0; k < 3; ++k) p[k] = lo_[k] + (at(start, k) + 0.5) * cell_[k];
        const Side side = side_of(solid_, p);
        const CellSide known = side == Side::Inside    ? CellSide::Inside
                               : side == Side::Outside ? CellSide::Outside
                                                       : CellSide::Unsure;
        out_.cells[start] = known;
        while (!todo.empty()) {
            const std::size_t cell = todo.back();
            todo.pop_back();
            std::size_t step = 1;
            for (int k = 0; k < 3; ++k, step *= n)
                for (const int way : {-1, 1}) {
                    const int to = at(cell, k) + way;
                    if (to < 0 || to >= cells_) continue;
                    const std::size_t next = way < 0 ? cell - step : cell + step;
                    if (out_.cells[next] != none) continue;
                    out_.cells[next] = known;
                    todo.push_back(next);
                }
        }
    }

    const Solid& solid_;
    const Model& model_;
    Vec3 lo_, cell_;
    int cells_;            ///< per axis
    double rounding_ = 0;  ///< error of a corner's coordinates, in cells
    SolidGrid out_;
};

}  // namespace

SolidGrid make_grid(const Solid& solid) {
    const detail::DefaultFloats floats;
    return GridMaker(solid).run();
}

ShellPoints shells_of(const Solid& solid) {
    const detail::DefaultFloats floats;
    const Model& model = solid.model();
    const detail::Surface& surface = detail::SolidData::of(solid).surface();
    const auto size = [&](const detail::Shell& shell) {
        double out = 0;
        for (std::size_t k = 0; k < 6; k += 2)
            for (int axis = 0; axis < 3; ++axis)
                out = std::max(out, std::abs(model.points()[shell.extremes[k + 1]][axis] -
                                             model.points()[shell.extremes[k]][axis]));
        return out * (1 - 0x1p-40);
    };
    std::vector<std::pair<double, std::uint32_t>> order;
    for (std::uint32_t s = 0; s < surface.shells.size(); ++s) order.emplace_back(size(surface.shells[s]), s);
    std::sort(order.begin(), order.end());
    ShellPoints out;
    for (const auto& [size_of, s] : order) {
        const detail::Shell& shell = surface.shells[s];
        out.sizes.push_back(size_of);
        for (const std::uint32_t i : shell.extremes) out.points.push_back(model.points()[i]);
        out.points.push_back(model.triangle(shell.first).a);
    }
    return out;
}

BoundingBall ball_around(const Model& model) {
    const detail::DefaultFloats floats;
    const graze::Box bounds = model.bounds();
    if (model.triangle_count() == 0) return {};
    const Vec3 middle = (bounds.lo() + bounds.hi()) * 0.5;
    double unit = 0;
    for (int k = 0; k < 3; ++k) unit = std::max(unit, bounds.hi()[k] - bounds.lo()[k]);
    // Bounds the rounding of a corner's distance.
    const auto sum = [](const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); };
    const double slack = 0x1p-49 * (sum(bounds.lo()) + sum(bounds.hi()));
    if (unit == 0) return {middle, slack};
    std::vector<Vec3> corners;
    for (std::uint32_t i = 0; i < model.triangle_count(); ++i) {
        const Triangle t = model.triangle(i);
        for (const Vec3& p : {t.a, t.b, t.c}) corners.push_back((p - middle) * (1 / unit));
    }
    const detail::Sphere small = detail::Sphere::around(corners, {});
    double farthest = 0;
    const Vec3 centre = middle + small.centre * unit;
    for (const Vec3& p : corners) farthest = std::max(farthest, length(p - small.centre));
    return {centre, unit * farthest * (1 + 0x1p-40) + slack};
}

}  // namespace graze::gpu
