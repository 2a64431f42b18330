// SPDX-License-Identifier: Apache-2.0
#include "wide_walk/wide_query.hpp"

#include <algorithm>
#include <cmath>

#include "exact/decide.hpp"
#include "wide_walk/float_range.hpp"

namespace graze::detail {

Step WideQuery::decide(std::uint32_t ia, std::uint32_t ib) {
    const Triangle t = b->triangle(ib);
    const Triangle mapped{(*a_from_b)(t.a), (*a_from_b)(t.b), (*a_from_b)(t.c)};
    return detail::decide(a->triangle(ia), mapped, margin, stats) ? report(ia, ib) : Step::Continue;
}

Step WideQuery::report(const std::uint32_t* ia, const std::uint32_t* ib, std::size_t n) {
    if (sink.all == nullptr) {
        for (std::size_t i = 0; i < n; ++i)
            if (report(ia[i], ib[i]) == Step::Stop) return Step::Stop;
        return Step::Continue;
    }
    const std::size_t before = sink.all->size();
    sink.all->resize(before + n);
    Contact* out = sink.all->data() + before;
    for (std::size_t i = 0; i < n; ++i) out[i] = {{ia[i], ib[i]}, {a->polygon(ia[i]), b->polygon(ib[i])}};
    return Step::Continue;
}

namespace {

/// Fills in a side. `error` and `margin` are in X's lengths. The margin is for the longest axis of a step: how far two
/// points within the query's margin may be apart along that axis.
void make_side(WideQuery::Side& s, const WideTree& x, const WideTree& y, const Mat3& r, const Vec3& t, double error,
               double margin, WideKind kind) {
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
    if (kind == WideKind::Oriented) s.set_lanes();
    // Rounded up by more than the conversion to float loses. The factor 1.001 covers stored axes, which are at most 1 +
    // 2^-13 long, and centres that are as far apart as the margin (docs/exactness.md, "Boxes").
    s.slack = static_cast<float>(((error + margin) * (1.001 * s.inv_unit) + 0x1p-100) * (1 + 0x1p-22));
    s.rounding = static_cast<float>((error * s.inv_unit + 0x1p-100) * (1 + 0x1p-22));
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

/// Factor by which the placement may stretch a length.
double stretch_of(const Affine& a_from_b) { return a_from_b.rigid() ? 1 : 2 * norm(a_from_b.linear()); }

/// The largest coordinate of the way from the centre of A's root to that of B's.
double between_roots(const Search& search) {
    const WideBox &a = search.a.wide.boxes[0], &b = search.b.wide.boxes[0];
    const Affine& m = search.a_from_b;
    const Vec3 d = m.linear() * Vec3{b.centre[0], b.centre[1], b.centre[2]} + m.translation() -
                   Vec3{a.centre[0], a.centre[1], a.centre[2]};
    return std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
}

}  // namespace

double WideQuery::rounding(const Search& search) {
    const Vec3& t = search.a_from_b.translation();
    const double far_t = std::max({std::abs(t.x), std::abs(t.y), std::abs(t.z)});
    // Subnormal numbers are included (docs/exactness.md, "Boxes").
    return 0x1p-47 * (search.a.wide.bound + stretch_of(search.a_from_b) * search.b.wide.bound + far_t) + 0x1p-1070;
}

double WideQuery::set_up(const Search& search, double least_skew) {
    const WideTree &ta = search.a.wide, &tb = search.b.wide;
    // The roots' bounding spheres are compared first, as boxes. Past this test, distances are bounded by sizes. The
    // coordinates here are those of A's frame, so the margin is not stretched.
    const WideBox &ba = ta.boxes[0], &bb = tb.boxes[0];
    const double ra = (static_cast<double>(ba.half[0]) + ba.half[1] + ba.half[2]) * ta.unit;
    const double rb = (static_cast<double>(bb.half[0]) + bb.half[1] + bb.half[2]) * tb.unit;
    margin = search.margin;
    const double gap = between_roots(search) -
                       (1.02 * (ra + stretch_of(search.a_from_b) * rb) + rounding(search) * 2 + margin * 1.001);
    stats.box_tests = 1;
    if (gap > 0) return gap;
    make_sides(search, least_skew);
    return -1;
}

bool WideQuery::set_up_far(const Search& search) {
    constexpr double most = 0x1p36;
    const WideTree &ta = search.a.wide, &tb = search.b.wide;
    const double far = between_roots(search);
    // Seen from B the way is longer under a placement that shrinks.
    const double in_b = search.a_from_b.rigid() ? 2 * far : far * norm(Inverse(search.a_from_b.linear()).matrix) * 2;
    if (!(far <= most * ta.unit && in_b <= most * tb.unit)) return false;
    margin = search.margin;
    make_sides(search, 0);
    return true;
}

void WideQuery::make_sides(const Search& search, double least_skew) {
    const WideTree &ta = search.a.wide, &tb = search.b.wide;
    const Mat3& r = search.a_from_b.linear();
    const Vec3& t = search.a_from_b.translation();
    const bool rigid = search.a_from_b.rigid();
    const double far_t = std::max({std::abs(t.x), std::abs(t.y), std::abs(t.z)});
    const double error = rounding(search);
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
        make_side(side[0], ta, tb, r, t, error, margin / shortest, kind);
        make_side(side[1], tb, ta, inverse, back, error, margin / shortest, kind);
        for (Side& s : side) {
            s.slack_partner = static_cast<float>(4 * skew * (1 + 0x1p-22));
            s.length = s.x->unit * (shortest / axis_length);
        }
    } else {
        const double shrink = norm(inverse) * (1 + 0x1p-20);
        const double error_b = shrink * (2 * error + 8 * Inverse(r).residual(r) * (ta.bound + far_t)) + 0x1p-1070;
        make_side(side[0], ta, tb, r, t, error, margin, kind);
        make_side(side[1], tb, ta, inverse, back, error_b, margin * shrink, kind);
        make_affine(side[0], r, inverse, norm(r));
        make_affine(side[1], inverse, r, shrink);
        side[0].length = ta.unit / axis_length;
        side[1].length = tb.unit / (axis_length * shrink);
    }
}

}  // namespace graze::detail
