// SPDX-License-Identifier: Apache-2.0
#include "scenes/reference.hpp"

#include <algorithm>
#include <iterator>

namespace graze::scenes {
namespace {

Triangle corners_of(const std::vector<Vec3>& points, const std::vector<std::uint32_t>& corners, std::uint32_t i) {
    return {points[corners[3 * i]], points[corners[3 * i + 1]], points[corners[3 * i + 2]]};
}

}  // namespace

Reference::Reference(const Soup& a, const Soup& b) : a_(a), b_(b), boxes_a_(boxes(a.points, a.corners)) {}

/// Sorted by their low x.
std::vector<Reference::Box> Reference::boxes(const std::vector<Vec3>& points,
                                             const std::vector<std::uint32_t>& corners) {
    std::vector<Box> out(corners.size() / 3);
    for (std::uint32_t i = 0; i < out.size(); ++i) {
        const Triangle t = corners_of(points, corners, i);
        for (int k = 0; k < 3; ++k) {
            out[i].low[k] = std::min({t.a[k], t.b[k], t.c[k]});
            out[i].high[k] = std::max({t.a[k], t.b[k], t.c[k]});
        }
        out[i].triangle = i;
    }
    std::ranges::sort(out, {}, [](const Box& box) { return box.low.x; });
    return out;
}

/// Calls `found(pair)` for each pair that meets, until it returns false.
template <class F>
void Reference::sweep(const Affine& a_from_b, F&& found) const {
    std::vector<Vec3> mapped(b_.points.size());
    std::ranges::transform(b_.points, mapped.begin(), a_from_b);
    const std::vector<Box> boxes_b = boxes(mapped, b_.corners);

    const auto test = [&](const Box& p, const Box& q) {
        if (p.low.y > q.high.y || q.low.y > p.high.y || p.low.z > q.high.z || q.low.z > p.high.z) return true;
        if (!meet(corners_of(a_.points, a_.corners, p.triangle), corners_of(mapped, b_.corners, q.triangle)))
            return true;
        return found(TrianglePair{p.triangle, q.triangle});
    };
    // Whichever box begins first meets, along x, the other side's boxes that begin before it ends.
    std::size_t i = 0, j = 0;
    while (i < boxes_a_.size() && j < boxes_b.size()) {
        if (boxes_a_[i].low.x <= boxes_b[j].low.x) {
            const Box& p = boxes_a_[i++];
            for (std::size_t k = j; k < boxes_b.size() && boxes_b[k].low.x <= p.high.x; ++k)
                if (!test(p, boxes_b[k])) return;
        } else {
            const Box& q = boxes_b[j++];
            for (std::size_t k = i; k < boxes_a_.size() && boxes_a_[k].low.x <= q.high.x; ++k)
                if (!test(boxes_a_[k], q)) return;
        }
    }
}

bool Reference::first(const Affine& a_from_b) const {
    bool hit = false;
    sweep(a_from_b, [&](const TrianglePair&) {
        hit = true;
        return false;
    });
    return hit;
}

std::vector<TrianglePair> Reference::all(const Affine& a_from_b) const {
    std::vector<TrianglePair> out;
    sweep(a_from_b, [&](const TrianglePair& pair) {
        out.push_back(pair);
        return true;
    });
    std::ranges::sort(out);
    return out;
}

std::size_t differing(std::vector<TrianglePair> found, const std::vector<TrianglePair>& sorted_truth) {
    std::ranges::sort(found);
    std::vector<TrianglePair> difference;
    std::ranges::set_symmetric_difference(found, sorted_truth, std::back_inserter(difference));
    return difference.size();
}

}  // namespace graze::scenes
