// SPDX-License-Identifier: Apache-2.0
#include "checks/close_parts.hpp"

#include <cmath>

#include "checks/contacts.hpp"

namespace graze::checks {

namespace {

/// The distance of two boxes.
double gap(const Bounds& a, const Bounds& b) {
    Vec3 between;
    for (int d = 0; d < 3; ++d) between[d] = std::max({0.0, a.lo[d] - b.hi[d], b.lo[d] - a.hi[d]});
    return length(between);
}

/// True when the placement keeps lengths but for rounding.
bool is_rigid(const Affine& placement) {
    const std::array<Vec3, 3>& row = placement.linear().row;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = i; j < 3; ++j)
            if (!(std::abs(dot(row[i], row[j]) - (i == j)) <= 1e-12)) return false;
    return true;
}

}  // namespace

double rounding_of(const std::vector<Bounds>& boxes) {
    double largest = 0;
    for (const Bounds& box : boxes)
        for (int d = 0; d < 3 && !box.empty(); ++d)
            largest = std::max({largest, std::abs(box.lo[d]), std::abs(box.hi[d])});
    // A power of two, so that it stays the same when parts are moved a little.
    return largest > 0 ? 1e-12 * std::ldexp(1, std::ilogb(largest) + 1) : 0;
}

std::vector<PartPair> CloseParts::candidates(const std::vector<Bounds>& boxes, double rounding) const {
    std::vector<PartPair> found;
    if (!(clearances_.most() > 0)) return found;
    // A pair at exactly the clearance counts.
    for_each_near(boxes, reach_of(clearances_.most(), rounding), [&](std::uint32_t p, std::uint32_t q) {
        const double limit = clearances_(p, q);
        if (limit > 0 && gap(boxes[p], boxes[q]) <= reach_of(limit, rounding)) found.push_back({p, q});
    });
    std::sort(found.begin(), found.end());
    return found;
}

Result<void> CloseParts::prepare(const std::vector<PartPair>& pairs) {
    for (const PartPair& pair : pairs) {
        const std::uint32_t a = pair[0];
        if (is_rigid(placement(a)) || in_world_.contains(a)) continue;
        Result<Model> made = placed_model(model(a), placement(a), threads_);
        if (!made) return Fault{made.fault().kind, parts_.parts[a].path + ": " + made.fault().message};
        in_world_.emplace(a, std::move(*made));
    }
    return {};
}

std::optional<Clash> CloseParts::measure(const PartPair& pair, Scratch& scratch) const {
    const auto [a, b] = pair;
    const double limit = clearances_(a, b);
    const DistanceSettings settings{.max_distance = limit, .scratch = &scratch};
    const auto world = in_world_.find(a);
    Closest closest;
    if (world != in_world_.end())
        closest = distance(world->second, model(b), placement(b), settings);
    else  // A scene has accepted these placements, so the relative one exists.
        closest = placed(placement(a), distance(model(a), model(b), *relative(placement(a), placement(b)), settings));
    if (!std::isfinite(closest.distance)) return {};
    Bounds box;
    box.add(closest.point_a);
    box.add(closest.point_b);
    Clash clash;
    clash.a = a;
    clash.b = b;
    clash.kind = clash.exact = Kind::Clearance;
    clash.low = box.lo;
    clash.high = box.hi;
    clash.extent = length(box.hi - box.lo);
    clash.closest = closest;
    clash.severity = 0.999 * std::max(0.0, 1 - closest.distance / limit);
    return clash;
}

}  // namespace graze::checks
