// SPDX-License-Identifier: Apache-2.0
// The float32 kernels of the wide walk, attacked by a search (bound_search.hpp): the box test of a step, the two
// stages of the triangle filter, and the weights and times of a ray at a leaf. The kernels are compiled for the
// baseline instruction set. It has no fused multiplication and addition, so every rounding that docs/exactness.md
// counts takes place. GRAZE_LONG is a tenth of the number of cases per bound.
#include <gtest/gtest.h>

#include "base/simd_targets.hpp"
#include "bound_search.hpp"
#include "walk/ray_search.hpp"
#include "wide_walk/float_range.hpp"
#include "wide_walk/wide_leaves-inl.hpp"
#include "wide_walk/wide_ray_leaves-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {
namespace {

/// The widest gap that a step computes between the first child and the partner, as it is without slack, and the slack.
struct BoxGap {
    double gap, slack;
};

template <WideKind kind>
BoxGap box_gap(const WideQuery::Side& s, const WideNode& node, const WideBox& y) {
    const WideBox own{};
    WidePartner p;
    place_step<kind>(s, node, own, y, p);
    // The errors made in double are no part of the slack here.
    const float slack = p.slack;
    V of_child, of_partner;
    if constexpr (kind == WideKind::Oriented) {
        WideSpread spread;
        place_step<kind>(s, node, own, y, spread);
        widest_gaps<kind>(node, spread, 0, of_child, of_partner);
    } else {
        widest_gaps<kind>(node, p, 0, of_child, of_partner);
    }
    constexpr float unit = kind == WideKind::Aligned ? 1 : axis_unit;
    return {std::max(static_cast<double>(hn::GetLane(of_child)) / unit, static_cast<double>(hn::GetLane(of_partner))),
            slack};
}

/// The determinants of the triangle filter for two triangles, and their bounds.
struct FilterValues {
    float of_a[3], of_b[3];  ///< B's corners against A's plane, A's corners against B's
    float bound_a, bound_b;
    float across, bound_across;  ///< the edges between the first two corners of both
};

/// False when the culling before the filter drops the pair.
bool filter_values(const WideQuery& query, const WideLeaf& leaf_a, const WideBox& a, const WideLeaf& leaf_b,
                   const WideBox& b, FilterValues& out) {
    static LeafPair pair;
    const WidePartner partner = place<WideKind::Oriented>(query.side[0], a, b);
    if (!prepare<WideKind::Oriented>(query, leaf_a, a, leaf_b, b, partner, pair)) return false;
    const LaneNormals m = normals<false>(leaf_a.v, leaf_a.v, nullptr, pair.eps, pair.eta_a);
    const LaneNormals n = normals<true>(leaf_b.v, pair.b, query.side[0].map, pair.eps, pair.eta_b);
    LaneTriangles p, q;
    for (int k = 0; k < 3; ++k) {
        p.x[k] = load(leaf_a.v[3 * k]), p.y[k] = load(leaf_a.v[3 * k + 1]), p.z[k] = load(leaf_a.v[3 * k + 2]);
        q.x[k] = load(pair.b[3 * k]), q.y[k] = load(pair.b[3 * k + 1]), q.z[k] = load(pair.b[3 * k + 2]);
    }
    const V edge_p = hn::Add(load(m.edge), set(edge_error * pair.eps)), edge_q = load(n.edge);
    const V most = spread(p, q, edge_p, edge_q);
    const auto against = [&](const LaneNormals& normal, const LaneTriangles& other, float value[3], float& bound) {
        for (int k = 0; k < 3; ++k)
            value[k] = hn::GetLane(height(load(normal.n[0]), load(normal.n[1]), load(normal.n[2]), load(normal.offset),
                                          other.x[k], other.y[k], other.z[k]));
        bound = hn::GetLane(hn::MulAdd(load(normal.slope), most, load(normal.base)));
    };
    against(m, q, out.of_a, out.bound_a);
    against(n, p, out.of_b, out.bound_b);
    const auto difference = [](const LaneTriangles& to, int i, const LaneTriangles& from, V(&d)[3]) {
        d[0] = hn::Sub(to.x[i], from.x[0]), d[1] = hn::Sub(to.y[i], from.y[0]), d[2] = hn::Sub(to.z[i], from.z[0]);
    };
    V edge_a[3], between[3], edge_b[3];
    difference(p, 1, p, edge_a);
    difference(q, 0, p, between);
    difference(q, 1, q, edge_b);
    out.across = hn::GetLane(across(edge_a, between, edge_b));
    out.bound_across = hn::GetLane(interval_error(most, edge_p, edge_q, pair.eps));
    return true;
}

/// The values that a ray computes for the first triangle of a leaf.
struct RayValues {
    float weight[3], bound;
    double low, high;  ///< bounds of t
    bool steep;        ///< whether these come from the weights, otherwise from the corners with room for their error
    double room;
};

RayValues ray_values(const WideRayLine& line, const WideLeaf& leaf, const WideBox& box) {
    const RayAtLeaf o(line, box);
    const RayWeights weights(line, o, leaf.v, 0);
    const RayTimes times(line, o, weights);
    RayValues out{{},
                  o.error,
                  o.at + hn::GetLane(times.low),
                  o.at + hn::GetLane(times.high),
                  (bits(times.steep) & 1) != 0,
                  32 * float_u * o.most};
    for (int k = 0; k < 3; ++k) out.weight[k] = hn::GetLane(weights.w[k]);
    return out;
}

}  // namespace
}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace graze::test {
namespace {

using namespace detail;
namespace kernel = detail::HWY_NAMESPACE;
using scenes::Random;

/// Genes [at, at + 9) become a matrix.
void put(Genes& g, std::size_t at, const Mat3& m) {
    for (std::size_t i = 0; i < 9; ++i) g[at + i] = m.row[i / 3][static_cast<int>(i % 3)];
}

Mat3 matrix(const Genes& g, std::size_t at) {
    return {{Vec3{g[at], g[at + 1], g[at + 2]}, Vec3{g[at + 3], g[at + 4], g[at + 5]},
             Vec3{g[at + 6], g[at + 7], g[at + 8]}}};
}

Mat3 some_rotation(Random& random) {
    const Mat3 r = scenes::random_rotation(random).rotation();
    switch (random.below(4)) {
        case 0:
            return scenes::axis_rotation(random.below(24)).rotation();
        case 1: {  // about one axis
            const double angle = random.between(-2, 2), c = std::cos(angle), s = std::sin(angle);
            return scenes::axis_rotation(random.below(24)).rotation() *
                   Mat3{{Vec3{c, -s, 0}, Vec3{s, c, 0}, Vec3{0, 0, 1}}};
        }
        default:
            return r;
    }
}

/// Off orthonormal by at most `tolerance` in every entry of MᵀM.
bool orthonormal(const Mat3& m, double tolerance) {
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            if (!(std::abs(graze::dot(m.column(i), m.column(j)) - (i == j)) <= tolerance)) return false;
    return true;
}

/// x_from_y with both units 1. Centres are mapped without error, as both boxes sit at the origin of their own frame.
WideQuery::Side side(const Mat3& r, const Vec3& t, WideKind kind) {
    WideQuery::Side s{};
    s.inv_unit = s.ratio = 1;
    for (int i = 0; i < 3; ++i) {
        s.column[3][i] = t[i];
        for (int j = 0; j < 3; ++j) {
            s.column[j][i] = r.row[i][j];
            s.axes[j][i] = static_cast<float>(r.row[i][j] * (kind == WideKind::Aligned ? 1 : 1.0 / axis_unit));
            s.map[j][i] = static_cast<float>(r.row[i][j]);
        }
    }
    s.set_lanes();
    if (kind != WideKind::Affine) return s;
    const double sigma = power_above(norm(r));
    const Mat3 inverse = Inverse(r).matrix;
    s.ratio = static_cast<float>(sigma);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            s.generator[j][i] = r.row[i][j] / sigma * (1.0 / axis_unit);
            s.dual[j][i] = inverse.row[j][i] * sigma * (1.0 / axis_unit);
        }
    return s;
}

constexpr double unit_axis = axis_unit;  // in double

/// A child and its partner.
struct BoxCase {
    // Where the genes of each part begin.
    static constexpr std::size_t at_map = 0, at_child_axes = 9, at_partner_axes = 18, at_offset = 27, at_centre = 30,
                                 at_half = 33, at_partner_half = 36, genes = 39;

    WideKind kind;
    Mat3 map;  ///< child_from_partner
    Vec3 offset;
    Mat3 child_axes, partner_axes;  ///< by rows, times 32767
    WideNode node;
    WideBox partner{};

    BoxCase(WideKind which, const Genes& g)
        : kind(which), map(matrix(g, at_map)), offset{g[at_offset], g[at_offset + 1], g[at_offset + 2]} {
        double reach = 0;
        for (unsigned i = 0; i < 3; ++i) {
            const auto c = static_cast<float>(g[at_centre + i]);
            const auto h = static_cast<float>(std::abs(g[at_half + i]) / unit_axis);
            std::fill_n(node.centre[i], wide, c);
            std::fill_n(node.half[i], wide, h);
            partner.half[i] = static_cast<float>(std::abs(g[at_partner_half + i]));
            reach += std::abs(static_cast<double>(c)) + h * unit_axis;
            for (unsigned j = 0; j < 3; ++j) {
                const auto k = static_cast<int>(j);
                const auto stored = [&](std::size_t at) {
                    if (kind == WideKind::Aligned) return i == j ? unit_axis : 0.0;
                    return std::round(std::clamp(g[at + 3 * i + j], -1.0, 1.0) * unit_axis);
                };
                child_axes.row[i][k] = stored(at_child_axes);
                partner_axes.row[i][k] = stored(at_partner_axes);
                std::fill_n(node.axes[3 * i + j], wide, static_cast<std::int16_t>(child_axes.row[i][k]));
                partner.axes[3 * i + j] = static_cast<std::int16_t>(partner_axes.row[i][k]);
            }
        }
        node.reach = round_up(reach);
    }

    /// Whether a walk in float32 may meet such a case: the placement is one that it takes, and the axes are as close to
    /// orthonormal as a build makes them.
    bool possible(const Genes& g) const {
        for (const double x : g)
            if (!(std::abs(x) <= 0x1p40)) return false;
        for (const Mat3* axes : {&child_axes, &partner_axes}) {
            Mat3 m = transpose(*axes);
            for (Vec3& row : m.row) row = row * (1 / unit_axis);
            if (!orthonormal(m, 0x1p-13)) return false;
        }
        if (kind != WideKind::Affine) return orthonormal(map, Pose::tolerance);
        const Inverse inverse(map);
        const double size = norm(map);
        return size >= 0x1p-20 && size <= 0x1p20 && norm(inverse.matrix) * size <= 0x1p16 &&
               inverse.residual(map) <= 0x1p-23;
    }

    double ratio() const {
        const WideQuery::Side s = side(map, offset, kind);
        const auto computed = kind == WideKind::Aligned    ? kernel::box_gap<WideKind::Aligned>(s, node, partner)
                              : kind == WideKind::Oriented ? kernel::box_gap<WideKind::Oriented>(s, node, partner)
                                                           : kernel::box_gap<WideKind::Affine>(s, node, partner);
        if (!(computed.slack > 0x1p-60)) return -1;
        return error_ratio(computed.gap, exact_gap(), computed.slack);
    }

private:
    /// The inverse of the map, transposed, times the partner's axis.
    RealVector slab_normal(const RealVector& axis) const {
        const RealVector r[3] = {real(map.row[0]), real(map.row[1]), real(map.row[2])};
        const RealVector cofactors[3] = {cross(r[1], r[2]), cross(r[2], r[0]), cross(r[0], r[1])};
        const Real det = dot(r[0], cofactors[0]);
        return {Real(dot(cofactors[0], axis) / det), Real(dot(cofactors[1], axis) / det),
                Real(dot(cofactors[2], axis) / det)};
    }

    /// The widest gap along the six axes. A rigid placement's slabs have the mapped axes as normals, as in the kernel:
    /// what that leaves out is `Side::slack_partner`, which has no part in this bound.
    Real exact_gap() const {
        RealVector a[3], b[3], n[3], w;
        Real h[3], k[3], length[3];
        for (int i = 0; i < 3; ++i) {
            RealVector axis = real(partner_axes.row[i]);
            a[i] = real(child_axes.row[i]);
            for (int j = 0; j < 3; ++j) a[i][j] /= unit_axis, axis[j] /= unit_axis;
            b[i] = mapped(map, axis);
            n[i] = kind == WideKind::Affine ? slab_normal(axis) : b[i];
            length[i] = kind == WideKind::Affine ? Real(sqrt(dot(n[i], n[i]))) : Real(1);
            w[i] = node.centre[i][0] - Real(offset[i]);
            h[i] = Real(node.half[i][0]) * unit_axis;
            k[i] = partner.half[i];
        }
        Real best = -1e60;
        for (int i = 0; i < 3; ++i) {
            Real own = abs(dot(a[i], w)) - h[i], other = abs(dot(n[i], w)) - k[i];
            for (int j = 0; j < 3; ++j) {
                own -= k[j] * abs(dot(a[i], b[j]));
                other -= h[j] * abs(dot(a[j], n[i]));
            }
            other /= length[i];
            if (own > best) best = own;
            if (other > best) best = other;
        }
        return best;
    }
};

Target of_boxes(WideKind kind, const char* name) {
    const auto some_map = [kind](Random& random) {
        Mat3 r = some_rotation(random);
        if (kind != WideKind::Affine) return r;
        for (Vec3& row : r.row) row = row * std::ldexp(random.between(1, 2), static_cast<int>(random.below(12)) - 6);
        return some_rotation(random) * r;
    };
    const auto start = [some_map](Random& random) {
        Genes g(BoxCase::genes);
        for (double& x : g) x = random.between(-1, 1);
        put(g, BoxCase::at_map, some_map(random));
        put(g, BoxCase::at_child_axes, some_rotation(random));
        put(g, BoxCase::at_partner_axes, some_rotation(random));
        return g;
    };
    const auto change = [some_map](Genes& g, Random& random) {
        switch (random.below(3)) {
            case 0:
                return put(g, BoxCase::at_map, some_map(random));
            case 1:
                return put(g, BoxCase::at_child_axes, some_rotation(random));
            default:
                return put(g, BoxCase::at_partner_axes, some_rotation(random));
        }
    };
    const auto ratio = [kind](const Genes& g) {
        const BoxCase boxes(kind, g);
        return boxes.possible(g) ? boxes.ratio() : -1.0;
    };
    return {name, start, ratio, change};
}

TEST(BoundsSearch, BoxesOriented) { EXPECT_GT(attack(of_boxes(WideKind::Oriented, "boxes, oriented"), 1), 0.02); }
TEST(BoundsSearch, BoxesAligned) { EXPECT_GT(attack(of_boxes(WideKind::Aligned, "boxes, aligned"), 2), 0.02); }
TEST(BoundsSearch, BoxesAffine) { EXPECT_GT(attack(of_boxes(WideKind::Affine, "boxes, affine"), 3), 0.02); }

/// Two triangles, each alone in its leaf: matrix, translation, A's corners, B's corners.
struct TriangleGenes {
    static constexpr std::size_t r = 0, t = 9, a = 12, b = 21, count = 30;
};

/// A leaf of one triangle about the origin, in the least box along the axes.
void fill(const Genes& g, std::size_t at, WideLeaf& leaf, WideBox& box) {
    box = {};
    for (std::size_t j = 0; j < 3; ++j) {
        double most = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const double x = g[at + 3 * k + j];
            most = std::max(most, std::abs(x));
            std::fill_n(leaf.v[3 * k + j], wide, static_cast<float>(x));
        }
        box.half[j] = round_up(most);
        box.axes[4 * j] = static_cast<std::int16_t>(axis_unit);
    }
    box.count = 1;
}

RealVector corner(const Genes& g, std::size_t at, std::size_t k) {
    return real({g[at + 3 * k], g[at + 3 * k + 1], g[at + 3 * k + 2]});
}

Target of_triangles(bool planes) {
    using At = TriangleGenes;
    const auto start = [](Random& random) {
        Genes g(At::count);
        for (double& x : g) x = random.between(-1, 1);
        put(g, At::r, some_rotation(random));
        return g;
    };
    const auto change = [](Genes& g, Random& random) { put(g, At::r, some_rotation(random)); };
    const auto ratio = [planes](const Genes& g) {
        const Mat3 r = matrix(g, At::r);
        if (!orthonormal(r, Pose::tolerance)) return -1.0;
        for (const double x : g)
            if (!(std::abs(x) <= 0x1p10)) return -1.0;
        const Vec3 t{g[At::t], g[At::t + 1], g[At::t + 2]};
        WideQuery query;
        query.side[0] = side(r, t, WideKind::Oriented);
        WideLeaf leaf_a, leaf_b;
        WideBox box_a, box_b;
        fill(g, At::a, leaf_a, box_a);
        fill(g, At::b, leaf_b, box_b);
        kernel::FilterValues values;
        if (!kernel::filter_values(query, leaf_a, box_a, leaf_b, box_b, values)) return -1.0;
        RealVector a[3], b[3];
        for (std::size_t k = 0; k < 3; ++k) {
            a[k] = corner(g, At::a, k);
            b[k] = mapped(r, corner(g, At::b, k));
            for (int j = 0; j < 3; ++j) b[k][j] += t[j];
        }
        if (!planes) {
            if (!(values.bound_across > 0x1p-90f)) return -1.0;
            const Real exact = dot(cross(minus(a[1], a[0]), minus(b[0], a[0])), minus(b[1], a[0]));
            return error_ratio(values.across, exact, values.bound_across);
        }
        if (!(values.bound_a > 0x1p-90f && values.bound_b > 0x1p-90f)) return -1.0;
        const RealVector n_a = cross(minus(a[1], a[0]), minus(a[2], a[0]));
        const RealVector n_b = cross(minus(b[1], b[0]), minus(b[2], b[0]));
        double most = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            most = std::max(most, error_ratio(values.of_a[k], dot(n_a, minus(b[k], a[0])), values.bound_a));
            most = std::max(most, error_ratio(values.of_b[k], dot(n_b, minus(a[k], b[0])), values.bound_b));
        }
        return most;
    };
    return {planes ? "triangles, planes" : "triangles, intervals", start, ratio, change};
}

/// A ray and a triangle alone in its leaf: start, direction, corners.
struct RayGenes {
    static constexpr std::size_t start = 0, direction = 3, corners = 6, count = 15;
};

Target of_rays(bool times) {
    using At = RayGenes;
    const auto start = [](Random& random) {
        Genes g(At::count);
        for (double& x : g) x = random.between(-1, 1);
        // Towards the triangle, in many cases a thin one.
        const double thin = std::ldexp(1.0, -static_cast<int>(random.below(24)));
        for (std::size_t j = 0; j < 3; ++j) {
            double& last = g[At::corners + 6 + j];
            last = g[At::corners + j] * (1 - thin) + last * thin;
            g[At::direction + j] = (g[At::corners + j] + g[At::corners + 3 + j] + last) / 3 - g[At::start + j];
        }
        return g;
    };
    const auto ratio = [times](const Genes& g) {
        // A ray starts within some units of the model, whose leaves are smaller than that.
        for (const double x : g)
            if (!(std::abs(x) <= 32)) return -1.0;
        const ScaledDirection scaled({g[At::direction], g[At::direction + 1], g[At::direction + 2]});
        WideRayLine line{};
        line.inv_unit = 1;
        for (std::size_t j = 0; j < 3; ++j) {
            line.start[j] = g[At::start + j];
            line.d[j] = scaled.d[static_cast<int>(j)];
        }
        if (line.d[0] == 0 && line.d[1] == 0 && line.d[2] == 0) return -1.0;
        line.set_axes();
        WideLeaf leaf;
        WideBox box;
        fill(g, At::corners, leaf, box);
        const kernel::RayValues values = kernel::ray_values(line, leaf, box);
        // Corners in the projection along the ray.
        const Real fastest = line.d[line.axis[2]];
        Real across[3][2], t[3], weight[3], sum = 0, mean = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto from_start = [&](unsigned j) { return Real(Real(g[At::corners + 3 * k + j]) - line.start[j]); };
            t[k] = from_start(line.axis[2]) / fastest;
            for (int i = 0; i < 2; ++i) across[k][i] = from_start(line.axis[i]) - t[k] * line.d[line.axis[i]];
        }
        double most = 0;
        int above = 0, below = 0;
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            weight[k] = across[i][0] * across[j][1] - across[i][1] * across[j][0];
            sum += weight[k];
            mean += weight[k] * t[k];
            above += sgn(weight[k]) > 0, below += sgn(weight[k]) < 0;
            most = std::max(most, error_ratio(values.weight[k], weight[k], values.bound));
        }
        if (!times) return most;
        // The range of t holds for triangles that the line crosses.
        if ((above > 0) == (below > 0)) return -1.0;
        constexpr double in_double = 0x1p-40;  // `time_error` in wide_rays.cpp
        if (values.steep)
            return error_ratio((values.low + values.high) / 2, mean / sum, (values.high - values.low) / 2 + in_double);
        const auto [first, last] = std::minmax({t[0], t[1], t[2]});
        return std::max(error_ratio(values.low + values.room, first, values.room + in_double),
                        error_ratio(values.high - values.room, last, values.room + in_double));
    };
    return {times ? "rays, times" : "rays, weights", start, ratio, {}};
}

TEST(BoundsSearch, RayWeights) { EXPECT_GT(attack(of_rays(false), 6), 0.05); }
TEST(BoundsSearch, RayTimes) { EXPECT_GT(attack(of_rays(true), 7), 0.005); }

TEST(BoundsSearch, TrianglePlanes) { EXPECT_GT(attack(of_triangles(true), 4), 0.02); }
TEST(BoundsSearch, TriangleIntervals) { EXPECT_GT(attack(of_triangles(false), 5), 0.002); }

}  // namespace
}  // namespace graze::test
