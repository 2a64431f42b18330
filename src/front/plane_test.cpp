// SPDX-License-Identifier: Apache-2.0
#include "front/plane_test.hpp"

#include <algorithm>

#include "front/motion.hpp"

namespace graze::detail {

PlaneTest::PlaneTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin, const PlaneTest* last) {
    const Placement at(a, b, a_from_b, margin);
    transposed_ = transpose(at.matrix);
    for (int i = 0; i < 3; ++i) scaled_.row[i] = at.matrix.row[i] * at.b_unit;
    offset_ = at.offset;
    a_unit_ = at.a_unit;
    b_unit_ = at.b_unit;
    margin_ = at.margin;
    exponent_ = at.exponent;
    slack_ = 0x1p-46 * at.reach + 0x1p-38 * (a_unit_ + b_unit_) + 0x1p-900;
    const double offset = std::abs(offset_.x) + std::abs(offset_.y) + std::abs(offset_.z);
    turn_ = 0x1p-21 * (offset + 2 * a_unit_ + 12 * b_unit_) + slack_;
    if (last != nullptr) {
        Mat3 change;
        for (int i = 0; i < 3; ++i) change.row[i] = transposed_.row[i] - last->transposed_.row[i];
        turned_ = last->turned_ + spectral_bound(change) * (1 + 0x1p-18);  // the factor covers |G| too
    }
    turned_unit_ = turned_ * b_unit_;
}

namespace {

/// Takes n or its opposite as the axis if the corners are further apart along it than along the best so far.
void offer(const Vec3 (&a)[3], const Vec3 (&b)[3], const Vec3& n, double& best, Vec3& axis) {
    const double square = dot(n, n);
    if (!(square > 0x1p-960)) return;
    const double pa[3] = {dot(n, a[0]), dot(n, a[1]), dot(n, a[2])}, pb[3] = {dot(n, b[0]), dot(n, b[1]), dot(n, b[2])};
    const double up = std::min({pb[0], pb[1], pb[2]}) - std::max({pa[0], pa[1], pa[2]});
    const double down = std::min({pa[0], pa[1], pa[2]}) - std::max({pb[0], pb[1], pb[2]});
    const double inv = 1 / std::sqrt(square), gap = std::max(up, down) * inv;
    if (!(gap > best)) return;
    best = gap;
    axis = n * (up < down ? -inv : inv);
}

}  // namespace

bool separating_axis(const Vec3 (&a)[3], const Vec3 (&b)[3], Vec3& axis) {
    const Vec3 ea[3] = {a[1] - a[0], a[2] - a[1], a[0] - a[2]}, eb[3] = {b[1] - b[0], b[2] - b[1], b[0] - b[2]};
    double best = 0;
    offer(a, b, cross(ea[0], ea[1]), best, axis);
    offer(a, b, cross(eb[0], eb[1]), best, axis);
    for (int i = 0; i < 9 && !(best > 0); ++i) offer(a, b, cross(ea[i / 3], eb[i % 3]), best, axis);
    return best > 0;
}

}  // namespace graze::detail
