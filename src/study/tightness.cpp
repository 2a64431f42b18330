// SPDX-License-Identifier: Apache-2.0
#include "graze/tightness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

#include "model/any_view.hpp"
#include "tree/qhull.hpp"

namespace graze {
namespace detail {
namespace {

double square(const Vec3& v) { return dot(v, v); }

/// Squared, of p from the nearest point of the triangle (Ericson 2005, section 5.1.5).
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

/// A point w of the volume near a point p of its box, and how far from w the volume's points within r of p are.
struct Inside {
    Vec3 point;
    double reach;  ///< negative when there are none
};

template <class Bv>
Inside inside(const Bv& volume, const Vec3& p, double r) {
    if constexpr (requires { volume.nearest(p); }) {
        // The nearest point of a convex set makes an angle of no less than 90 degrees between p and its other
        // points. It is known to 2^-45.
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
    // Two points are no further apart than their distances from the mean together.
    std::vector<double> from_mean;
    std::ranges::sort(points, [&](const Vec3& p, const Vec3& q) { return square(p - mean) > square(q - mean); });
    for (const Vec3& p : points) from_mean.push_back(length(p - mean));
    double best = 0;
    for (std::size_t i = 0; i < points.size() && 2 * from_mean[i] > best; ++i)
        for (std::size_t j = i + 1; j < points.size() && from_mean[i] + from_mean[j] > best; ++j)
            if (square(points[i] - points[j]) > best * best) best = length(points[i] - points[j]);
    return best;
}

class Study {
public:
    Study(const ModelData& model, double accuracy) : model_(model), view_(model), accuracy_(accuracy) {
        for (std::uint32_t i = 0; i < model.geometry.triangles.size(); ++i) {
            const Triangle t = model.geometry.triangle(i);
            triangles_.push_back({view_.frame.local(t.a), view_.frame.local(t.b), view_.frame.local(t.c)});
        }
    }

    std::vector<std::uint32_t> level(unsigned wanted) const {
        std::vector<std::uint32_t> nodes, next;
        if (!view_.empty()) nodes.push_back(view_.root());
        for (unsigned i = 0; i < wanted; ++i) {
            next.clear();
            for (const std::uint32_t n : nodes)
                if (!view_.leaf(n))
                    for (const std::uint32_t child : view_.children(n)) next.push_back(child);
            nodes.swap(next);
        }
        return nodes;
    }

    NodeTightness operator()(std::uint32_t node) {
        NodeTightness out;
        std::vector<Vec3> points;
        std::vector<std::uint32_t> stack{node};
        while (!stack.empty()) {
            const std::uint32_t n = stack.back();
            stack.pop_back();
            if (view_.leaf(n)) {
                for (const std::uint32_t i : view_.triangles(n))
                    points.insert(points.end(), {triangles_[i].a, triangles_[i].b, triangles_[i].c}), ++out.triangles;
            } else {
                for (const std::uint32_t child : view_.children(n)) stack.push_back(child);
            }
        }
        const double d = diameter(std::move(points));
        const double tolerance = std::max(accuracy_ * d, 0x1p-40);
        const auto whole = [&](double x) { return std::ldexp(x, view_.frame.exponent); };
        out.diameter = whole(d);
        const auto study = [&](const auto& volume, const Obb& box) {
            out.tightness = whole(greatest(volume, box, node, tolerance));
            out.off_surface = whole(greatest(volume, box, view_.root(), tolerance));
        };
        if (model_.is_wide())
            study(view_.volume(node), view_.volume(node));
        else
            std::visit([&](const auto& tree) { study(tree.volume(node), tree.volume(node).box()); }, model_.binary);
        return out;
    }

private:
    /// A part of the volume's box, along the box's axes.
    struct Cell {
        Vec3 centre, half;
        double bound;         // of the distance, all over the cell
        std::uint32_t guess;  // the triangle nearest to its centre

        bool operator<(const Cell& o) const { return bound < o.bound; }
    };

    struct Nearest {
        double distance;
        std::uint32_t triangle;
    };

    double distance(const Vec3& p, const Obb& box) const {
        const Vec3 q = box.axes * (p - box.centre);
        Vec3 out;
        for (int i = 0; i < 3; ++i) out[i] = std::max(0.0, std::abs(q[i]) - box.half[i]);
        return length(out);
    }

    /// The nearest triangle below a node, or the first one found no further than `enough`.
    Nearest nearest(const Vec3& p, std::uint32_t node, std::uint32_t guess, double enough) {
        Nearest best{std::sqrt(squared_distance(p, triangles_[guess])), guess};
        stack_.assign(1, {node, 0});
        while (!stack_.empty() && best.distance > enough) {
            const auto [n, near] = stack_.back();
            stack_.pop_back();
            if (near >= best.distance) continue;
            if (view_.leaf(n)) {
                for (const std::uint32_t i : view_.triangles(n)) {
                    const double d = std::sqrt(squared_distance(p, triangles_[i]));
                    if (d < best.distance) best = {d, i};
                }
                continue;
            }
            const std::size_t first = stack_.size();
            for (const std::uint32_t child : view_.children(n))
                if (const double d = distance(p, view_.volume(child)); d < best.distance) stack_.push_back({child, d});
            std::sort(stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end(),
                      [](const Open& a, const Open& b) { return a.near > b.near; });
        }
        return best;
    }

    /// The greatest distance of a point of the volume from the triangles below `node`: branch and bound over cells
    /// of its box. Over a cell the distance is at most that of one of the volume's points and how far others are from
    /// it, and at most the greatest distance of the cell's corners from any one triangle, to which the distance is
    /// convex.
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
            // A point that makes no new best, of a cell that holds none, need not be known better.
            const Nearest found = nearest(in.point, node, guess, std::min(best, best + tolerance - in.reach));
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
        // The corners first: the greatest distance is often there.
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

    struct Open {
        std::uint32_t node;
        double near;
    };

    const ModelData& model_;
    AnyView view_;
    double accuracy_;
    std::vector<Triangle> triangles_;  // in the tree's frame
    std::vector<Open> stack_;
};

}  // namespace
}  // namespace detail

std::vector<NodeTightness> tightness(const Model& model, unsigned level, double accuracy) {
    detail::Study study(model.data(), accuracy);
    std::vector<NodeTightness> out;
    for (const std::uint32_t node : study.level(level)) out.push_back(study(node));
    return out;
}

}  // namespace graze
