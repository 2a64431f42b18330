// SPDX-License-Identifier: Apache-2.0
#include "exact/exact_sign.hpp"

#include "exact/integer_sign.hpp"

namespace graze::detail {

int orient3d_exact(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return orient3d_integers<most>(a, b, c, d);
}

int orient2d_exact(const Vec2& a, const Vec2& b, const Vec2& c) { return orient2d_integers<most>(a, b, c); }

int tie3d(bool& used_exact, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    if (coincide(a, b, c, d)) return 0;
    used_exact = true;
    return orient3d_exact(a, b, c, d);
}

int tie2d(bool& used_exact, const Vec2& a, const Vec2& b, const Vec2& c) {
    used_exact = true;
    return orient2d_exact(a, b, c);
}

}  // namespace graze::detail
