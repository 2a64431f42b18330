// SPDX-License-Identifier: Apache-2.0
#include "solid/contact_books.hpp"

#include <algorithm>
#include <array>

#include "exact/perturbed.hpp"

namespace graze::detail {

namespace {

/// A place on an edge: the quotient n / d with d > 0, from 0 at its start to 1 at its end.
struct Place {
    Dyadic n, d = 1.0;

    friend int compare(const Place& x, const Place& y) { return (x.n * y.d - y.n * x.d).sign(); }
};

Dyadic orient_along_exact(int axis, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec2 p = project(a, axis), q = project(b, axis), r = project(c, axis);
    return (Dyadic(q.x) - p.x) * (Dyadic(r.y) - p.y) - (Dyadic(q.y) - p.y) * (Dyadic(r.x) - p.x);
}

struct Edge {
    Vec3 p, q;
};

/// A half-plane that ends in the line of the edge.
struct HalfPlane {
    Vec3 r;        ///< a point of it off the line
    int jump = 0;  ///< what the winding number grows by when one turns past it, counter-clockwise around the edge
};

/// A triangle in whose plane the edge lies, where it holds a part of the edge.
struct Cover {
    int model = 0;
    std::uint32_t shell = 0;
    Place from{0.0}, to{1.0};
    HalfPlane half[2];
    int halves = 0;
};

/// The axis along which the triangle is seen with an area, and its orientation then.
std::pair<int, int> view(const Vec3& a, const Vec3& b, const Vec3& c) {
    for (int axis = 0; axis < 3; ++axis)
        if (const int turn = orient_along(axis, a, b, c)) return {axis, turn};
    return {0, 0};
}

/// Finds the part of the edge in the triangle. False when it is a point, or nothing. `faces` is 1 when the triangle's
/// corners turn as its shell faces.
bool covers(const Edge& e, const Triangle& t, int faces, Cover& out) {
    bool used_exact = false;
    if (orient3d(t.a, t.b, t.c, e.p, used_exact) != 0 || orient3d(t.a, t.b, t.c, e.q, used_exact) != 0) return false;
    const auto [axis, turn] = view(t.a, t.b, t.c);
    if (turn == 0) return false;
    for (const auto& [u, v] : {std::pair{&t.a, &t.b}, {&t.b, &t.c}, {&t.c, &t.a}}) {
        const int at_p = turn * orient_along(axis, *u, *v, e.p), at_q = turn * orient_along(axis, *u, *v, e.q);
        if (at_p <= 0 && at_q <= 0) {
            if (at_p == 0 && at_q == 0) continue;
            return false;
        }
        if (at_p >= 0 && at_q >= 0) continue;
        const Dyadic p = orient_along_exact(axis, *u, *v, e.p), q = orient_along_exact(axis, *u, *v, e.q);
        Place place{p, p - q};
        if (place.d.sign() < 0) place = {-place.n, -place.d};
        if (at_p < 0 && compare(out.from, place) < 0) out.from = place;
        if (at_q < 0 && compare(place, out.to) < 0) out.to = place;
    }
    if (compare(out.from, out.to) >= 0) return false;
    for (const int side : {1, -1})
        for (const Vec3* r : {&t.a, &t.b, &t.c})
            if (orient_along(axis, e.p, e.q, *r) == side) {
                out.half[out.halves++] = {*r, -side * turn * faces};
                break;
            }
    return out.halves > 0;
}

/// Half-planes in the order in which one meets them, turning counter-clockwise around the edge from the first.
class Round {
public:
    Round(const Edge& e, const Vec3& r) : e_(e), r_(r) { std::tie(axis_, turn_) = view(e.p, e.q, r); }

    bool before(const Vec3& x, const Vec3& y) const {
        const int at_x = quarter(x), at_y = quarter(y);
        return at_x != at_y ? at_x < at_y : at_x % 2 == 1 && turns(x, y) > 0;
    }

private:
    int turns(const Vec3& x, const Vec3& y) const {
        bool used_exact = false;
        return orient3d(e_.p, e_.q, x, y, used_exact);
    }
    /// 0 and 2 are the first half-plane and the one opposite, 1 and 3 are what is between.
    int quarter(const Vec3& x) const {
        const int t = turns(r_, x);
        return t > 0 ? 1 : t < 0 ? 3 : orient_along(axis_, e_.p, e_.q, x) == turn_ ? 0 : 2;
    }

    const Edge& e_;
    const Vec3& r_;
    int axis_ = 0, turn_ = 0;
};

class Reader {
public:
    Reader(const Placed& a, const Placed& b, std::vector<TrianglePair> met, std::vector<bool> (&along)[2])
        : models_{&a, &b}, along_(along) {
        std::erase_if(met, [&](const TrianglePair& pair) { return !counts(0, pair.a) || !counts(1, pair.b); });
        std::ranges::sort(met);
        for (int x = 0; x < 2; ++x) {
            along_[x].assign(models_[x]->surface.shells.size(), false);
            for (const TrianglePair& pair : met)
                met_[x].push_back(x == 0 ? std::pair{pair.a, pair.b} : std::pair{pair.b, pair.a});
            std::ranges::sort(met_[x]);
        }
    }

    Seen read() {
        for (int x = 0; x < 2; ++x)
            for (std::size_t i = 0, next = 0; i < met_[x].size() && !seen_.complete(); i = next) {
                while (next < met_[x].size() && met_[x][next].first == met_[x][i].first) ++next;
                const std::uint32_t t = met_[x][i].first;
                const Triangle corners = models_[x]->triangle(t);
                const Vec3* c[] = {&corners.a, &corners.b, &corners.c, &corners.a};
                for (int k = 0; k < 3; ++k)
                    // Each edge once: who meets it along a segment meets all of its triangles.
                    if (const std::uint32_t edge = models_[x]->surface.edge_of[t][k];
                        edge != no_shell && models_[x]->surface.first_of_edge[edge] == t)
                        read_edge(x, {*c[k], *c[k + 1]}, std::span(met_[x]).subspan(i, next - i));
            }
        return seen_;
    }

private:
    using Partners = std::span<const std::pair<std::uint32_t, std::uint32_t>>;

    bool counts(int x, std::uint32_t t) const {
        const Surface& surface = models_[x]->surface;
        return surface.shell_of[t] != no_shell && !surface.degenerate[t];
    }

    Partners partners(int x, std::uint32_t t) const {
        const auto range = std::ranges::equal_range(met_[x], t, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
        return {range.begin(), range.end()};
    }

    bool add_cover(int x, std::uint32_t t, const Edge& e) {
        Cover cover;
        if (!covers(e, models_[x]->triangle(t), models_[x]->turn(t), cover)) return false;
        cover.model = x;
        cover.shell = models_[x]->surface.shell_of[t];
        covers_.push_back(std::move(cover));
        return true;
    }

    /// Looks at an edge of model x, where `partners` has the other model's triangles that meet a triangle at the edge.
    void read_edge(int x, const Edge& e, Partners partners_of_edge) {
        covers_.clear();
        own_.clear();
        for (const auto& [own, other] : partners_of_edge)
            if (add_cover(1 - x, other, e))
                for (const auto& [_, also] : partners(1 - x, other)) own_.push_back(also);
        if (covers_.empty()) return;
        std::ranges::sort(own_);
        own_.erase(std::ranges::unique(own_).begin(), own_.end());
        for (const std::uint32_t t : own_) add_cover(x, t, e);

        places_.clear();
        for (const Cover& cover : covers_) places_.insert(places_.end(), {cover.from, cover.to});
        std::ranges::sort(places_, [](const Place& u, const Place& v) { return compare(u, v) < 0; });
        for (std::size_t i = 0; i + 1 < places_.size(); ++i)
            if (compare(places_[i], places_[i + 1]) < 0) read_book(e, places_[i], places_[i + 1]);
    }

    struct Leaf {
        HalfPlane half;
        const Cover* cover;
    };

    void read_book(const Edge& e, const Place& from, const Place& to) {
        leaves_.clear();
        bool of[2] = {};
        for (const Cover& cover : covers_) {
            if (compare(cover.from, from) > 0 || compare(cover.to, to) < 0) continue;
            of[cover.model] = true;
            for (int i = 0; i < cover.halves; ++i) leaves_.push_back({cover.half[i], &cover});
        }
        if (!of[0] || !of[1]) return;
        const Vec3 first = leaves_[0].half.r;
        const Round round(e, first);
        std::ranges::sort(leaves_, [&](const Leaf& u, const Leaf& v) { return round.before(u.half.r, v.half.r); });
        group_.clear();
        for (std::size_t i = 0; i < leaves_.size(); ++i)
            group_.push_back(i == 0 ? 0 : group_.back() + round.before(leaves_[i - 1].half.r, leaves_[i].half.r));
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
    std::vector<std::pair<std::uint32_t, std::uint32_t>> met_[2];  ///< a triangle of the model, one of the other
    Seen seen_;
    // Working memory.
    std::vector<Cover> covers_;
    std::vector<std::uint32_t> own_, shells_;
    std::vector<Place> places_;
    std::vector<Leaf> leaves_;
    std::vector<std::size_t> group_;
    std::vector<int> winding_[2], own_winding_;
};

}  // namespace

Seen read_books(const Placed& a, const Placed& b, std::vector<TrianglePair> met, std::vector<bool> (&along)[2]) {
    return Reader(a, b, std::move(met), along).read();
}

}  // namespace graze::detail
