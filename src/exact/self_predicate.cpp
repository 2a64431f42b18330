// SPDX-License-Identifier: Apache-2.0
// Decides whether two triangles with shared corners meet anywhere else, by the signs of orientation determinants alone,
// all of them exact. Each case has its own argument below.
#include "exact/self_predicate.hpp"

#include "exact/exact_sign.hpp"
#include "exact/flat.hpp"
#include "exact/predicate.hpp"

namespace graze::detail {
namespace {

/// Two triangles with the corner v in common, each with its corners in its own order: s is v, a, b and t is v, c, d.
struct Fans {
    const Vec3 &v, &a, &b, &c, &d;
};

/// Both triangles are proper and in one plane, which `axis` sees, and both turn left there. They fill their cones near
/// v, so they meet elsewhere exactly if the closed cones have a ray in common. The first ray of such an intersection is
/// an edge of one of the cones and lies in the other. A ray is in a cone of less than a half turn if it is left of the
/// cone's first edge, or on it, and right of the second, or on it.
bool flat_cones_meet(const Fans& f, int axis, bool& used_exact) {
    const auto turn = [&](const Vec3& p, const Vec3& q) { return orient_along(axis, f.v, p, q, used_exact); };
    const int ca = turn(f.c, f.a), ad = turn(f.a, f.d), cb = turn(f.c, f.b), bd = turn(f.b, f.d);
    return (ca >= 0 && ad >= 0) || (cb >= 0 && bd >= 0) || (ca <= 0 && cb >= 0) || (ad >= 0 && bd <= 0);
}

/// Whether the exits of s as seen from its corner v meet t. A ray from v that enters s leaves it in an exit: in a point
/// of the edge opposite to v or, if s has no area, in an end of the segment other than v.
bool exits_meet(const Vec3& v, const Vec3& a, const Vec3& b, const Triangle& t, bool& used_exact) {
    if (best_view(v, a, b, used_exact).turn) return meet({a, b, b}, t, used_exact);
    const Segment s = segment_of({v, a, b});
    return (s.from != v && meet({s.from, s.from, s.from}, t, used_exact)) ||
           (s.to != v && meet({s.to, s.to, s.to}, t, used_exact));
}

/// Triangles that share one corner and are in one plane, or of which one has no area.
///
/// If some point other than v is in both, the ray from v through it leaves one of them first, or both at once. That
/// exit is in both.
bool special_fans_meet(const Fans& f, bool& used_exact) {
    if (const View view = best_view(f.v, f.c, f.d, used_exact); view.turn) {
        if (const int turn = orient_along(view.axis, f.v, f.a, f.b, used_exact)) {
            const bool s_left = turn > 0, t_left = view.turn > 0;
            return flat_cones_meet(
                {f.v, s_left ? f.a : f.b, s_left ? f.b : f.a, t_left ? f.c : f.d, t_left ? f.d : f.c}, view.axis,
                used_exact);
        }
    }
    return exits_meet(f.v, f.a, f.b, {f.v, f.c, f.d}, used_exact) ||
           exits_meet(f.v, f.c, f.d, {f.v, f.a, f.b}, used_exact);
}

/// Triangles that share one corner. With v as the origin, let A = det(c, d, a), B = det(c, d, b), C = det(a, b, c) and
/// D = det(a, b, d). Only their signs are needed.
///
/// If A and B are both positive or both negative, s reaches the plane of t in v alone; likewise for C and D. If neither
/// pair is of that kind, and neither is zero altogether, the planes are different and each triangle has one ray on
/// their common line. By Cramer's rule −B a + A b = D c − C d, a vector w on that line. It points along the ray of s if
/// −B or A is positive, and along the ray of t if D or −C is. The triangles meet beyond v if both rays point the same
/// way.
bool fans_meet(const Fans& f, bool& used_exact) {
    const Plane t(f.v, f.c, f.d);
    const int a = t.side(f.a, used_exact), b = t.side(f.b, used_exact);
    if (a * b > 0) return false;
    const Plane s(f.v, f.a, f.b);
    const int c = s.side(f.c, used_exact), d = s.side(f.d, used_exact);
    if (c * d > 0) return false;
    if ((a | b) == 0 || (c | d) == 0) return special_fans_meet(f, used_exact);
    return (a != 0 ? a : -b) == (d != 0 ? d : -c);
}

/// Triangles that share the edge e f, with third corners x and y.
///
/// If y is outside the plane of s, t reaches that plane in the edge alone. In one plane, two proper triangles have an
/// area in common near the edge exactly if x and y are on the same side of its line. A proper triangle has only the
/// edge on that line, so a segment on the line shares no more with it. Two segments on the line share more than the
/// edge if both go past the same end of it.
bool wings_meet(const Vec3& e, const Vec3& f, const Vec3& x, const Vec3& y, bool& used_exact) {
    if (orient3d(e, f, x, y, used_exact) != 0) return false;
    if (const View view = best_view(e, f, x, used_exact); view.turn)
        return view.turn * orient_along(view.axis, e, f, y, used_exact) > 0;
    if (best_view(e, f, y, used_exact).turn) return false;
    const Vec3 &from = before(e, f) ? e : f, &to = before(e, f) ? f : e;
    return (before(x, from) && before(y, from)) || (before(to, x) && before(to, y));
}

}  // namespace

bool meet_beyond_shared(const Triangle& s, const Triangle& t, bool& used_exact) {
    const Vec3* const in_s[] = {&s.a, &s.b, &s.c, &s.a, &s.b};
    const Vec3* const in_t[] = {&t.a, &t.b, &t.c, &t.a, &t.b};
    int count = 0, at_s[3], at_t[3];  // the points that are corners of both, each once
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (*in_s[i] != *in_t[j]) continue;
            bool again = false;
            for (int k = 0; k < count; ++k) again = again || *in_s[i] == *in_s[at_s[k]];
            if (again) continue;
            at_s[count] = i;
            at_t[count++] = j;
        }
    if (count == 0) return meet(s, t, used_exact);
    const int i = at_s[0], j = at_t[0];
    if (count == 1) return fans_meet({*in_s[i], *in_s[i + 1], *in_s[i + 2], *in_t[j + 1], *in_t[j + 2]}, used_exact);
    if (count == 2)
        return wings_meet(*in_s[i], *in_s[at_s[1]], *in_s[3 - i - at_s[1]], *in_t[3 - j - at_t[1]], used_exact);
    // Copies of one triangle share an area if it has one. A triangle without area is covered by its edges.
    return best_view(s.a, s.b, s.c, used_exact).turn != 0;
}

}  // namespace graze::detail
