// SPDX-License-Identifier: Apache-2.0
#include "walk/wide_query.hpp"

#include <algorithm>
#include <cmath>

#include "exact/decide.hpp"
#include "walk/float_range.hpp"

namespace graze::detail {

Step WideQuery::decide(std::uint32_t ia, std::uint32_t ib) {
    const Triangle t = b->triangle(ib);
    const Triangle mapped{(*a_from_b)(t.a), (*a_from_b)(t.b), (*a_from_b)(t.c)};
    return detail::decide(a->triangle(ia), mapped, margin, stats) ? report(ia, ib) : Step::Continue;
}

namespace {

/// `error` and `margin` are in X's lengths. The margin is for the longest axis of a step: how far two points within the
/// query's margin may be apart along that axis.
WideQuery::Side make_side(const WideTree& x, const WideTree& y, const Mat3& r, const Vec3& t, double error,
                          double margin, WideKind kind) {
    WideQuery::Side s;
    s.x = &x;
    s.inv_unit = 1 / x.unit;
    const double ratio = y.unit * s.inv_unit;
    s.ratio = static_cast<float>(ratio);  // exact: both are powers of two
    s.slack_partner = 0;
    const double axes_unit = kind == WideKind::Aligned ? 1 : 1.0 / axis_unit;
    for (int i = 0; i < 3; ++i) {
        s.column[3][i] = t[i];
        for (int j = 0; j < 3; ++j) {
            s.column[j][i] = r.row[i][j];
            s.axes[j][i] = static_cast<float>(r.row[i][j] * axes_unit);
            s.map[j][i] = static_cast<float>(r.row[i][j] * ratio);
        }
    }
    for (int j = 0; j < 4; ++j) s.column[j][3] = 0;
    for (int j = 0; j < 3; ++j) s.axes[j][3] = 0;
    // Rounded up by more than the conversion to float loses. The factor 1.001 covers stored axes, which are at most 1 +
    // 2^-13 long.
    s.slack = static_cast<float>(((error + margin * 1.001) * s.inv_unit + 0x1p-100) * (1 + 0x1p-22));
    s.rounding = static_cast<float>((error * s.inv_unit + 0x1p-100) * (1 + 0x1p-22));
    return s;
}

/// Computes what only an affine placement needs. `inverse` is the inverse of r, and `norm` bounds r's norm.
void make_affine(WideQuery::Side& s, const Mat3& r, const Mat3& inverse, double norm) {
    const double sigma = power_above(norm);
    s.ratio *= static_cast<float>(sigma);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            s.generator[j][i] = r.row[i][j] / sigma * (1.0 / axis_unit);
            s.dual[j][i] = inverse.row[j][i] * sigma * (1.0 / axis_unit);
        }
        s.generator[i][3] = s.dual[i][3] = 0;
    }
}

}  // namespace

double WideQuery::set_up(const Search& search, double least_skew) {
    const WideTree &ta = search.a.wide, &tb = search.b.wide;
    const Mat3& r = search.a_from_b.linear();
    const Vec3& t = search.a_from_b.translation();
    const bool rigid = search.a_from_b.rigid();
    const double stretch = rigid ? 1 : 2 * norm(r);
    const double far_t = std::max({std::abs(t.x), std::abs(t.y), std::abs(t.z)});
    // Bounds the rounding of mapped vertices and centres in both directions, subnormal ones included
    // (docs/exactness.md, "Boxes").
    const double error = 0x1p-47 * (ta.bound + stretch * tb.bound + far_t) + 0x1p-1070;

    // The roots' bounding spheres are compared first, as boxes. Past this test, distances are bounded by sizes. The
    // coordinates here are those of A's frame, so the margin is not stretched.
    const WideBox &ba = ta.boxes[0], &bb = tb.boxes[0];
    const Vec3 d =
        r * Vec3{bb.centre[0], bb.centre[1], bb.centre[2]} + t - Vec3{ba.centre[0], ba.centre[1], ba.centre[2]};
    const double far = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
    const double ra = (static_cast<double>(ba.half[0]) + ba.half[1] + ba.half[2]) * ta.unit;
    const double rb = (static_cast<double>(bb.half[0]) + bb.half[1] + bb.half[2]) * tb.unit;
    margin = search.margin;
    const double gap = far - (1.02 * (ra + stretch * rb) + error * 2 + margin * 1.001);
    stats.box_tests = 1;
    if (gap > 0) return gap;

    a = &search.a.geometry;
    b = &search.b.geometry;
    a_from_b = &search.a_from_b;
    first = search.first;
    sink = search.sink;
    kind = !rigid ? WideKind::Affine : ta.aligned && tb.aligned ? WideKind::Aligned : WideKind::Oriented;
    const Mat3 inverse = Inverse(r).matrix;
    const Vec3 back = -(inverse * t);
    constexpr double axis_length = 1 + 0x1p-13;  // greatest length of a stored axis, and float32's rounding of a gap
    if (rigid) {
        double skew = 0x1p-48;  // exceeds the rounding of the entries below
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j) skew = std::max(skew, std::abs(dot(r.column(i), r.column(j)) - (i == j)));
        // R and its inverse stretch by at most 1 / √(1 − 3 skew), as ‖RᵀR − I‖ ≤ 3 skew. B sees a vector of A through
        // the inverse, and an axis of a step may itself have been mapped by R or its inverse. So along an axis of
        // either side, a vector of A appears at most 1 / (1 − 3 skew) times as long (docs/exactness.md, "Margin").
        largest_skew = std::max(skew, least_skew);
        const double shortest = 1 - 3 * largest_skew;
        side[0] = make_side(ta, tb, r, t, error, margin / shortest, kind);
        side[1] = make_side(tb, ta, inverse, back, error, margin / shortest, kind);
        for (Side& s : side) {
            s.slack_partner = static_cast<float>(4 * skew * (1 + 0x1p-22));
            s.length = s.x->unit * (shortest / axis_length);
        }
    } else {
        const double shrink = norm(inverse) * (1 + 0x1p-20);
        const double error_b = shrink * (2 * error + 8 * Inverse(r).residual(r) * (ta.bound + far_t)) + 0x1p-1070;
        side[0] = make_side(ta, tb, r, t, error, margin, kind);
        side[1] = make_side(tb, ta, inverse, back, error_b, margin * shrink, kind);
        make_affine(side[0], r, inverse, norm(r));
        make_affine(side[1], inverse, r, shrink);
        side[0].length = ta.unit / axis_length;
        side[1].length = tb.unit / (axis_length * shrink);
    }
    return -1;
}

}  // namespace graze::detail
