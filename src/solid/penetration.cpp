// SPDX-License-Identifier: Apache-2.0
// How far B must move along a direction until it has no part in common with A.
//
// The search goes from placement to placement, and each step ends before any place where B would be free:
// - The ways for which two triangles meet are an interval, because the difference of two convex sets is convex, and
//   inside of it triangles that cross once go on crossing. So B moves at least to the end of that interval.
// - A point of B that lies deep inside A has to leave A: B moves at least as far as a ray from the point to A's
// surface.
//   The same holds for a point of A inside B and the opposite direction.
// Where triangles only touch or lie in one plane, the relation of the solids decides.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/float_environment.hpp"
#include "graze/ray.hpp"
#include "graze/solid.hpp"
#include "graze/triangle.hpp"
#include "solid/relate.hpp"
#include "solid/solid_data.hpp"

namespace graze {

namespace {

using detail::FrameBox;
using detail::SolidData;

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_common(Relation r) { return r != Relation::Disjoint && r != Relation::Touching; }

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

/// A vector of length 1, or zero when there is none.
Vec3 unit(const Vec3& v) {
    const double size = largest(v);
    if (!(size > 0) || size == infinity) return {};
    const Vec3 scaled = {v.x / size, v.y / size, v.z / size};
    return scaled * (1 / std::sqrt(dot(scaled, scaled)));
}

std::array<Vec3, 3> corners_of(const Triangle& t) { return {t.a, t.b, t.c}; }

/// A point within the triangle, and its corners.
std::array<Vec3, 4> samples(const Triangle& t) {
    return {t.a * (1.0 / 3) + t.b * (1.0 / 3) + t.c * (1.0 / 3), t.a, t.b, t.c};
}

/// A direction along the normal of two edges.
Vec3 normal_of(const Vec3& u, const Vec3& v) { return unit(cross(unit(u), unit(v))); }
Vec3 normal_of(const Triangle& t) { return normal_of(t.b - t.a, t.c - t.a); }

Triangle moved(const Triangle& t, const Vec3& by) { return {t.a + by, t.b + by, t.c + by}; }

/// The greatest t for which p + t · direction lies in the triangle; -infinity when there is none. In double.
double last_in(const Vec3& p, const Vec3& direction, const Triangle& t) {
    const Vec3 u = t.b - t.a, v = t.c - t.a, w = p - t.a, h = cross(direction, v);
    const double det = dot(u, h);
    if (det == 0) return -infinity;
    const double x = dot(w, h) / det;
    const Vec3 k = cross(w, u);
    const double y = dot(direction, k) / det, at = dot(v, k) / det;
    return x >= 0 && y >= 0 && x + y <= 1 ? at : -infinity;
}

/// The greatest t for which q1 q2 + t · direction meets the segment p1 p2; -infinity when there is none. In double.
double last_across(const Vec3& p1, const Vec3& p2, const Vec3& q1, const Vec3& q2, const Vec3& direction) {
    const Vec3 u = p2 - p1, v = q2 - q1, w = q1 - p1;
    const double det = dot(direction, cross(u, v));
    if (det == 0) return -infinity;
    const double x = dot(direction, cross(w, v)) / det, y = dot(direction, cross(w, u)) / det;
    return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? -dot(w, cross(u, v)) / det : -infinity;
}

/// The greatest t for which s and t + t · direction meet, about.
double last_contact(const Triangle& s, const Triangle& t, const Vec3& direction) {
    double last = -infinity;
    const Vec3 p[] = {s.a, s.b, s.c, s.a}, q[] = {t.a, t.b, t.c, t.a};
    for (int i = 0; i < 3; ++i) {
        last = std::max({last, last_in(q[i], direction, s), last_in(p[i], -direction, t)});
        for (int k = 0; k < 3; ++k) last = std::max(last, last_across(p[i], p[i + 1], q[k], q[k + 1], direction));
    }
    return last;
}

/// A pair of triangles in A's frame.
struct Crossing {
    Triangle s, t;
};

/// A point in A's frame that both solids hold. It tells how far B must move when it is deep inside of one of them.
struct CommonPoint {
    Vec3 point;
    bool deep_in_a = false, deep_in_b = false;
};

/// A translation t · direction + aside of B that parts the solids.
struct Way {
    double t = infinity;
    Vec3 aside;
    std::optional<Crossing> last;  ///< triangles that crossed until shortly before
};

class Parting {
public:
    Parting(const Solid& a, const Solid& b, const Affine& a_from_b)
        : a_(a), b_(b), data_a_(SolidData::of(a)), data_b_(SolidData::of(b)), a_from_b_(a_from_b) {
        const FrameBox box_a(data_a_.bounds()), box_b(data_b_.bounds(), a_from_b);
        double reach = 0;
        for (const Vec3& p : {box_a.lo, box_a.hi, box_b.lo, box_b.hi}) reach = std::max(reach, largest(p));
        rounding_ = std::max(reach * 0x1p-48, 0x1p-1060);
        near_ = std::max(std::min(length(box_a.hi - box_a.lo), length(box_b.hi - box_b.lo)) * 1e-11, rounding_ * 4);
        if (const Result<Affine> back = inverse(a_from_b)) b_from_a_ = *back;
        if (b_from_a_)
            for (const Vec3& row : b_from_a_->linear().row)
                near_in_b_ += near_ * (std::abs(row.x) + std::abs(row.y) + std::abs(row.z));
        box_a_ = {box_a.lo, box_a.hi};
        box_b_ = {box_b.lo, box_b.hi};
    }

    /// How exactly ways are found.
    double near() const { return near_; }

    bool common(const Affine& placement, std::span<const Contact> contacts) const {
        return is_common(relation_from(a_, b_, placement, contacts).relation);
    }

    /// Chooses pairs and points at the beginning by which `at_least` judges directions. The contacts are all that there
    /// are, and must stay where they are.
    void look(std::span<const Contact> contacts) {
        start_ = contacts;
        const std::size_t stride = contacts.size() / 256 + 1;
        for (std::size_t i = 0; i < contacts.size() && pairs_.size() < 24; i += stride)
            if (const std::optional<Crossing> pair = crossing(contacts[i].triangles, a_from_b_);
                pair && !aside(*pair, rounding_))
                pairs_.push_back(*pair);
        points_ = common_points(contacts, a_from_b_, {}, 16);
        // Points all over the models find the ends of long ways.
        for (int x = 0; x < 2; ++x) {
            const std::uint32_t n = (x == 0 ? a_ : b_).model().triangle_count();
            for (std::uint32_t i = 0; i < n; i += n / 64 + 1) {
                const CommonPoint point{x == 0 ? a_.model().triangle(i).a : placed_b(i, a_from_b_).a, x == 1, x == 0};
                if (deep(point, {})) points_.push_back(point);
            }
        }
    }

    /// A way that B must move at least along a unit vector.
    double at_least(const Vec3& direction) const {
        double least = 0;
        for (const CommonPoint& point : points_) least = exit_beyond(least, point, {}, direction);
        for (const Crossing& pair : pairs_) least = further(pair, direction, least);
        return least;
    }

    /// The way along a unit vector, when it is shorter than `limit`. B need not be looked at before t.
    Way way_out(const Vec3& direction, double t, double limit) const {
        Way way;
        Vec3 lift;
        bool lifts = true;
        const double least_nudge = rounding_ * 0x1p-6;
        double nudge = least_nudge, slack = rounding_ * 0x1p-4;
        int lifted = 0;
        bool just_lifted = false;
        bool rounded_down = t > 0;
        std::vector<Contact> met;
        std::vector<TrianglePair> pushing;  // pairs that B had to be lifted off
        std::size_t pushes = 0;
        // Faces that slide along each other may touch once B has moved aside by a little.
        const auto lift_by = [&](const Vec3& more) {
            lift = lift + more;
            slack *= 2;
            just_lifted = true;
            if (++lifted <= 8 && length(lift) <= 8 * near_) return;
            lifts = just_lifted = false;
            lift = {};
        };
        for (int step = 0; step < 500 && t < limit; ++step) {
            const Vec3 offset = direction * t + lift;
            const Result<Affine> there = placed(offset);
            if (!there) return {};
            Vec3 more;
            if (just_lifted) {
                // Some of the faces that B was lifted off may be in the way again, because others are opposite to them.
                just_lifted = false;
                for (const TrianglePair& triangles : pushing)
                    if (const std::optional<Crossing> pair = crossing(triangles, *there);
                        pair && further(*pair, direction, 0) > near_)
                        add_aside(more, aside(*pair, slack));
                if (more != Vec3{}) {
                    lift_by(more);
                    continue;
                }
            }
            met.clear();
            double far = 0, leaving = -1;
            std::array<Crossing, 8> kept;
            std::size_t found = 0;
            const auto look_at = [&](const Contact& contact) {
                met.push_back(contact);
                const std::optional<Crossing> pair = crossing(contact.triangles, *there);
                if (!pair) return Step::Continue;
                // A pair that B can be lifted off need not be looked at with care.
                double f = lifts && far == 0 ? last_contact(pair->s, pair->t, direction) : 0;
                std::optional<Vec3> way_aside;
                if (f > near_) way_aside = aside(*pair, slack);
                if (!way_aside) f = further(*pair, direction, far);
                if (f <= near_) {
                    leaving = std::max(leaving, f);
                    if (!way.last) way.last = pair;
                    return Step::Continue;
                }
                if (lifts && f > far && add_aside(more, way_aside ? way_aside : aside(*pair, slack))) {
                    constexpr std::size_t most = 256;
                    if (pushing.size() < most)
                        pushing.push_back(contact.triangles);
                    else if (pushes % 8 == 0)
                        pushing[pushes / 8 % most] = contact.triangles;
                    ++pushes;
                    return Step::Continue;
                }
                if (f > far) {
                    far = f;
                    way.last = pair;
                }
                kept[found % kept.size()] = *pair;
                return ++found == 64 || t + far >= limit ? Step::Stop : Step::Continue;
            };
            if (offset == Vec3{} && !start_.empty())
                for (std::size_t i = 0; i < start_.size() && look_at(start_[i]) == Step::Continue;) ++i;
            else
                for_each_contact(a_.model(), b_.model(), *there, look_at);
            const double of_pairs = far;
            if (found > 0) {
                if (t + far >= limit) return {};
                const std::size_t looks = std::min({found, kept.size(), static_cast<std::size_t>(step) + 1});
                for (std::size_t i = found; i > found - looks; --i)
                    far = exit_beyond(far, kept[(i - 1) % kept.size()], offset, direction);
            } else if (leaving < 0 || (more != Vec3{} && lifted == 0)) {
                for (const CommonPoint& point : common_points(met, *there, offset, 16))
                    far = exit_beyond(far, point, offset, direction);
            }
            if (far <= near_ && more != Vec3{}) {
                lift_by(more);
                continue;
            }
            if (far > near_) {
                t += far;
                rounded_down = far > of_pairs;
                if (step < 400) nudge = least_nudge;
                continue;
            }
            double next = leaving;
            if (leaving < 0) {
                next = next_event(met, *there, direction, nudge);
                // The end of a way that was rounded down comes shortly.
                if (!(rounded_down && next > 0) && !common(*there, met)) {
                    way.t = t;
                    way.aside = lift;
                    return way;
                }
            }
            t += std::max(next, nudge);
            nudge *= 8;
            rounded_down = false;
        }
        return {};
    }

    /// The way along a unit vector after which the boxes of the solids are apart.
    double boxes_apart(const Vec3& direction) const {
        double high = 0, low = 0;
        for (int d = 0; d < 3; ++d) {
            high += std::max(direction[d] * box_a_[0][d], direction[d] * box_a_[1][d]);
            low += std::min(direction[d] * box_b_[0][d], direction[d] * box_b_[1][d]);
        }
        return high - low + near_;
    }

    bool parted(const Vec3& offset) const {
        const Result<Affine> there = placed(offset);
        return there && !detail::have_common_part(a_, b_, *there);
    }

private:
    Result<Affine> placed(const Vec3& offset) const {
        return Affine::from_matrix(a_from_b_.linear(), a_from_b_.translation() + offset);
    }

    Triangle placed_b(std::uint32_t i, const Affine& placement) const {
        const Triangle t = b_.model().triangle(i);
        return {placement(t.a), placement(t.b), placement(t.c)};
    }

    std::optional<Crossing> crossing(const TrianglePair& pair, const Affine& placement) const {
        if (data_a_.surface().degenerate[pair.a] || data_b_.surface().degenerate[pair.b]) return {};
        const Crossing out{a_.model().triangle(pair.a), placed_b(pair.b, placement)};
        if (meeting(out.s, out.t) != Meeting::Crossing) return {};
        return out;
    }

    /// How much further B must move until the triangles, which meet, do not; `beyond` when that is more.
    double further(const Crossing& pair, const Vec3& direction, double beyond) const {
        const auto meet_at = [&](double t) { return meet(pair.s, moved(pair.t, direction * t)); };
        double f = last_contact(pair.s, pair.t, direction);
        if (!(f >= 0 && f < infinity)) f = 0;
        if (f < beyond) return beyond;
        // The formulae are off where triangles are long and thin or nearly parallel to the direction.
        if ((f <= near_ || meet_at(f - near_)) && !meet_at(f + near_)) return f;
        double in = 0, out = 0;
        for (const Vec3& p : corners_of(pair.s))
            for (const Vec3& q : corners_of(pair.t)) out = std::max(out, dot(p - q, direction) + near_);
        while (out - in > near_ && in + (out - in) / 2 > in) {
            const double middle = in + (out - in) / 2;
            (meet_at(middle) ? in : out) = middle;
        }
        return in;
    }

    /// For triangles that cross by no more than rounding, as where faces slide along each other: a translation of B
    /// that undoes it and leaves a gap.
    std::optional<Vec3> aside(const Crossing& pair, double gap) const {
        const auto p = corners_of(pair.s), q = corners_of(pair.t);
        double least = infinity;
        Vec3 way;
        const auto look_along = [&](const Vec3& n) {
            double low = infinity, high = -infinity;
            for (const Vec3& u : p)
                for (const Vec3& v : q) {
                    const double h = dot(u - v, n);
                    low = std::min(low, h);
                    high = std::max(high, h);
                }
            const double depth = std::max(std::min(high, -low), 0.0);
            if (depth > near_ || depth >= least || n == Vec3{}) return;
            least = depth;
            way = n * ((high < -low ? 1 : -1) * (depth + gap));
        };
        // The faces of the difference of two triangles have these normals.
        look_along(normal_of(pair.s));
        look_along(normal_of(pair.t));
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) look_along(normal_of(p[(i + 1) % 3] - p[i], q[(k + 1) % 3] - q[k]));
        if (least == infinity) return {};
        return way;
    }

    /// Adds what a way aside lacks in `more`. False when there is no such way.
    static bool add_aside(Vec3& more, const std::optional<Vec3>& way) {
        if (!way) return false;
        const double size = length(*way), already = dot(more, *way) / size;
        if (already < size) more = more + *way * (1 - already / size);
        return true;
    }

    Vec3 in_b(const Vec3& p, const Vec3& offset) const { return (*b_from_a_)(p - offset); }

    /// How much further B must move until some of the triangles that meet do not, when that is less than `near_`. What
    /// is equal but for rounding counts as one event, and its end is returned. 0 when there is none from `least` on.
    double next_event(std::span<const Contact> met, const Affine& placement, const Vec3& direction,
                      double least) const {
        std::vector<double> events;
        for (std::size_t i = 0; i < met.size(); i += met.size() / 4096 + 1) {
            const double f = last_contact(a_.model().triangle(met[i].triangles.a),
                                          placed_b(met[i].triangles.b, placement), direction);
            if (f >= least && f < near_) events.push_back(f);
        }
        if (events.empty()) return 0;
        const double first = *std::ranges::min_element(events);
        for (double& f : events)
            if (f > first + rounding_) f = first;
        return *std::ranges::max_element(events);
    }

    /// The way to the surface from a point inside, rounded down; `beyond` when that is more. Rays beside the point have
    /// to go as far: a ray that grazes a surface may be inside by rounding alone.
    double exit(const Model& model, const Vec3& from, const Vec3& direction, double near, double beyond) const {
        const Vec3 forward = unit(direction);
        const Vec3 u = normal_of(forward, std::abs(forward.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}),
                   v = cross(forward, u);
        double way = infinity;
        for (const Vec3& beside : {Vec3{}, u, -u, v, -v}) {
            const Result<Ray> ray = Ray::from_direction(from + beside * (2 * near), direction);
            if (!ray) return beyond;
            const std::optional<RayHit> hit = nearest_hit(model, *ray);
            if (!hit || !(hit->t - rounding_ > beyond)) return beyond;
            way = std::min(way, hit->t - rounding_);
        }
        return way < infinity ? way : beyond;
    }

    /// How far B must move before it or A has left the point behind, where B has been moved by `offset`; `beyond` when
    /// that is more.
    double exit_beyond(double beyond, const CommonPoint& point, const Vec3& offset, const Vec3& direction) const {
        if (point.deep_in_a) beyond = exit(a_.model(), point.point, direction, near_, beyond);
        if (point.deep_in_b && b_from_a_)
            beyond =
                exit(b_.model(), in_b(point.point, offset), -(b_from_a_->linear() * direction), near_in_b_, beyond);
        return beyond;
    }

    /// How far B must move before it or A has left some points of two triangles behind, which cross; `beyond` when that
    /// is more.
    double exit_beyond(double beyond, const Crossing& pair, const Vec3& offset, const Vec3& direction) const {
        for (int x = 0; x < 2; ++x)
            for (const Vec3& p : samples(x == 0 ? pair.s : pair.t)) {
                const CommonPoint point{p, x == 1, x == 0};
                if (const double f = exit_beyond(beyond, point, offset, direction); f > beyond && deep(point, offset))
                    beyond = f;
            }
        return beyond;
    }

    /// Whether the point lies deep inside as it claims.
    bool deep(const CommonPoint& point, const Vec3& offset) const {
        if (point.deep_in_b &&
            (!b_from_a_ || !(signed_distance(b_, in_b(point.point, offset)).distance < -4 * near_in_b_)))
            return false;
        return !point.deep_in_a || signed_distance(a_, point.point).distance < -4 * near_;
    }

    /// At most so many points that the solids have in common: of triangles that meet, and of some others.
    std::vector<CommonPoint> common_points(std::span<const Contact> contacts, const Affine& placement,
                                           const Vec3& offset, std::size_t most) const {
        std::vector<CommonPoint> found;
        if (contacts.size() > 0) {
            const std::size_t stride = contacts.size() / 32 + 1;
            for (std::size_t i = 0; i < contacts.size() && found.size() < most; i += stride)
                for (int x = 0; x < 2; ++x)
                    add_points(x, x == 0 ? contacts[i].triangles.a : contacts[i].triangles.b, placement, offset, false,
                               found);
        }
        for (int x = 0; x < 2 && found.size() < most; ++x) {
            const auto& shells = (x == 0 ? data_a_ : data_b_).surface().shells;
            const std::size_t n = (x == 0 ? a_ : b_).model().triangle_count();
            for (std::size_t i = 0; i < shells.size() && found.size() < most; i += shells.size() / 64 + 1)
                add_points(x, shells[i].first, placement, offset, false, found);
            for (std::size_t i = 0; i < n && found.size() < most; i += n / 16 + 1)
                add_points(x, static_cast<std::uint32_t>(i), placement, offset, false, found);
        }
        if (!found.empty()) return found;
        // All that the solids have in common may lie behind faces that are in one plane.
        for (std::size_t i = 0; i < contacts.size() && found.size() < most; i += contacts.size() / 32 + 1) {
            add_points(0, contacts[i].triangles.a, placement, offset, true, found);
            add_points(1, contacts[i].triangles.b, placement, offset, true, found);
        }
        return found;
    }

    /// Adds points of a triangle of model x that lie inside the other model or, when `behind`, points behind it that
    /// lie inside both.
    void add_points(int x, std::uint32_t i, const Affine& placement, const Vec3& offset, bool behind,
                    std::vector<CommonPoint>& found) const {
        const Triangle t = x == 0 ? a_.model().triangle(i) : placed_b(i, placement);
        const auto add = [&](const CommonPoint& point) {
            if (deep(point, offset)) found.push_back(point);
        };
        if (!behind) {
            for (const Vec3& p : samples(t)) add({p, x == 1, x == 0});
            return;
        }
        const Vec3 normal = normal_of(t);
        const double size = std::min({length(t.b - t.a), length(t.c - t.b), length(t.a - t.c)});
        for (const double h : {0.25, -0.25, 0x1p-8, -0x1p-8}) add({samples(t)[0] + normal * (h * size), true, true});
    }

    const Solid &a_, &b_;
    SolidData &data_a_, &data_b_;
    const Affine a_from_b_;
    std::optional<Affine> b_from_a_;
    std::array<Vec3, 2> box_a_, box_b_;
    double rounding_ = 0;             ///< bound of the rounding of coordinates
    double near_ = 0;                 ///< how exactly ways are found
    double near_in_b_ = 0;            ///< in units of B's frame
    std::span<const Contact> start_;  ///< where B has not moved
    std::vector<Crossing> pairs_;
    std::vector<CommonPoint> points_;
};

Penetration penetration_of(const Vec3& direction, const Way& way) {
    const Vec3 translation = direction * way.t + way.aside;
    return {way.aside == Vec3{} ? way.t : length(translation), translation};
}

/// The solids parted along a unit vector.
Penetration part_along(const Parting& parting, const Vec3& direction) {
    Way way = parting.way_out(direction, 0, infinity);
    if (way.t == infinity) {
        // Boxes that are apart part the solids.
        way.t = parting.boxes_apart(direction);
        if (!parting.parted(direction * way.t)) return {infinity, {}};
    }
    return penetration_of(direction, way);
}

/// Directions both ways, none of them within five degrees of another.
class Directions {
public:
    void add(const Vec3& v) {
        if (v == Vec3{}) return;
        for (const Vec3& u : {v, -v})
            if (all.size() < most && std::ranges::none_of(all, [&](const Vec3& w) { return dot(u, w) > 0.996; }))
                all.push_back(u);
    }

    std::vector<Vec3> all;
    std::size_t most = 90;
};

}  // namespace

Penetration penetration_along(const Solid& a, const Solid& b, const Affine& a_from_b, const Vec3& direction) {
    const detail::DefaultFloats floats;
    const double size = length(direction);
    if (!(size > 0) || size == infinity) return {infinity, {}};
    if (!detail::have_common_part(a, b, a_from_b)) return {};
    return part_along(Parting(a, b, a_from_b), unit(direction));
}

Penetration penetration(const Solid& a, const Solid& b, const Affine& a_from_b) {
    const detail::DefaultFloats floats;
    const std::vector<Contact> contacts = collide(a.model(), b.model(), a_from_b);
    if (!is_common(relation_from(a, b, a_from_b, contacts).relation)) return {};
    Parting parting(a, b, a_from_b);
    parting.look(contacts);
    Directions directions;
    for (std::size_t i = 0; i < contacts.size(); i += contacts.size() / 256 + 1) {
        const Triangle u = b.model().triangle(contacts[i].triangles.b);
        directions.add(normal_of(a.model().triangle(contacts[i].triangles.a)));
        directions.add(normal_of({a_from_b(u.a), a_from_b(u.b), a_from_b(u.c)}));
    }
    directions.most += 6;
    for (const Vec3& axis : {Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) directions.add(axis);
    Vec3 best;
    Way least;
    // Tries directions, those first that promise most.
    const auto try_all = [&](const std::vector<Vec3>& some) {
        std::vector<std::pair<double, std::size_t>> ranked;
        for (std::size_t i = 0; i < some.size(); ++i) ranked.emplace_back(parting.at_least(some[i]), i);
        std::ranges::sort(ranked);
        if (ranked.size() > 24) ranked.resize(24);
        bool better = false;
        for (const auto& [at_least, i] : ranked) {
            const double limit = least.t - parting.near();
            if (at_least >= limit) break;
            const Vec3& direction = some[i];
            if (const Way way = parting.way_out(direction, at_least, limit); way.t < limit) {
                least = way;
                best = direction;
                better = true;
            }
        }
        return better;
    };
    try_all(directions.all);
    if (least.t == infinity) return part_along(parting, {1, 0, 0});
    // The triangles that crossed last show in which directions the way may be shorter.
    for (int round = 0; round < 8 && least.last; ++round) {
        const Crossing pair = *least.last;
        std::vector<Vec3> some;
        const auto add = [&](const Vec3& v) {
            const double along = dot(v, best);
            if (along != 0 && std::abs(along) < 1 - 1e-12) some.push_back(along > 0 ? v : -v);
        };
        add(normal_of(pair.s));
        add(normal_of(pair.t));
        const auto p = corners_of(pair.s), q = corners_of(pair.t);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) add(normal_of(p[(i + 1) % 3] - p[i], q[(k + 1) % 3] - q[k]));
        if (!try_all(some)) break;
    }
    return penetration_of(best, least);
}

}  // namespace graze
