// SPDX-License-Identifier: Apache-2.0
#include "solid/cut.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "exact/double_double.hpp"
#include "exact/perturbed.hpp"
#include "solid/place.hpp"

namespace graze::detail {

namespace {

using Corners = std::array<Vec3, 3>;

Corners corners_of(const Triangle& t) { return {t.a, t.b, t.c}; }

/// The number whose sign `orient3d` gives.
DoubleDouble height(const Corners& t, const Vec3& p) {
    DoubleDouble u[3] = {0.0, 0.0, 0.0}, v[3] = {0.0, 0.0, 0.0}, w[3] = {0.0, 0.0, 0.0};
    for (int d = 0; d < 3; ++d) {
        u[d] = DoubleDouble(t[1][d]) - t[0][d];
        v[d] = DoubleDouble(t[2][d]) - t[0][d];
        w[d] = DoubleDouble(p[d]) - t[0][d];
    }
    return (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2];
}

/// The point where the line through p and q passes the plane of t. Ends in the plane are themselves the point.
Vec3 passed_at(const Vec3& p, const Vec3& q, const Corners& t) {
    bool used_exact = false;
    const Plane side_of(t[0], t[1], t[2]);
    if (side_of.side(p, used_exact) == 0) return p;
    if (side_of.side(q, used_exact) == 0) return q;
    const DoubleDouble near_p = height(t, p), way = near_p / (near_p - height(t, q));
    Vec3 out;
    bool certain = true;
    for (int d = 0; d < 3 && certain; ++d) {
        out[d] = p[d];
        certain = p[d] == q[d] || (DoubleDouble(p[d]) + (DoubleDouble(q[d]) - p[d]) * way).round_to(out[d]);
    }
    if (certain) return out;
    const Triangle plane{t[0], t[1], t[2]};
    const Dyadic at_p = orient3d_dyadic(plane, p), at_q = orient3d_dyadic(plane, q);
    const Dyadic whole = at_p - at_q;
    const auto coordinate = [&](double u, double v) { return u == v ? u : quotient(at_p * v - at_q * u, whole); };
    return {coordinate(p.x, q.x), coordinate(p.y, q.y), coordinate(p.z, q.z)};
}

class Cutter {
public:
    Cutter(const Placed& a, const Placed& b, Cut& out) : models_{&a, &b}, out_(out) {}

    void add(const TrianglePair& pair) {
        const Corners s = corners_of(models_[0]->triangle(pair.a)), t = corners_of(models_[1]->triangle(pair.b));
        std::array<int, 3> side_s, side_t;
        for (int i = 0; i < 3; ++i) {
            side_s[i] = perturbed_side(t[0], t[1], t[2], s[i], -1);
            side_t[i] = perturbed_side(s[0], s[1], s[2], t[i], 1);
        }
        const auto one_side = [](const std::array<int, 3>& x) { return x[0] == x[1] && x[1] == x[2]; };
        if (one_side(side_s) || one_side(side_t)) return;
        CutSegment segment{pair, none, none};
        for (int i = 0; i < 3; ++i) {
            const int next = (i + 1) % 3;
            // A's border comes to the back of t where the segment ends. For B's border it is where the segment begins.
            if (side_s[i] != side_s[next] && passes(s[i], s[next], t, 1))
                (side_s[i] > 0 ? segment.to : segment.from) = node(0, pair.a, i, pair.b, s, t, side_s[i]);
            if (side_t[i] != side_t[next] && passes(t[i], t[next], s, -1))
                (side_t[i] > 0 ? segment.from : segment.to) = node(1, pair.b, i, pair.a, t, s, side_t[i]);
        }
        if (segment.from != none && segment.to != none) out_.segments.push_back(segment);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// Whether the line from p to q, which passes the plane of t, passes t itself. `order` is 1 when p and q are A's.
    static bool passes(const Vec3& p, const Vec3& q, const Corners& t, int order) {
        int signs[3];
        for (int i = 0; i < 3; ++i)
            signs[i] =
                order > 0 ? perturbed_edges(p, q, t[i], t[(i + 1) % 3]) : perturbed_edges(t[i], t[(i + 1) % 3], p, q);
        return signs[0] == signs[1] && signs[1] == signs[2];
    }

    std::uint32_t node(int x, std::uint32_t own, int corner, std::uint32_t other, const Corners& s, const Corners& t,
                       int side) {
        const Surface& surface = models_[x]->surface;
        const std::uint32_t edge = surface.edge_of[own][corner];
        const auto [at, is_new] = index_.try_emplace({x, edge, other}, static_cast<std::uint32_t>(out_.nodes.size()));
        if (is_new) {
            const int next = (corner + 1) % 3;
            const bool forward = surface.corners[own][corner] < surface.corners[own][next];
            const int jump = (forward ? side : -side) * models_[1 - x]->turn(other);
            out_.nodes.push_back({x, edge, other, passed_at(s[corner], s[next], t), jump});
        }
        return at->second;
    }

    std::array<const Placed*, 2> models_;
    Cut& out_;
    std::map<std::tuple<int, std::uint32_t, std::uint32_t>, std::uint32_t> index_;
};

}  // namespace

Cut::Cut(const Placed& a, const Placed& b, std::span<const TrianglePair> met, bool solids) {
    const auto counts = [solids](const Surface& surface, std::uint32_t t) {
        const std::uint32_t shell = surface.shell_of[t];
        return shell != no_shell && !surface.degenerate[t] && (!solids || surface.shells[shell].inside);
    };
    Cutter cutter(a, b, *this);
    for (const TrianglePair& pair : met)
        if (counts(a.surface, pair.a) && counts(b.surface, pair.b)) cutter.add(pair);
}

}  // namespace graze::detail
