// SPDX-License-Identifier: Apache-2.0
#include "wide/wide_orient.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide/wide_orient.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "wide/wide_lanes-inl.hpp"

#ifndef GRAZE_WIDE_ORIENT_ONCE
#define GRAZE_WIDE_ORIENT_ONCE
namespace graze::detail {

/// Angles of 0, 6, …, 42 degrees, then of 0, 0.45, …, 3.15 degrees. With their negatives, the former divide a right
/// angle evenly, and the latter the gap between two of the former.
constexpr std::size_t turns = 8;
alignas(64) inline constexpr float cosine[2][turns] = {
    {1.00000000f, 0.99452190f, 0.97814760f, 0.95105652f, 0.91354546f, 0.86602540f, 0.80901699f, 0.74314483f},
    {1.00000000f, 0.99996916f, 0.99987663f, 0.99972243f, 0.99950656f, 0.99922904f, 0.99888987f, 0.99848910f}};
alignas(64) inline constexpr float sine[2][turns] = {
    {0.00000000f, 0.10452846f, 0.20791169f, 0.30901699f, 0.40673664f, 0.50000000f, 0.58778525f, 0.66913061f},
    {0.00000000f, 0.00785390f, 0.01570732f, 0.02355976f, 0.03141076f, 0.03925982f, 0.04710645f, 0.05495018f}};

/// Directions along which far points are looked for, in the frame of the principal axes: most of them lie in the plane
/// of the two widest.
constexpr unsigned directions = 13;
inline constexpr float direction[directions][3] = {{1, 0, 0},
                                                   {0, 1, 0},
                                                   {0, 0, 1},
                                                   {1, 1, 0},
                                                   {1, -1, 0},
                                                   {1, 0.41421356f, 0},
                                                   {0.41421356f, 1, 0},
                                                   {1, -0.41421356f, 0},
                                                   {-0.41421356f, 1, 0},
                                                   {1, 0, 1},
                                                   {1, 0, -1},
                                                   {0, 1, 1},
                                                   {0, 1, -1}};

/// Points as a structure of arrays, in units.
template <std::size_t most>
struct Cloud {
    alignas(64) float at[3][most];
    std::size_t count = 0;

    /// The number of points with those that repeat the first one, up to a multiple of eight.
    std::size_t padded() const { return (count + wide - 1) / wide * wide; }
    void pad() {
        for (std::size_t i = count; i < padded(); ++i)
            for (auto& row : at) row[i] = row[0];
    }
};

}  // namespace graze::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

constexpr float huge = std::numeric_limits<float>::max();
constexpr double float_u = 0x1p-24;  ///< unit roundoff of float

HWY_INLINE float sum(V v) { return hn::GetLane(hn::SumOfLanes(d8, v)); }
HWY_INLINE float most(V v) { return hn::GetLane(hn::MaxOfLanes(d8, v)); }

/// One Jacobi rotation, which makes a_pq zero. The third index is r. The columns p and q of the eigenvectors follow.
HWY_INLINE void rotate(V& app, V& aqq, V& apq, V& arp, V& arq, V* p, V* q) {
    const V d = hn::Sub(aqq, app), two = hn::Add(apq, apq);
    const V size = hn::Add(hn::Abs(d), hn::Sqrt(hn::MulAdd(d, d, hn::Mul(two, two))));
    const V ratio = hn::Div(two, hn::Max(size, set(0x1p-100f)));
    const V t = hn::Xor(ratio, hn::And(d, set(-0.0f)));
    const V c = hn::Div(set(1), hn::Sqrt(hn::MulAdd(t, t, set(1)))), s = hn::Mul(t, c);
    app = hn::NegMulAdd(t, apq, app);
    aqq = hn::MulAdd(t, apq, aqq);
    apq = hn::Zero(d8);
    const auto turn = [&](V& x, V& y) HWY_ATTR {
        const V old = x;
        x = hn::MulSub(c, old, hn::Mul(s, y));
        y = hn::MulAdd(s, old, hn::Mul(c, y));
    };
    turn(arp, arq);
    for (int j = 0; j < 3; ++j) turn(p[j], q[j]);
}

/// Swaps two eigenvalues and their vectors where the first is smaller.
HWY_INLINE void order(V& a, V& b, V* p, V* q) {
    const M swap = hn::Lt(a, b);
    const auto exchange = [&](V& x, V& y) HWY_ATTR {
        const V old = x;
        x = hn::IfThenElse(swap, y, x);
        y = hn::IfThenElse(swap, old, y);
    };
    exchange(a, b);
    for (int j = 0; j < 3; ++j) exchange(p[j], q[j]);
}

/// The eigenvectors of eight covariances (xx, xy, xz, yy, yz, zz), the one of the largest value first, in Jacobi's
/// method. Three sweeps leave the vectors within some 10⁻⁴ where the values differ by a part in ten, which is enough to
/// choose a box by; they are at right angles to rounding always.
HWY_INLINE void eigenvectors(const float (*covariance)[wide], float (*axes)[wide]) {
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        V a[6];
        for (int i = 0; i < 6; ++i) a[i] = load(covariance[i] + l);
        // Squares are computed of values up to one, so that they neither vanish nor overflow.
        const V trace = hn::Add(a[0], hn::Add(a[3], a[5]));
        const V scale = hn::Div(set(1), hn::Max(trace, set(0x1p-120f)));
        for (V& x : a) x = hn::Mul(x, scale);
        V e[3][3];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) e[i][j] = set(i == j ? 1.0f : 0.0f);
        for (int sweep = 0; sweep < 3; ++sweep) {
            rotate(a[0], a[3], a[1], a[2], a[4], e[0], e[1]);
            rotate(a[0], a[5], a[2], a[1], a[4], e[0], e[2]);
            rotate(a[3], a[5], a[4], a[1], a[2], e[1], e[2]);
        }
        order(a[0], a[3], e[0], e[1]);
        order(a[0], a[5], e[0], e[2]);
        order(a[3], a[5], e[1], e[2]);
        for (int j = 0; j < 3; ++j) {
            const int k = (j + 1) % 3, m = (j + 2) % 3;
            hn::Store(e[0][j], d8, axes[j] + l);
            hn::Store(e[1][j], d8, axes[3 + j] + l);
            hn::Store(minor(e[0][k], e[0][m], e[1][k], e[1][m]), d8, axes[6 + j] + l);
        }
    }
}

/// The axes turned about the third one to the best of the angles and their negatives: where the rectangle around the
/// points is smallest.
template <class C>
HWY_INLINE Axes turned(const Axes& axes, const C& points, const float* cosines, const float* sines) {
    alignas(64) float u[sizeof(points.at[0]) / sizeof(float)], v[sizeof(points.at[0]) / sizeof(float)];
    for (std::size_t i = 0; i < points.padded(); i += GRAZE_LANES) {
        const V x = load(points.at[0] + i), y = load(points.at[1] + i), z = load(points.at[2] + i);
        const auto& r = axes.row;
        hn::Store(dot3(set(r[0][0]), set(r[0][1]), set(r[0][2]), x, y, z), d8, u + i);
        hn::Store(dot3(set(r[1][0]), set(r[1][1]), set(r[1][2]), x, y, z), d8, v + i);
    }
    V best = set(huge);
    for (std::size_t k = 0; k < turns; k += GRAZE_LANES) {
        const V c = load(cosines + k), s = load(sines + k);
        V lo[4], hi[4];
        for (int j = 0; j < 4; ++j) lo[j] = set(huge), hi[j] = set(-huge);
        for (std::size_t i = 0; i < points.count; ++i) {
            const V a = set(u[i]), b = set(v[i]);
            const V ca = hn::Mul(c, a), sb = hn::Mul(s, b), cb = hn::Mul(c, b), sa = hn::Mul(s, a);
            const V along[4] = {hn::Add(ca, sb), hn::Sub(cb, sa), hn::Sub(ca, sb), hn::Add(cb, sa)};
            for (int j = 0; j < 4; ++j) lo[j] = hn::Min(lo[j], along[j]), hi[j] = hn::Max(hi[j], along[j]);
        }
        // The lowest bits of an area give way to the number of its angle, odd for a negative one.
        for (int back = 0; back < 2; ++back) {
            const V area = hn::Mul(hn::Sub(hi[2 * back], lo[2 * back]), hn::Sub(hi[2 * back + 1], lo[2 * back + 1]));
            const auto at = static_cast<std::int32_t>(k);
            const auto number = hn::Add(hn::Iota(i32, at), hn::Iota(i32, at + back));
            best = hn::Min(best, hn::BitCast(d8, hn::Or(hn::AndNot(hn::Set(i32, 15), hn::BitCast(i32, area)), number)));
        }
    }
    const auto number = std::bit_cast<std::uint32_t>(least_lane(best)) & 15;
    const float c = cosines[number / 2], s = number % 2 ? -sines[number / 2] : sines[number / 2];
    Axes out;
    for (int j = 0; j < 3; ++j) {
        out.row[0][j] = c * axes.row[0][j] + s * axes.row[1][j];
        out.row[1][j] = c * axes.row[1][j] - s * axes.row[0][j];
        out.row[2][j] = axes.row[2][j];
    }
    return out;
}

/// The axes turned about each of them, the third one first. If `fine`, each turn is followed by one of up to 3 degrees.
template <bool fine, class C>
HWY_INLINE Axes turned_about_all(Axes axes, const C& points) {
    for (int about = 0; about < 3; ++about) {
        Axes t = turned(axes, points, cosine[0], sine[0]);
        if (fine) t = turned(t, points, cosine[1], sine[1]);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) axes.row[i][j] = t.row[(i + 1) % 3][j];
    }
    return axes;
}

/// Stores axes in a box, and gives them as they are stored.
HWY_INLINE Axes stored(const Axes& axes, WideBox& box) {
    alignas(64) std::int32_t rounded[16];
    alignas(64) float x[16] = {};
    std::copy_n(&axes.row[0][0], 9, x);
    for (std::size_t l = 0; l < 16; l += GRAZE_LANES)
        hn::Store(hn::NearestInt(hn::Mul(load(x + l), set(axis_unit))), i32, rounded + l);
    Axes out;
    for (int i = 0; i < 9; ++i) {
        box.axes[i] = static_cast<std::int16_t>(rounded[i]);
        out.row[i / 3][i % 3] = static_cast<float>(rounded[i]) / axis_unit;
    }
    return out;
}

/// Grows a range along axes by vectors of points.
struct Along {
    V q[3][3], lo[3], hi[3];

    HWY_ATTR explicit Along(const Axes& axes) {
        for (int a = 0; a < 3; ++a) {
            for (int j = 0; j < 3; ++j) q[a][j] = set(axes.row[a][j]);
            lo[a] = set(huge), hi[a] = set(-huge);
        }
    }
    HWY_ATTR void grow(V x, V y, V z) {
        for (int a = 0; a < 3; ++a) {
            const V s = dot3(q[a][0], q[a][1], q[a][2], x, y, z);
            lo[a] = hn::Min(lo[a], s), hi[a] = hn::Max(hi[a], s);
        }
    }
    HWY_ATTR void grow(Range& r) const {
        for (int a = 0; a < 3; ++a) {
            r.lo[a] = std::min(r.lo[a], least_lane(lo[a]));
            r.hi[a] = std::max(r.hi[a], most(hi[a]));
        }
    }
};
constexpr Range nowhere{{huge, huge, huge}, {-huge, -huge, -huge}};

/// Sets the centre and extents of a box from the range of its points, measured from `from` with errors up to `error`.
void finish(WideBox& box, const Vec3& from, const Range& range, double error, double unit) {
    double lo[3], hi[3];
    for (int a = 0; a < 3; ++a) lo[a] = range.lo[a], hi[a] = range.hi[a];
    const Vec3 centre = from + middle(box, lo, hi) * unit;
    box.centre[0] = centre.x, box.centre[1] = centre.y, box.centre[2] = centre.z;
    // The extents are measured from the rounded centre, which is the one that is stored.
    set_extents(box, (centre - from) * (1 / unit), lo, hi, error);
    box.spare = 0;
}

/// The distinct corners of a leaf, relative to its first one.
struct LeafCorners {
    const Vec3* corner[3 * leaf_triangles + 1];
    Cloud<3 * leaf_triangles> cloud;
    float reach;  ///< the largest |·|₁ of a corner
};

/// Tells the corners of a leaf apart. Where two share a place in the table, a corner may be listed twice.
struct Distinct {
    std::uint64_t key[64] = {};
    std::uint64_t leaf = 0;

    void list(const Geometry& g, Triangles triangles, LeafCorners& out) {
        leaf += std::uint64_t{1} << 32;
        unsigned n = 0;
        for (const std::uint32_t t : triangles)
            for (const std::uint32_t c : g.triangles[t]) {
                const std::uint32_t at = (c * 0x9e3779b1u) >> 26;
                const bool fresh = key[at] != (leaf | c);
                key[at] = leaf | c;
                out.corner[n] = &g.points[c];
                __builtin_prefetch(&g.points[c]);
                n += fresh;
            }
        out.cloud.count = n;
    }
};

HWY_INLINE void gather(double inv_unit, LeafCorners& out) {
    const D4 d;
    const F4 f;
    const std::size_t n = out.cloud.count;
    alignas(64) float t[3 * leaf_triangles][4];
    for (std::size_t l = 0; l < 4; l += hn::Lanes(d)) {
        const auto from = load3(d, &out.corner[0]->x, l), scale = hn::Set(d, inv_unit);
        for (std::size_t i = 0; i < n; ++i)
            hn::Store(hn::DemoteTo(f, hn::Mul(hn::Sub(load3(d, &out.corner[i]->x, l), from), scale)), f, t[i] + l);
    }
    for (std::size_t i = n; i < out.cloud.padded(); ++i) std::copy_n(t[0], 4, t[i]);
    V reach = hn::Zero(d8);
    for (std::size_t i = 0; i < out.cloud.padded(); i += GRAZE_LANES) {
        V x, y, z, idle;
        hn::LoadInterleaved4(d8, t[i], x, y, z, idle);
        hn::Store(x, d8, out.cloud.at[0] + i);
        hn::Store(y, d8, out.cloud.at[1] + i);
        hn::Store(z, d8, out.cloud.at[2] + i);
        reach = hn::Max(reach, hn::Add(hn::Abs(x), hn::Add(hn::Abs(y), hn::Abs(z))));
    }
    out.reach = most(reach);
}

/// The moments of a leaf's corners. Its mean is relative to the first corner, which the lanes past the count repeat:
/// they add nothing to the sum, and their share of the squares is taken away again.
HWY_INLINE void moments_of(const Cloud<3 * leaf_triangles>& c, MergedMoments& m) {
    V s[3];
    for (V& x : s) x = hn::Zero(d8);
    for (std::size_t i = 0; i < c.padded(); i += GRAZE_LANES)
        for (int j = 0; j < 3; ++j) s[j] = hn::Add(load(c.at[j] + i), s[j]);
    const float inverse = 1 / static_cast<float>(c.count);
    float mean[3];
    for (int j = 0; j < 3; ++j) mean[j] = sum(s[j]) * inverse;
    V second[6];
    for (V& x : second) x = hn::Zero(d8);
    for (std::size_t i = 0; i < c.padded(); i += GRAZE_LANES) {
        V d[3];
        for (int j = 0; j < 3; ++j) d[j] = hn::Sub(load(c.at[j] + i), set(mean[j]));
        int k = 0;
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b, ++k) second[k] = hn::MulAdd(d[a], d[b], second[k]);
    }
    const auto repeated = static_cast<float>(c.padded() - c.count);
    m.n = static_cast<double>(c.count);
    m.mean = {mean[0], mean[1], mean[2]};
    int k = 0;
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++k) m.second[k] = sum(second[k]) - repeated * mean[a] * mean[b];
}

/// Axes by the convex hull (`Fit`).
Axes hull_axes(const OrientedFit& fit, Triangles triangles) {
    Vec3 points[3 * leaf_triangles];
    std::size_t n = 0;
    for (const std::uint32_t t : triangles)
        for (const std::uint32_t c : fit.geometry.triangles[t])
            points[n++] = (fit.geometry.points[c] - fit.origin) * (1 / fit.parts.unit);
    return rounded(fit_axes({points, n}, fit.settings.fit));
}

HWY_INLINE Axes lane_of(const float (*axes)[wide], std::size_t lane) {
    Axes out;
    for (int i = 0; i < 9; ++i) out.row[i / 3][i % 3] = axes[i][lane];
    return out;
}

void fit_oriented_leaves(const OrientedFit& fit, std::span<const Triangles> leaves, WideBox* boxes,
                         MergedMoments* moments) {
    const double unit = fit.parts.unit;
    LeafCorners corners[wide];
    alignas(64) float covariance[6][wide] = {}, axes[9][wide];
    Distinct distinct;
    // Memory is the bottleneck: the corners of all leaves are on their way before the first is used.
    for (std::size_t k = 0; k < leaves.size(); ++k) distinct.list(fit.geometry, leaves[k], corners[k]);
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        gather(1 / unit, corners[k]);
        moments_of(corners[k].cloud, moments[k]);
        for (int i = 0; i < 6; ++i) covariance[i][k] = static_cast<float>(moments[k].second[i]);
    }
    eigenvectors(covariance, axes);
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        WideBox& box = boxes[k];
        const Cloud<3 * leaf_triangles>& cloud = corners[k].cloud;
        const Vec3& from = fit.geometry.points[fit.geometry.triangles[leaves[k][0]][0]];
        moments[k].mean = moments[k].mean + (from - fit.origin) * (1 / unit);
        Axes a = fit.settings.fit == Fit::Vertices ? lane_of(axes, k) : hull_axes(fit, leaves[k]);
        if (fit.settings.refine) a = turned_about_all<false>(a, cloud);
        Along along(stored(a, box));
        for (std::size_t i = 0; i < cloud.padded(); i += GRAZE_LANES)
            along.grow(load(cloud.at[0] + i), load(cloud.at[1] + i), load(cloud.at[2] + i));
        Range range = nowhere;
        along.grow(range);
        // A projection rounds five times, values up to reach each time. That includes the rounding of the axes and of
        // the corners.
        finish(box, from, range, 8 * float_u * corners[k].reach + 0x1p-48, unit);
        box.size = -1;
        box.count = static_cast<std::uint16_t>(leaves[k].size());
    }
}

void principal_axes(std::span<const MergedMoments> moments, Axes* out) {
    for (std::size_t i = 0; i < moments.size(); i += wide) {
        alignas(64) float covariance[6][wide] = {}, axes[9][wide];
        const std::size_t n = std::min<std::size_t>(wide, moments.size() - i);
        for (std::size_t k = 0; k < n; ++k)
            for (int j = 0; j < 6; ++j) covariance[j][k] = static_cast<float>(moments[i + k].second[j]);
        eigenvectors(covariance, axes);
        for (std::size_t k = 0; k < n; ++k) out[i + k] = lane_of(axes, k);
    }
}

/// The range of all corners below a node along axes, measured from a point. Boxes within the range found so far are not
/// opened.
class Reach {
public:
    Reach(const WideParts& parts, const Axes& axes, const Vec3& from, const Range& start)
        : p_(parts), axes_(axes), from_(from), inv_unit_(1 / parts.unit), range(start) {}

    /// Grows the range by the children of a node.
    HWY_ATTR void open(std::size_t node) {
        const WideNode& n = p_.nodes[node];
        Along along(axes_);
        bool leaves = false;
        for (unsigned k = 0; k < p_.boxes[node].count; ++k) {
            if (n.ref[k] < p_.first_leaf) continue;
            leaves = true;
            const WideBox& b = p_.boxes[n.ref[k]];
            const WideLeaf& leaf = p_.leaves[n.ref[k] - p_.first_leaf];
            float at[3];
            place(b, at);
            for (std::size_t l = 0; l < wide; l += GRAZE_LANES)
                for (int c = 0; c < 3; ++c)
                    along.grow(hn::Add(load(leaf.v[3 * c] + l), set(at[0])),
                               hn::Add(load(leaf.v[3 * c + 1] + l), set(at[1])),
                               hn::Add(load(leaf.v[3 * c + 2] + l), set(at[2])));
        }
        if (leaves) along.grow(range);
        for (unsigned k = 0; k < p_.boxes[node].count; ++k)
            if (n.ref[k] < p_.first_leaf && !holds(p_.boxes[n.ref[k]])) open(n.ref[k]);
    }

private:
    const WideParts& p_;
    const Axes axes_;
    const Vec3 from_;
    const double inv_unit_;

    void place(const WideBox& b, float at[3]) {
        for (int j = 0; j < 3; ++j) at[j] = static_cast<float>((b.centre[j] - from_[j]) * inv_unit_);
        reach = std::max(reach,
                         std::abs(at[0]) + std::abs(at[1]) + std::abs(at[2]) + 2 * (b.half[0] + b.half[1] + b.half[2]));
    }

    bool holds(const WideBox& b) {
        float at[3];
        place(b, at);
        for (int a = 0; a < 3; ++a) {
            const float* q = axes_.row[a];
            const float c = q[0] * at[0] + q[1] * at[1] + q[2] * at[2];
            // Stored axes are up to 1 + 2^-13 long, on either side.
            const float size = 1.0003f * b.size;
            if (c - size >= range.lo[a] && c + size <= range.hi[a]) continue;
            float r = 0;
            for (int i = 0; i < 3; ++i)
                r += b.half[i] * std::abs(q[0] * (b.axes[3 * i] / axis_unit) + q[1] * (b.axes[3 * i + 1] / axis_unit) +
                                          q[2] * (b.axes[3 * i + 2] / axis_unit));
            if (c - r < range.lo[a] || c + r > range.hi[a]) return false;
        }
        return true;
    }

public:
    Range range;
    float reach = 0;  ///< bound of |·|₁ of the points and boxes seen
};

/// The corners of a node's leaves and the far points of its nodes, relative to `from`.
HWY_INLINE void gather(const OrientedFit& fit, std::size_t node, const Vec3& from,
                       Cloud<node_children * FarPoints::most>& out) {
    const WideParts& p = fit.parts;
    const double inv_unit = 1 / p.unit;
    std::size_t n = 0;
    const auto add = [&](const float* x, const float* y, const float* z, const float at[3]) HWY_ATTR {
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            hn::Store(hn::Add(load(x + l), set(at[0])), d8, out.at[0] + n + l);
            hn::Store(hn::Add(load(y + l), set(at[1])), d8, out.at[1] + n + l);
            hn::Store(hn::Add(load(z + l), set(at[2])), d8, out.at[2] + n + l);
        }
        n += wide;
    };
    for (unsigned k = 0; k < p.boxes[node].count; ++k) {
        const std::uint32_t ref = p.nodes[node].ref[k];
        const WideBox& b = p.boxes[ref];
        float at[3];
        for (int j = 0; j < 3; ++j) at[j] = static_cast<float>((b.centre[j] - from[j]) * inv_unit);
        if (ref >= p.first_leaf) {
            const WideLeaf& leaf = p.leaves[ref - p.first_leaf];
            for (int c = 0; c < 3; ++c) add(leaf.v[3 * c], leaf.v[3 * c + 1], leaf.v[3 * c + 2], at);
        } else {
            const FarPoints& far = fit.far[ref];
            for (unsigned i = 0; i < far.count; i += wide) add(far.at[0] + i, far.at[1] + i, far.at[2] + i, at);
        }
    }
    out.count = n;
}

/// The points farthest out along each direction.
HWY_INLINE void choose_far(const Cloud<node_children * FarPoints::most>& all, const Axes& axes,
                           Cloud<FarPoints::most>& out) {
    static_assert(node_children * FarPoints::most <= 256 && 2 * directions <= FarPoints::most);
    const auto low = hn::Set(i32, 255);
    std::uint64_t chosen[4] = {};
    for (const float* d : direction) {
        float q[3];
        for (int j = 0; j < 3; ++j) q[j] = d[0] * axes.row[0][j] + d[1] * axes.row[1][j] + d[2] * axes.row[2][j];
        const V qx = set(q[0]), qy = set(q[1]), qz = set(q[2]);
        V lo = set(huge), hi = set(-huge);
        auto number = hn::Iota(i32, 0);
        for (std::size_t i = 0; i < all.count; i += GRAZE_LANES) {
            const V x = dot3(qx, qy, qz, load(all.at[0] + i), load(all.at[1] + i), load(all.at[2] + i));
            // The lowest bits give way to the number of the point.
            const V s = hn::BitCast(d8, hn::Or(hn::AndNot(low, hn::BitCast(i32, x)), number));
            lo = hn::Min(lo, s), hi = hn::Max(hi, s);
            number = hn::Add(number, hn::Set(i32, static_cast<std::int32_t>(GRAZE_LANES)));
        }
        for (const float end : {least_lane(lo), most(hi)}) {
            const std::uint32_t i = std::bit_cast<std::uint32_t>(end) & 255;
            chosen[i / 64] |= std::uint64_t{1} << i % 64;
        }
    }
    for (std::size_t word = 0; word < 4; ++word)
        for (std::uint64_t left = chosen[word]; left != 0; left &= left - 1) {
            const std::size_t i = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
            for (int j = 0; j < 3; ++j) out.at[j][out.count] = all.at[j][i];
            ++out.count;
        }
    out.pad();
}

void fit_oriented_node(const OrientedFit& fit, std::size_t node, const Vec3& mean, const Axes& principal) {
    const WideParts& p = fit.parts;
    WideBox& box = p.boxes[node];
    const Vec3 from = mean * p.unit + fit.origin;
    Cloud<node_children * FarPoints::most> all;
    Cloud<FarPoints::most> far;
    gather(fit, node, from, all);
    choose_far(all, principal, far);
    const Axes q = stored(fit.settings.refine ? turned_about_all<true>(principal, far) : principal, box);
    Along along(q);
    for (std::size_t i = 0; i < far.padded(); i += GRAZE_LANES)
        along.grow(load(far.at[0] + i), load(far.at[1] + i), load(far.at[2] + i));
    Range range = nowhere;
    along.grow(range);
    Reach reach(p, q, from, range);
    reach.open(node);
    // A projection of a corner or a box rounds about 12 times, values up to reach each time. That includes the rounding
    // of the axes. A box that was not opened is within the range by such a projection.
    finish(box, from, reach.range, 16 * float_u * reach.reach + 0x1p-48, p.unit);
    float at[3];
    for (int j = 0; j < 3; ++j) at[j] = static_cast<float>((from[j] - box.centre[j]) / p.unit);
    FarPoints& keep = fit.far[node];
    keep.count = static_cast<unsigned>(far.count);
    for (int j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < far.padded(); i += GRAZE_LANES)
            hn::Store(hn::Add(load(far.at[j] + i), set(at[j])), d8, keep.at[j] + i);
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {
HWY_EXPORT(fit_oriented_leaves);
HWY_EXPORT(principal_axes);
HWY_EXPORT(fit_oriented_node);

void fit_oriented_leaves(const OrientedFit& fit, std::span<const Triangles> leaves, WideBox* boxes,
                         MergedMoments* moments) {
    HWY_DYNAMIC_DISPATCH(fit_oriented_leaves)(fit, leaves, boxes, moments);
}
void principal_axes(std::span<const MergedMoments> moments, Axes* out) {
    HWY_DYNAMIC_DISPATCH(principal_axes)(moments, out);
}
void fit_oriented_node(const OrientedFit& fit, std::size_t node, const Vec3& mean, const Axes& axes) {
    HWY_DYNAMIC_DISPATCH(fit_oriented_node)(fit, node, mean, axes);
}
}  // namespace graze::detail
#endif  // HWY_ONCE
