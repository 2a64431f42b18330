// SPDX-License-Identifier: Apache-2.0
#include "tree/wide_sweep.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/wide_sweep.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr float infinity = std::numeric_limits<float>::infinity();

const hn::CappedTag<float, 8> d8;
const hn::Rebind<std::int32_t, decltype(d8)> i32;
const hn::Rebind<std::int16_t, decltype(d8)> i16;
const hn::CappedTag<float, 4> d4;
const hn::CappedTag<std::int16_t, 16> ranks;
using V = hn::Vec<decltype(d8)>;

/// A box as one vector: the low corner and the negated high one. The least of two boxes is the box around them.
struct alignas(32) Corners8 {
    float v[8];
};

class Sweep {
public:
    HWY_ATTR Sweep(const Box4* items, std::uint32_t count) : count_(count) {
        // Twice the centres.
        alignas(64) float centre[sweep_below][4];
        float lo[4], hi[4];
        for (std::size_t l = 0; l < 4; l += hn::Lanes(d4)) {
            auto low = hn::Set(d4, infinity), high = hn::Set(d4, -infinity);
            for (std::uint32_t i = 0; i < count; ++i) {
                const auto a = hn::LoadU(d4, items[i].lo + l), b = hn::LoadU(d4, items[i].hi + l);
                const auto c = hn::Add(a, b);
                low = hn::Min(low, c), high = hn::Max(high, c);
                hn::Store(c, d4, centre[i] + l);
                hn::Store(a, d4, box_[i].v + l);
                hn::Store(hn::Neg(b), d4, box_[i].v + 4 + l);
            }
            hn::StoreU(low, d4, lo + l);
            hn::StoreU(high, d4, hi + l);
        }
        for (std::uint32_t i = count; i % 8 != 0; ++i) std::copy_n(centre[0], 4, centre[i]);
        // Along an axis on which the group is thin, a cut is hardly ever the best.
        constexpr float thin = 0.25f;
        const float widest = std::max({hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]});
        alignas(64) float row[3][sweep_below];
        for (std::uint32_t i = 0; i < count; i += static_cast<std::uint32_t>(hn::Lanes(d8))) {
            V x, y, z, idle;
            hn::LoadInterleaved4(d8, centre[i], x, y, z, idle);
            hn::Store(x, d8, row[0] + i);
            hn::Store(y, d8, row[1] + i);
            hn::Store(z, d8, row[2] + i);
        }
        for (int a = 0; a < 3; ++a) {
            const float width = hi[a] - lo[a];
            if (width < thin * widest) continue;
            float scale = width > 0 ? coarse * (1 - 1e-5f) / width : 0;
            if (!(scale < infinity)) scale = 0;
            sort(axes_, row[a], lo[a], scale);
            make_blocks(axes_++, 0, count_);
        }
    }

    /// Recursion is at most sweep_below / packet levels deep.
    HWY_ATTR void cut(std::vector<TopologyNode>& nodes, std::uint32_t at, std::uint32_t base) {
        const std::uint32_t first = nodes[at].first - base, count = nodes[at].count;
        if (count <= packet) return;
        const std::uint32_t blocks = (count + packet - 1) / packet;
        Best best;
        int axis = 0;
        for (int a = 0; a < axes_; ++a)
            if (weigh(block_[a] + first / packet, blocks, best) || a == 0) axis = a;
        const std::uint32_t left = best.left * packet;
        if (count <= 2 * packet) {
            // Packets are not cut again, so one order is enough.
            if (axis != 0) std::copy_n(order_[axis] + first, count, order_[0] + first);
        } else {
            std::uint8_t on_left[sweep_below];
            for (std::uint32_t i = 0; i < count; ++i) on_left[order_[axis][first + i]] = i < left;
            for (int a = 0; a < axes_; ++a)
                if (a != axis) split(a, first, left, count, on_left);
        }
        const auto child = static_cast<std::uint32_t>(nodes.size());
        nodes[at].child = child;
        nodes.push_back({best.left_area, 0, base + first, left});
        nodes.push_back({best.right_area, 0, base + first + left, count - left});
        cut(nodes, child, base);
        cut(nodes, child + 1, base);
    }

    const std::uint8_t* order() const { return order_[0]; }

private:
    static constexpr std::int32_t coarse = 65536 / sweep_below;  ///< number of places that an axis is divided into
    static constexpr std::uint32_t most = sweep_below / packet;

    struct Best {
        float cost = infinity;
        std::uint32_t left = 0;  ///< number of blocks
        float left_area = 0, right_area = 0;
    };

    /// Sorts by ranks. Keys have 16 bits: the place and, to make them differ, the index. Counting smaller keys is
    /// quadratic but branch-free, many at a time.
    HWY_ATTR void sort(int to, const float* centre, float lo, float scale) {
        constexpr std::uint32_t group = 32;
        alignas(64) std::int16_t key[sweep_below], rank[sweep_below];
        const auto from = hn::Set(d8, lo), by = hn::Set(d8, scale);
        for (std::uint32_t i = 0; i < count_; i += static_cast<std::uint32_t>(hn::Lanes(d8))) {
            const auto place = hn::ConvertTo(i32, hn::Mul(hn::Sub(hn::Load(d8, centre + i), from), by));
            const auto number = hn::Iota(i32, static_cast<std::int32_t>(i) - 32768);
            hn::Store(hn::DemoteTo(i16, hn::Add(hn::ShiftLeft<7>(place), number)), i16, key + i);
        }
        for (std::uint32_t i = count_; i % group != 0; ++i) key[i] = 0;
        for (std::uint32_t b = 0; b < count_; b += group) {
            constexpr std::size_t n = group / hn::MaxLanes(ranks);
            hn::Vec<decltype(ranks)> k[n], r[n];
            for (std::size_t j = 0; j < n; ++j) {
                k[j] = hn::Load(ranks, key + b + j * hn::Lanes(ranks));
                r[j] = hn::Zero(ranks);
            }
            for (std::uint32_t i = 0; i < count_; ++i) {
                const auto other = hn::Set(ranks, key[i]);
                for (std::size_t j = 0; j < n; ++j) r[j] = hn::Sub(r[j], hn::VecFromMask(ranks, hn::Lt(other, k[j])));
            }
            for (std::size_t j = 0; j < n; ++j) hn::Store(r[j], ranks, rank + b + j * hn::Lanes(ranks));
        }
        for (std::uint32_t i = 0; i < count_; ++i) order_[to][rank[i]] = static_cast<std::uint8_t>(i);
    }

    /// Makes the boxes of consecutive packets along an axis. Cuts fall between them, so the boxes along the
    /// axis of a cut stay as they are.
    HWY_ATTR void make_blocks(int axis, std::uint32_t first, std::uint32_t count) {
        const std::uint8_t* o = order_[axis];
        for (std::uint32_t i = first; i < first + count; i += packet)
            for (std::size_t l = 0; l < 8; l += hn::Lanes(d8)) {
                V b = hn::Load(d8, box_[o[i]].v + l);
                for (std::uint32_t k = i + 1; k < std::min(first + count, i + packet); ++k)
                    b = hn::Min(b, hn::Load(d8, box_[o[k]].v + l));
                hn::Store(b, d8, block_[axis][i / packet].v + l);
            }
    }

    /// Grows a box, and writes its sides, negated.
    struct Growing {
        V v[8 / hn::MaxLanes(d8)];

        HWY_INLINE HWY_ATTR explicit Growing(const Corners8& b) {
            for (std::size_t l = 0; l < 8; l += hn::Lanes(d8)) v[l / hn::Lanes(d8)] = hn::Load(d8, b.v + l);
        }
        HWY_INLINE HWY_ATTR void by(const Corners8& b) {
            for (std::size_t l = 0; l < 8; l += hn::Lanes(d8)) {
                V& own = v[l / hn::Lanes(d8)];
                own = hn::Min(own, hn::Load(d8, b.v + l));
            }
        }
        HWY_INLINE HWY_ATTR void sides(float* out) const { add_halves(d8, out); }

    private:
        template <class D>
        HWY_INLINE HWY_ATTR void add_halves(D d, float* out) const {
            if constexpr (hn::MaxLanes(d) == 8) {
                const hn::Half<D> half;
                // Highway's scalar target has no UpperHalf to name.
                hn::Store(hn::Add(hn::LowerHalf(half, v[0]), UpperHalf(half, v[0])), half, out);
            } else {
                constexpr std::size_t n = 4 / hn::MaxLanes(d);
                for (std::size_t k = 0; k < n; ++k) hn::Store(hn::Add(v[k], v[k + n]), d, out + k * hn::MaxLanes(d));
            }
        }
    };

    /// Half the surfaces of boxes, from their negated sides.
    static HWY_INLINE V area(const float (*sides)[4]) {
        V x, y, z, idle;
        hn::LoadInterleaved4(d8, sides[0], x, y, z, idle);
        return hn::MulAdd(x, y, hn::Mul(z, hn::Add(x, y)));
    }

    static float area_of(const float* sides) { return sides[0] * sides[1] + sides[2] * (sides[0] + sides[1]); }

    /// Weighs the cuts between blocks. Returns true if one of them is the best so far.
    static HWY_ATTR bool weigh(const Corners8* block, std::uint32_t blocks, Best& best) {
        // sides[k] belongs to the cut after k + 1 blocks.
        alignas(64) float left_sides[most][4], right_sides[most][4];
        alignas(64) float left[most], right[most];
        Growing l(block[0]), r(block[blocks - 1]);
        l.sides(left_sides[0]);
        r.sides(right_sides[blocks - 2]);
        if (blocks == 2) {  // half of all cuts
            const float a = area_of(left_sides[0]), b = area_of(right_sides[0]);
            if (!(a + b < best.cost) && best.left != 0) return false;
            best = {a + b, 1, a, b};
            return true;
        }
        for (std::uint32_t k = 1; k + 1 < blocks; ++k) {
            l.by(block[k]);
            l.sides(left_sides[k]);
            r.by(block[blocks - 1 - k]);
            r.sides(right_sides[blocks - 2 - k]);
        }
        V least = hn::Set(d8, infinity);
        for (std::uint32_t k = 0; k + 1 < blocks; k += static_cast<std::uint32_t>(hn::Lanes(d8))) {
            const V a = area(left_sides + k), b = area(right_sides + k);
            hn::Store(a, d8, left + k);
            hn::Store(b, d8, right + k);
            const V n = hn::Iota(d8, static_cast<float>(k + 1)), all = hn::Set(d8, static_cast<float>(blocks));
            const V cost = hn::MulAdd(a, n, hn::Mul(b, hn::Sub(all, n)));
            // The lowest bits of a cost give way to the number of its cut.
            const auto number = hn::Iota(i32, static_cast<std::int32_t>(k));
            const auto marked = hn::BitCast(d8, hn::Or(hn::AndNot(hn::Set(i32, 15), hn::BitCast(i32, cost)), number));
            least = hn::Min(least, hn::IfThenElse(hn::Lt(n, all), marked, hn::Set(d8, infinity)));
        }
        const float cost = hn::GetLane(hn::MinOfLanes(d8, least));
        if (!(cost < best.cost) && best.left != 0) return false;
        const std::uint32_t k = std::min(std::bit_cast<std::uint32_t>(cost) & 15, blocks - 2);
        best = {cost, k + 1, left[k], right[k]};
        return true;
    }

    /// Splits an order in two and keeps it within each part.
    HWY_ATTR void split(int axis, std::uint32_t first, std::uint32_t left, std::uint32_t count,
                        const std::uint8_t* on_left) {
        std::uint8_t* o = order_[axis] + first;
        std::uint8_t right[sweep_below];
        std::uint32_t l = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint8_t k = o[i];
            o[l] = k;
            right[i - l] = k;
            l += on_left[k];
        }
        std::copy(right, right + (count - left), o + left);
        // A part of one packet is not cut again.
        if (left > packet) make_blocks(axis, first, left);
        if (count - left > packet) make_blocks(axis, first + left, count - left);
    }

    std::uint32_t count_;
    int axes_ = 0;  ///< number of axes that are not thin
    std::uint8_t order_[3][sweep_below];
    Corners8 box_[sweep_below];
    Corners8 block_[3][most];
};

void sweep(const Box4* items, std::vector<TopologyNode>& nodes, std::uint32_t at, std::uint32_t* out) {
    const std::uint32_t base = nodes[at].first, count = nodes[at].count;
    Sweep s(items, count);
    s.cut(nodes, at, base);
    for (std::uint32_t i = 0; i < count; ++i) out[base + i] = std::bit_cast<std::uint32_t>(items[s.order()[i]].lo[3]);
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {
HWY_EXPORT(sweep);
void sweep(const Box4* items, std::vector<TopologyNode>& nodes, std::uint32_t at, std::uint32_t* order) {
    HWY_DYNAMIC_DISPATCH(sweep)(items, nodes, at, order);
}
}  // namespace graze::detail
#endif  // HWY_ONCE
