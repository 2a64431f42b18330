// SPDX-License-Identifier: Apache-2.0
#include "solid/contact_books.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "exact/perturbed.hpp"
#include "exact/triangle_cases.hpp"
#include "solid/place.hpp"
#include "solid/round.hpp"

namespace graze::detail {

namespace {

/// A place on an edge: a point of it, or where another edge crosses it.
struct EdgePlace {
    Vec3 u, v;       ///< the point, or the other edge's ends in ascending order
    int axis = -1;   ///< the two edges cross as seen along this axis; -1 for a point
    double at = 0;   ///< from 0 at the edge's start to 1 at its end, about
    double off = 0;  ///< `at` is off by less
};

/// An edge, with the order of places on it.
struct Edge {
    Vec3 p, q;

    Edge(const Vec3& start, const Vec3& end) : p(start), q(end) {
        const Vec3 way = q - p;
        for (int d = 1; d < 3; ++d)
            if (std::abs(way[d]) > std::abs(way[along_])) along_ = d;
    }

    /// False when the boxes tell that the triangle holds no part of the edge, or only a point.
    bool near(const Triangle& t) const {
        for (int d = 0; d < 3; ++d) {
            const auto [low, high] = std::minmax({t.a[d], t.b[d], t.c[d]});
            const auto [start, end] = std::minmax({p[d], q[d]});
            if (low > end || start > high || (d == along_ && (low == end || start == high))) return false;
        }
        return true;
    }

    EdgePlace point(const Vec3& w) const {
        // Two differences and a quotient are off by one rounding each.
        const double at = (w[along_] - p[along_]) / (q[along_] - p[along_]);
        return {w, w, -1, at, std::abs(at) < 2 ? 8 * half_ulp : infinity};
    }

    /// The edge's ends lie on opposite sides of the line through u and v, as seen along the axis.
    EdgePlace crossing(const Vec3& u, const Vec3& v, int axis) const {
        EdgePlace out{u, v, axis, 0, infinity};
        if (before(v, u)) std::swap(out.u, out.v);
        const Vec2 p2 = project(p, axis), q2 = project(q, axis), u2 = project(u, axis), v2 = project(v, axis);
        const double ux = v2.x - u2.x, uy = v2.y - u2.y;
        // `cross_sign` explains the bounds of a determinant.
        const double p_left = ux * (p2.y - u2.y), p_right = uy * (p2.x - u2.x);
        const double q_left = ux * (q2.y - u2.y), q_right = uy * (q2.x - u2.x);
        const double at_p = p_left - p_right, at_q = q_left - q_right, whole = std::abs(at_p) + std::abs(at_q);
        const double size_p = std::abs(p_left) + std::abs(p_right), size_q = std::abs(q_left) + std::abs(q_right);
        if (!(std::min(size_p, size_q) > filter_min && std::max(size_p, size_q) < filter_max)) return out;
        const double error = 5 * half_ulp * (size_p + size_q);
        if (!(error < whole / 8)) return out;
        out.at = std::abs(at_p) / whole;
        out.off = 2 * error / whole + 8 * half_ulp;
        return out;
    }

    int order(const EdgePlace& x, const EdgePlace& y) const {
        if (x.at - y.at > x.off + y.off) return 1;
        if (y.at - x.at > x.off + y.off) return -1;
        if (x.axis < 0 && y.axis < 0) {
            const double s = x.u[along_], t = y.u[along_];
            return s == t ? 0 : (s < t) == (p[along_] < q[along_]) ? -1 : 1;
        }
        // Two triangles at an edge are crossed in one place.
        if (x.axis >= 0 && y.axis >= 0 && x.u == y.u && x.v == y.v) return 0;
        return compare(exact(x), exact(y));
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    Place exact(const EdgePlace& x) const {
        if (x.axis < 0) return {Dyadic(x.u[along_]) - p[along_], Dyadic(q[along_]) - p[along_]};
        const Dyadic at_p = orient_along_dyadic(x.axis, x.u, x.v, p);
        return {at_p, at_p - orient_along_dyadic(x.axis, x.u, x.v, q)};
    }

    int along_ = 0;
};

/// A half-plane that ends in the line of the edge.
struct HalfPlane {
    Vec3 r;        ///< a point of it off the line
    int jump = 0;  ///< change of the winding number when one turns past it, counter-clockwise around the edge
};

/// A triangle in whose plane the edge lies, where it holds a part of the edge.
struct Cover {
    int model = 0;
    std::uint32_t shell = 0;
    EdgePlace from, to;
    std::size_t first = 0, last = 0;  ///< `from` and `to` among all places on the edge
    HalfPlane half[2];
    int halves = 0;
    int same = -1;  ///< the triangle's edge from this corner is the whole edge
};

/// Finds the part of the edge in the triangle. False when it is a point, or nothing. `faces` is 1 when the triangle's
/// corners turn as its shell faces.
bool covers(const Edge& e, const Triangle& t, int faces, Cover& out) {
    const Vec3* c[] = {&t.a, &t.b, &t.c};
    const auto [axis, turn] = view(t.a, t.b, t.c);
    if (turn == 0) return false;
    out.from = e.point(e.p);
    out.to = e.point(e.q);
    for (int k = 0; k < 3; ++k) {
        const Vec3 &u = *c[k], &v = *c[(k + 1) % 3];
        const bool along = u == e.p && v == e.q;
        if (!along && !(u == e.q && v == e.p)) continue;
        out.half[out.halves++] = {*c[(k + 2) % 3], along ? -faces : faces};
        out.same = k;
        return true;
    }
    bool used_exact = false;
    const Plane plane(t.a, t.b, t.c);
    if (plane.side(e.p, used_exact) != 0 || plane.side(e.q, used_exact) != 0) return false;
    int side[3];
    for (int k = 0; k < 3; ++k) side[k] = orient_along(axis, e.p, e.q, *c[k]);
    // The line passes the triangle, or runs along an edge of it.
    if (!triangle_cases::straddles({side[0], side[1], side[2]}) && (side[0] == 0) + (side[1] == 0) + (side[2] == 0) < 2)
        return false;
    for (int k = 0; k < 3; ++k) {
        const int next = (k + 1) % 3;
        const Vec3 &u = *c[k], &v = *c[next];
        // An edge that does not come to the line, or runs along it, does not bound the part.
        if (side[k] * side[next] > 0 || (side[k] == 0 && side[next] == 0)) continue;
        const int at_p = turn * orient_along(axis, u, v, e.p), at_q = turn * orient_along(axis, u, v, e.q);
        if (at_p <= 0 && at_q <= 0) return false;
        if (at_p >= 0 && at_q >= 0) continue;
        const EdgePlace place = side[k] == 0 ? e.point(u) : side[next] == 0 ? e.point(v) : e.crossing(u, v, axis);
        if (at_p < 0 && e.order(out.from, place) < 0) out.from = place;
        if (at_q < 0 && e.order(place, out.to) < 0) out.to = place;
    }
    if (e.order(out.from, out.to) >= 0) return false;
    for (const int wanted : {1, -1})
        for (int k = 0; k < 3; ++k)
            if (side[k] == wanted) {
                out.half[out.halves++] = {*c[k], -wanted * turn * faces};
                break;
            }
    return true;
}

class Reader {
public:
    Reader(const Placed& a, const Placed& b, std::vector<TrianglePair> met, std::vector<bool> (&along)[2])
        : models_{&a, &b}, along_(along) {
        std::erase_if(met, [&](const TrianglePair& pair) { return !counts(0, pair.a) || !counts(1, pair.b); });
        for (int x = 0; x < 2; ++x) {
            const std::size_t n = models_[x]->surface.shell_of.size();
            along_[x].assign(models_[x]->surface.shells.size(), false);
            first_[x].assign(n + 1, 0);
            points_[x].reserve(models_[x]->model.point_count());
            for (std::uint32_t i = 0; i < models_[x]->model.point_count(); ++i)
                points_[x].push_back(models_[x]->point(i));
            for (const TrianglePair& pair : met) ++first_[x][(x == 0 ? pair.a : pair.b) + 1];
            std::partial_sum(first_[x].begin(), first_[x].end(), first_[x].begin());
            others_[x].resize(met.size());
        }
        read_.resize(b.surface.edges);
        // Put in place in the order of A's triangles, those of B have theirs in ascending order, and then the other way
        // round.
        std::vector<std::uint32_t> next(first_[0].begin(), first_[0].end() - 1);
        for (const TrianglePair& pair : met) others_[0][next[pair.a]++] = pair.b;
        for (int x = 1; x >= 0; --x) {
            next.assign(first_[x].begin(), first_[x].end() - 1);
            for (std::uint32_t t = 0; t + 1 < first_[1 - x].size(); ++t)
                for (const std::uint32_t other : partners(1 - x, t)) others_[x][next[other]++] = t;
        }
    }

    Seen read() {
        for (int x = 0; x < 2; ++x)
            for (std::uint32_t t = 0; t + 1 < first_[x].size() && !seen_.complete(); ++t) {
                const std::span<const std::uint32_t> others = partners(x, t);
                if (others.empty()) continue;
                const Triangle corners = triangle(x, t);
                const Vec3* c[] = {&corners.a, &corners.b, &corners.c, &corners.a};
                for (int k = 0; k < 3; ++k)
                    // Each edge once: who meets it along a segment meets all of its triangles.
                    if (const std::uint32_t edge = models_[x]->surface.edge_of[t][k];
                        edge != no_shell && models_[x]->surface.first_of_edge[edge] == t && !(x == 1 && read_[edge]))
                        read_edge(x, {*c[k], *c[k + 1]}, others);
            }
        return seen_;
    }

private:
    bool counts(int x, std::uint32_t t) const {
        const Surface& surface = models_[x]->surface;
        return surface.shell_of[t] != no_shell && !surface.degenerate[t];
    }

    Triangle triangle(int x, std::uint32_t t) const {
        const auto& c = models_[x]->surface.corners[t];
        return {points_[x][c[0]], points_[x][c[1]], points_[x][c[2]]};
    }

    /// The other model's triangles that meet triangle t of model x, in ascending order.
    std::span<const std::uint32_t> partners(int x, std::uint32_t t) const {
        return std::span(others_[x]).subspan(first_[x][t], first_[x][t + 1] - first_[x][t]);
    }

    bool add_cover(int x, std::uint32_t t, const Edge& e) {
        const Triangle corners = triangle(x, t);
        if (!e.near(corners)) return false;
        Cover& cover = covers_.emplace_back();
        if (!covers(e, corners, models_[x]->turn(t), cover)) {
            covers_.pop_back();
            return false;
        }
        cover.model = x;
        cover.shell = models_[x]->surface.shell_of[t];
        return true;
    }

    /// Looks at an edge of model x, where `others` are the other model's triangles that meet a triangle at the edge.
    void read_edge(int x, const Edge& e, std::span<const std::uint32_t> others) {
        covers_.clear();
        own_.clear();
        for (const std::uint32_t other : others)
            if (add_cover(1 - x, other, e)) {
                if (const int same = covers_.back().same; x == 0 && same >= 0)
                    if (const std::uint32_t edge = models_[1]->surface.edge_of[other][same]; edge != no_shell)
                        read_[edge] = true;
                const std::span<const std::uint32_t> also = partners(1 - x, other);
                own_.insert(own_.end(), also.begin(), also.end());
            }
        if (covers_.empty()) return;
        std::ranges::sort(own_);
        own_.erase(std::ranges::unique(own_).begin(), own_.end());
        for (const std::uint32_t t : own_) add_cover(x, t, e);

        places_.clear();
        for (Cover& cover : covers_) {
            places_.emplace_back(&cover.from, &cover.first);
            places_.emplace_back(&cover.to, &cover.last);
        }
        std::ranges::sort(places_, [&](const auto& u, const auto& v) { return e.order(*u.first, *v.first) < 0; });
        std::size_t place = 0;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (i > 0 && e.order(*places_[i - 1].first, *places_[i].first) < 0) ++place;
            *places_[i].second = place;
        }
        for (std::size_t i = 0; i < place; ++i) read_book(e, i);
    }

    struct Leaf {
        HalfPlane half;
        const Cover* cover;
        int quarter = 0;
    };

    /// Looks at what lies around the edge between a place and the next.
    void read_book(const Edge& e, std::size_t place) {
        leaves_.clear();
        bool of[2] = {};
        for (const Cover& cover : covers_) {
            if (cover.first > place || cover.last <= place) continue;
            of[cover.model] = true;
            for (int i = 0; i < cover.halves; ++i) leaves_.push_back({cover.half[i], &cover, 0});
        }
        if (!of[0] || !of[1]) return;
        const Vec3 first = leaves_[0].half.r;
        const Round round(e.p, e.q, first);
        for (Leaf& leaf : leaves_) leaf.quarter = round.quarter(leaf.half.r);
        const auto earlier = [&](const Leaf& u, const Leaf& v) {
            return round.before(u.half.r, u.quarter, v.half.r, v.quarter);
        };
        std::ranges::sort(leaves_, earlier);
        group_.clear();
        for (std::size_t i = 0; i < leaves_.size(); ++i)
            group_.push_back(i == 0 ? 0 : group_.back() + earlier(leaves_[i - 1], leaves_[i]));
        const std::size_t sectors = group_.back() + 1;
        for (int x = 0; x < 2; ++x) wind(x, sectors);
        for (std::size_t s = 0; s < sectors; ++s) seen_.add(winding_[0][s] != 0, winding_[1][s] != 0);
        for (std::size_t i = 0; i < leaves_.size(); ++i) add_leaf(i);
    }

    /// The winding number of model x in each sector; sector s follows group s.
    void wind(int x, std::size_t sectors) {
        const Surface& surface = models_[x]->surface;
        shells_.clear();
        for (const Leaf& leaf : leaves_)
            if (leaf.cover->model == x && std::ranges::find(shells_, leaf.cover->shell) == shells_.end())
                shells_.push_back(leaf.cover->shell);
        winding_[x].assign(sectors, 0);
        for (const std::uint32_t s : shells_) {
            along_[x][s] = true;
            const Shell& shell = surface.shells[s];
            if (!shell.inside) continue;
            own_winding_.assign(sectors, 0);
            for (std::size_t i = 0; i < leaves_.size(); ++i)
                if (leaves_[i].cover->model == x && leaves_[i].cover->shell == s)
                    own_winding_[group_[i]] += leaves_[i].half.jump;
            for (std::size_t k = 1; k < sectors; ++k) own_winding_[k] += own_winding_[k - 1];
            seen_.doubtful |= own_winding_.back() != 0 || shell.doubtful;
            // Around a shell that faces outwards the number is 0, within it is 1; around a cavity it is 0, within -1.
            const int ground = shell.sign > 0 ? std::ranges::min(own_winding_) : std::ranges::max(own_winding_);
            for (std::size_t k = 0; k < sectors; ++k) winding_[x][k] += own_winding_[k] - ground;
        }
        int outer = 0;
        for (const std::uint32_t s : surface.shells[shells_[0]].around)
            if (std::ranges::find(shells_, s) == shells_.end()) outer += surface.shells[s].sign;
        for (int& w : winding_[x]) w += outer;
    }

    void add_leaf(std::size_t i) {
        const int x = leaves_[i].cover->model;
        for (std::size_t k = 0; k < leaves_.size(); ++k)
            if (group_[k] == group_[i] && leaves_[k].cover->model != x) return;  // it lies on the other surface
        const bool in_other = winding_[1 - x][group_[i]] != 0;
        if (models_[x]->surface.shells[leaves_[i].cover->shell].inside)
            seen_.enters[x] |= in_other;
        else
            seen_.add_sheet(x, in_other);
    }

    std::array<const Placed*, 2> models_;
    std::vector<bool> (&along_)[2];
    /// The triangles that each triangle of a model meets, from where in `others_`.
    std::vector<std::uint32_t> first_[2], others_[2];
    std::vector<Vec3> points_[2];
    std::vector<bool> read_;  ///< edges of B that are edges of A, and were looked at as such
    Seen seen_;
    // Working memory.
    std::vector<Cover> covers_;
    std::vector<std::uint32_t> own_, shells_;
    std::vector<std::pair<const EdgePlace*, std::size_t*>> places_;
    std::vector<Leaf> leaves_;
    std::vector<std::size_t> group_;
    std::vector<int> winding_[2], own_winding_;
};

}  // namespace

Seen read_books(const Placed& a, const Placed& b, std::vector<TrianglePair> met, std::vector<bool> (&along)[2]) {
    return Reader(a, b, std::move(met), along).read();
}

}  // namespace graze::detail
