// SPDX-License-Identifier: Apache-2.0
// An independent exact answer for a ray and a triangle: the triangle as the common part of half-spaces, each of
// which cuts the ray to an interval of t, in rational numbers (GMP). Shares no method with the predicate.
#pragma once

#include <gmpxx.h>

#include <array>
#include <optional>

#include "graze/ray.hpp"

namespace graze::test {

/// A ray in the making.
struct RayParts {
    Vec3 origin, direction;
    double t_min = 0, t_max = std::numeric_limits<double>::infinity();

    operator Ray() const { return *Ray::from_direction(origin, direction, t_min, t_max); }
};

class RayOracle {
public:
    /// The least t, if there is one.
    static std::optional<mpq_class> first(const Ray& ray, const Triangle& triangle) {
        RayOracle o(ray);
        const Vector v[3] = {numbers(triangle.a), numbers(triangle.b), numbers(triangle.c)};
        const Vector normal = cross(minus(v[1], v[0]), minus(v[2], v[0]));
        if (!zero(normal)) {
            o.both(normal, v[0]);
            for (int i = 0; i < 3; ++i) o.cut(cross(normal, minus(v[(i + 1) % 3], v[i])), v[i]);
        } else {
            // On a line the two furthest apart are the ends.
            Vector from = v[0], to = v[0];
            for (int i = 0; i < 3; ++i) {
                const Vector d = minus(v[(i + 1) % 3], v[i]), longest = minus(to, from);
                if (dot(d, d) > dot(longest, longest)) from = v[i], to = v[(i + 1) % 3];
            }
            const Vector d = minus(to, from);
            for (int i = 0; i < 3; ++i) {
                Vector e{0, 0, 0};
                e[i] = 1;
                o.both(zero(d) ? e : cross(d, e), from);
            }
            if (!zero(d)) o.cut(d, from), o.cut(minus(from, to), to);
        }
        if (o.empty_ || (o.ends_ && o.high_ < o.low_)) return std::nullopt;
        return o.low_;
    }

private:
    using Vector = std::array<mpq_class, 3>;

    explicit RayOracle(const Ray& ray) : origin_(numbers(ray.origin())), direction_(numbers(ray.direction())) {
        ends_ = ray.t_max() < std::numeric_limits<double>::infinity();
        if (ends_) high_ = ray.t_max();
        low_ = ray.t_min();
    }

    static Vector numbers(const Vec3& v) { return {mpq_class(v.x), mpq_class(v.y), mpq_class(v.z)}; }
    static Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
    static mpq_class dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
    static Vector cross(const Vector& a, const Vector& b) {
        return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    }
    static bool zero(const Vector& a) { return a[0] == 0 && a[1] == 0 && a[2] == 0; }

    /// Keeps the t with normal · (origin + t·direction − through) ≥ 0.
    void cut(const Vector& normal, const Vector& through) {
        const mpq_class at = dot(normal, minus(origin_, through)), rate = dot(normal, direction_);
        if (rate == 0) {
            empty_ |= at < 0;
        } else if (const mpq_class t = -at / rate; rate > 0) {
            if (t > low_) low_ = t;
        } else if (!ends_ || t < high_) {
            high_ = t;
            ends_ = true;
        }
    }
    void both(const Vector& normal, const Vector& through) {
        cut(normal, through);
        cut({-normal[0], -normal[1], -normal[2]}, through);
    }

    Vector origin_, direction_;
    mpq_class low_ = 0, high_;
    bool ends_ = false, empty_ = false;
};

}  // namespace graze::test
