// SPDX-License-Identifier: Apache-2.0
#include "tree/sphere.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "tree/aabb.hpp"
#include "tree/bv_tree-inl.hpp"

namespace graze::detail {

namespace {

/// Points are off by √3 u (u = 2^-53), and distances from the centre, up to 2√3, by 12u or less. The rest is for
/// `holds`.
constexpr double inflation = 0x1p-48;

double square(const Vec3& v) { return dot(v, v); }

struct Ball {
    Vec3 centre;
    double square = 0;  ///< square of the radius
};

/// The smallest ball with all of 1 to 4 points on its surface. Infinite where they do not span one.
Ball through(const Vec3* p, int count) {
    // The centre is p_0 + Σ λ_i q_i with q_i = p_i − p_0 and 2 q_i·(centre − p_0) = q_i·q_i, solved by Gaussian
    // elimination.
    const int n = count - 1;
    double m[3][4];
    for (int i = 0; i < n; ++i) {
        const Vec3 q = p[i + 1] - p[0];
        for (int j = 0; j < n; ++j) m[i][j] = 2 * dot(q, p[j + 1] - p[0]);
        m[i][3] = square(q);
    }
    for (int i = 0; i < n; ++i) {
        int best = i;
        for (int k = i + 1; k < n; ++k)
            if (std::abs(m[k][i]) > std::abs(m[best][i])) best = k;
        std::swap(m[i], m[best]);
        if (!(std::abs(m[i][i]) > 0)) return {p[0], std::numeric_limits<double>::infinity()};
        for (int k = 0; k < n; ++k) {
            if (k == i) continue;
            const double f = m[k][i] / m[i][i];
            for (int j = i; j < 4; ++j) m[k][j] -= f * m[i][j];
        }
    }
    Vec3 centre = p[0];
    for (int i = 0; i < n; ++i) centre = centre + (p[i + 1] - p[0]) * (m[i][3] / m[i][i]);
    return {centre, square(centre - p[0])};
}

/// The centre of roughly the smallest ball. In each round the furthest point joins those that carry the ball so far,
/// and the smallest ball of these (at most five) is carried by some of them (after Gärtner 1999). The radius grows with
/// each round, and the smallest ball is reached after a few. Where rounding prevents that, the last ball is used.
Vec3 centre_of(std::span<const Vec3> points) {
    constexpr int rounds = 24;
    constexpr double close = 1 + 0x1p-30;
    // Coordinates are relative to one of the points. Differences of near points are exact, so small groups far from the
    // origin work as well.
    const Vec3 origin = points[0];
    std::array<Vec3, 4> carrier{};
    int carriers = 1;
    Ball ball;
    for (int round = 0; round < rounds; ++round) {
        Vec3 far;
        double furthest = 0;
        for (const Vec3& p : points) {
            const double d = square(p - origin - ball.centre);
            if (d > furthest) furthest = d, far = p - origin;
        }
        if (furthest <= ball.square * close) break;
        Ball best{{}, std::numeric_limits<double>::infinity()};
        std::array<Vec3, 4> by;
        int count = 0;
        for (unsigned set = 0; set < 1u << carriers; ++set) {
            std::array<Vec3, 5> on{far};
            int n = 1;
            for (int i = 0; i < carriers; ++i)
                if (set >> i & 1) on[n++] = carrier[i];
            if (n > 4) continue;
            const Ball b = through(on.data(), n);
            if (!(b.square < best.square)) continue;
            bool all = true;
            for (int i = 0; i < carriers; ++i) all = all && square(carrier[i] - b.centre) <= b.square * close;
            if (!all) continue;
            best = b, count = n;
            std::copy_n(on.begin(), n, by.begin());
        }
        if (!(best.square > ball.square && best.square <= 4)) break;
        ball = best, carrier = by, carriers = count;
    }
    return origin + ball.centre;
}

/// An upper bound of the largest singular value of a matrix whose entries are below 2, and little more: the root of the
/// largest eigenvalue λ of G = MᵀM, which is at most ‖G^32‖∞^(1/32), at most 1.02 λ. Each of the six products is off by
/// 9u (u = 2^-53) in norm, relative to λ's power; together, with the sums and roots, by less than 64u.
double norm(const Mat3& m, bool rigid) {
    Mat3 g = transpose(m) * m;
    double root = 0;
    if (!rigid)
        for (int k = 0; k < 5; ++k) g = g * g;
    for (const Vec3& r : g.row) root = std::max(root, std::abs(r.x) + std::abs(r.y) + std::abs(r.z));
    for (int k = 0; k < (rigid ? 1 : 6); ++k) root = std::sqrt(root);
    return root * (1 + 0x1p-47);
}

}  // namespace

Sphere Sphere::around(std::span<const Vec3> points, const TreeSettings&) {
    Vec3 c = centre_of(points);
    c = {std::clamp(c.x, -1.0, 1.0), std::clamp(c.y, -1.0, 1.0), std::clamp(c.z, -1.0, 1.0)};
    double most = 0;
    for (const Vec3& p : points) most = std::max(most, square(p - c));
    return {c, std::sqrt(most) + inflation};
}

Sphere Sphere::around(const Sphere& a, const Sphere& b) const {
    const Vec3 between = b.centre - a.centre;
    const double d = length(between);
    // Leaves room for the rounding of these lines, whose numbers sum to no more than 2 (d + radii).
    const auto widened = [&](double r) { return r + (d + a.radius + b.radius) * 0x1p-50; };
    if (d + b.radius <= a.radius) return {a.centre, widened(a.radius)};
    if (d + a.radius <= b.radius) return {b.centre, widened(b.radius)};
    const Vec3 c = a.centre + between * std::clamp(0.5 + (b.radius - a.radius) / (2 * d), 0.0, 1.0);
    return {c, widened(std::max(length(c - a.centre) + a.radius, length(c - b.centre) + b.radius))};
}

Vec3 Sphere::nearest(const Vec3& p) const {
    const double from = length(p - centre);
    return from <= radius ? p : centre + (p - centre) * (radius / from);
}

Obb Sphere::box() const {
    // No contents are outside the frame's cube by more than a rounding.
    constexpr double edge = 1 + 0x1p-51;
    const double r = radius + 0x1p-50;
    Aabb box;
    for (int i = 0; i < 3; ++i) {
        box.low[i] = std::max(centre[i] - r, -edge);
        box.high[i] = std::min(centre[i] + r, edge);
    }
    return box.box();
}

PairTest<Sphere>::PairTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin)
    : at_(a, b, a_from_b, margin) {
    for (int i = 0; i < 3; ++i) scaled_.row[i] = at_.matrix.row[i] * at_.b_unit;
    radius_a_ = at_.a_unit * (1 + 0x1p-50);
    radius_b_ = at_.b_unit * norm(at_.matrix, a_from_b.rigid()) * (1 + 0x1p-49);
    slack_ = (2 * at_.rounding({1, 0, 0}) + at_.margin) * (1 + 0x1p-50);
}

template struct BvTree<Sphere>;

}  // namespace graze::detail
