// SPDX-License-Identifier: Apache-2.0
#include "scenes/rigid.hpp"

#include <cmath>

namespace graze::scenes {

namespace {

Mat3 scaled(const Mat3& m, double s) { return {{m.row[0] * s, m.row[1] * s, m.row[2] * s}}; }

void add_product(Mat3& m, const Vec3& v, double weight) {
    for (int i = 0; i < 3; ++i) m.row[i] = m.row[i] + v * (v[i] * weight);
}

Mat3 diagonal(double d) { return {{Vec3{d, 0, 0}, Vec3{0, d, 0}, Vec3{0, 0, d}}}; }

/// Symmetric and positive.
Mat3 inverted(const Mat3& m) {
    const Vec3 x = cross(m.row[1], m.row[2]), y = cross(m.row[2], m.row[0]), z = cross(m.row[0], m.row[1]);
    return scaled({{x, y, z}}, 1 / dot(m.row[0], x));
}

Quaternion normalised(const Quaternion& q) {
    const double n = std::sqrt(((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3]);
    return {q[0] / n, q[1] / n, q[2] / n, q[3] / n};
}

}  // namespace

Quaternion turned_by(const Vec3& half, const Quaternion& q) {
    const Vec3 v{q[0], q[1], q[2]};
    const double w = q[3];
    const Vec3 turned = v + (half * w + cross(half, v));
    return normalised({turned.x, turned.y, turned.z, w - dot(half, v)});
}

Mass surface_mass(const Model& model) {
    const Ball ball = bounding_ball(model);
    // ∫ p pᵀ over a triangle is its area / 12 · (aaᵀ + bbᵀ + ccᵀ + ssᵀ), s being the sum of the corners.
    double area = 0;
    Vec3 first;
    Mat3 second = diagonal(0);
    for (std::uint32_t i = 0; i < model.triangle_count(); ++i) {
        const Triangle t = model.triangle(i);
        const Vec3 a = t.a - ball.centre, b = t.b - ball.centre, c = t.c - ball.centre, s = a + b + c;
        const Vec3 n = cross(b - a, c - a);
        const double w = std::sqrt(dot(n, n)) / 2;
        area += w;
        first = first + s * (w / 3);
        for (const Vec3& p : {a, b, c, s}) add_product(second, p, w / 12);
    }
    if (!(area > 0)) return {ball.centre, diagonal(ball.radius > 0 ? 0.4 * ball.radius * ball.radius : 1)};
    const Vec3 offset = first * (1 / area);
    second = scaled(second, 1 / area);
    add_product(second, offset, -1);
    const double trace = second.row[0].x + second.row[1].y + second.row[2].z;
    // A thousandth more on the diagonal keeps needles from spinning without bound.
    Mass mass{ball.centre + offset, diagonal(trace * 1.001)};
    for (int i = 0; i < 3; ++i) mass.inertia.row[i] = mass.inertia.row[i] - second.row[i];
    return mass;
}

Rigid::Rigid(const Model& model, const Body& start)
    : state(start),
      mass_(surface_mass(model)),
      inverse_(inverted(mass_.inertia)),
      radius_(bounding_ball(model).radius) {
    state.rotation = normalised(state.rotation);
}

Pose Rigid::pose() const {
    const Pose turned = *Pose::from_quaternion(state.rotation, {});
    return placed(turned, state.position - turned.rotation() * mass_.centre);
}

double Rigid::kinetic() const {
    const Vec3 w = transpose(Pose::from_quaternion(state.rotation, {})->rotation()) * state.spin;
    return (dot(state.velocity, state.velocity) + dot(w, mass_.inertia * w)) / 2;
}

void Rigid::begin_step() {
    axes_ = Pose::from_quaternion(state.rotation, {})->rotation();
    inverse_here_ = axes_ * inverse_ * transpose(axes_);
}

void Rigid::apply(const Vec3& impulse, const Vec3& arm) {
    state.velocity = state.velocity + impulse;
    state.spin = state.spin + inverse_here_ * cross(arm, impulse);
}

double Rigid::softness(const Vec3& direction, const Vec3& arm) const {
    const Vec3 lever = cross(arm, direction);
    return 1 + dot(lever, inverse_here_ * lever);
}

void Rigid::slow_down(double share) {
    state.velocity = state.velocity * share;
    state.spin = state.spin * share;
}

void Rigid::turn(double dt) {
    const Vec3 momentum = axes_ * (mass_.inertia * (transpose(axes_) * state.spin));
    state.rotation = turned_by(state.spin * (dt / 2), state.rotation);
    const Mat3 axes = Pose::from_quaternion(state.rotation, {})->rotation();
    const Vec3 spin = axes * (inverse_ * (transpose(axes) * momentum));
    const double before = dot(momentum, state.spin), after = dot(momentum, spin);
    state.spin = after > before ? spin * std::sqrt(before / after) : spin;
}

}  // namespace graze::scenes
