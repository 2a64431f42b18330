// SPDX-License-Identifier: Apache-2.0
#include "front/front.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exact/decide.hpp"
#include "front/motion.hpp"
#include "wide_walk/run.hpp"

namespace graze {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Front::Front(const FrontSettings& settings) : impl_(std::make_unique<Impl>()) { impl_->settings = settings; }
Front::~Front() = default;
Front::Front(Front&&) noexcept = default;
Front& Front::operator=(Front&&) noexcept = default;

void Front::clear() {
    Impl empty{.settings = impl_->settings};
    *impl_ = std::move(empty);
}
bool Front::warm() const { return size() > 0; }
std::size_t Front::size() const { return impl_->wide.size() + impl_->pairs.size() + impl_->distance.size(); }
std::size_t Front::bytes() const {
    return sizeof(Impl) + impl_->wide.bytes() + impl_->pairs.bytes() + impl_->distance.bytes();
}

void Front::Impl::empty() {
    wide.clear();
    pairs.clear();
    filled = false;
    odometer = since_prune = 0;
}

void Front::Impl::measure(const detail::Search& search) {
    const detail::RootBall a(search.a), b(search.b);
    centre = b.centre;
    radius = b.radius;
    const double edge = std::min(a.edge, b.edge * detail::spectral_bound(search.a_from_b.linear()));
    const double unit = edge > 0x1p-1000 && edge < 0x1p1000 ? std::ldexp(1, std::ilogb(edge)) : 1;
    if (inv_unit != 1 / unit) empty();  // claims are in the old units
    inv_unit = 1 / unit;
    size = edge * inv_unit;
}

double Front::Impl::advance(const detail::Search& search, double enough, bool& changed) {
    const auto drift_a = search.a.lineage.since(lineage[0]), drift_b = search.b.lineage.since(lineage[1]);
    double motion = infinity;
    changed = false;
    if (drift_a && drift_b) {
        // A point went from M p + t to M' p' + t'. The motion is that of p under the change of placement, plus M' (p' −
        // p).
        changed = *drift_a > 0 || *drift_b > 0;
        motion = detail::motion_bound(pose, search.a_from_b, centre, radius, changed ? infinity : enough / inv_unit);
        motion += *drift_a;
        if (*drift_b > 0) motion += *drift_b * detail::spectral_bound(search.a_from_b.linear());
        motion += std::max(0.0, search.margin - margin);  // claims are about gaps beyond the margin
        motion *= inv_unit * (1 + 0x1p-40);
    } else {
        witness.reset();
        empty();
    }
    // Most often nothing has changed, and a comparison costs less than copying a reference-counted pointer.
    if (!drift_a || search.a.lineage.tree != lineage[0].tree || *drift_a != 0) lineage[0] = search.a.lineage;
    if (!drift_b || search.b.lineage.tree != lineage[1].tree || *drift_b != 0) lineage[1] = search.b.lineage;
    pose = search.a_from_b;
    margin = search.margin;
    if (changed || !(motion < infinity)) measure(search);
    return motion;
}

/// Rests the front for a while when searches from it take longer than plain ones, or when it has grown too large. Each
/// rest is longer than the last.
void Front::Impl::assess(bool fresh) {
    const bool large = wide.bytes() + pairs.bytes() > settings.max_bytes;
    if (!fresh && !wide_trees && !settings.coherence) doubts = pairs.pays ? 0 : doubts + 1;
    if (large || doubts == 3) {
        patience = std::min(std::max(16u, 2 * patience), 512u);
        rest = patience;
        doubts = 0;
        empty();
    } else if (!fresh && doubts == 0) {
        patience -= patience / 16;
    }
    if (!large) return;
    wide = {};
    pairs = {};
}

namespace {

/// Passes a contact on and remembers it.
struct WitnessSink {
    const detail::Sink& sink;
    std::optional<TrianglePair>& witness;

    static Step note(void* context, const Contact& contact) {
        const WitnessSink& self = *static_cast<WitnessSink*>(context);
        self.witness = contact.triangles;
        return self.sink.report(contact);
    }
};

/// The measured default of `FrontSettings::coherence`.
double coherence_of(const detail::Search& search, bool wide_trees) {
    if (wide_trees) return detail::WideFront::coherence;
    const graze::Volume a = search.a.settings.volume, b = search.b.settings.volume;
    return detail::PairFront::coherence_of(a == b ? a : graze::Volume::Aabb);
}

}  // namespace

bool detail::still_meets(const Search& search, const TrianglePair& pair, QueryStats& stats) {
    const Triangle t = search.b.geometry.triangle(pair.b);
    const Affine& map = search.a_from_b;
    ++stats.triangle_tests;
    return decide(search.a.geometry.triangle(pair.a), {map(t.a), map(t.b), map(t.c)}, search.margin, stats);
}

bool detail::run(const Search& search, Front::Impl& front, Scratch::Impl& scratch, QueryStats& stats) {
    const bool wide_trees = goes_wide(search);
    const auto plain = [&](const Search& s) {
        return wide_trees ? wide_search(s, scratch.wide, stats) : pair_search(s, scratch.pairs, stats);
    };
    // During large motions, the motion is measured in only two of eight queries.
    if (!search.first && front.wild >= 8 && ++front.wild % 8 > 1) return plain(search);

    bool reshaped;
    const FrontSettings& settings = front.settings;
    const double coherence = settings.coherence ? *settings.coherence : coherence_of(search, wide_trees);
    const double prune = settings.prune.value_or(wide_trees ? WideFront::prune : PairFront::prune);
    const double motion = front.advance(search, coherence * front.size, reshaped);
    const bool coherent = motion < infinity && motion <= coherence * front.size;
    // Beyond this, claims in float would be too imprecise.
    constexpr double far = 0x1p10;
    if (front.filled && (!coherent || wide_trees != front.wide_trees || front.odometer > far)) front.empty();
    front.wide_trees = wide_trees;
    front.reshaped |= reshaped;
    front.calm = coherent ? front.calm + 1 : 0;
    front.wild = coherent ? 0 : front.wild + (front.wild < 8);
    if (front.filled) {
        front.odometer = (front.odometer + motion) * (1 + 0x1p-52);
        front.since_prune += motion;
    }

    Search inner = search;
    WitnessSink remember{search.sink, front.witness};
    if (search.first) {
        if (front.witness && still_meets(search, *front.witness, stats)) {
            search.report(front.witness->a, front.witness->b);
            return false;
        }
        front.witness.reset();
        inner.sink = {nullptr, WitnessSink::note, &remember};
    }
    const bool fresh = !front.filled;
    // Filling a front costs more than a plain search, so it waits for two small motions in a row.
    if (front.calm < (fresh ? 2 : 1) || front.rest > 0) {
        front.rest -= front.rest > 0;
        return plain(inner);
    }

    FrontStep step{front.odometer, motion, front.inv_unit, front.reshaped, front.since_prune > prune * front.size,
                   settings.sprout};
    if (fresh || step.prune) front.since_prune = 0;
    front.reshaped = false;
    QueryStats own;
    const bool all = wide_trees ? wide_front_search(inner, step, front.wide, scratch.wide, own)
                                : pair_front_search(inner, step, front.pairs, scratch.pairs, own);
    stats += own;
    front.filled = true;
    front.assess(fresh);
    return all;
}

}  // namespace graze
