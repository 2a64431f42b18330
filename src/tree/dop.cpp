// SPDX-License-Identifier: Apache-2.0
#include "tree/dop.hpp"

#include <algorithm>

#include "tree/aabb.hpp"
#include "tree/bv_tree-inl.hpp"

namespace graze::detail {

namespace {

/// Sums of up to three coordinates are off by 3u (u = 2^-53) from the points and 3u from summing. Adding this rounds by
/// 2u.
constexpr double inflation = 0x1p-49;

/// Index in `reach` of a direction of entries -1, 0 and 1; -1 if there is none.
template <int k>
constexpr auto make_places() {
    std::array<int, 27> at{};
    at.fill(-1);
    for (int i = 0; i < k / 2; ++i) {
        const Vec3 d = Dop<k>::direction[i];
        const int code = static_cast<int>(9 * d.x + 3 * d.y + d.z);
        at[13 + code] = 2 * i, at[13 - code] = 2 * i + 1;
    }
    return at;
}
template <int k>
constexpr std::array<int, 27> places = make_places<k>();

}  // namespace

template <int k>
Dop<k> Dop<k>::around(std::span<const Vec3> points, const TreeSettings&) {
    Dop dop;
    dop.reach.fill(-4);  // below every projection
    for (const Vec3& p : points)
        for (int i = 0; i < k / 2; ++i) {
            const double at = dot(direction[i], p);
            dop.reach[2 * i] = std::max(dop.reach[2 * i], at);
            dop.reach[2 * i + 1] = std::max(dop.reach[2 * i + 1], -at);
        }
    for (double& r : dop.reach) r += inflation;
    return dop;
}

template <int k>
Dop<k> Dop<k>::around(const Dop& a, const Dop& b) const {
    Dop dop;
    for (int i = 0; i < k; ++i) dop.reach[i] = std::max(a.reach[i], b.reach[i]);
    return dop;
}

/// Projects onto one side after the other (Hildreth 1957).
template <int k>
Vec3 Dop<k>::nearest(const Vec3& p) const {
    std::array<double, k> pushed{};
    Vec3 w = p;
    double moved = 1;
    for (int sweep = 0; sweep < 1000 && moved > 0x1p-45; ++sweep) {
        moved = 0;
        for (std::size_t i = 0; i < k; ++i) {
            const Vec3 d = direction[i / 2] * (i % 2 == 0 ? 1.0 : -1.0);
            const double step = std::max(-pushed[i], (dot(d, w) - reach[i]) / dot(d, d));
            pushed[i] += step;
            w = w - d * step;
            moved = std::max(moved, std::abs(step));
        }
    }
    return w;
}

template <int k>
bool Dop<k>::holds(const Vec3& p) const {
    for (int i = 0; i < k / 2; ++i) {
        const double at = dot(direction[i], p);
        if (at > reach[2 * i] || -at > reach[2 * i + 1]) return false;
    }
    return true;
}

template <int k>
Obb Dop<k>::box() const {
    return Aabb{{-reach[1], -reach[3], -reach[5]}, {reach[0], reach[2], reach[4]}}.box();
}

/// The three directions whose cone holds g, and their weights. By symmetry it suffices to handle entries x ≥ y ≥ z ≥ 0,
/// so g is sorted and mirrored. No weight is negative, because a rounded sum is not below its larger part.
template <int k>
void PairTest<Dop<k>>::combine(const Vec3& g, double unit, Line& line) {
    const auto order = longest_first({std::abs(g.x), std::abs(g.y), std::abs(g.z)});
    const double x = std::abs(g[order[0]]), y = std::abs(g[order[1]]), z = std::abs(g[order[2]]);
    const auto put = [&](int i, const Vec3& d, double weight) {
        constexpr int power[3] = {9, 3, 1};
        int code = 13;
        for (int m = 0; m < 3; ++m) code += static_cast<int>(g[order[m]] < 0 ? -d[m] : d[m]) * power[order[m]];
        line.other[i] = places<k>[code];
        line.weight[i] = weight * unit;
    };
    if constexpr (k == 14) {
        put(0, {1, 0, 0}, x - z);
        put(1, {0, 1, 0}, y - z);
        put(2, {1, 1, 1}, z);
    } else if constexpr (k == 26) {
        put(0, {1, 0, 0}, x - y);
        put(1, {1, 1, 0}, y - z);
        put(2, {1, 1, 1}, z);
    } else if (x >= y + z) {
        put(0, {1, 0, 0}, x - (y + z));
        put(1, {1, 1, 0}, y);
        put(2, {1, 0, 1}, z);
    } else {
        put(0, {1, 1, 0}, ((x + y) - z) * 0.5);
        put(1, {1, 0, 1}, ((x + z) - y) * 0.5);
        put(2, {0, 1, 1}, ((y + z) - x) * 0.5);
    }
}

template <int k>
PairTest<Dop<k>>::PairTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin)
    : at_(a, b, a_from_b, margin) {
    const Mat3 turned = transpose(at_.matrix);
    const Mat3& column = turned;  // stored by rows
    const Vec3 normal[3] = {cross(column.row[1], column.row[2]), cross(column.row[2], column.row[0]),
                            cross(column.row[0], column.row[1])};
    for (int i = 0; i < k / 2; ++i) {
        const Vec3& d = Dop<k>::direction[i];
        Line& mine = of_a_[i];
        mine.axis = d;
        mine.own = 2 * i;
        mine.own_weight = at_.a_unit;
        combine(turned * d, at_.b_unit, mine);

        Line& theirs = of_b_[i];
        theirs.axis = normal[0] * d.x + normal[1] * d.y + normal[2] * d.z;
        const Vec3 g = turned * theirs.axis;
        const double weight = dot(g, d) / dot(d, d);
        const Vec3 rest = g - d * weight;
        theirs.own = weight < 0 ? 2 * i + 1 : 2 * i;
        theirs.own_weight = std::abs(weight) * at_.b_unit;
        combine(theirs.axis, at_.a_unit, theirs);
        for (Line* line : {&mine, &theirs}) {
            line->along = dot(line->axis, at_.offset);
            line->slack = at_.slack(line->axis);
        }
        theirs.slack += (std::abs(rest.x) + std::abs(rest.y) + std::abs(rest.z)) * (at_.b_unit * (1 + 0x1p-40));
    }
}

template struct Dop<14>;
template struct Dop<18>;
template struct Dop<26>;
template class PairTest<Dop<14>>;
template class PairTest<Dop<18>>;
template class PairTest<Dop<26>>;
template struct BvTree<Dop<14>>;
template struct BvTree<Dop<18>>;
template struct BvTree<Dop<26>>;

}  // namespace graze::detail
