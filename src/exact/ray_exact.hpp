// SPDX-License-Identifier: Apache-2.0
// Tests a ray against a triangle without error: a filter in double, then integers.
#pragma once

#include "graze/ray.hpp"

namespace graze::detail {

/// Where a ray first meets a triangle: the true t is within `error` of `t`.
struct HitTime {
    double t = 0, error = 0;
};

class ExactRay {
public:
    explicit ExactRay(const Ray& ray);

    /// Whether the closed triangle and the ray have a point in common. `time` receives the first one.
    bool hits(const Triangle& triangle, HitTime& time, bool& used_exact) const;
    /// The sign of t(a) − t(b) for two triangles that are hit.
    int compare(const Triangle& a, const Triangle& b) const;

    const Ray& ray() const { return ray_; }

private:
    Ray ray_;
    bool filtered_;  ///< whether the direction is in the filter's range
};

}  // namespace graze::detail
