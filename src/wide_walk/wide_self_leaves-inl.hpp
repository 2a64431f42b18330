// SPDX-License-Identifier: Apache-2.0
// Pairs of leaves of one tree: which of their triangles meet in more than the corners and edges that they share.
#if defined(GRAZE_WIDE_SELF_LEAVES_INL) == defined(HWY_TARGET_TOGGLE)  // once per target
#ifdef GRAZE_WIDE_SELF_LEAVES_INL
#undef GRAZE_WIDE_SELF_LEAVES_INL
#else
#define GRAZE_WIDE_SELF_LEAVES_INL
#endif

#include <algorithm>
#include <bit>
#include <cmath>

#include "wide_walk/wide_distances-inl.hpp"
#include "wide_walk/wide_self.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

const hn::Rebind<std::uint32_t, decltype(d8)> u32;

/// Computes what the tests of a leaf's triangles need. `rounding` is `WideQuery::Side::rounding`.
HWY_INLINE void prepare_leaf(const SelfSearch& search, const WideLeaf& leaf, const WideBox& box, float rounding,
                             SelfLeaf& out) {
    for (unsigned l = 0; l < wide; ++l)
        for (int k = 0; k < 3; ++k) out.at[k][l] = search.first[search.model.geometry.triangles[leaf.id[l]][k]];
    out.half = box.half[0] + box.half[1] + box.half[2];
    out.lanes = (1u << box.count) - 1;
    const LaneNormals normal = normals<false>(leaf.v, leaf.v, nullptr, 0, rounding + 0x1p-23f * out.half);
    V low[3] = {set(endless), set(endless), set(endless)}, high[3] = {set(-endless), set(-endless), set(-endless)};
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const V nx = load(normal.n[0] + l), ny = load(normal.n[1] + l), nz = load(normal.n[2] + l);
        for (int j = 0; j < 3; ++j) {
            const V a = load(leaf.v[j] + l), b = load(leaf.v[3 + j] + l), c = load(leaf.v[6 + j] + l);
            hn::Store(min3(a, b, c), d8, out.low[j] + l);
            hn::Store(max3(a, b, c), d8, out.high[j] + l);
            low[j] = hn::Min(low[j], min3(a, b, c));
            high[j] = hn::Max(high[j], max3(a, b, c));
            hn::Store(load(normal.n[j] + l), d8, out.normal[j] + l);
        }
        hn::Store(hn::Neg(load(normal.offset + l)), d8, out.offset + l);
        hn::Store(hn::Add(hn::Abs(nx), hn::Add(hn::Abs(ny), hn::Abs(nz))), d8, out.size + l);
        hn::Store(load(normal.edge + l), d8, out.edge + l);
        hn::Store(load(normal.slope + l), d8, out.slope + l);
    }
    for (int j = 0; j < 3; ++j) {
        out.leaf_low[j] = least_lane(low[j]);
        out.leaf_high[j] = -least_lane(hn::Neg(high[j]));
    }
}

/// The corners of a leaf's triangles that are corners of another triangle, and the other way round.
struct SharedCorners {
    M same[3][3];  ///< whether corner i of the lane's triangle q is corner j of the other triangle p
    M q[3], p[3];  ///< whether a corner is shared

    HWY_INLINE SharedCorners(const SelfLeaf& lanes, const SelfLeaf& single, unsigned one, std::size_t l) {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                same[i][j] =
                    hn::RebindMask(d8, hn::Eq(hn::Load(u32, lanes.at[i] + l), hn::Set(u32, single.at[j][one])));
        for (int i = 0; i < 3; ++i) {
            q[i] = hn::Or(same[i][0], hn::Or(same[i][1], same[i][2]));
            p[i] = hn::Or(same[0][i], hn::Or(same[1][i], same[2][i]));
        }
    }
    HWY_INLINE M any() const { return hn::Or(q[0], hn::Or(q[1], q[2])); }
    /// Whether all corners of one of the triangles are shared.
    HWY_INLINE M whole() const {
        return hn::Or(hn::And(q[0], hn::And(q[1], q[2])), hn::And(p[0], hn::And(p[1], p[2])));
    }
    /// Whether an odd number of corners of each triangle is shared, which is one unless all are.
    HWY_INLINE M odd() const { return hn::And(hn::Xor(q[0], hn::Xor(q[1], q[2])), hn::Xor(p[0], hn::Xor(p[1], p[2]))); }
    /// Whether an even number of corners of each triangle is shared, which is none or two.
    HWY_INLINE M even() const {
        return hn::Not(hn::Or(hn::Xor(q[0], hn::Xor(q[1], q[2])), hn::Xor(p[0], hn::Xor(p[1], p[2]))));
    }
    /// Whether the two shared corners of each triangle follow each other in opposite orders, as in a surface with two
    /// sides.
    HWY_INLINE M opposite() const {
        M out = hn::AndNot(q[1], hn::AndNot(p[2], same[0][0]));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                out = hn::Or(out, hn::AndNot(q[(i + 1) % 3], hn::AndNot(p[(j + 2) % 3], same[i][j])));
        return out;
    }
};

/// On which sides of a plane the corners of triangles are, as far as that is certain.
struct PlaneSides {
    M above[3], below[3];

    HWY_INLINE PlaneSides(const V* height, V error) {
        for (int k = 0; k < 3; ++k) {
            above[k] = hn::Gt(height[k], error);
            below[k] = hn::Lt(height[k], hn::Neg(error));
        }
    }
    /// Whether all corners but the shared ones are on one side.
    HWY_INLINE M one_side(const M* shared) const {
        return hn::Or(
            hn::And(hn::Or(above[0], shared[0]), hn::And(hn::Or(above[1], shared[1]), hn::Or(above[2], shared[2]))),
            hn::And(hn::Or(below[0], shared[0]), hn::And(hn::Or(below[1], shared[1]), hn::Or(below[2], shared[2]))));
    }
    /// Whether the sides of all corners but the shared ones are certain.
    HWY_INLINE M certain(const M* shared) const {
        M out = hn::Or(hn::Or(above[0], below[0]), shared[0]);
        for (int k = 1; k < 3; ++k) out = hn::And(out, hn::Or(hn::Or(above[k], below[k]), shared[k]));
        return out;
    }
    /// Whether the corner after the one that is shared is above.
    HWY_INLINE M next_above(const M* shared) const {
        return hn::Or(hn::And(shared[0], above[1]), hn::Or(hn::And(shared[1], above[2]), hn::And(shared[2], above[0])));
    }
};

HWY_INLINE V pick_corner(const M* m, V a, V b, V c) { return hn::IfThenElse(m[0], a, hn::IfThenElse(m[1], b, c)); }

/// Two leaves, or one twice. The triangles of one of them fill the lanes. Those of the other are tested one by one. All
/// numbers are in the lanes' frame, which is the model's frame moved.
struct SelfLeafPair {
    const WideLeaf *lanes, *single;
    const SelfLeaf *lanes_more, *single_more;
    float to[3];  ///< the way from the lanes' centre to the other leaf's
    float eps;    ///< bounds the error of every coordinate
    float reach;  ///< bounds the 1-norm of corners and of their differences
    // The offsets of planes for corners as they are stored in the other leaf, and bounds of the error of a product.
    alignas(64) float lanes_offset[wide];
    alignas(64) float lanes_error[wide];
    alignas(64) float single_offset[wide];
    alignas(64) float single_error[wide];
};

/// Tests leaf pairs, in phases over a group of them. Each phase is a plain loop, so that the outcome of one test does
/// not hold up the next.
struct SelfLeafTest {
    WideQuery& query;
    const SelfSearch& search;
    const SelfLeaf* leaves;

    static constexpr unsigned most = 16;
    SelfLeafPair pair[most];
    unsigned pairs = 0;
    struct Job {
        std::uint8_t pair, one;            ///< a leaf pair, and its triangle that is tested against the lanes
        std::uint8_t lanes;                ///< lanes that count
        std::uint8_t meets, near, others;  ///< lanes that certainly meet, and the rest with and without shared corners
    };
    Job jobs[most * leaf_triangles + 1];
    unsigned job_count = 0;

    /// Prefetches the data of a leaf.
    HWY_INLINE void fetch(std::uint32_t leaf) const {
        const std::uint32_t i = leaf - search.model.wide.first_leaf();
        prefetch(leaves + i);
        prefetch(search.model.wide.leaves.data() + i);
    }

    /// Adds a leaf pair to the group. Triangles whose boxes are apart are left out. Boxes are off by ε each, and as
    /// much again for rounding.
    ///
    /// The errors (docs/exactness.md, "Triangles") are those of `planes` in wide_leaves-inl.hpp. A plane's height of a
    /// corner is computed by three times three operations, at most 9u |n|₁ reach off.
    HWY_INLINE void add(std::uint32_t a, std::uint32_t b) {
        const WideTree& tree = search.model.wide;
        const std::uint32_t first = tree.first_leaf();
        const SelfLeaf* more[2] = {leaves + (a - first), leaves + (b - first)};
        const WideBox *box_a = tree.boxes.data() + a, *box_b = tree.boxes.data() + b;
        float to[3], far = 0, sum = 0;
        for (int j = 0; j < 3; ++j) {
            to[j] = static_cast<float>((box_b->centre[j] - box_a->centre[j]) * query.side[0].inv_unit);
            far = std::max(far, std::abs(to[j]));
            sum += std::abs(to[j]);
        }
        const float half = more[0]->half + more[1]->half;
        const float eps = query.side[0].rounding + 9 * 0x1p-24f * (half + far);
        LaneBoxes boxes[2];
        move_boxes(*more[0], to, 1, eps, boxes[0]);
        move_boxes(*more[1], to, -1, eps, boxes[1]);
        const unsigned in[2] = {more[0]->lanes & near_boxes(boxes[0], more[1]->leaf_low, more[1]->leaf_high, 1),
                                more[1]->lanes & near_boxes(boxes[1], more[0]->leaf_low, more[0]->leaf_high, 1)};
        if (in[0] == 0 || in[1] == 0) return;
        const bool turn = std::popcount(in[0]) < std::popcount(in[1]);  // more triangles fill the lanes
        SelfLeafPair& m = pair[pairs];
        m.lanes = tree.leaves.data() + ((turn ? b : a) - first);
        m.single = tree.leaves.data() + ((turn ? a : b) - first);
        m.lanes_more = more[turn];
        m.single_more = more[!turn];
        for (int j = 0; j < 3; ++j) m.to[j] = turn ? -to[j] : to[j];
        m.eps = eps;
        m.reach = sum + 2 * half;
        place(m.lanes_more, m, 1, m.lanes_offset, m.lanes_error);
        place(m.single_more, m, -1, m.single_offset, m.single_error);
        const unsigned in_lanes = in[turn ? 1 : 0], singles = in[turn ? 0 : 1];
        for (unsigned k = singles; k != 0; k &= k - 1) {
            const auto one = static_cast<unsigned>(std::countr_zero(k));
            unsigned lanes =
                in_lanes & near_boxes(boxes[turn], &m.single_more->low[0][one], &m.single_more->high[0][one], wide);
            if (a == b) lanes &= ~1u << one;
            Job& job = jobs[job_count];
            job.pair = static_cast<std::uint8_t>(pairs);
            job.one = static_cast<std::uint8_t>(one);
            job.lanes = static_cast<std::uint8_t>(lanes);
            job_count += lanes != 0;
        }
        ++pairs;
    }

    /// Moves the planes of a leaf, so that they take corners as the other leaf stores them: by `sign` times the way to
    /// it. Bounds the errors of the heights.
    HWY_INLINE static void place(const SelfLeaf* leaf, const SelfLeafPair& m, float sign, float* offset, float* error) {
        const V x = set(sign * m.to[0]), y = set(sign * m.to[1]), z = set(sign * m.to[2]);
        const V per_size = set(10.5f * m.eps), per_slope = set(m.reach + 2.001f * m.eps);
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            hn::Store(hn::MulAdd(load(leaf->normal[0] + l), x,
                                 hn::MulAdd(load(leaf->normal[1] + l), y,
                                            hn::MulAdd(load(leaf->normal[2] + l), z, load(leaf->offset + l)))),
                      d8, offset + l);
            hn::Store(hn::MulAdd(per_size, load(leaf->size + l),
                                 hn::MulAdd(per_slope, load(leaf->slope + l), set(0x1p-100f))),
                      d8, error + l);
        }
    }

    /// The boxes of a leaf's triangles in the other leaf's frame, wide enough for the errors of both: by `sign` times
    /// the way to it.
    HWY_INLINE static void move_boxes(const SelfLeaf& leaf, const float* to, float sign, float eps, LaneBoxes& out) {
        for (int j = 0; j < 3; ++j) {
            const V low = set(sign * to[j] + 4 * eps), high = set(sign * to[j] - 4 * eps);
            for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
                hn::Store(hn::Sub(load(leaf.low[j] + l), low), d8, out.low[j] + l);
                hn::Store(hn::Sub(load(leaf.high[j] + l), high), d8, out.high[j] + l);
            }
        }
    }
    /// The boxes that are not certainly apart from another box. Its coordinates are `stride` apart in memory.
    HWY_INLINE static unsigned near_boxes(const LaneBoxes& boxes, const float* low, const float* high, int stride) {
        unsigned out = 0;
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            M near[3];
            for (int j = 0; j < 3; ++j)
                near[j] = hn::And(hn::Le(load(boxes.low[j] + l), set(high[j * stride])),
                                  hn::Ge(load(boxes.high[j] + l), set(low[j * stride])));
            out |= bits(hn::And(near[0], hn::And(near[1], near[2]))) << l;
        }
        return out;
    }

    /// The first test of a job: by the planes of the triangles. Branch-free.
    ///
    /// Corners that are shared lie in both planes. If all others of one triangle are beyond the other's plane, nothing
    /// else is common. If one corner is shared and all signs are certain, they decide (src/exact/self_predicate.cpp).
    HWY_INLINE void test_planes(Job& job) const {
        const SelfLeafPair& m = pair[job.pair];
        const SelfLeaf &more = *m.lanes_more, &single = *m.single_more;
        const unsigned one = job.one;
        const V px = set(single.normal[0][one]), py = set(single.normal[1][one]), pz = set(single.normal[2][one]);
        const V off_p = set(m.single_offset[one]), err_p = set(m.single_error[one]);
        unsigned meets = 0, near = 0, others = 0;
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            const SharedCorners shared(more, single, one, l);
            const V nx = load(more.normal[0] + l), ny = load(more.normal[1] + l), nz = load(more.normal[2] + l);
            const V off_q = load(m.lanes_offset + l);
            V s[3], t[3];
            for (int k = 0; k < 3; ++k) {
                const float(*q)[wide] = m.lanes->v + 3 * k;
                const float(*p)[wide] = m.single->v + 3 * k;
                s[k] = hn::MulAdd(px, load(q[0] + l),
                                  hn::MulAdd(py, load(q[1] + l), hn::MulAdd(pz, load(q[2] + l), off_p)));
                t[k] = hn::MulAdd(nx, set(p[0][one]),
                                  hn::MulAdd(ny, set(p[1][one]), hn::MulAdd(nz, set(p[2][one]), off_q)));
            }
            const PlaneSides of_q(s, err_p), of_p(t, load(m.lanes_error + l));
            const M any = shared.any(), whole = shared.whole();
            const M left = hn::Or(whole, hn::Not(hn::Or(of_q.one_side(shared.q), of_p.one_side(shared.p))));
            const M fan =
                hn::AndNot(whole, hn::And(shared.odd(), hn::And(of_q.certain(shared.q), of_p.certain(shared.p))));
            const M meet = hn::And(fan, hn::Xor(of_q.next_above(shared.q), of_p.next_above(shared.p)));
            meets |= bits(hn::And(left, meet)) << l;
            near |= bits(hn::And(left, hn::AndNot(fan, any))) << l;
            others |= bits(hn::AndNot(any, left)) << l;
        }
        job.meets = static_cast<std::uint8_t>(meets & job.lanes);
        job.near = static_cast<std::uint8_t>(near & job.lanes);
        job.others = static_cast<std::uint8_t>(others & job.lanes);
    }

    /// The corners of a job's single triangle in the lanes' frame.
    HWY_INLINE static void moved(const SelfLeafPair& m, unsigned one, float* p) {
        for (int k = 0; k < 9; ++k) p[k] = m.single->v[k][one] + m.to[k % 3];
    }

    /// The lanes of triangles that share one corner v with p and nothing else, because a plane through v has the other
    /// corners of p strictly on one side and theirs strictly on the other. Any vector may be tried as its normal. Here
    /// it is the sum m of the vectors of length about 1 from v to their corners minus that of p's, which parts the
    /// triangles of a flat or bent fan. Each product with m is off by |m|₁ (2ε + 5u reach), where |m|₁ < 7 and 5u reach
    /// < 1.7ε.
    HWY_INLINE static M parted(const WideLeaf& leaf, const float* p, const SharedCorners& shared, float eps,
                               std::size_t l) {
        V side[4][3];  // from v to the two others of q, and of p
        for (int j = 0; j < 3; ++j) {
            const V q0 = load(leaf.v[j] + l), q1 = load(leaf.v[3 + j] + l), q2 = load(leaf.v[6 + j] + l);
            const V p0 = set(p[j]), p1 = set(p[3 + j]), p2 = set(p[6 + j]);
            const V vq = pick_corner(shared.q, q0, q1, q2), vp = pick_corner(shared.p, p0, p1, p2);
            side[0][j] = hn::Sub(pick_corner(shared.q, q1, q2, q0), vq);
            side[1][j] = hn::Sub(pick_corner(shared.q, q2, q0, q1), vq);
            side[2][j] = hn::Sub(pick_corner(shared.p, p1, p2, p0), vp);
            side[3][j] = hn::Sub(pick_corner(shared.p, p2, p0, p1), vp);
        }
        V m[3] = {hn::Zero(d8), hn::Zero(d8), hn::Zero(d8)};
        for (int k = 0; k < 4; ++k) {
            const V squared = dot3(side[k][0], side[k][1], side[k][2], side[k][0], side[k][1], side[k][2]);
            const V inverse = hn::ApproximateReciprocalSqrt(hn::Add(squared, set(0x1p-100f)));
            for (int j = 0; j < 3; ++j)
                m[j] = k < 2 ? hn::MulAdd(side[k][j], inverse, m[j]) : hn::NegMulAdd(side[k][j], inverse, m[j]);
        }
        V at[4];
        for (int k = 0; k < 4; ++k) at[k] = dot3(m[0], m[1], m[2], side[k][0], side[k][1], side[k][2]);
        return hn::Gt(hn::Min(hn::Min(at[0], at[1]), hn::Neg(hn::Max(at[2], at[3]))), set(28 * eps));
    }

    /// The lanes of triangles that share an edge with p and nothing else, because they are bent by less than a right
    /// angle: the normals tell, by which the edge is run through in opposite directions. Their product is off by what
    /// each normal is off, times the other, and by 4u for rounding.
    HWY_INLINE static M flat(const SelfLeaf& leaf, const SelfLeaf& single, unsigned one, const SharedCorners& shared,
                             std::size_t l) {
        const V along = dot3(load(leaf.normal[0] + l), load(leaf.normal[1] + l), load(leaf.normal[2] + l),
                             set(single.normal[0][one]), set(single.normal[1][one]), set(single.normal[2][one]));
        const V err =
            hn::MulAdd(load(leaf.size + l), set(single.slope[one] + 0x1p-22f * single.size[one]),
                       hn::MulAdd(load(leaf.slope + l), set(single.size[one] + single.slope[one]), set(0x1p-100f)));
        return hn::Gt(hn::IfThenElse(shared.opposite(), along, hn::Neg(along)), err);
    }

    /// The second test of triangles with shared corners: those that are in one plane, or nearly. Returns the lanes
    /// left.
    HWY_NOINLINE unsigned test_near(const Job& job) const {
        const SelfLeafPair& m = pair[job.pair];
        float p[9];
        moved(m, job.one, p);
        unsigned left = 0;
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            const SharedCorners shared(*m.lanes_more, *m.single_more, job.one, l);
            const M fans = hn::And(shared.odd(), parted(*m.lanes, p, shared, m.eps, l));
            const M wings = hn::And(shared.even(), flat(*m.lanes_more, *m.single_more, job.one, shared, l));
            left |= bits(hn::Or(shared.whole(), hn::Not(hn::Or(fans, wings)))) << l;
        }
        return left & job.near;
    }

    /// The second test of triangles without shared corners: the float filter.
    HWY_NOINLINE LaneVerdict test_others(const Job& job) const {
        const SelfLeafPair& m = pair[job.pair];
        const SelfLeaf &more = *m.lanes_more, &single = *m.single_more;
        LaneNormals n, one;
        alignas(64) float w[9][wide];
        float p[9];
        moved(m, job.one, p);
        const auto base = [&](float size, float slope) {
            return (6.5f * size + 2.001f * slope) * m.eps * (1 + 0x1p-20f) + 0x1p-100f;
        };
        for (unsigned l = 0; l < wide; ++l) {
            for (int j = 0; j < 3; ++j) n.n[j][l] = more.normal[j][l];
            n.offset[l] = -more.offset[l];
            n.edge[l] = more.edge[l];
            n.slope[l] = more.slope[l];
            n.base[l] = base(more.size[l], more.slope[l]);
        }
        for (int j = 0; j < 9; ++j) w[j][0] = p[j];
        for (int j = 0; j < 3; ++j) one.n[j][0] = single.normal[j][job.one];
        one.offset[0] = one.n[0][0] * p[0] + one.n[1][0] * p[1] + one.n[2][0] * p[2];
        one.edge[0] = single.edge[job.one];
        one.slope[0] = single.slope[job.one];
        one.base[0] = base(single.size[job.one], single.slope[job.one]);
        return filter<false>(m.lanes->v, n, job.others, w, one, 0, m.eps);
    }

    /// Tests the group and empties it.
    Step run() {
        unsigned left = 0;
        for (unsigned i = 0; i < job_count; ++i) {
            Job job = jobs[i];
            query.stats.triangle_tests += static_cast<unsigned>(std::popcount(job.lanes));
            test_planes(job);
            if (!search.neighbours) job.meets = job.near = 0;
            jobs[left] = job;
            left += (job.meets | job.near | job.others) != 0;
        }
        pairs = job_count = 0;
        for (unsigned i = 0; i < left; ++i) {
            const Job& job = jobs[i];
            unsigned meets = job.meets, unsure = job.near != 0 ? test_near(job) : 0;
            if (job.others != 0) {
                const LaneVerdict verdict = test_others(job);
                meets |= verdict.meets;
                unsure |= verdict.unsure;
            }
            const SelfLeafPair& m = pair[job.pair];
            for (unsigned r = meets | unsure; r != 0; r &= r - 1) {
                const auto lane = static_cast<unsigned>(std::countr_zero(r));
                const std::uint32_t a = m.lanes->id[lane], b = m.single->id[job.one];
                if ((meets >> lane & 1 ? search.report(a, b) : search.decide(a, b, query.stats)) == Step::Stop)
                    return Step::Stop;
            }
        }
        return Step::Continue;
    }
};

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per target
