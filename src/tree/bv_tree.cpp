// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "tree/bv_tree-inl.hpp"

namespace graze::detail {

namespace {

/// Groups below this level are halved. Where positions shrink by powers of two, other cuts take off one triangle at a
/// time.
constexpr std::uint32_t level_limit = 64;
/// Groups of up to this many triangles are cut at the best of all places by area, larger ones at the best of 16.
constexpr std::uint32_t swept = 32;
constexpr int bin_count = 16;

constexpr double infinity = std::numeric_limits<double>::infinity();

Vec3 lower(const Vec3& a, const Vec3& b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
Vec3 upper(const Vec3& a, const Vec3& b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

/// The cost of a part by the surface-area heuristic.
double cost_of(const Vec3& low, const Vec3& high, std::size_t count) {
    const Vec3 d = high - low;
    return (d.x * d.y + d.y * d.z + d.z * d.x) * static_cast<double>(count);
}

/// Keeps the cheapest of several cuts. Among cuts that cost the same, up to rounding, it keeps the most even one.
struct Cheapest {
    double cost = infinity, uneven = infinity;
    std::uint32_t at = 0;

    void offer(double price, std::uint32_t left, std::uint32_t count, std::uint32_t where) {
        const double off = std::abs(1 - 2.0 * left / count);
        price *= 1 + 0x1p-30 * off;
        if (price < cost || (price == cost && off < uneven)) *this = {price, off, where};
    }
};

}  // namespace

Frame frame_of(const Geometry& g) {
    // Points that no triangle uses may lie anywhere.
    std::vector<bool> used(g.points.size());
    for (const Corners& t : g.triangles)
        for (const std::uint32_t c : t) used[c] = true;
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < g.points.size(); ++i)
        if (used[i]) points.push_back(g.points[i]);
    return Frame::around(points);
}

Mat3 axes_by_extent(std::span<const Vec3> points) {
    Vec3 low = points[0], high = points[0];
    for (const Vec3& p : points) low = lower(low, p), high = upper(high, p);
    const auto order = longest_first(high - low);
    const Mat3 unit;
    return {{unit.row[order[0]], unit.row[order[1]], unit.row[order[2]]}};
}

Sorted::Sorted(const Geometry& g, const Frame& frame) : points(g.triangles.size() * 3), ids(g.triangles.size()) {
    for (std::uint32_t i = 0; i < ids.size(); ++i) {
        ids[i] = i;
        for (int k = 0; k < 3; ++k) points[3 * std::size_t{i} + k] = frame.local(g.points[g.triangles[i][k]]);
    }
}

std::uint32_t Cutter::cut(const Group& g, const Mat3& axes, Split split) {
    std::uint32_t left = 0;
    if (g.level > level_limit) split = Split::Median;
    switch (split) {
        case Split::Mean:
            for (int i = 0; i < 3 && left == 0; ++i) left = at_mean(g, axes.row[i]);
            break;
        case Split::Median:
            for (int i = 0; i < 3 && left == 0; ++i) left = at_median(g, axes.row[i]);
            break;
        case Split::Midpoint:
            left = at_midpoint(g, axes.row[0]);
            break;
        case Split::Overlap:
            left = least_overlap(g, axes.row[0]);
            break;
        case Split::Area:
            left = least_area(g, axes);
            break;
    }
    return left == 0 ? g.count / 2 : left;
}

/// Cuts at the mean of the vertices. Returns 0 when all centres are equal along the axis.
std::uint32_t Cutter::at_mean(const Group& g, const Vec3& axis) {
    // These are sums over the corners, not means, because only comparisons matter. The mean of the vertices is that of
    // the centres, as each triangle has three.
    double low = infinity, high = -infinity, sum = 0;
    keys_.clear();
    for (std::uint32_t i = 0; i < g.count; ++i) {
        const Vec3* p = corners(g.first + i);
        const double key = dot(axis, p[0] + p[1] + p[2]);
        low = std::min(low, key), high = std::max(high, key), sum += key;
        keys_.push_back({key, i});
    }
    if (!(low < high)) return 0;
    // The mean is clamped because rounding could put it past every centre.
    const double mean = std::clamp(sum / g.count, low, std::nextafter(high, low));
    side_.resize(g.count);
    for (const auto& [key, i] : keys_) side_[i] = key > mean;
    return partition(g);
}

std::uint32_t Cutter::at_median(const Group& g, const Vec3& axis) {
    keys_.clear();
    for (std::uint32_t i = 0; i < g.count; ++i) {
        const Vec3* p = corners(g.first + i);
        keys_.push_back({dot(axis, p[0] + p[1] + p[2]), i});
    }
    const auto [low, high] = std::minmax_element(keys_.begin(), keys_.end());
    if (!(low->first < high->first)) return 0;
    std::nth_element(keys_.begin(), keys_.begin() + g.count / 2, keys_.end());
    keep_order(g, g.count / 2);
    return partition(g);
}

/// Cuts in the middle of the group by the middles of the triangles' intervals. Returns 0 when all are on one side.
std::uint32_t Cutter::at_midpoint(const Group& g, const Vec3& axis) {
    double low = infinity, high = -infinity;
    keys_.clear();
    for (std::uint32_t i = 0; i < g.count; ++i) {
        const Vec3* p = corners(g.first + i);
        const double x = dot(axis, p[0]), y = dot(axis, p[1]), z = dot(axis, p[2]);
        const double from = std::min({x, y, z}), to = std::max({x, y, z});
        low = std::min(low, from), high = std::max(high, to);
        keys_.push_back({from + to, i});
    }
    side_.resize(g.count);
    for (const auto& [key, i] : keys_) side_[i] = key > low + high;
    const std::uint32_t left = partition(g);
    return left == g.count ? 0 : left;
}

std::uint32_t Cutter::least_overlap(const Group& g, const Vec3& axis) {
    keys_.clear();
    boxes_.resize(g.count);
    for (std::uint32_t i = 0; i < g.count; ++i) {
        const Vec3* p = corners(g.first + i);
        const double x = dot(axis, p[0]), y = dot(axis, p[1]), z = dot(axis, p[2]);
        boxes_[i].low.x = std::min({x, y, z}), boxes_[i].high.x = std::max({x, y, z});
        keys_.push_back({boxes_[i].low.x + boxes_[i].high.x, i});
    }
    std::sort(keys_.begin(), keys_.end());
    right_.resize(g.count);
    double from = infinity, to = -infinity;
    for (std::uint32_t i = g.count; i-- > 0;) right_[i] = from = std::min(from, boxes_[keys_[i].second].low.x);
    // Among cuts with equal overlap, the most even one is kept.
    const std::uint32_t least = (g.count + 2) / 3;
    std::uint32_t best = g.count / 2;
    double best_overlap = infinity;
    const auto uneven = [&](std::uint32_t left) {
        return left > g.count - left ? 2 * left - g.count : g.count - 2 * left;
    };
    for (std::uint32_t left = 1; left <= g.count - least; ++left) {
        to = std::max(to, boxes_[keys_[left - 1].second].high.x);
        if (left < least) continue;
        const double overlap = to - right_[left];
        if (overlap < best_overlap || (overlap == best_overlap && uneven(left) < uneven(best)))
            best_overlap = overlap, best = left;
    }
    keep_order(g, best);
    return partition(g);
}

/// Cuts by the surface-area heuristic. Returns 0 when all middles are equal along every axis.
std::uint32_t Cutter::least_area(const Group& g, const Mat3& axes) {
    boxes_.resize(g.count);
    for (std::uint32_t i = 0; i < g.count; ++i) {
        const Vec3* p = corners(g.first + i);
        const Vec3 a = axes * p[0], b = axes * p[1], c = axes * p[2];
        boxes_[i] = {lower(lower(a, b), c), upper(upper(a, b), c)};
    }
    double least = infinity;
    for (int axis = 0; axis < 3; ++axis) {
        const double cost = g.count <= swept ? sweep(g, axis) : bins(g, axis);
        if (cost < least) least = cost, std::swap(side_, best_side_);
    }
    if (least == infinity) return 0;
    std::swap(side_, best_side_);
    return partition(g);
}

/// Finds the cheapest cut between any two triangles in the order of their middles. Sets the sides and returns the cost.
double Cutter::sweep(const Group& g, int axis) {
    keys_.clear();
    for (std::uint32_t i = 0; i < g.count; ++i) keys_.push_back({boxes_[i].low[axis] + boxes_[i].high[axis], i});
    std::sort(keys_.begin(), keys_.end());
    right_.resize(g.count);
    Vec3 low = boxes_[keys_.back().second].low, high = boxes_[keys_.back().second].high;
    for (std::uint32_t i = g.count; i-- > 1;) {
        const Box& box = boxes_[keys_[i].second];
        low = lower(low, box.low), high = upper(high, box.high);
        right_[i] = cost_of(low, high, g.count - i);
    }
    low = boxes_[keys_[0].second].low, high = boxes_[keys_[0].second].high;
    Cheapest cheapest;
    for (std::uint32_t i = 1; i < g.count; ++i) {
        const Box& box = boxes_[keys_[i - 1].second];
        low = lower(low, box.low), high = upper(high, box.high);
        cheapest.offer(cost_of(low, high, i) + right_[i], i, g.count, i);
    }
    keep_order(g, cheapest.at);
    return cheapest.cost;
}

/// Finds the cheapest cut at one of the evenly spaced places. Sets the sides and returns the cost.
double Cutter::bins(const Group& g, int axis) {
    double from = infinity, to = -infinity;
    for (const Box& box : boxes_) {
        const double key = box.low[axis] + box.high[axis];
        from = std::min(from, key), to = std::max(to, key);
    }
    const double scale = bin_count / (to - from);
    if (!(scale < infinity)) return infinity;
    struct Bin {
        Vec3 low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
        std::uint32_t count = 0;

        void add(const Vec3& l, const Vec3& h, std::uint32_t n) {
            low = lower(low, l), high = upper(high, h), count += n;
        }
    };
    std::array<Bin, bin_count> bin;
    side_.resize(g.count);
    for (std::uint32_t i = 0; i < g.count; ++i) {
        const double key = boxes_[i].low[axis] + boxes_[i].high[axis];
        const int b = std::min(bin_count - 1, static_cast<int>((key - from) * scale));
        side_[i] = static_cast<std::uint8_t>(b);
        bin[b].add(boxes_[i].low, boxes_[i].high, 1);
    }
    std::array<double, bin_count> right{};
    Bin sum;
    for (int b = bin_count; b-- > 1;) {
        if (bin[b].count > 0) sum.add(bin[b].low, bin[b].high, bin[b].count);
        right[b] = sum.count == 0 ? infinity : cost_of(sum.low, sum.high, sum.count);
    }
    sum = {};
    Cheapest cheapest;
    for (int b = 1; b < bin_count; ++b) {
        if (bin[b - 1].count > 0) sum.add(bin[b - 1].low, bin[b - 1].high, bin[b - 1].count);
        if (sum.count == 0) continue;
        if (right[b] < infinity)
            cheapest.offer(cost_of(sum.low, sum.high, sum.count) + right[b], sum.count, g.count,
                           static_cast<std::uint32_t>(b));
    }
    for (std::uint8_t& s : side_) s = s >= cheapest.at;
    return cheapest.cost;
}

/// Sets the sides by the order of the keys.
void Cutter::keep_order(const Group& g, std::size_t left) {
    side_.resize(g.count);
    for (std::size_t i = 0; i < keys_.size(); ++i) side_[keys_[i].second] = i >= left;
}

/// Moves the triangles to their sides. Returns the number on the first side.
std::uint32_t Cutter::partition(const Group& g) {
    std::uint32_t i = 0, j = g.count;
    while (i < j) {
        if (side_[i] == 0) {
            ++i;
        } else if (side_[--j] == 0) {
            std::swap(side_[i], side_[j]);
            std::swap(sorted_.ids[g.first + i], sorted_.ids[g.first + j]);
            Vec3* const p = &sorted_.points[3 * std::size_t{g.first}];
            std::swap_ranges(p + 3 * std::size_t{i}, p + 3 * std::size_t{i} + 3, p + 3 * std::size_t{j});
            ++i;
        }
    }
    return i;
}

}  // namespace graze::detail
