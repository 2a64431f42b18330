// SPDX-License-Identifier: Apache-2.0
// Two triangles from bytes: the answer must not depend on how they are written down.
#include "bytes.hpp"

namespace {

using namespace graze;

Triangle permuted(const Triangle& t, int i) {
    const std::array<Triangle, 6> all = {t,
                                         Triangle{t.b, t.c, t.a},
                                         Triangle{t.c, t.a, t.b},
                                         Triangle{t.b, t.a, t.c},
                                         Triangle{t.a, t.c, t.b},
                                         Triangle{t.c, t.b, t.a}};
    return all[i];
}

/// A map of points that rounds nothing.
template <class F>
Triangle mapped(const Triangle& t, F f) {
    return {f(t.a), f(t.b), f(t.c)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes(data, size);
    const auto style = bytes.take<std::uint8_t>();
    std::array<Vec3, 6> p;
    for (Vec3& v : p) v = bytes.point(style);
    // Corners in common, in one of the two or between them.
    const auto shared = bytes.take<std::uint8_t>();
    if (shared & 1) p[3] = p[0];
    if (shared & 2) p[4] = p[1];
    if (shared & 4) p[2] = p[1];
    if (shared & 8) p[5] = p[4];
    for (const Vec3& v : p)
        if (!fuzz::is_valid(v)) return 0;
    const Triangle s{p[0], p[1], p[2]}, t{p[3], p[4], p[5]};

    const Meeting expected = meeting(s, t);
    const bool meets = expected != Meeting::Apart;
    fuzz::require(meeting(s, s) != Meeting::Apart && meet(t, t), "a triangle meets itself");
    if (shared & 3) fuzz::require(meets, "a common corner is a common point");
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
            const Triangle a = permuted(s, i), b = permuted(t, j);
            fuzz::require(meeting(a, b) == expected && meeting(b, a) == expected, "the kind of meeting");
            fuzz::require(meet(a, b) == meets && meet(b, a) == meets, "whether they meet");
        }
    const auto mirror = [](const Vec3& v) { return -v; };
    const auto turn = [](const Vec3& v) { return Vec3{v.y, v.z, v.x}; };
    fuzz::require(meeting(mapped(s, mirror), mapped(t, mirror)) == expected, "the same through the origin");
    fuzz::require(meeting(mapped(s, turn), mapped(t, turn)) == expected, "the same with axes renamed");
    return 0;
}
