// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "graze/result.hpp"

namespace graze {

/// Largest magnitude of a model's coordinate or a pose's translation: 2^1000. Everything smaller,
/// subnormal numbers included, is supported; a mapped vertex then never overflows.
inline constexpr double max_coordinate = 0x1p1000;

/// A point or direction: three doubles, tightly packed.
struct Vec3 {
    double x = 0, y = 0, z = 0;

    constexpr double& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
    constexpr double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
    friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

/// Rounded, with no care taken: for what decides nothing.
constexpr Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
constexpr Vec3 operator*(const Vec3& a, double s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr Vec3 operator*(double s, const Vec3& a) { return a * s; }
constexpr double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double length(const Vec3& a);

/// A 3×3 matrix by rows.
struct Mat3 {
    std::array<Vec3, 3> row{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};

    /// A copy of column i.
    constexpr Vec3 column(int i) const { return {row[0][i], row[1][i], row[2][i]}; }
    friend constexpr bool operator==(const Mat3&, const Mat3&) = default;
};

/// Rounded, as above.
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

/// A rigid placement, named by its frames: `a_from_b` maps points of B into A's frame.
///
/// The matrix is kept bit for bit as given, and every query maps a point p to
/// `((m0·p.x + m1·p.y) + m2·p.z) + t` by rows, each operation rounded to double (docs/exactness.md).
/// Its rows may be off orthonormal by up to `tolerance` (matrices printed with a few digits), and
/// may mirror. Every `Pose` that exists is finite and within range, so a query cannot fail.
class Pose {
public:
    /// Largest entry of |MᵀM − I| accepted.
    static constexpr double tolerance = 1e-2;

    /// The identity.
    Pose() = default;

    /// Used bit for bit.
    static Result<Pose> from_matrix(const Mat3& rotation, const Vec3& translation);
    /// A 3×4 matrix by rows, used bit for bit.
    static Result<Pose> from_rows(const std::array<double, 12>& rows);
    /// A quaternion (x, y, z, w) of any length but zero; it is normalised.
    static Result<Pose> from_quaternion(const Vec3& translation, const std::array<double, 4>& xyzw);

    /// As given.
    const Mat3& rotation() const { return rotation_; }
    const Vec3& translation() const { return translation_; }

    /// The mapped point, rounded as every query rounds it. Not inline: flags of the caller's that
    /// fuse a multiplication and an addition must not reach it.
    Vec3 operator()(const Vec3& p) const;

    friend bool operator==(const Pose&, const Pose&) = default;

private:
    Pose(const Mat3& r, const Vec3& t) : rotation_(r), translation_(t) {}
    Mat3 rotation_;
    Vec3 translation_;
};

/// Any invertible placement: turned, scaled unevenly, sheared, mirrored. Maps points as a `Pose` does.
///
/// The matrix is kept bit for bit. Its determinant is not zero, exactly, and no entry exceeds
/// `max_entry`, so that a mapped point never overflows.
class Affine {
public:
    /// Largest magnitude of an entry.
    static constexpr double max_entry = 0x1p20;

    /// The identity.
    Affine() = default;
    /// Every pose is one.
    Affine(const Pose& pose) : linear_(pose.rotation()), translation_(pose.translation()) {}

    /// Used bit for bit.
    static Result<Affine> from_matrix(const Mat3& linear, const Vec3& translation);
    /// A 3×4 matrix by rows, used bit for bit.
    static Result<Affine> from_rows(const std::array<double, 12>& rows);

    /// As given.
    const Mat3& linear() const { return linear_; }
    const Vec3& translation() const { return translation_; }
    /// Whether the matrix is orthonormal within a pose's tolerance; queries are fastest then.
    bool rigid() const { return rigid_; }

    /// The mapped point, rounded as every query rounds it.
    Vec3 operator()(const Vec3& p) const;

    friend bool operator==(const Affine&, const Affine&) = default;

private:
    Affine(const Mat3& m, const Vec3& t, bool rigid) : linear_(m), translation_(t), rigid_(rigid) {}
    Mat3 linear_;
    Vec3 translation_;
    bool rigid_ = true;
};

/// `a_from_c = a_from_b * b_from_c`, rounded; a fault when errors add up beyond a pose's tolerance.
Result<Pose> compose(const Pose& a_from_b, const Pose& b_from_c);
Result<Affine> compose(const Affine& a_from_b, const Affine& b_from_c);
/// `b_from_a`, rounded.
Result<Pose> inverse(const Pose& a_from_b);
Result<Affine> inverse(const Affine& a_from_b);

}  // namespace graze
