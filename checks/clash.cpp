// SPDX-License-Identifier: Apache-2.0
#include "clash.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/parallel.hpp"
#include "checks/bounds.hpp"
#include "checks/close_parts.hpp"
#include "checks/contact_kind.hpp"
#include "checks/contacts.hpp"
#include "checks/measure.hpp"
#include "checks/overlap.hpp"
#include "checks/refine.hpp"
#include "checks/survey.hpp"

namespace graze::checks {

namespace {

Result<std::vector<PartPair>> pairs_that_meet(const Parts& parts, const WantedPairs& wanted, unsigned threads) {
    Scene scene({.threads = threads});
    for (std::uint32_t i = 0; i < parts.parts.size(); ++i) {
        const Part& part = parts.parts[i];
        const Result<ObjectId> id = scene.add(parts.models[part.model], part.world_from_model, wanted.settings(i));
        if (!id) return Fault{id.fault().kind, part.path + ": " + id.fault().message};
        assert(id->slot + 1 == scene.size());
    }
    std::vector<PartPair> pairs;
    for (const ObjectPair& pair : scene.update().begun) pairs.push_back({pair.a.slot, pair.b.slot});
    return pairs;
}

/// For each part, the first part that has the same model in the same place.
std::vector<std::uint32_t> first_of_equals(const Parts& parts) {
    const auto key = [&](std::uint32_t i) {
        const Part& part = parts.parts[i];
        const Mat3& m = part.world_from_model.linear();
        const Vec3& t = part.world_from_model.translation();
        std::array<double, 13> all{static_cast<double>(part.model)};
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) all[1 + 3 * r + c] = m.row[r][c];
        for (int d = 0; d < 3; ++d) all[10 + d] = t[d];
        return all;
    };
    std::map<std::array<double, 13>, std::uint32_t> known;
    std::vector<std::uint32_t> first(parts.parts.size());
    for (std::uint32_t i = 0; i < first.size(); ++i) first[i] = known.emplace(key(i), i).first->second;
    return first;
}

/// Milliseconds since the last call.
class Lap {
public:
    double operator()() {
        const Clock::time_point last = std::exchange(last_, Clock::now());
        return std::chrono::duration<double, std::milli>(last_ - last).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_ = Clock::now();
};

class Finder {
public:
    Finder(const Parts& parts, const ClashSettings& settings, const Progress& progress)
        : parts_(parts),
          settings_(settings),
          progress_(progress),
          solids_(solids_of(parts.models)),
          wanted_(parts, settings.rules),
          close_(parts, Clearances(parts, settings.rules, settings.clearance), settings.threads) {
        for (const Rule& rule : settings.rules.rules) may_meet_.emplace_back(parts, settings.rules, rule.a, rule.b);
    }

    Result<FoundPairs> find() {
        Lap lap;
        Result<std::vector<PartPair>> met = pairs_that_meet(parts_, wanted_, settings_.threads);
        if (!met) return met.fault();
        const std::vector<std::uint32_t> first = first_of_equals(parts_);
        std::vector<PartPair> pairs = with_duplicates(*met, first);
        boxes_ = world_boxes(parts_, settings_.threads);
        std::vector<PartPair> inside = near_pairs(boxes_, 0, settings_.threads);
        const auto unwanted = [&](const PartPair& p) {
            return !wanted_(p[0], p[1]) || (settings_.mine && !settings_.mine(p[0], p[1]));
        };
        std::erase_if(pairs, unwanted);
        std::erase_if(inside, [&](const PartPair& p) { return unwanted(p) || met_or_ignored(p, pairs); });
        std::vector<PartPair> close = close_.candidates(boxes_, settings_.rounding.value_or(rounding_of(boxes_)));
        std::erase_if(close, [&](const PartPair& p) { return unwanted(p) || met_or_ignored(p, pairs); });
        if (const Result<void> prepared = close_.prepare(close); !prepared) return prepared.fault();
        std::erase_if(pairs, [&](const PartPair& p) { return ignore(p); });
        total_ = pairs.size() + inside.size() + close.size();
        kept_ = kept_pairs(settings_.pairs, pairs.size());
        out_.met = pairs.size();
        out_.times.find = lap();

        std::vector<Clash> clashes(pairs.size());
        // All pairs of a pile of duplicates have the same contacts, so one of them is enough.
        std::map<std::uint32_t, std::size_t> piles;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            clashes[i].a = pairs[i][0];
            clashes[i].b = pairs[i][1];
            const bool equal = first[pairs[i][0]] == first[pairs[i][1]];
            clashes[i].kind = clashes[i].exact = equal ? Kind::Duplicate : Kind::Touching;
            clashes[i].band = error_of(pairs[i][0]) + error_of(pairs[i][1]);
            if (equal) piles.try_emplace(first[pairs[i][0]], i);
        }
        // The clash that another one is like: all pairs of a pile of equal parts are.
        std::vector<std::size_t> like(clashes.size());
        for (std::size_t i = 0; i < like.size(); ++i)
            like[i] = clashes[i].kind == Kind::Duplicate ? piles.at(first[clashes[i].a]) : i;
        in_blocks(pairs.size(), [&](std::size_t i, Room& room) {
            if (like[i] == i) classify(clashes[i], room);
        });
        for (std::size_t i = 0; i < clashes.size(); ++i) {
            if (like[i] == i) continue;
            const Clash& same = clashes[like[i]];
            clashes[i].contacts = same.contacts;
            clashes[i].pairs = same.pairs;
            clashes[i].low = same.low;
            clashes[i].high = same.high;
            clashes[i].extent = same.extent;
        }

        // A pair that nobody came to look at says nothing.
        std::erase_if(clashes, [](const Clash& c) { return c.kind != Kind::Duplicate && c.contacts == 0; });

        std::vector<std::optional<Clash>> held(inside.size());
        in_blocks(inside.size(), [&](std::size_t i, Room&) { held[i] = hold(inside[i]); });
        std::set<PartPair> seen;
        for (std::size_t i = 0; i < inside.size(); ++i)
            if (held[i] && seen.insert(inside[i]).second && !ignore(inside[i])) clashes.push_back(std::move(*held[i]));
        add_close(close, seen, clashes);
        if (stopped()) out_.unchecked = total_ - done_;
        out_.open = open_parts();

        out_.clashes = std::move(clashes);
        out_.times.relate = lap();
        return std::move(out_);
    }

    /// The boxes of the parts in the world, once `find` was called.
    const std::vector<Bounds>& boxes() const { return boxes_; }
    /// One per model.
    const std::vector<Solid>& solids() const { return solids_; }

private:
    static constexpr std::size_t block = 8;  ///< clashes that a thread takes at a time

    /// Working memory of a thread.
    struct Room {
        Scratch scratch;
        std::vector<Contact> contacts;
    };

    /// Adds all pairs of equal parts: rounding of their placements must not hide that two parts are the same.
    static std::vector<PartPair> with_duplicates(std::vector<PartPair> pairs, const std::vector<std::uint32_t>& first) {
        std::map<std::uint32_t, std::vector<std::uint32_t>> piles;
        for (std::uint32_t i = 0; i < first.size(); ++i)
            if (first[i] != i) piles[first[i]].push_back(i);
        const std::size_t met = pairs.size();
        for (const auto& [lowest, others] : piles)
            for (std::size_t i = 0; i < others.size(); ++i) {
                pairs.push_back({lowest, others[i]});
                for (std::size_t j = i + 1; j < others.size(); ++j) pairs.push_back({others[i], others[j]});
            }
        if (pairs.size() == met) return pairs;
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        return pairs;
    }

    static bool met_or_ignored(const PartPair& p, const std::vector<PartPair>& sorted) {
        return std::binary_search(sorted.begin(), sorted.end(), p);
    }

    bool ignore(const PartPair& p) {
        for (std::uint32_t r = 0; r < may_meet_.size(); ++r)
            if (may_meet_[r](p[0], p[1])) {
                out_.ignored.push_back({p[0], p[1], r});
                return true;
            }
        return false;
    }

    bool stopped() const { return settings_.stop && *settings_.stop; }

    std::vector<std::uint32_t> open_parts() const {
        std::vector<std::uint8_t> open(solids_.size());
        detail::parallel_for(open.size(), settings_.threads,
                             [&](std::size_t i) { open[i] = is_open(parts_.models[i]); });
        std::vector<std::uint32_t> out;
        for (std::uint32_t i = 0; i < parts_.parts.size(); ++i)
            if (open[parts_.parts[i].model] != 0) out.push_back(i);
        return out;
    }

    template <class F>
    void in_blocks(std::size_t n, F&& f) {
        detail::parallel_for((n + block - 1) / block, settings_.threads, [&](std::size_t k) {
            if (stopped()) return;
            Room room;
            const std::size_t last = std::min(n, (k + 1) * block);
            for (std::size_t i = k * block; i < last; ++i) f(i, room);
            const std::lock_guard lock(mutex_);
            done_ += last - k * block;
            if (progress_) progress_(done_, total_);
        });
    }

    const Model& model(std::uint32_t part) const { return parts_.models[parts_.parts[part].model]; }
    const Solid& solid(std::uint32_t part) const { return solids_[parts_.parts[part].model]; }
    double error_of(std::uint32_t part) const { return settings_.error.value_or(parts_.parts[part].error); }
    const Affine& placement(std::uint32_t part) const { return parts_.parts[part].world_from_model; }
    Affine from(std::uint32_t a, std::uint32_t b) const {
        // A scene has accepted these placements, so the relative ones exist.
        return *relative(placement(a), placement(b));
    }

    /// Adds the pairs that are too close and of no other kind.
    void add_close(const std::vector<PartPair>& close, const std::set<PartPair>& inside, std::vector<Clash>& clashes) {
        std::vector<std::optional<Clash>> found(close.size());
        in_blocks(close.size(), [&](std::size_t i, Room& room) {
            if (!inside.contains(close[i])) found[i] = close_.measure(close[i], room.scratch);
        });
        for (std::size_t i = 0; i < close.size(); ++i)
            if (found[i] && !ignore(close[i])) clashes.push_back(std::move(*found[i]));
    }

    void classify(Clash& clash, Room& room) const {
        const auto [a, b] = std::pair(clash.a, clash.b);
        const Affine a_from_b = from(a, b);
        std::vector<Contact>& contacts = room.contacts;
        collide(model(a), model(b), a_from_b, contacts, {.scratch = &room.scratch});
        std::sort(contacts.begin(), contacts.end());
        clash.contacts = contacts.size();
        clash.pairs = spread(contacts, kept_);
        if (clash.kind == Kind::Duplicate) {
            set_box(clash, boxes_[a]);
            return;
        }
        const Manner manner = manner_of(solid(a), solid(b), a_from_b, contacts);
        clash.kind = clash.exact = manner.kind;
        weigh(clash, a_from_b);
        if (clash.kind == Kind::Inside) return set_inside(clash, manner.nesting == Nesting::AInB);
        if (clash.kind == Kind::Duplicate) return set_box(clash, boxes_[a]);
        const Bounds box = meeting_box(model(a), model(b), {placement(a), a_from_b}, contacts);
        set_box(clash, box.empty() ? common_box(clash, contacts) : box);
    }

    void weigh(Clash& clash, const Affine& a_from_b) const {
        checks::weigh(clash, solid(clash.a), solid(clash.b), {placement(clash.a), a_from_b}, settings_.tolerance);
    }

    static void set_box(Clash& clash, const Bounds& box) {
        clash.low = box.lo;
        clash.high = box.hi;
        clash.extent = length(box.hi - box.lo);
    }

    /// A box of what the boxes of the two triangles of each contact have in common. It is for triangles without area,
    /// which `measure` skips.
    Bounds common_box(const Clash& clash, const std::vector<Contact>& contacts) const {
        Bounds box;
        for (const Contact& c : contacts) {
            const Bounds s(placed(placement(clash.a), model(clash.a).triangle(c.triangles.a)));
            const Bounds t(placed(placement(clash.b), model(clash.b).triangle(c.triangles.b)));
            for (int d = 0; d < 3; ++d) {
                const double low = std::max(s.lo[d], t.lo[d]), high = std::min(s.hi[d], t.hi[d]);
                box.lo[d] = std::min({box.lo[d], low, high});
                box.hi[d] = std::max({box.hi[d], low, high});
            }
        }
        return box;
    }

    void set_inside(Clash& clash, bool a_is_inside) const {
        const std::uint32_t inner = a_is_inside ? clash.a : clash.b;
        clash.note = parts_.parts[inner].path + " is inside";
        clash.a_is_inside = a_is_inside;
        set_box(clash, boxes_[inner]);
    }

    /// The clash of two parts whose surfaces do not meet, when part of one is inside the other.
    std::optional<Clash> hold(const PartPair& pair) const {
        const auto [a, b] = pair;
        const Affine a_from_b = from(a, b);
        const RelationResult found = relation_from(solid(a), solid(b), a_from_b, {});
        const Manner manner = manner_of(found);
        if (!manner.overlaps()) return {};
        Clash clash;
        clash.a = a;
        clash.b = b;
        clash.kind = clash.exact = manner.kind;
        clash.band = error_of(a) + error_of(b);
        weigh(clash, a_from_b);
        if (clash.kind == Kind::Inside) {
            set_inside(clash, manner.nesting == Nesting::AInB);
        } else {
            const std::uint32_t inner = found.a_enters_b ? a : b;
            set_box(clash, boxes_[inner]);
            if (clash.kind == Kind::Crossing) clash.note = "a body of " + parts_.parts[inner].path + " is inside";
        }
        return clash;
    }

    const Parts& parts_;
    const ClashSettings& settings_;
    const Progress& progress_;
    std::vector<Solid> solids_;  ///< one per model
    WantedPairs wanted_;
    CloseParts close_;
    std::vector<ChosenPairs> may_meet_;  ///< one per rule
    std::vector<Bounds> boxes_;          ///< one per part, in the world
    FoundPairs out_;
    std::size_t kept_ = 0, done_ = 0, total_ = 0;
    std::mutex mutex_;
};

}  // namespace

int grade(const Clash& clash) {
    switch (clash.kind) {
        case Kind::Duplicate:
            return 5;
        case Kind::Crossing:
            return clash.thin ? 2 : 4;
        case Kind::Inside:
            return 3;
        case Kind::Fit:
        case Kind::Touching:
            return 1;
        case Kind::Clearance:
            break;
    }
    return 0;
}

std::size_t Clashes::count(Kind kind) const {
    return static_cast<std::size_t>(
        std::count_if(clashes.begin(), clashes.end(), [&](const Clash& c) { return c.kind == kind; }));
}

std::size_t Clashes::count(State state) const {
    const auto in = [&](const auto& list) {
        return static_cast<std::size_t>(std::ranges::count_if(list, [&](const auto& c) { return c.state == state; }));
    };
    return in(clashes) + in(resolved) + in(gone);
}

std::size_t Clashes::count_thin() const {
    return static_cast<std::size_t>(std::ranges::count_if(clashes, [](const Clash& c) { return c.thin; }));
}

void keep(Clashes& clashes, const Choice& choice) {
    const auto other = [&](const auto& one) { return !choice.has(one.kind, one.thin); };
    std::erase_if(clashes.clashes, other);
    std::erase_if(clashes.fits, other);
    std::erase_if(clashes.resolved, other);
    std::erase_if(clashes.gone, other);
}

std::vector<Bounds> world_boxes(const Parts& parts, unsigned threads) {
    if (!parts.boxes.empty()) return parts.boxes;
    std::vector<Bounds> boxes(parts.parts.size());
    detail::parallel_for(boxes.size(), threads, [&](std::size_t i) {
        boxes[i] = world_box(parts.models[parts.parts[i].model], parts.parts[i].world_from_model);
    });
    return boxes;
}

std::size_t kept_pairs(std::size_t wanted, std::size_t met) {
    constexpr std::size_t in_all = 4'000'000;  // pairs of triangles kept for all clashes together: 32 MB
    return std::min(wanted, std::max<std::size_t>(16, in_all / (met + 1)));
}

void keep_pairs(const Parts& parts, std::vector<Clash>& clashes, std::size_t kept, unsigned threads) {
    detail::parallel_for(clashes.size(), threads, [&](std::size_t i) {
        Clash& clash = clashes[i];
        if (clash.contacts == 0) return;
        const Part &a = parts.parts[clash.a], &b = parts.parts[clash.b];
        std::vector<Contact> contacts =
            collide(parts.models[a.model], parts.models[b.model], *relative(a.world_from_model, b.world_from_model));
        std::sort(contacts.begin(), contacts.end());
        clash.pairs = spread(contacts, kept);
    });
}

Result<FoundPairs> find_pairs(const Parts& parts, const ClashSettings& settings, const Progress& progress) {
    return Finder(parts, settings, progress).find();
}

namespace {

/// How the pairs compare with each other. `assembly` is a box around all parts.
Clashes in_order(FoundPairs found, const Bounds& assembly, bool strict_fits) {
    // Grades of severity, and within a grade the part of the assembly that the region takes up.
    const double size = assembly.empty() ? 0 : length(assembly.hi - assembly.lo);
    for (Clash& clash : found.clashes) {
        if (clash.kind == Kind::Clearance) continue;
        const double part = size > 0 ? clash.extent / size : 0;
        clash.severity = static_cast<double>(grade(clash)) + (part > 0 ? std::min(part, 0.999) : 0);
    }
    std::sort(found.clashes.begin(), found.clashes.end(), [](const Clash& x, const Clash& y) {
        return std::tuple(x.kind, x.a, x.b) < std::tuple(y.kind, y.a, y.b);
    });
    std::sort(found.ignored.begin(), found.ignored.end(), [](const Ignored& x, const Ignored& y) {
        return std::tuple(x.rule, x.a, x.b) < std::tuple(y.rule, y.a, y.b);
    });
    Clashes out;
    out.clashes = std::move(found.clashes);
    out.ignored = std::move(found.ignored);
    out.open = std::move(found.open);
    out.unchecked = found.unchecked;
    out.times = found.times;
    if (!strict_fits) {
        const auto is_fit = [](const Clash& c) { return c.kind == Kind::Fit; };
        std::ranges::copy_if(out.clashes, std::back_inserter(out.fits), is_fit);
        std::erase_if(out.clashes, is_fit);
    }
    return out;
}

}  // namespace

Clashes complete(const Parts& parts, const SolidOf& solid, const std::vector<Bounds>& boxes, FoundPairs found,
                 const ClashSettings& settings) {
    Lap lap;
    Bounds assembly;
    for (const Bounds& box : boxes) assembly.add(box);
    std::vector<std::string> notes;
    const std::size_t refined = refine_fits(parts, solid, found.clashes, settings, notes);
    Clashes out = in_order(std::move(found), assembly, settings.strict_fits);
    out.refined = refined;
    out.notes = std::move(notes);
    out.times.refine = lap();
    measure_gravest(parts, solid, out, settings);
    find_moves(parts, solid, boxes, out, settings);
    out.times.measure = lap();
    return out;
}

Result<Clashes> find_clashes(const Parts& parts, const ClashSettings& settings, const Progress& progress) {
    Finder finder(parts, settings, progress);
    Result<FoundPairs> found = finder.find();
    if (!found) return found.fault();
    const SolidOf solid = [&](std::uint32_t part) { return finder.solids()[parts.parts[part].model]; };
    return complete(parts, solid, finder.boxes(), std::move(*found), settings);
}

void weigh(Clash& clash, const Solid& a, const Solid& b, const Placing& place, double tolerance) {
    if (clash.exact != Kind::Crossing && clash.exact != Kind::Inside) return;
    const double scale = scale_of(place.world_from_a), band = clash.band / scale;
    if (band > 0 && touching_within(a, b, place.a_from_b, band))
        clash.kind = Kind::Fit;
    else if (band > 0 && equal_within(a, b, place.a_from_b, band))
        clash.kind = Kind::Duplicate;
    else if (clash.kind == Kind::Crossing && tolerance > clash.band)
        clash.thin = touching_within(a, b, place.a_from_b, tolerance / scale);
}

}  // namespace graze::checks
