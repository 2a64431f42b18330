// SPDX-License-Identifier: Apache-2.0
// Plain double arithmetic on placements, for the CPU and a GPU: each operation is rounded, because nothing that
// includes this is compiled with contraction.
#pragma once

#include <algorithm>
#include <cmath>

#include "graze/math.hpp"

#ifdef __CUDACC__
#define GRAZE_ON_BOTH __host__ __device__
#else
#define GRAZE_ON_BOTH
#endif

namespace graze::detail {

constexpr Vec3 mapped(const Mat3& m, const Vec3& t, const Vec3& p) {
    return {((m.row[0].x * p.x + m.row[0].y * p.y) + m.row[0].z * p.z) + t.x,
            ((m.row[1].x * p.x + m.row[1].y * p.y) + m.row[1].z * p.z) + t.y,
            ((m.row[2].x * p.x + m.row[2].y * p.y) + m.row[2].z * p.z) + t.z};
}

/// The true inverse (adjugate over determinant), not the transpose, because even a pose may be off orthonormal by the
/// tolerance. A matrix that is tiny or huge, as no pose's is, is multiplied by a scale first, a power of two, so that
/// products of three entries stay in range.
constexpr Mat3 inverted(const Mat3& m, double scale = 1) {
    const Vec3 r0 = m.row[0] * scale, r1 = m.row[1] * scale, r2 = m.row[2] * scale;
    const Vec3 c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
    const double s = scale / dot(r0, c0);
    return transpose({{c0 * s, c1 * s, c2 * s}});
}

/// An upper bound of the Frobenius norm, for entries whose squares are in range.
GRAZE_ON_BOTH inline double norm(const Mat3& m) {
    return std::sqrt(dot(m.row[0], m.row[0]) + dot(m.row[1], m.row[1]) + dot(m.row[2], m.row[2])) * (1 + 0x1p-40);
}

/// The power of two in (x, 2x].
GRAZE_ON_BOTH inline double power_above(double x) { return std::ldexp(1, std::ilogb(x) + 1); }

/// A placement's inverse, by cofactors, and a bound of its error.
struct Inverse {
    Mat3 matrix;

    GRAZE_ON_BOTH explicit Inverse(const Mat3& m) : matrix(inverted(m)) {}

    /// Bounds ‖matrix · m − I‖ and ‖m · matrix − I‖: the error of this matrix times any vector, from either side,
    /// relative to the true inverse. Each entry of the products is off by 4 · 2^-53 of the lengths of a row and a
    /// column.
    GRAZE_ON_BOTH double residual(const Mat3& m) const {
        Mat3 left = matrix * m, right = m * matrix;
        for (int i = 0; i < 3; ++i) left.row[i][i] -= 1, right.row[i][i] -= 1;
        return std::max(norm(left), norm(right)) + 0x1p-50 * (norm(matrix) * norm(m));
    }
};

}  // namespace graze::detail
