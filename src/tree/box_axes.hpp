// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace graze::detail {

/// The separating axes of two boxes (OBBTree paper, section 5), in A's frame: B's centre is at t, and R_ij = A_i · B_j.
/// Only the first `thick_a` and `thick_b` extents differ from zero. The terms of the others are left out, which saves
/// nine multiplications and ten additions each. A box A with three extents also needs fewer axes against a flat B: a
/// rectangle has one normal and two edges, a segment one edge, a point none (10, 6, 3 axes). `every_axis` keeps all 15,
/// as the paper's table does.
///
/// `widen` is added to every |R_ij| and `slack` to every sum of radii: they are the caller's error bounds. S is double,
/// or a type that counts operations.
template <int thick_a, int thick_b, bool every_axis = false, class S>
bool boxes_apart(const S (&a)[3], const S (&b)[3], const S (&t)[3], const S (&r)[3][3], const S& widen,
                 const S& slack) {
    static_assert(thick_a == 3 || every_axis, "two flat boxes may need any axis");
    using std::abs;
    constexpr int columns = every_axis || thick_b == 2 ? 3 : thick_b;
    S q[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < columns; ++j) q[i][j] = abs(r[i][j]) + widen;
        S radii = slack;
        if (i < thick_a) radii = radii + a[i];
        for (int j = 0; j < thick_b; ++j) radii = radii + b[j] * q[i][j];
        if (abs(t[i]) > radii) return true;
    }
    // B_j is a normal where both other extents are not zero.
    constexpr int first_normal = every_axis || thick_b == 3 ? 0 : thick_b == 2 ? 2 : 3;
    for (int j = first_normal; j < 3; ++j) {
        const S along = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
        S radii = slack;
        if (j < thick_b) radii = radii + b[j];
        for (int i = 0; i < thick_a; ++i) radii = radii + a[i] * q[i][j];
        if (abs(along) > radii) return true;
    }
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < (every_axis ? 3 : thick_b); ++j) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const S along = t[i2] * r[i1][j] - t[i1] * r[i2][j];
            S radii = slack;
            if (i1 < thick_a) radii = radii + a[i1] * q[i2][j];
            if (i2 < thick_a) radii = radii + a[i2] * q[i1][j];
            if (j1 < thick_b) radii = radii + b[j1] * q[i][j2];
            if (j2 < thick_b) radii = radii + b[j2] * q[i][j1];
            if (abs(along) > radii) return true;
        }
    }
    return false;
}

}  // namespace graze::detail
