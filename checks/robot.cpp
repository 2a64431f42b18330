// SPDX-License-Identifier: Apache-2.0
#include "checks/robot.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <mutex>
#include <numbers>
#include <numeric>
#include <tuple>

#include "base/parallel.hpp"
#include "checks/contacts.hpp"
#include "graze/tree.hpp"
#include "scenes/random.hpp"

namespace graze::checks {

namespace {

const Pose at_origin;  ///< the placement of the world's objects

/// No pose makes a length longer by more than this factor: ‖MᵀM − I‖ ≤ 3 Pose::tolerance.
constexpr double stretch = 1.015;
static_assert(stretch * stretch > 1 + 3 * Pose::tolerance);

/// All shapes of a link in one mesh.
Result<files::Mesh> shapes_of(const files::Robot& robot, const files::Link& link) {
    files::Assembly all;
    for (const files::LinkShape& shape : link.shapes) {
        all.parts.push_back({{}, {}, static_cast<std::uint32_t>(all.meshes.size()), shape.link_from_mesh});
        all.meshes.push_back(robot.meshes[shape.mesh]);
    }
    return files::merged(all);
}

}  // namespace

RobotStats& RobotStats::operator+=(const RobotStats& o) {
    pairs += o.pairs;
    spheres += o.spheres;
    boxes += o.boxes;
    asked += o.asked;
    queries += o.queries;
    return *this;
}

namespace {

double sum(const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

/// The centre and radius of a small sphere around the model. The centre moves towards the farthest corner in ever
/// shorter steps (Bădoiu and Clarkson 2003).
std::pair<Vec3, double> sphere_around(const Model& model) {
    std::vector<Vec3> corners;
    corners.reserve(3 * std::size_t{model.triangle_count()});
    for (std::uint32_t i = 0; i < model.triangle_count(); ++i) {
        const Triangle t = model.triangle(i);
        corners.insert(corners.end(), {t.a, t.b, t.c});
    }
    if (corners.empty()) return {};
    Vec3 centre = corners[0];
    const auto farthest = [&] {
        const auto square = [&](const Vec3& p) { return dot(p - centre, p - centre); };
        return *std::ranges::max_element(corners, {}, square);
    };
    const std::size_t steps = std::clamp<std::size_t>(2'000'000 / corners.size(), 10, 200);
    for (std::size_t i = 1; i <= steps; ++i) centre = centre + (farthest() - centre) * (1 / static_cast<double>(i + 1));
    // The length is accurate to 2^-50 of itself. One that overflows is infinite, and then the sphere decides nothing.
    return {centre, length(farthest() - centre) * (1 + 0x1p-48)};
}

}  // namespace

RobotCheck::Volume RobotCheck::volume_around(const Model& model) {
    Volume out;
    const std::vector<OrientedBox> root = node_boxes(model, 0);
    if (root.empty()) return out;
    std::tie(out.centre, out.radius) = sphere_around(model);
    out.middle = root[0].centre;
    // The rows are orthonormal to 2^-50: their transpose is the inverse but for what `slack_of` covers.
    for (int i = 0; i < 3; ++i) out.axis[i] = root[0].axes.row[i];
    out.half = root[0].half;
    out.lengths = sum(out.centre) + out.radius + sum(out.middle) + 2 * sum(out.half);
    return out;
}

Result<RobotCheck> RobotCheck::make(files::Robot robot, const files::RobotSemantics* semantics,
                                    std::vector<WorldObject> world, unsigned threads) {
    RobotCheck out;
    out.robot_ = std::move(robot);
    const files::Robot& r = out.robot_;
    // For each link: the joint above it, its body, and the topmost link that it is rigidly joined to.
    std::vector<const files::Joint*> above(r.links.size());
    std::vector<std::optional<std::uint32_t>> body(r.links.size());
    std::vector<std::uint32_t> rigid(r.links.size());
    std::iota(rigid.begin(), rigid.end(), 0u);
    for (const files::Joint& joint : r.joints) {
        above[joint.child] = &joint;
        if (joint.kind == files::JointKind::Fixed) rigid[joint.child] = rigid[joint.parent];
    }
    for (std::uint32_t i = 0; i < r.links.size(); ++i) {
        if (r.links[i].shapes.empty()) continue;
        const Result<files::Mesh> mesh = shapes_of(r, r.links[i]);
        const Result<Model> model = mesh ? Model::build(mesh->view(), {.threads = threads}) : mesh.fault();
        if (!model) return Fault{model.fault().kind, "link " + r.links[i].name + ": " + model.fault().message};
        body[i] = static_cast<std::uint32_t>(out.bodies_.size());
        out.bodies_.push_back({r.links[i].name, i, *model});
    }
    const std::size_t links = out.bodies_.size();
    out.link_count_ = links;
    for (WorldObject& object : world) out.bodies_.push_back({std::move(object.name), {}, std::move(object.model)});

    std::vector<char> off(links * links, 0);
    if (semantics) {
        for (const auto& d : semantics->disabled)
            if (body[d.a] && body[d.b]) off[*body[d.a] * links + *body[d.b]] = off[*body[d.b] * links + *body[d.a]] = 1;
    } else {
        for (std::uint32_t i = 0; i < links; ++i) {
            const files::Joint* joint = above[*out.bodies_[i].link];
            while (joint && !body[joint->parent]) joint = above[joint->parent];
            if (joint) off[i * links + *body[joint->parent]] = off[*body[joint->parent] * links + i] = 1;
            for (std::uint32_t j = 0; j < links; ++j)
                if (rigid[*out.bodies_[i].link] == rigid[*out.bodies_[j].link]) off[i * links + j] = 1;
        }
    }
    for (std::uint32_t i = 0; i < links; ++i)
        for (std::uint32_t j = i + 1; j < links; ++j)
            if (!off[i * links + j]) out.pairs_.push_back({i, j});
    out.left_out_ = links * (links - (links > 0)) / 2 - out.pairs_.size();
    const auto moves = [&](const RobotBody& one) { return one.link && rigid[*one.link] != rigid[r.root]; };
    const bool all_stand = std::ranges::none_of(out.bodies_, moves);
    for (std::uint32_t i = 0; i < links; ++i) {
        if (!all_stand && !moves(out.bodies_[i])) {
            out.standing_.push_back(out.bodies_[i].name);
            continue;
        }
        for (std::size_t j = links; j < out.bodies_.size(); ++j)
            out.pairs_.push_back({i, static_cast<std::uint32_t>(j)});
    }
    std::vector<char> used(out.bodies_.size());
    for (const Pair& pair : out.pairs_) used[pair.a] = used[pair.b] = 1;
    std::vector<Model> models;
    for (std::uint32_t i = 0; i < out.bodies_.size(); ++i) {
        models.push_back(out.bodies_[i].model);
        out.volumes_.push_back(volume_around(models.back()));
        if (used[i]) out.checked_.push_back(i);
    }
    out.solids_ = solids_of(models);
    out.robot_.meshes.clear();
    return out;
}

const Pose& RobotCheck::placement(Links world_from_link, std::uint32_t body) const {
    const auto& link = bodies_[body].link;
    return link ? world_from_link[*link] : at_origin;
}

// How bodies are told apart. Let W_a, W_b be their placements and e how far a corner q of B, mapped and rounded by a
// query, is off W_a⁻¹ W_b q in real arithmetic. Where it is no further than the clearance d from a point p of A,
// |W_a p − W_b q| ≤ stretch (d + e). So in the world
//   spheres are apart when  |W_a c_a − W_b c_b| > stretch (r_a + r_b + d + e);
//   boxes are apart along an axis l, taken as the numbers it is, when
//       |l · (W_a m_a − W_b m_b)| > Σ h_i |l · a_i| + Σ k_j |l · b_j| + |l| stretch (d + e),
//   with the boxes' axes a_i, b_j as mapped, whatever they are, and half their sides h_i, k_j.
// With u = 2^-53, W_a⁻¹ by cofactors, its product with W_b and the mapping are off by less than 40 u of the lengths
// that enter them, as the matrices are close to orthonormal (Pose::tolerance): e < 120 u (|t_a| + |t_b| + |q|). Mapping
// centres and axes adds 8 u of their lengths, a dot product 4 u. All of it is below 2^-44 = 512 u of the two bodies'
// own lengths. What underflows is below 2^-500, next to which no square does. The clearance is enlarged by 2^-40 of
// itself for what its own sums and products round.

namespace {

double slack_of(const Pose& world_from_body, double lengths) {
    return 0x1p-44 * (sum(world_from_body.translation()) + lengths) + 0x1p-500;
}

}  // namespace

void RobotCheck::prepare(Memory& memory) const {
    ++memory.configuration_;
    if (memory.near_.size() == pairs_.size() && memory.placed_.size() == bodies_.size()) return;
    memory.near_.resize(pairs_.size());
    memory.met_.assign(pairs_.size(), 0);
    memory.spheres_.assign(bodies_.size(), {});
    memory.placed_.assign(bodies_.size(), {});
}

/// A pair for which something overflows or is NaN counts as near.
std::size_t RobotCheck::find_near(Links world_from_link, double reach, Memory& memory) const {
    for (const std::uint32_t i : checked_) {
        const Volume& volume = volumes_[i];
        const Pose& world = placement(world_from_link, i);
        memory.spheres_[i] = {world.rotation() * volume.centre + world.translation(),
                              stretch * volume.radius + slack_of(world, volume.lengths)};
    }
    // Branch-free: which pairs are near is unpredictable.
    std::size_t near = 0;
    for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
        const Memory::Sphere &a = memory.spheres_[pairs_[i].a], &b = memory.spheres_[pairs_[i].b];
        const Vec3 d = a.centre - b.centre;
        const double radii = a.radius + b.radius + stretch * reach;
        memory.near_[near] = i;
        near += !(dot(d, d) > radii * radii);
    }
    return near;
}

const RobotCheck::Memory::Placed& RobotCheck::boxed(std::uint32_t body, Links world_from_link, Memory& memory) const {
    Memory::Placed& out = memory.placed_[body];
    if (out.boxed == memory.configuration_) return out;
    out.boxed = memory.configuration_;
    const Volume& box = volumes_[body];
    const Pose& world = placement(world_from_link, body);
    const Mat3& r = world.rotation();
    out.middle = r * box.middle + world.translation();
    for (int i = 0; i < 3; ++i) out.axis[i] = r * box.axis[i];
    double skew = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) skew = std::max(skew, std::abs(dot(out.axis[i], out.axis[j]) - (i == j)));
    out.loose = skew * sum(box.half);
    out.slack = slack_of(world, box.lengths);
    return out;
}

/// Tries the line between the centres and the axes of both boxes. Cross products of the axes would separate one in five
/// of the remaining pairs and cost as much as that saves.
bool RobotCheck::boxes_apart(const Pair& pair, Links world_from_link, double reach, Memory& memory) const {
    const Memory::Placed &a = boxed(pair.a, world_from_link, memory), &b = boxed(pair.b, world_from_link, memory);
    const Vec3 &h = volumes_[pair.a].half, &k = volumes_[pair.b].half;
    // No axis is longer than this factor.
    const double slack = (a.slack + b.slack + stretch * reach) * (stretch * (1 + 0x1p-40));
    const Vec3 d = a.middle - b.middle;
    const double along_a[3] = {std::abs(dot(a.axis[0], d)), std::abs(dot(a.axis[1], d)), std::abs(dot(a.axis[2], d))};
    const double along_b[3] = {std::abs(dot(b.axis[0], d)), std::abs(dot(b.axis[1], d)), std::abs(dot(b.axis[2], d))};
    const double square = dot(d, d);
    if (square * (1 - 0x1p-40) > h.x * along_a[0] + h.y * along_a[1] + h.z * along_a[2] + k.x * along_b[0] +
                                     k.y * along_b[1] + k.z * along_b[2] + std::sqrt(square) * slack)
        return true;
    double of_a[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        const double r[3] = {std::abs(dot(a.axis[i], b.axis[0])), std::abs(dot(a.axis[i], b.axis[1])),
                             std::abs(dot(a.axis[i], b.axis[2]))};
        if (along_a[i] > h[i] + a.loose + (k.x * r[0] + k.y * r[1] + k.z * r[2]) + slack) return true;
        for (int j = 0; j < 3; ++j) of_a[j] += h[i] * r[j];
    }
    for (int j = 0; j < 3; ++j)
        if (along_b[j] > k[j] + b.loose + of_a[j] + slack) return true;
    return false;
}

/// The same arithmetic as `relative`, but with the inverse kept for other pairs.
Result<Pose> RobotCheck::relative_pose(const Pair& pair, Links world_from_link, Memory& memory) const {
    Memory::Placed& a = memory.placed_[pair.a];
    if (a.inverted != memory.configuration_) {
        const Result<Pose> inverted = inverse(placement(world_from_link, pair.a));
        if (!inverted) return inverted.fault();
        a.inverse = *inverted;
        a.inverted = memory.configuration_;
    }
    return compose(a.inverse, placement(world_from_link, pair.b));
}

/// Decides a pair by queries. False when it neither collides nor is too close.
bool RobotCheck::decide(const Pair& pair, Links world_from_link, const Pose& a_from_b, const RobotQuestion& question,
                        Memory& memory, BodyHit& hit) const {
    const QuerySettings options{.stats = &memory.stats.queries, .scratch = &memory.scratch_};
    const Model &a = bodies_[pair.a].model, &b = bodies_[pair.b].model;
    const auto nested = [&] {
        const Manner manner = manner_of(solids_[pair.a], solids_[pair.b], a_from_b, {});
        if (!manner.overlaps()) return false;
        hit.kind = manner.kind;
        hit.nesting = manner.nesting;
        return true;
    };
    // `within` at 0 is `intersects`.
    if (question.ask == RobotAsk::Free) return within(a, b, a_from_b, question.clearance, options) || nested();
    if (question.ask == RobotAsk::Contacts) {
        collide(a, b, a_from_b, memory.contacts_, options);
        hit.contacts = memory.contacts_.size();
        if (hit.contacts > 0) {
            const Manner manner = manner_of(solids_[pair.a], solids_[pair.b], a_from_b, memory.contacts_);
            hit.kind = manner.kind;
            hit.nesting = manner.nesting;
        }
    }
    if (question.ask == RobotAsk::Contacts ? hit.contacts > 0 : intersects(a, b, a_from_b, options)) return true;
    if (nested()) return true;
    if (!(question.clearance > 0)) return false;
    const Closest closest =
        distance(a, b, a_from_b,
                 {.max_distance = question.clearance, .stats = &memory.stats.queries, .scratch = &memory.scratch_});
    if (!std::isfinite(closest.distance)) return false;
    hit.kind = Kind::Clearance;
    hit.closest = placed(placement(world_from_link, pair.a), closest);
    return true;
}

Result<void> RobotCheck::check(Links world_from_link, const RobotQuestion& question, Memory& memory,
                               std::vector<BodyHit>& hits) const {
    hits.clear();
    prepare(memory);
    const bool free = question.ask == RobotAsk::Free;
    const double reach = question.clearance * (1 + 0x1p-40);
    const std::size_t near = find_near(world_from_link, reach, memory);
    if (free)  // pairs that met most often come first
        std::sort(memory.near_.begin(), memory.near_.begin() + static_cast<std::ptrdiff_t>(near),
                  [&](std::uint32_t i, std::uint32_t j) { return memory.met_[i] > memory.met_[j]; });
    memory.stats.pairs += pairs_.size();
    memory.stats.spheres += pairs_.size() - near;
    for (std::size_t n = 0; n < near; ++n) {
        const std::uint32_t i = memory.near_[n];
        const Pair& pair = pairs_[i];
        if (boxes_apart(pair, world_from_link, reach, memory)) {
            ++memory.stats.boxes;
            continue;
        }
        ++memory.stats.asked;
        const Result<Pose> a_from_b = relative_pose(pair, world_from_link, memory);
        if (!a_from_b) return a_from_b.fault();
        BodyHit hit{i, 0};
        if (!decide(pair, world_from_link, *a_from_b, question, memory, hit)) continue;
        hits.push_back(hit);
        if (!free) continue;
        ++memory.met_[i];
        break;
    }
    return {};
}

Result<void> RobotCheck::check_pairs(Links world_from_link, const RobotQuestion& question,
                                     std::span<const std::uint32_t> pairs, Memory& memory,
                                     std::vector<BodyHit>& hits) const {
    prepare(memory);
    for (const std::uint32_t i : pairs) {
        ++memory.stats.asked;
        const Result<Pose> a_from_b = relative_pose(pairs_[i], world_from_link, memory);
        if (!a_from_b) return a_from_b.fault();
        BodyHit hit{i, 0};
        if (decide(pairs_[i], world_from_link, *a_from_b, question, memory, hit)) hits.push_back(hit);
    }
    return {};
}

Result<std::vector<Contact>> RobotCheck::contacts(Links world_from_link, std::uint32_t pair) const {
    const auto [a, b] = pairs_[pair];
    const Affine a_from_b = relative(placement(world_from_link, a), placement(world_from_link, b));
    std::vector<Contact> all = collide(bodies_[a].model, bodies_[b].model, a_from_b);
    std::ranges::sort(all);
    return all;
}

Closest RobotCheck::closest(Links world_from_link, std::uint32_t pair) const {
    const auto [a, b] = pairs_[pair];
    const Affine a_from_b = relative(placement(world_from_link, a), placement(world_from_link, b));
    return placed(placement(world_from_link, a), Closest(distance(bodies_[a].model, bodies_[b].model, a_from_b)));
}

std::vector<double> rest_values(const files::Robot& robot) {
    std::vector<double> out;
    for (const std::uint32_t i : robot.active) {
        const files::Joint& joint = robot.joints[i];
        const bool within = joint.lower <= 0 && joint.upper >= 0;
        const double middle = joint.lower / 2 + joint.upper / 2;
        out.push_back(within ? 0 : std::isfinite(middle) ? middle : joint.lower > 0 ? joint.lower : joint.upper);
    }
    return out;
}

std::vector<double> random_values(const files::Robot& robot, std::size_t configurations, std::uint64_t seed) {
    scenes::Random random(seed);
    std::vector<double> out;
    out.reserve(configurations * robot.active.size());
    for (std::size_t n = 0; n < configurations; ++n)
        for (const std::uint32_t i : robot.active) {
            const files::Joint& joint = robot.joints[i];
            const double most = joint.kind == files::JointKind::Prismatic ? 1 : std::numbers::pi;
            const bool above = std::isfinite(joint.lower), below = std::isfinite(joint.upper);
            const double low = above ? joint.lower : (below ? joint.upper - 2 * most : -most);
            out.push_back(random.between(low, below ? joint.upper : (above ? joint.lower + 2 * most : most)));
        }
    return out;
}

Result<RobotAnswers> check_all(const RobotCheck& check, std::size_t configurations, std::span<const double> values,
                               const RobotQuestion& question, unsigned threads,
                               const std::function<void(std::size_t)>& progress, const std::atomic<bool>* stop) {
    const std::size_t joints = check.robot().active.size();
    assert(values.size() == configurations * joints);
    /// Configurations that a thread takes at a time: enough to learn which pairs meet, few enough to balance the load.
    constexpr std::size_t block = 512;
    struct Part {
        std::vector<std::size_t> counts;
        std::vector<BodyHit> hits;
        std::size_t beyond = 0;
        std::string beyond_first;
        RobotStats stats;
        std::optional<Fault> fault;
    };
    std::vector<Part> parts((configurations + block - 1) / block);
    std::atomic<std::size_t> done{0};
    std::atomic<bool> failed{false};
    const auto stopped = [&] { return stop && *stop; };
    std::mutex telling;
    detail::parallel_for(parts.size(), threads, [&](std::size_t p) {
        Part& part = parts[p];
        RobotCheck::Memory memory;
        files::RobotPose pose;
        std::vector<BodyHit> hits;
        const std::size_t end = std::min(configurations, (p + 1) * block);
        for (std::size_t i = p * block; i < end && !failed && !stopped(); ++i) {
            Result<void> good = files::place(check.robot(), values.subspan(i * joints, joints), pose);
            if (good) good = check.check(pose.world_from_link, question, memory, hits);
            if (!good) {
                part.fault =
                    Fault{good.fault().kind, "configuration " + std::to_string(i) + ": " + good.fault().message};
                failed = true;
                return;
            }
            if (!pose.beyond.empty() && part.beyond++ == 0) part.beyond_first = pose.beyond[0];
            part.counts.push_back(hits.size());
            part.hits.insert(part.hits.end(), hits.begin(), hits.end());
        }
        part.stats = memory.stats;
        const std::size_t now = done += end - p * block;
        if (progress)
            if (const std::unique_lock lock(telling, std::try_to_lock); lock) progress(now);
    });
    if (stopped()) return Fault{FaultKind::BadObject, "the check was stopped"};
    RobotAnswers out;
    out.first.push_back(0);
    for (Part& part : parts) {
        if (part.fault) return *part.fault;
        for (const std::size_t n : part.counts) out.first.push_back(out.first.back() + n);
        out.hits.insert(out.hits.end(), part.hits.begin(), part.hits.end());
        if (out.beyond == 0) out.beyond_first = part.beyond_first;
        out.beyond += part.beyond;
        out.stats += part.stats;
    }
    return out;
}

}  // namespace graze::checks
