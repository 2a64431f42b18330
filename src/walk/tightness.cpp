// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

#include "base/float_environment.hpp"
#include "graze/tree.hpp"
#include "model/access.hpp"
#include "model/any_view.hpp"
#include "tree/qhull.hpp"
#include "walk/tree_walk.hpp"

namespace graze {
namespace detail {
namespace {

double square(const Vec3& v) { return dot(v, v); }

/// Squared distance of p from the nearest point of the triangle (Ericson 2005, section 5.1.5).
double squared_distance(const Vec3& p, const Triangle& t) {
    const Vec3 ab = t.b - t.a, ac = t.c - t.a, ap = p - t.a;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return square(ap);
    const Vec3 bp = p - t.b;
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return square(bp);
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return square(ap - ab * (d1 / (d1 - d3)));
    const Vec3 cp = p - t.c;
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return square(cp);
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return square(ap - ac * (d2 / (d2 - d6)));
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return square(bp - (t.c - t.b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))));
    const double sum = va + vb + vc;
    return square(ap - ab * (vb / sum) - ac * (vc / sum));
}

/// A point w of the volume near a point p of its box, and a bound of the distance from w to the volume's points within
/// r of p.
struct Inside {
    Vec3 point;
    double reach;  ///< negative when there are no such points
};

template <class Bv>
Inside inside(const Bv& volume, const Vec3& p, double r) {
    if constexpr (requires { volume.nearest(p); }) {
        // The nearest point of a convex set sees p and any other point of the set at an angle of at least 90 degrees.
        // It is known to 2^-45.
        const Vec3 w = volume.nearest(p);
        const double out = std::max(0.0, length(w - p) - 0x1p-45);
        return {w, out > r ? -1 : std::sqrt(r * r - out * out) + 0x1p-45};
    } else {
        return {p, r};
    }
}

double diameter(std::vector<Vec3> points) {
    if (points.size() > 64)
        if (HullMesh hull = convex_hull(points); !hull.vertices.empty()) points = std::move(hull.vertices);
    Vec3 mean;
    for (const Vec3& p : points) mean = mean + p * (1 / static_cast<double>(points.size()));
    // Two points are no further apart than the sum of their distances from the mean.
    std::vector<double> from_mean;
    std::ranges::sort(points, [&](const Vec3& p, const Vec3& q) { return square(p - mean) > square(q - mean); });
    for (const Vec3& p : points) from_mean.push_back(length(p - mean));
    double best = 0;
    for (std::size_t i = 0; i < points.size() && 2 * from_mean[i] > best; ++i)
        for (std::size_t j = i + 1; j < points.size() && from_mean[i] + from_mean[j] > best; ++j)
            if (square(points[i] - points[j]) > best * best) best = length(points[i] - points[j]);
    return best;
}

/// A visitor that collects the corners of all triangles.
struct CornersBelow {
    struct Task {
        std::uint32_t node;
    };
    static constexpr bool nearest_first = false;

    const std::vector<Triangle>& triangles;
    std::vector<Vec3> points{};

    static constexpr double limit() { return 0; }
    static double bound(const Task&, std::uint32_t child, Task& next) {
        next.node = child;
        return 0;
    }
    Step leaf(const Task&, std::span<const std::uint32_t> in) {
        for (const std::uint32_t i : in) points.insert(points.end(), {triangles[i].a, triangles[i].b, triangles[i].c});
        return Step::Continue;
    }
};

/// A visitor that looks for the triangle nearest to a point, or for any that is near enough.
class NearestTriangle {
public:
    struct Task {
        double bound;
        std::uint32_t node;
    };
    static constexpr bool nearest_first = true;

    double distance;
    std::uint32_t triangle;

    NearestTriangle(const AnyView& view, const std::vector<Triangle>& triangles, const Vec3& p, std::uint32_t guess,
                    double enough)
        : view_(view), triangles_(triangles), p_(p), enough_(enough) {
        take(std::sqrt(squared_distance(p, triangles[guess])), guess);
    }

    double limit() const { return limit_; }
    double bound(const Task&, std::uint32_t child, Task& next) const {
        const Obb box = view_.volume(child);
        const Vec3 q = box.axes * (p_ - box.centre);
        Vec3 out;
        for (int i = 0; i < 3; ++i) out[i] = std::max(0.0, std::abs(q[i]) - box.half[i]);
        next = {length(out), child};
        return next.bound;
    }
    Step leaf(const Task&, std::span<const std::uint32_t> in) {
        for (const std::uint32_t i : in)
            if (const double d = std::sqrt(squared_distance(p_, triangles_[i])); d < distance) take(d, i);
        return distance > enough_ ? Step::Continue : Step::Stop;
    }

private:
    void take(double d, std::uint32_t i) {
        distance = d;
        triangle = i;
        limit_ = std::nextafter(d, -1.0);  // a triangle that is equally far is no better
    }

    const AnyView& view_;
    const std::vector<Triangle>& triangles_;
    Vec3 p_;
    double enough_, limit_;
};

class TightnessSearch {
public:
    TightnessSearch(const ModelData& model, double accuracy) : model_(model), view_(model), accuracy_(accuracy) {
        for (std::uint32_t i = 0; i < model.geometry.triangles.size(); ++i) {
            const Triangle t = model.geometry.triangle(i);
            triangles_.push_back({view_.frame.local(t.a), view_.frame.local(t.b), view_.frame.local(t.c)});
        }
    }

    std::vector<std::uint32_t> level(unsigned wanted) const {
        std::vector<std::uint32_t> nodes;
        if (!view_.empty()) nodes.push_back(view_.root());
        for (unsigned i = 0; i < wanted; ++i) next_level(view_, nodes, false);
        return nodes;
    }

    NodeTightness operator()(std::uint32_t node) {
        NodeTightness out;
        CornersBelow corners{triangles_};
        std::vector<CornersBelow::Task> stack{{node}};
        walk_tree(view_, stack, corners);
        out.triangles = static_cast<std::uint32_t>(corners.points.size() / 3);
        const double d = diameter(std::move(corners.points));
        const double tolerance = std::max(accuracy_ * d, 0x1p-40);
        const auto whole = [&](double x) { return std::ldexp(x, view_.frame.exponent); };
        out.diameter = whole(d);
        const auto measure = [&](const auto& volume, const Obb& box) {
            out.tightness = whole(greatest(volume, box, node, tolerance));
            out.off_surface = whole(greatest(volume, box, view_.root(), tolerance));
        };
        if (model_.is_wide())
            measure(view_.volume(node), view_.volume(node));
        else
            std::visit([&](const auto& tree) { measure(tree.volume(node), tree.volume(node).box()); }, model_.binary);
        return out;
    }

private:
    /// A part of the volume's box, along the box's axes.
    struct Cell {
        Vec3 centre, half;
        double bound;         // bound of the distance over the whole cell
        std::uint32_t guess;  // triangle nearest to the cell's centre

        bool operator<(const Cell& o) const { return bound < o.bound; }
    };

    /// The nearest triangle below a node, or the first one found no further than `enough`.
    NearestTriangle nearest(const Vec3& p, std::uint32_t node, std::uint32_t guess, double enough) {
        NearestTriangle best(view_, triangles_, p, guess, enough);
        stack_.assign(1, {0, node});
        if (best.distance > enough) walk_tree(view_, stack_, best);
        return best;
    }

    /// The greatest distance of a point of the volume from the triangles below `node`, by branch and bound over cells
    /// of its box. There are two bounds of the distance over a cell: the distance of one point of the volume plus how
    /// far others are from that point, and the greatest distance of the cell's corners from any one triangle, because
    /// the distance from a triangle is convex.
    template <class Bv>
    double greatest(const Bv& volume, const Obb& box, std::uint32_t node, double tolerance) {
        const auto point = [&](const Vec3& q) {
            return box.centre + box.axes.row[0] * q.x + box.axes.row[1] * q.y + box.axes.row[2] * q.z;
        };
        const auto corner = [](const Vec3& half, int k) {
            return Vec3{k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
        };
        double best = 0;
        std::priority_queue<Cell> cells;
        const auto add = [&](const Vec3& centre, const Vec3& half, std::uint32_t guess) {
            const Inside in = inside(volume, point(centre), length(half));
            if (in.reach < 0) return;
            // A point that cannot be a new best, in a cell that cannot hold one, need not be computed more precisely.
            const NearestTriangle found = nearest(in.point, node, guess, std::min(best, best + tolerance - in.reach));
            best = std::max(best, found.distance);
            double furthest = 0;
            for (int k = 0; k < 8; ++k)
                furthest =
                    std::max(furthest, squared_distance(point(centre + corner(half, k)), triangles_[found.triangle]));
            const double bound = std::min(found.distance + in.reach, std::sqrt(furthest));
            if (bound > best + tolerance) cells.push({centre, half, bound, found.triangle});
        };

        std::uint32_t n = node;
        while (!view_.leaf(n)) n = *view_.children(n).begin();
        const std::uint32_t any = view_.triangles(n)[0];
        // The corners come first, because the greatest distance is often there.
        for (int k = 0; k < 8; ++k) add(corner(box.half, k), {}, any);
        add({}, box.half, any);
        while (!cells.empty() && cells.top().bound > best + tolerance) {
            const Cell cell = cells.top();
            cells.pop();
            const Vec3& h = cell.half;
            const int longest = h.x >= h.y && h.x >= h.z ? 0 : h.y >= h.z ? 1 : 2;
            Vec3 half = h, offset;
            half[longest] /= 2;
            offset[longest] = half[longest];
            add(cell.centre - offset, half, cell.guess);
            add(cell.centre + offset, half, cell.guess);
        }
        return best;
    }

    const ModelData& model_;
    AnyView view_;
    double accuracy_;
    std::vector<Triangle> triangles_;  // in the tree's frame
    std::vector<NearestTriangle::Task> stack_;
};

}  // namespace
}  // namespace detail

std::vector<NodeTightness> node_tightness(const Model& model, unsigned level, double accuracy) {
    const detail::DefaultFloats floats;
    detail::TightnessSearch tightness_of(detail::Access::data(model), accuracy);
    std::vector<NodeTightness> out;
    for (const std::uint32_t node : tightness_of.level(level)) out.push_back(tightness_of(node));
    return out;
}

}  // namespace graze
