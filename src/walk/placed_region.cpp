// SPDX-License-Identifier: Apache-2.0
#include "walk/placed_region.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tree/box_axes.hpp"

namespace graze::detail {

namespace {

constexpr double u = 0x1p-53;
constexpr double infinity = std::numeric_limits<double>::infinity();

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }
double sum(const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }
Vec3 scaled(const Vec3& v, int e) { return {std::ldexp(v.x, e), std::ldexp(v.y, e), std::ldexp(v.z, e)}; }

}  // namespace

/// With y = M p + t and the frame's p = c + 2^e x: n · y = n · (M c + t) + 2^e (Mᵀ n) · x. The normal is scaled by a
/// power of two to below 1/8, so that no sum overflows: |y| < 2^1024. A bound that overflows is beyond all points of
/// the model and counts as infinite.
///
/// Error, in units of u |n|₁ r, where r is the largest of Σ_j |M_ij| |p_j| + |t_i| over the rows and the points, the
/// centre included: a mapped corner is off by 4, and so is M c + t; the product with n by 3; Mᵀ n by 3 of |n|₁ |M|,
/// times |p − c|, hence 6; the difference to the bound by 1, and by u of the bound. That is 18 and some terms of second
/// order, below 24. Underflow is at most 2^-1074 per operation, in Mᵀ n times |p − c|.
PlacedSlab::PlacedSlab(const Slab& slab, const Affine& region_from_model, const Frame& frame) {
    const Mat3& m = region_from_model.linear();
    const Vec3& t = region_from_model.translation();
    const int size = std::ilogb(largest(slab.normal())) + 4;
    const Vec3 n = scaled(slab.normal(), -size);
    // Coordinates are below 2^1000. The centre of an oriented box around them may be slightly beyond.
    const double most = std::min(largest(frame.centre) + std::ldexp(frame_reach, frame.exponent), 0x1p1002);
    double r = 0;
    for (int i = 0; i < 3; ++i) r = std::max(r, sum(m.row[i]) * most + std::abs(t[i]));
    const double error = 24 * u * sum(n) * r + 0x1p-1070 * most + 0x1p-1060;
    const double at_centre = dot(n, region_from_model(frame.centre));

    along = transpose(m) * n;
    const double length = largest(along);
    if (length == 0) {  // underflowed: nothing is certain
        lo_out = hi_in = -infinity;
        lo_in = hi_out = infinity;
        return;
    }
    const int exponent = std::ilogb(length);
    along = scaled(along, -exponent);
    const auto place = [&](double bound, double& below, double& above) {
        const double b = std::ldexp(bound, -size);
        below = above = b;
        if (std::isinf(b)) return;
        const int to_frame = -exponent - frame.exponent;
        const double at = std::ldexp(b - at_centre, to_frame);
        const double off = std::ldexp(error + 2 * u * std::abs(b), to_frame) + 1024 * u;
        below = at - off;
        above = at + off;
    };
    place(slab.lo(), lo_out, lo_in);
    place(slab.hi(), hi_in, hi_out);
}

/// The slabs are |q_j · x − m_j| ≤ h_j with unit vectors q_j whose products differ from the identity's by at most η.
/// With N the matrix of rows q_j and v = N x: x = Nᵀ (N Nᵀ)⁻¹ v = Nᵀ (v + E v), where no entry of E exceeds 1.1 η for η
/// ≤ 0.03. So x = Σ q_j (v_j + ε_j) with |ε_j| ≤ 1.1 η |v|₁: the extents grow by 1.2 η |v|₁, with v at its largest.
///
/// On an axis L the radius of the region is Σ half_j |L · q_j|. For L = q_j, |q_j · q_l| ≤ η gives at most Σ η half_l.
/// For L = A_i × q_j it is |A_i · (q_j × q_l)|, and the cofactors of N differ from ±N by 5 η (N = S O with S symmetric,
/// whose eigenvalues are within 1.53 η of 1 and their products within 3.2 η). `widen` = 6 η, and 6 η Σ half in the
/// slack, cover both. The tree's axes are orthonormal to 2^-50, which 2^-45 in `widen` covers.
///
/// Rounding, in u: m_j, h_j and q_j 63, for which a placed slab has room; the centre 63; t = A (centre − m), at most 15
/// large, 110; L · t another 270 with R off by 6; the sum of radii, the region's at most 24, in 8 operations 200: below
/// 2048 u together. The volume's own radii, which may be of any size, 2^-43 of them.
PlacedBox::PlacedBox(const Box& box, std::span<const PlacedSlab> slabs) {
    // q · x| ≤ 4 |q|₁ for the model's points.
    constexpr double limit = 1.74 * frame_reach;
    struct Extent {
        Vec3 q;
        double mid, half;
        bool flat;
    } extents[3];
    double reach = 0, skew = 0x1p-48;
    for (int j = 0; j < 3; ++j) {
        const PlacedSlab& s = slabs[j];
        const double length = std::sqrt(dot(s.along, s.along));
        if (!(length > 0)) return;
        const double lo = std::max(s.lo_out / length, -limit), hi = std::min(s.hi_out / length, limit);
        if (!(lo <= hi)) return;  // the model is beyond it, as the slabs will find
        extents[j] = {s.along * (1 / length), (lo + hi) / 2, (hi - lo) / 2, box.lo()[j] == box.hi()[j]};
        reach += std::abs(extents[j].mid) + extents[j].half;
        for (int l = 0; l <= j; ++l) skew = std::max(skew, std::abs(dot(extents[j].q, extents[l].q) - (l == j)));
    }
    if (!(skew <= 0.03)) return;
    usable = true;
    widen = 6 * skew + 0x1p-45;
    slack = 2048 * u;
    int at = 0;
    for (const bool flat : {false, true})
        for (const Extent& e : extents) {
            if (e.flat != flat) continue;
            axis[at] = e.q;
            half[at] = e.half + 1.2 * skew * reach;
            slack += (6 * skew + (flat ? 1.1 : 0)) * half[at];
            centre = centre + e.q * e.mid;
            thick += !flat;
            ++at;
        }
}

void PlacedRegion::place(std::span<const Slab> of, const Box* box_of, const Affine& region_from_model,
                         const Frame& frame) {
    slabs.clear();
    for (const Slab& s : of) slabs.emplace_back(s, region_from_model, frame);
    box = box_of != nullptr ? PlacedBox(*box_of, slabs) : PlacedBox();
}

namespace {

bool apart(const PlacedBox& region, const Obb& volume) {
    const Vec3 between = region.centre - volume.centre;
    const double a[3] = {volume.half.x, volume.half.y, volume.half.z};
    const double slack = region.slack + 0x1p-43 * (a[0] + a[1] + a[2]);
    double t[3], r[3][3];
    for (int i = 0; i < 3; ++i) {
        t[i] = dot(volume.axes.row[i], between);
        for (int j = 0; j < 3; ++j) r[i][j] = dot(volume.axes.row[i], region.axis[j]);
    }
    switch (region.thick) {
        case 0:
            return boxes_apart<3, 0>(a, region.half, t, r, region.widen, slack);
        case 1:
            return boxes_apart<3, 1>(a, region.half, t, r, region.widen, slack);
        case 2:
            return boxes_apart<3, 2>(a, region.half, t, r, region.widen, slack);
        default:
            return boxes_apart<3, 3>(a, region.half, t, r, region.widen, slack);
    }
}

}  // namespace

/// The room for rounding in the slabs' bounds covers along · centre, 31 u. The volume's axes are orthonormal to 2^-50,
/// so its corners exceed its extents by 1.01 · 2^-50 of their sum. Times |A along|₁ < 6.1, and with the rounding of the
/// radius, that is 2^-46 of the sum.
bool PlacedRegion::operator()(const Obb& volume, std::uint64_t& open) const {
    if (box.usable && apart(box, volume)) return false;
    for (std::uint64_t left = open; left != 0; left &= left - 1) {
        const int k = std::countr_zero(left);
        const PlacedSlab& s = slabs[k];
        const double at = dot(s.along, volume.centre);
        const Vec3 to = volume.axes * s.along;
        const Vec3& h = volume.half;
        const double radius =
            h.x * std::abs(to.x) + h.y * std::abs(to.y) + h.z * std::abs(to.z) + 0x1p-44 * (h.x + h.y + h.z);
        if (at + radius < s.lo_out || at - radius > s.hi_out) return false;
        if (at - radius >= s.lo_in && at + radius <= s.hi_in) open &= ~(std::uint64_t{1} << k);
    }
    return true;
}

}  // namespace graze::detail
