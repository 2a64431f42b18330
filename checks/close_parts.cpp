// SPDX-License-Identifier: Apache-2.0
#include "checks/close_parts.hpp"

#include <algorithm>
#include <cmath>

#include "checks/contacts.hpp"

namespace graze::checks {

namespace {

/// True when the placement keeps lengths but for rounding.
bool is_rigid(const Affine& placement) {
    const std::array<Vec3, 3>& row = placement.linear().row;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = i; j < 3; ++j)
            if (!(std::abs(dot(row[i], row[j]) - (i == j)) <= 1e-12)) return false;
    return true;
}

}  // namespace

std::vector<PartPair> near_pairs(std::span<const Bounds> boxes, double reach, unsigned threads) {
    std::vector<Box> larger;
    larger.reserve(boxes.size());
    for (Bounds box : boxes) {
        if (!box.empty()) {
            const Vec3 slack = (box.hi - box.lo) * 1e-9;
            box.lo = box.lo - slack;
            box.hi = box.hi + slack;
        }
        larger.push_back(box.box());
    }
    std::vector<PartPair> out;
    for (const BoxPair& pair : pairs_within(larger, reach, {.threads = threads})) out.push_back({pair.a, pair.b});
    return out;
}

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
    found = near_pairs(boxes, reach_of(clearances_.most(), rounding), threads_);
    std::erase_if(found, [&](const PartPair& pair) {
        const double limit = clearances_(pair[0], pair[1]);
        return !(limit > 0 && within(boxes[pair[0]].box(), boxes[pair[1]].box(), reach_of(limit, rounding)));
    });
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
