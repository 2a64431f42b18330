// SPDX-License-Identifier: Apache-2.0
// Code that mistakes a result for its answer must not compile. tests/misuse.py compiles this file once without a
// mistake, which must succeed, and once with each of the mistakes below, which must fail.
#include <graze/graze.hpp>
#include <optional>

using namespace graze;

int correct(const Model& a, const Model& b, const Pose& pose) {
    const auto ray = Ray::from_direction({0, 0, 0}, {1, 0, 0});
    const auto box = Box::between({0, 0, 0}, {1, 1, 1});
    const auto slab = Slab::plane({0, 0, 1}, 0);
    if (!ray || !box || !slab) return 0;
    int count = 0;
    if (intersects(a, b, relative(pose, pose))) ++count;
    if (any_hit(a, *ray)) ++count;
    if (const auto hit = nearest_hit(a, *ray)) count += static_cast<int>(hit->triangle);
    if (intersects(*box, a) || intersects(*slab, a)) ++count;
    return count;
}

#if MISTAKE == 1  // a Result<bool> in a condition
bool mistake(const Result<bool>& r) { return r ? true : false; }
#elif MISTAKE == 2   // a Result of an optional in a condition
bool mistake(const Result<std::optional<RayHit> >& r) {
    if (r) return true;
    return false;
}
#elif MISTAKE == 3   // negated
bool mistake(const Result<bool>& r) { return !r; }
#elif MISTAKE == 4   // a Result of a number
bool mistake(const Result<double>& r) { return r && true; }
#elif MISTAKE == 5   // a ray that nothing checked
bool mistake(const Model& m) { return any_hit(m, Ray{{0, 0, 0}, {0, 0, 0}}); }
#elif MISTAKE == 6   // a box whose bounds nothing checked
bool mistake(const Model& m) { return intersects(Box{{1, 1, 1}, {0, 0, 0}}, m); }
#elif MISTAKE == 7   // a ray that may be a fault
bool mistake(const Model& m) { return any_hit(m, Ray::from_direction({0, 0, 0}, {0, 0, 0})); }
#elif MISTAKE == 8   // two placements in the world
bool mistake(const Model& m, const Pose& p) { return intersects(m, p, m, p); }
#elif MISTAKE == 9   // a placement that may be a fault
bool mistake(const Model& m, const Affine& p) { return intersects(m, m, relative(p, p)); }
#elif MISTAKE == 10  // a front, which rays do not have
bool mistake(const Model& m, const Ray& ray, Front& front) { return any_hit(m, ray, {.front = &front}); }
#elif MISTAKE == 11  // a region after the model that is placed in its frame
bool mistake(const Model& m, const Box& box) { return intersects(m, box); }
#elif MISTAKE == 12
auto mistake(const Model& m, const Slab& slab, const Pose& p) { return overlapping(m, slab, p); }
#elif MISTAKE == 13  // a margin: `within` and `collide_within` take a length
bool mistake(const Model& m, const Pose& p) { return intersects(m, m, p, {.margin = 1}); }
#elif MISTAKE == 14  // a limit on contacts where there is one answer
bool mistake(const Model& m, const Pose& p) { return intersects(m, m, p, {.max_contacts = 1}); }
#elif MISTAKE == 15
auto mistake(const Solid& s, const Pose& p) { return relation(s, s, p, {.max_contacts = 1}); }
#elif MISTAKE == 16  // a witness where all pairs are listed
auto mistake(const Model& m, const Pose& p, TrianglePair& pair) { return collide(m, m, p, {.witness = &pair}); }
#elif MISTAKE == 17
bool mistake(const Model& m, const Poses& p, std::span<std::uint8_t> answers) {
    return intersects(m, m, p, answers, {.max_contacts = 1}).ok();
}
#elif MISTAKE != 0
#error "there is no such mistake"
#endif
