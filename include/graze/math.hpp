// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "graze/result.hpp"

namespace graze {

/// Largest magnitude of a model's coordinate or of a translation: 2^1000. Mapped points then never overflow.
/// Everything smaller is supported, subnormal numbers included.
inline constexpr double max_coordinate = 0x1p1000;

/// A point or direction: three doubles, tightly packed.
struct Vec3 {
    double x = 0, y = 0, z = 0;

    constexpr double& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
    constexpr double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
    friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

/// Plain double arithmetic. Never used for an exact decision.
constexpr Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
constexpr Vec3 operator*(const Vec3& a, double s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr Vec3 operator*(double s, const Vec3& a) { return a * s; }
constexpr double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// Euclidean length, without overflow or underflow on the way.
double length(const Vec3& a);

/// A 3×3 matrix by rows.
struct Mat3 {
    std::array<Vec3, 3> row{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};

    /// A copy of column i.
    constexpr Vec3 column(int i) const { return {row[0][i], row[1][i], row[2][i]}; }
    friend constexpr bool operator==(const Mat3&, const Mat3&) = default;
};

/// Plain double arithmetic. Never used for an exact decision.
constexpr Vec3 operator*(const Mat3& m, const Vec3& v) {
    return {dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v)};
}
constexpr Mat3 transpose(const Mat3& m) { return {{m.column(0), m.column(1), m.column(2)}}; }
constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
    const Mat3 bt = transpose(b);
    return {{Vec3{dot(a.row[0], bt.row[0]), dot(a.row[0], bt.row[1]), dot(a.row[0], bt.row[2])},
             Vec3{dot(a.row[1], bt.row[0]), dot(a.row[1], bt.row[1]), dot(a.row[1], bt.row[2])},
             Vec3{dot(a.row[2], bt.row[0]), dot(a.row[2], bt.row[1]), dot(a.row[2], bt.row[2])}}};
}

/// A rigid placement. Names read by frames: `a_from_b` maps points of B into A's frame.
///
/// A pose keeps its matrix bit for bit. Every query maps a point p to `((m0·p.x + m1·p.y) + m2·p.z) + t` by rows and
/// rounds each operation to double (docs/exactness.md). The matrix may be off orthonormal by up to `tolerance`, as
/// matrices printed with a few digits are, and it may mirror. Every `Pose` that exists is finite and within range, so
/// a query cannot fail.
class Pose {
public:
    /// Largest magnitude of an entry of MᵀM − I.
    static constexpr double tolerance = 1e-2;

    /// The identity.
    Pose() = default;

    /// A rotation matrix, then a translation. Both are used bit for bit.
    static Result<Pose> from_matrix(const Mat3& rotation, const Vec3& translation);
    /// A quaternion (x, y, z, w) of any length but zero, which is normalised; then a translation.
    static Result<Pose> from_quaternion(const std::array<double, 4>& xyzw, const Vec3& translation);
    /// A translation without a rotation.
    static Result<Pose> from_translation(const Vec3& translation);
    /// The first three rows of a 4×4 matrix, row by row: m00 m01 m02 tx, m10 … They are used bit for bit.
    static Result<Pose> from_rows(const std::array<double, 12>& rows);
    /// A 4×4 matrix, row by row. The last row must be 0 0 0 1.
    static Result<Pose> from_matrix4(const std::array<double, 16>& matrix);

    /// The matrix and the translation, bit for bit as they were given.
    const Mat3& rotation() const { return rotation_; }
    const Vec3& translation() const { return translation_; }
    /// The twelve numbers that `from_rows` takes.
    std::array<double, 12> rows() const;

    /// Maps a point, rounded as every query rounds it. Not inline: compiler flags of the caller that fuse a
    /// multiplication and an addition must not reach it.
    Vec3 operator()(const Vec3& p) const;

    friend bool operator==(const Pose&, const Pose&) = default;

    friend Pose compose(const Pose& a_from_b, const Pose& b_from_c);
    friend Pose inverse(const Pose& a_from_b);
    friend Pose relative(const Pose& world_from_a, const Pose& world_from_b);

private:
    Pose(const Mat3& r, const Vec3& t) : rotation_(r), translation_(t) {}
    Mat3 rotation_;
    Vec3 translation_;
};

/// Any invertible placement: rotation, uneven scale, shear, mirror. It maps points as a `Pose` does.
///
/// An affine placement keeps its matrix bit for bit. The determinant is not zero, decided exactly. No entry exceeds
/// `max_entry`, so a mapped point never overflows.
class Affine {
public:
    /// Largest magnitude of an entry of the matrix.
    static constexpr double max_entry = 0x1p20;

    /// The identity.
    Affine() = default;
    /// Every pose is an affine placement.
    Affine(const Pose& pose) : linear_(pose.rotation()), translation_(pose.translation()) {}

    /// A matrix, then a translation. Both are used bit for bit.
    static Result<Affine> from_matrix(const Mat3& linear, const Vec3& translation);
    /// The first three rows of a 4×4 matrix, row by row: m00 m01 m02 tx, m10 … They are used bit for bit.
    static Result<Affine> from_rows(const std::array<double, 12>& rows);
    /// A 4×4 matrix, row by row. The last row must be 0 0 0 1.
    static Result<Affine> from_matrix4(const std::array<double, 16>& matrix);

    /// The matrix and the translation, bit for bit as they were given.
    const Mat3& linear() const { return linear_; }
    const Vec3& translation() const { return translation_; }
    /// The twelve numbers that `from_rows` takes.
    std::array<double, 12> rows() const;
    /// True when the matrix is orthonormal within `Pose::tolerance`. Queries are fastest then.
    bool rigid() const { return rigid_; }

    /// Maps a point, rounded as every query rounds it.
    Vec3 operator()(const Vec3& p) const;

    friend bool operator==(const Affine&, const Affine&) = default;

private:
    Affine(const Mat3& m, const Vec3& t, bool rigid) : linear_(m), translation_(t), rigid_(rigid) {}
    Mat3 linear_;
    Vec3 translation_;
    bool rigid_ = true;
};

// Products of poses are poses: they cannot fail. They are computed in plain double arithmetic. Where the product of two
// sloppy matrices is off orthonormal by more than `Pose::tolerance`, the nearest orthonormal matrix takes its place,
// which moves a point by at most 1/32 of its distance from the origin of its frame. Coordinates of a translation are
// clamped to ±`max_coordinate`.

/// `a_from_c` from `a_from_b` and `b_from_c`.
Pose compose(const Pose& a_from_b, const Pose& b_from_c);
/// `b_from_a`.
Pose inverse(const Pose& a_from_b);
/// The placement of B in A's frame when both are placed in the world, as queries take it:
/// `intersects(a, b, relative(world_from_a, world_from_b))`.
Pose relative(const Pose& world_from_a, const Pose& world_from_b);

// Products of affine placements, in plain double arithmetic. A fault when `Affine::from_matrix` refuses the result.

/// `a_from_c` from `a_from_b` and `b_from_c`.
Result<Affine> compose(const Affine& a_from_b, const Affine& b_from_c);
/// `b_from_a`.
Result<Affine> inverse(const Affine& a_from_b);
/// The placement of B in A's frame when both are placed in the world. It keeps the product of two sloppy poses as it
/// is, unlike `relative` of poses.
Result<Affine> relative(const Affine& world_from_a, const Affine& world_from_b);

}  // namespace graze
