// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "fit.hpp"

namespace graze::detail {

/// Count, mean and second moments about the mean of a set of points; sets merge in constant time,
/// so that a whole tree's statistics cost one pass.
struct MergedMoments {
    double n = 0;
    Vec3 mean;
    std::array<double, 6> second{};  ///< xx, xy, xz, yy, yz, zz

    void add_square(const Vec3& d, double w) {
        second[0] += w * d.x * d.x, second[1] += w * d.x * d.y, second[2] += w * d.x * d.z;
        second[3] += w * d.y * d.y, second[4] += w * d.y * d.z, second[5] += w * d.z * d.z;
    }
    void merge(const MergedMoments& o) {
        const double total = n + o.n;
        if (total == 0) return;
        const Vec3 d = o.mean - mean;
        for (int i = 0; i < 6; ++i) second[i] += o.second[i];
        add_square(d, n * o.n / total);
        mean = mean + d * (o.n / total);
        n = total;
    }
};

/// Turns a frame about its third, thinnest axis to where the rectangle around the points is
/// smallest, of sixteen angles over a right angle. Unlike `refine_axes` it needs no hull and no
/// memory: what a build of millions of boxes can pay.
class Turn {
public:
    explicit Turn(const Mat3& axes) : axes_(axes) {
        std::fill_n(lo_[0], 2 * turns, std::numeric_limits<float>::infinity());
        std::fill_n(hi_[0], 2 * turns, -std::numeric_limits<float>::infinity());
    }

    void add(const Vec3& p) {
        const auto a = static_cast<float>(dot(axes_.row[0], p)), b = static_cast<float>(dot(axes_.row[1], p));
        for (unsigned k = 0; k < turns; ++k) {
            const float u = cosine[k] * a + sine[k] * b, v = cosine[k] * b - sine[k] * a;
            lo_[0][k] = u < lo_[0][k] ? u : lo_[0][k];
            hi_[0][k] = u > hi_[0][k] ? u : hi_[0][k];
            lo_[1][k] = v < lo_[1][k] ? v : lo_[1][k];
            hi_[1][k] = v > hi_[1][k] ? v : hi_[1][k];
        }
    }

    Mat3 best() const {
        unsigned least = 0;
        float area[turns];
        for (unsigned k = 0; k < turns; ++k) {
            area[k] = (hi_[0][k] - lo_[0][k]) * (hi_[1][k] - lo_[1][k]);
            if (area[k] < area[least]) least = k;
        }
        const double c = cosine[least], s = sine[least];
        return {{axes_.row[0] * c + axes_.row[1] * s, axes_.row[1] * c - axes_.row[0] * s, axes_.row[2]}};
    }

private:
    static constexpr unsigned turns = 16;
    /// Of k · 90° / 16.
    static constexpr float cosine[turns] = {1,           0.99518473f, 0.98078528f, 0.95694034f, 0.92387953f, 0.88192126f,
                                            0.83146961f, 0.77301045f, 0.70710678f, 0.63439328f, 0.55557023f, 0.47139674f,
                                            0.38268343f, 0.29028468f, 0.19509032f, 0.09801714f};
    static constexpr float sine[turns] = {0,           0.09801714f, 0.19509032f, 0.29028468f, 0.38268343f, 0.47139674f,
                                          0.55557023f, 0.63439328f, 0.70710678f, 0.77301045f, 0.83146961f, 0.88192126f,
                                          0.92387953f, 0.95694034f, 0.98078528f, 0.99518473f};

    Mat3 axes_;
    float lo_[2][turns], hi_[2][turns];
};

}  // namespace graze::detail
