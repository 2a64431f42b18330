// SPDX-License-Identifier: Apache-2.0
// Boxes, slabs and rays are checked here, so that queries need not.
#include <cmath>

#include "graze/box.hpp"
#include "graze/ray.hpp"
#include "graze/region.hpp"

namespace graze {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Result<void> check_bounds(const std::string& what, double lo, double hi) {
    for (const double b : {lo, hi}) {
        if (std::isnan(b)) return Fault{FaultKind::NotFinite, what + " is not a number"};
        if (std::isfinite(b) && std::abs(b) > max_coordinate)
            return Fault{FaultKind::OutOfRange, what + " is beyond 2^1000"};
    }
    if (lo > hi || lo == infinity || hi == -infinity) return Fault{FaultKind::BadRegion, what + " is empty"};
    return {};
}

}  // namespace

Result<Box> Box::between(const Vec3& lo, const Vec3& hi) {
    for (int i = 0; i < 3; ++i) {
        const auto checked = check_bounds(std::string("box: its range in ") + "xyz"[i], lo[i], hi[i]);
        if (!checked) return checked.fault();
    }
    return Box(lo, hi);
}

Result<Slab> Slab::between(const Vec3& normal, double lo, double hi) {
    for (int i = 0; i < 3; ++i) {
        const std::string entry = "slab: entry " + std::to_string(i) + " of the normal ";
        if (!std::isfinite(normal[i])) return Fault{FaultKind::NotFinite, entry + "is not finite"};
        if (std::abs(normal[i]) > max_coordinate) return Fault{FaultKind::OutOfRange, entry + "is beyond 2^1000"};
    }
    if (normal == Vec3{}) return Fault{FaultKind::Singular, "slab: the normal is zero"};
    const auto checked = check_bounds("slab: its range", lo, hi);
    if (!checked) return checked.fault();
    return Slab(normal, lo, hi);
}

Result<Slab> Slab::half_space(const Vec3& normal, double offset) { return between(normal, -infinity, offset); }

Result<Slab> Slab::plane(const Vec3& normal, double offset) { return between(normal, offset, offset); }

Result<Ray> Ray::from_direction(const Vec3& origin, const Vec3& direction, double t_min, double t_max) {
    for (const Vec3* v : {&origin, &direction})
        for (int i = 0; i < 3; ++i) {
            if (!std::isfinite((*v)[i])) return Fault{FaultKind::NotFinite, "ray: a number is not finite"};
            if (std::abs((*v)[i]) > max_coordinate)
                return Fault{FaultKind::OutOfRange, "ray: a number is beyond 2^1000"};
        }
    if (std::isnan(t_min) || std::isnan(t_max))
        return Fault{FaultKind::NotFinite, "ray: t_min or t_max is not a number"};
    if (t_min < 0) return Fault{FaultKind::OutOfRange, "ray: t_min is negative"};
    if (t_min > t_max || std::isinf(t_min))
        return Fault{FaultKind::OutOfRange, "ray: t_min exceeds t_max or is infinite"};
    if (direction == Vec3{}) return Fault{FaultKind::Singular, "ray: the direction is zero"};
    return Ray(origin, direction, t_min, t_max);
}

Result<Ray> Ray::between(const Vec3& from, const Vec3& to) { return from_direction(from, to - from, 0, 1); }

}  // namespace graze
