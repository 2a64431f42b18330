// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/parallel.hpp"
#include "checks/contact_kind.hpp"

namespace graze::checks {

namespace {

/// True for kinds of which a measure means something.
bool overlaps(const Clash& clash) { return clash.kind != Kind::Touching && clash.kind != Kind::Clearance; }

bool stopped(const ClashSettings& settings) { return settings.stop && *settings.stop; }

/// The clashes to be measured, as indices, the gravest first.
std::vector<std::size_t> gravest(const Clashes& clashes, std::size_t most) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < clashes.clashes.size(); ++i)
        if (overlaps(clashes.clashes[i])) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(-clashes.clashes[i].severity, i); });
    order.resize(std::min(order.size(), most));
    return order;
}

/// The volume of a solid in the world; nothing for one without an inside.
std::optional<double> volume_of(const Solid& solid, double scale) {
    if (!solid.has_inside()) return {};
    return solid.volume() * scale * scale * scale;
}

/// One part that is moved away from others.
class Mover {
public:
    Mover(const Parts& parts, const SolidOf& solid, std::uint32_t part) : parts_(parts), solid_(solid), part_(part) {}

    /// The distance along a unit vector of the world after which the part is clear of all of some others. Infinite when
    /// no such distance is found.
    double clear_of(std::span<const std::uint32_t> others, const Vec3& direction) const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        double t = 0;
        for (int round = 0; round < 4; ++round) {
            const double before = t;
            for (const std::uint32_t other : others) {
                const std::optional<Affine> place = other_from_part(other, direction * t);
                const Result<Affine> other_from_world = inverse(parts_.parts[other].world_from_model);
                if (!place || !other_from_world) return infinity;
                const Vec3 way = (*other_from_world)(direction) - (*other_from_world)(Vec3{});
                t += penetration_along(solid_(other), solid_(part_), *place, way).depth / length(way);
                if (!(t < infinity)) return infinity;
            }
            if (t == before) return t;
        }
        return infinity;
    }

    /// True when the part overlaps the other one by more than a band, once it is moved.
    bool clashes(std::uint32_t other, const Vec3& translation, double band) const {
        const std::optional<Affine> place = other_from_part(other, translation);
        if (!place) return true;
        if (!manner_of(solid_(other), solid_(part_), *place).overlaps()) return false;
        return !touching_within(solid_(other), solid_(part_), *place, band);
    }

private:
    std::optional<Affine> other_from_part(std::uint32_t other, const Vec3& translation) const {
        const Affine& world = parts_.parts[part_].world_from_model;
        const Result<Affine> there = Affine::from_matrix(world.linear(), world.translation() + translation);
        if (!there) return {};
        const Result<Affine> place = relative(parts_.parts[other].world_from_model, *there);
        return place ? std::optional(*place) : std::nullopt;
    }

    const Parts& parts_;
    const SolidOf& solid_;
    std::uint32_t part_;
};

Bounds moved(Bounds box, const Vec3& by) {
    box.lo = box.lo + by;
    box.hi = box.hi + by;
    return box;
}

}  // namespace

void measure_gravest(const Parts& parts, const SolidOf& solid, Clashes& clashes, const ClashSettings& settings) {
    const std::vector<std::size_t> order = gravest(clashes, settings.measured);
    std::atomic<std::size_t> measured = 0;
    detail::parallel_for(order.size(), settings.threads, [&](std::size_t k) {
        if (stopped(settings)) return;
        Clash& clash = clashes.clashes[order[k]];
        const Part &a = parts.parts[clash.a], &b = parts.parts[clash.b];
        const Result<Affine> a_from_b = relative(a.world_from_model, b.world_from_model);
        if (!a_from_b) return;
        const Solid solid_a = solid(clash.a), solid_b = solid(clash.b);
        if (clash.kind == Kind::Duplicate)  // one of them goes, as a whole
            clash.measures.volume = volume_of(solid_a, scale_of(a.world_from_model));
        else
            clash.measures = measure(solid_a, solid_b, {a.world_from_model, *a_from_b});
        ++measured;
    });
    clashes.measured = measured;
}

void find_moves(const Parts& parts, const SolidOf& solid, const std::vector<Bounds>& boxes, Clashes& clashes,
                const ClashSettings& settings) {
    constexpr std::size_t most_partners = 64, most_directions = 8;
    std::vector<std::vector<const Clash*>> of(parts.parts.size());
    for (const Clash& clash : clashes.clashes)
        if (clash.kind == Kind::Crossing)
            for (const std::uint32_t part : {clash.a, clash.b}) of[part].push_back(&clash);
    std::vector<std::uint32_t> movable;
    for (std::uint32_t p = 0; p < of.size(); ++p)
        if (of[p].size() >= 2 && of[p].size() <= most_partners &&
            std::ranges::all_of(of[p], [](const Clash* c) { return c->measures.translation.has_value(); }))
            movable.push_back(p);

    const std::vector<Box> all_boxes = boxes_of(boxes);
    std::vector<std::optional<Move>> found(movable.size());
    detail::parallel_for(movable.size(), settings.threads, [&](std::size_t k) {
        if (stopped(settings)) return;
        const std::uint32_t p = movable[k];
        const Mover mover(parts, solid, p);
        std::vector<std::uint32_t> others;
        std::vector<Vec3> directions;
        double furthest = 0;
        for (const Clash* clash : of[p]) {
            others.push_back(clash->a == p ? clash->b : clash->a);
            const Vec3 way = clash->a == p ? -*clash->measures.translation : *clash->measures.translation;
            const double size = length(way);
            furthest = std::max(furthest, size);
            if (!(size > 0) || directions.size() == most_directions) continue;
            const Vec3 unit = way * (1 / size);
            if (std::ranges::none_of(directions, [&](const Vec3& u) { return dot(u, unit) > 0.999; }))
                directions.push_back(unit);
        }
        double least = 2 * furthest;
        for (const Vec3& direction : directions) {
            const double t = mover.clear_of(others, direction);
            if (!(t < least)) continue;
            const Box there = moved(boxes[p], direction * t).box();
            const auto clashes_there = [&](const BoxPair& pair) {
                const std::uint32_t q = pair.b;
                const double band = settings.error ? 2 * *settings.error : parts.parts[p].error + parts.parts[q].error;
                return q != p && mover.clashes(q, direction * t, band);
            };
            if (std::ranges::any_of(overlapping_pairs(std::span(&there, 1), all_boxes, {.threads = 1}), clashes_there))
                continue;
            least = t;
            found[k] = Move{p, direction * t + Vec3{}, of[p].size()};  // no negative zeros
        }
    });
    for (const std::optional<Move>& move : found)
        if (move) clashes.moves.push_back(*move);
    std::ranges::sort(clashes.moves, [](const Move& x, const Move& y) {
        return std::tuple(y.clears, length(x.translation), x.part) <
               std::tuple(x.clears, length(y.translation), y.part);
    });
}

}  // namespace graze::checks
