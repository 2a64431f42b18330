// SPDX-License-Identifier: Apache-2.0
#include "contact_shape.hpp"

#include <algorithm>
#include <cmath>

#include "checks/crossing.hpp"

namespace graze::report {

namespace {

void append(std::vector<float>& to, const Vec3& v) {
    to.insert(to.end(), {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
}

/// What the two have in common is in both their boxes. When the boxes are apart, this is the gap between them.
Bounds between(const Triangle& s, const Triangle& t) {
    const Bounds of_s(s), of_t(t);
    Bounds both;
    Vec3 low, high;
    for (int k = 0; k < 3; ++k) {
        low[k] = std::max(of_s.lo[k], of_t.lo[k]);
        high[k] = std::min(of_s.hi[k], of_t.hi[k]);
    }
    both.add(low);
    both.add(high);
    return both;
}

}  // namespace

void ContactDrawing::include(const Triangle& s, const Triangle& t) { between_.add(between(s, t)); }

void ContactDrawing::add(const Triangle& s, const Triangle& t) {
    const Bounds common = between(s, t);
    between_.add(common);
    ends_.clear();
    checks::crossing(s, t, ends_);
    if (ends_.empty())
        dot_at(common.centre());
    else if (ends_.size() == 2)
        segment(ends_[0], ends_[1]);
    else
        polygon(ends_);
}

void ContactDrawing::segment(const Vec3& from, const Vec3& to) {
    drawn_.add(from);
    drawn_.add(to);
    constexpr double visible = 1e-6;  // of the scene
    if (length(to - from) < visible) return dot_at(from);
    append(to_.segments, from);
    append(to_.segments, to);
    is_new(from);
    is_new(to);
}

/// Draws the outline's inside. An outline much longer than wide would not be seen, so it is drawn as a segment.
void ContactDrawing::polygon(const std::vector<Vec3>& ends) {
    Vec3 doubled_area;
    const Vec3 *from = &ends[0], *to = &ends[0];
    for (std::size_t i = 0; i < ends.size(); i += 2) {
        doubled_area = doubled_area + cross(ends[i] - ends[0], ends[i + 1] - ends[0]);
        for (std::size_t j = 0; j < i; j += 2)
            if (length(ends[i] - ends[j]) > length(*to - *from)) from = &ends[j], to = &ends[i];
    }
    const double longest = length(*to - *from);
    if (length(doubled_area) < 0.002 * longest * longest) return segment(*from, *to);
    to_.areas.push_back(static_cast<std::uint32_t>(ends.size() / 2));
    for (std::size_t i = 0; i < ends.size(); i += 2) {
        append(to_.area_corners, ends[i]);
        drawn_.add(ends[i]);
        is_new(ends[i]);
    }
}

void ContactDrawing::dot_at(const Vec3& p) {
    if (is_new(p)) append(to_.dots, p);
}

bool ContactDrawing::is_new(const Vec3& p) {
    const auto cell = [](double x) {
        return static_cast<std::uint64_t>(std::fmin(std::fmax(x + 4, 0.0), 8.0) * 0x1p16);
    };
    return seen_.insert(cell(p.x) << 42 | cell(p.y) << 21 | cell(p.z)).second;
}

}  // namespace graze::report
