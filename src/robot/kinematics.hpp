// SPDX-License-Identifier: Apache-2.0
// Forward kinematics: how joints move the links of a robot. Operations are rounded one by one and no function of the
// machine's library is called, so the numbers are the same bits on every machine, and on a GPU.
#pragma once

#include <span>

#include "exact/placing.hpp"
#include "graze/robot.hpp"

namespace graze::detail {

struct SineCosine {
    double sine, cosine;
};

/// Largest angle that `sine_cosine` takes.
inline constexpr double max_angle = 0x1p20;

/// Sine and cosine of an angle of at most `max_angle`, to within one unit in the last place.
///
/// The nearest multiple k of π/2 is subtracted in three parts (Cody and Waite 1980). k is below 2^20, and the first two
/// parts have 33 bits, so their products with k are exact, and so is the first difference. What the second one rounds
/// is kept and enters with the third part, below 2^-46. The series of Taylor end where the next term is below 2^-58.
constexpr SineCosine sine_cosine(double angle) {
    constexpr double to_integer = 0x1.8p52;  // what is added to a number loses its fraction
    const double k = (angle * 0x1.45f306dc9c883p-1 + to_integer) - to_integer;
    const double a = angle - k * 0x1.921fb544p+0, b = k * 0x1.0b4611a6p-34, c = k * 0x1.3198a2e037073p-69;
    const double d = a - b, turned_back = d - a;
    const double lost = (a - (d - turned_back)) - (b + turned_back);
    const double r = d - c, tail = ((d - r) - c) + lost;
    const double z = r * r;
    const double sine_rest =
        z * (-1 / 6.0 +
             z * (1 / 120.0 +
                  z * (-1 / 5040.0 +
                       z * (1 / 362880.0 +
                            z * (-1 / 39916800.0 +
                                 z * (1 / 6227020800.0 + z * (-1 / 1307674368000.0 + z * (1 / 355687428096000.0))))))));
    const double cosine_rest =
        z * (1 / 24.0 +
             z * (-1 / 720.0 +
                  z * (1 / 40320.0 + z * (-1 / 3628800.0 + z * (1 / 479001600.0 + z * (-1 / 87178291200.0 +
                                                                                       z * (1 / 20922789888000.0)))))));
    const double half = 0.5 * z, level = 1 - half;
    const double sine = r + (r * sine_rest + tail * level);
    const double cosine = level + (((1 - level) - half) + (z * cosine_rest - r * tail));
    switch (static_cast<int>(k) & 3) {
        case 0:
            return {sine, cosine};
        case 1:
            return {cosine, -sine};
        case 2:
            return {-sine, -cosine};
        default:
            return {-cosine, sine};
    }
}

/// Sine and cosine of any angle. Beyond `max_angle` they may differ in the last bits from machine to machine.
inline SineCosine any_sine_cosine(double angle) {
    if (std::abs(angle) <= max_angle) return sine_cosine(angle);
    return {std::sin(angle), std::cos(angle)};
}

/// m times the rotation about an axis of length 1 by the angle of this sine and cosine (Rodrigues).
constexpr Mat3 turned(const Mat3& m, const Vec3& u, const SineCosine& angle) {
    const double s = angle.sine, c = angle.cosine, v = 1 - c;
    // Most joints turn about an axis of their frame: then only two columns change.
    for (int k = 0; k < 3; ++k)
        if (u[k] == 1 || u[k] == -1) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            const double w = u[k] * s;
            Mat3 out = m;
            for (int n = 0; n < 3; ++n) {
                const double x = m.row[n][i], y = m.row[n][j];
                out.row[n][i] = c * x + w * y;
                out.row[n][j] = c * y - w * x;
            }
            return out;
        }
    return m * Mat3{{Vec3{c + u.x * u.x * v, u.x * u.y * v - u.z * s, u.x * u.z * v + u.y * s},
                     Vec3{u.y * u.x * v + u.z * s, c + u.y * u.y * v, u.y * u.z * v - u.x * s},
                     Vec3{u.z * u.x * v - u.y * s, u.z * u.y * v + u.x * s, c + u.z * u.z * v}}};
}

/// The frame of a joint at the value 0 in the world, from that of its parent.
constexpr Placing joined(const Placing& parent, const Placing& parent_from_joint) {
    return {parent.rotation * parent_from_joint.rotation,
            parent.rotation * parent_from_joint.translation + parent.translation};
}

/// `at`, moved by a length along an axis of its frame.
constexpr Placing slid(const Placing& at, const Vec3& axis, double length) {
    return {at.rotation, at.translation + at.rotation * (axis * length)};
}

// The functions below take a `Joint`, or the numbers of one in the memory of a GPU.

/// True for joints whose value is an angle.
constexpr bool turns(JointType type) { return type == JointType::Revolute || type == JointType::Screw; }

/// The value at which a joint stands in a configuration.
template <class J>
constexpr double joint_value(const J& joint, const double* values) {
    if (joint.type == JointType::Fixed) return 0;
    return joint.multiplier == 0 ? joint.offset : joint.multiplier * values[joint.value] + joint.offset;
}

/// The frame of a joint at the value q, from that at 0. `angle` is the sine and cosine of q for joints that turn. Only
/// this function knows how each type of joint moves.
template <class J>
constexpr Placing moved(Placing at, const J& joint, double q, const SineCosine& angle) {
    if (q == 0) return at;
    switch (joint.type) {
        case JointType::Fixed:
            break;
        case JointType::Prismatic:
            return slid(at, joint.axis, q);
        case JointType::Screw: {
            constexpr double turns_per_radian = 0x1.45f306dc9c883p-3;
            at = slid(at, joint.axis, q * (joint.pitch * turns_per_radian));
            at.rotation = turned(at.rotation, joint.axis, angle);
            break;
        }
        case JointType::Revolute:
            at.rotation = turned(at.rotation, joint.axis, angle);
            break;
    }
    return at;
}

/// Places links by forward kinematics in the root link's frame. Joints above a link come before those below it, and
/// values are as many as they name. `world_from_link` has room for one link more than there are joints. A fault names
/// the joint.
Result<void> place_links(std::span<const Joint> joints, std::span<const double> values,
                         std::span<Pose> world_from_link);

}  // namespace graze::detail
