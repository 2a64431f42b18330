// SPDX-License-Identifier: Apache-2.0
// Many objects: crowds, and the links of a robot.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "bench/peers.hpp"
#include "bench/scene.hpp"
#include "checks/robot.hpp"
#include "scenes/parts.hpp"
#include "scenes/reference.hpp"
#ifdef GRAZE_BENCH_FCL
#include "bench/peer_fcl_robot.hpp"
#endif

namespace graze::bench {
namespace {

using scenes::Soup;

struct SceneEntry {
    const char* name;
    std::unique_ptr<SceneSide> side;
    std::vector<double> seconds = {};
    std::size_t wrong = 0;
};

std::vector<SceneEntry> scene_sides(const scenes::Objects& objects) {
    std::vector<SceneEntry> out;
    out.push_back({"graze", our_scene(objects)});
#ifdef GRAZE_BENCH_FCL
    out.push_back({"FCL-OBB", fcl_scene(objects)});
#endif
#ifdef GRAZE_BENCH_BULLET
    out.push_back({"Bullet-GImpact", bullet_scene(objects)});
#endif
#ifdef GRAZE_BENCH_ODE
    out.push_back({"ODE", ode_scene(objects)});
#endif
    return out;
}

/// Every frame is shown to all sides in changing order. Pairs on which a side differs from ours are decided by a plain
/// query of the two models.
void scene_row(Study& study, const std::string& row, const scenes::CrowdSettings& settings, int frames) {
    study.progress.step("peers-scene, " + row);
    scenes::Crowd crowd(settings, scenes::parts());
    std::vector<SceneEntry> sides = scene_sides(crowd.objects());
    const std::vector<Model> models = crowd.objects().models();
    double touching = 0;
    for (int frame = 0; frame < frames + 2; ++frame, crowd.step()) {
        const scenes::Objects& objects = crowd.objects();
        for (std::size_t k = 0; k < sides.size(); ++k) {
            SceneEntry& s = sides[(k + static_cast<std::size_t>(frame)) % sides.size()];
            const Stopwatch watch;
            s.side->frame(objects.placed);
            const double seconds = watch.elapsed().seconds(study.options.by_cpu);
            if (frame >= 2) s.seconds.push_back(seconds);  // the first frames register the objects
        }
        const Pairs ours = sides[0].side->touching();
        touching += static_cast<double>(ours.size()) / (frames + 2);
        for (std::size_t s = 1; s < sides.size(); ++s) {
            const Pairs theirs = sides[s].side->touching();
            Pairs odd;
            std::ranges::set_symmetric_difference(ours, theirs, std::back_inserter(odd));
            for (const auto& [a, b] : odd) {
                const bool truth = intersects(models[objects.shape[a]], models[objects.shape[b]],
                                              relative(objects.placed[a], objects.placed[b]));
                const bool said = std::ranges::binary_search(theirs, std::pair(a, b));
                ++(said == truth ? sides[0] : sides[s]).wrong;
            }
        }
    }
    study.wrong += sides[0].wrong;
    for (const SceneEntry& s : sides) {
        study.table.time("peers-scene", row, s.name, median(s.seconds) * 1e6, "µs per frame");
        study.table.count("peers-scene-wrong", row, s.name, static_cast<double>(s.wrong));
    }
    study.table.count("peers-scene-checked", row, "frames", frames + 2);
    study.table.count("peers-scene-checked", row, "touching pairs per frame", touching);
}

/// The Panda with the pairs that its SRDF leaves; nothing where it is absent.
std::optional<checks::RobotCheck> panda() {
    const std::string folder = GRAZE_BENCH_PANDA;
    if (!std::filesystem::exists(folder)) return {};
    const auto robot = files::read_robot(folder + "/urdf/panda.urdf");
    if (!robot) return {};
    const auto semantics = files::read_semantics(folder + "/srdf/panda.srdf", *robot);
    if (!semantics) return {};
    auto check = checks::RobotCheck::make(*robot, &*semantics);
    if (!check || check->pairs().size() > 64) return {};
    return std::move(*check);
}

Soup soup_of(const Model& model) {
    Soup out;
    for (std::uint32_t i = 0; i < model.triangle_count(); ++i) {
        const Triangle t = model.triangle(i);
        const std::uint32_t a = out.add(t.a), b = out.add(t.b), c = out.add(t.c);
        out.add_triangle(a, b, c);
    }
    return out;
}

/// Which of the robot's pairs meet, as bits.
using Bits = std::uint64_t;

/// A library that is asked for each pair of links by itself, with the placement of one in the other's frame.
class PairByPair {
public:
    PairByPair(const PeerKind& kind, const checks::RobotCheck& check, const std::vector<Soup>& links) {
        for (const auto& [a, b] : check.pairs()) peers_.push_back(kind.make(links[a], links[b]));
    }
    Bits ask(std::span<const Pose> placed, bool first) {
        Bits met = 0;
        for (std::size_t k = 0; k < peers_.size() && !(first && met); ++k)
            if (peers_[k]->first(placed[k])) met |= Bits{1} << k;
        return met;
    }

private:
    std::vector<std::unique_ptr<PairPeer>> peers_;
};

class RobotContest {
public:
    RobotContest(Study& study, const checks::RobotCheck& check)
        : study_(study), check_(check), count_(study.quick() ? 200 : 2000) {
        const std::size_t joints = check.robot().active.size();
        const std::vector<double> values = checks::random_values(check.robot(), count_, 1);
        for (const RobotBody& body : check.bodies()) links_.push_back(soup_of(body.model));
        for (std::size_t i = 0; i < count_; ++i) {
            files::RobotPose pose;
            if (!files::place(check.robot(), std::span(values).subspan(i * joints, joints), pose)) std::exit(1);
            std::vector<Pose> bodies;
            for (std::uint32_t b = 0; b < links_.size(); ++b)
                bodies.push_back(check.placement(pose.world_from_link, b));
            for (const auto& [a, b] : check.pairs()) {
                const Affine m = relative(bodies[a], bodies[b]);
                relatives_.push_back(*Pose::from_matrix(m.linear(), m.translation()));
            }
            placed_.insert(placed_.end(), pose.world_from_link.begin(), pose.world_from_link.end());
#ifdef GRAZE_BENCH_FCL
            fcl_.keep(bodies);
#endif
        }
        for (const PeerKind& kind : pair_peers()) {
            if (kind.name == "graze" || kind.name.starts_with("FCL")) continue;
            by_pair_.emplace_back(kind, check, links_);
            names_.push_back(kind.name);
        }
#ifdef GRAZE_BENCH_FCL
        for (const Soup& link : links_) fcl_.add_link(link);
        for (const auto& [a, b] : check.pairs()) fcl_.add_pair(a, b);
#endif
    }

    void run(bool first) {
        const std::string row = first ? "Panda, whether any links meet" : "Panda, which links meet";
        study_.progress.step("peers-robot, " + row);
        sides_.clear();
        answers_.clear();
        add("graze", 1, [&, first](std::size_t i) { return ours(i, first); });
#ifdef GRAZE_BENCH_FCL
        const std::pair<const char*, FclAsks> ways[] = {{"FCL-OBBRSS, each pair", FclAsks::Each},
                                                        {"FCL-OBBRSS, boxes first", FclAsks::Boxes},
                                                        {"FCL-OBBRSS, manager", FclAsks::Manager}};
        for (const auto& [name, how] : ways)
            add(name, 1, [&, how, first](std::size_t i) { return fcl_.ask(i, how, first); });
#endif
        for (std::size_t k = 0; k < by_pair_.size(); ++k)
            add(names_[k], names_[k] == "Embree" || names_[k] == "CGAL" ? 100 : 10,
                [&, k, first](std::size_t i) { return by_pair_[k].ask(relatives_of(i), first); });
        const std::vector<double> times = seconds_per_query(study_, sides_, 8);
        inside_.assign(count_, 0);
        for (std::size_t i = 0; i < count_; ++i) ours(i, false);
        for (std::size_t s = 0; s < sides_.size(); ++s) {
            std::size_t wrong = s == 0 ? check_ours(first) : 0, asked = s == 0 ? checks : answers_[s].size();
            for (std::size_t i = 0; s > 0 && i < answers_[s].size(); ++i) {
                const std::size_t at = i * count_ / answers_[s].size();
                const Bits differ = (answers_[s][i] ^ answers_[0][at]) & ~inside_[at];
                // An arm whose links are nested only is not compared: the others know surfaces alone.
                wrong += first ? ((answers_[s][i] != 0) != (answers_[0][at] != 0)) && inside_[at] == 0
                               : static_cast<std::size_t>(std::popcount(differ));
            }
            study_.wrong += s == 0 ? wrong : 0;
            study_.table.time("peers-robot", row, sides_[s].name, times[s] * 1e6, "µs");
            study_.table.count("peers-robot-wrong", row, sides_[s].name, static_cast<double>(wrong));
            study_.table.count("peers-robot-checked", row, sides_[s].name, static_cast<double>(asked));
        }
    }

private:
    static constexpr std::size_t checks = 3;

    std::span<const Pose> placed(std::size_t i) const {
        return std::span(placed_).subspan(i * check_.robot().links.size(), check_.robot().links.size());
    }
    std::span<const Pose> relatives_of(std::size_t i) const {
        return std::span(relatives_).subspan(i * check_.pairs().size(), check_.pairs().size());
    }

    template <class F>
    void add(const std::string& name, std::size_t divisor, F f) {
        const std::size_t count = std::max<std::size_t>(count_ / divisor, 10), s = sides_.size();
        answers_.emplace_back(count);
        sides_.push_back({name, count, [this, s, count, f](std::size_t i) { answers_[s][i] = f(i * count_ / count); }});
    }

    Bits ours(std::size_t i, bool first) {
        static_cast<void>(
            check_.check(placed(i), first ? checks::RobotAsk::Free : checks::RobotAsk::Pairs, memory_, hits_));
        Bits met = 0;
        for (const checks::BodyHit& h : hits_) {
            met |= Bits{1} << h.pair;
            if (!first && h.kind == checks::Kind::Inside && i < inside_.size()) inside_[i] |= Bits{1} << h.pair;
        }
        return met;
    }

    /// Our answers against brute force.
    std::size_t check_ours(bool first) {
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < checks; ++k) {
            const std::size_t i = k * count_ / checks;
            Bits truth = inside_[i];
            for (std::size_t p = 0; p < check_.pairs().size(); ++p) {
                const auto& [a, b] = check_.pairs()[p];
                if (scenes::Reference(links_[a], links_[b]).first(relatives_of(i)[p])) truth |= Bits{1} << p;
            }
            wrong += first ? (answers_[0][i] != 0) != (truth != 0)
                           : static_cast<std::size_t>(std::popcount(answers_[0][i] ^ truth));
        }
        return wrong;
    }

    Study& study_;
    const checks::RobotCheck& check_;
    std::vector<Soup> links_;
    std::size_t count_;
    std::vector<Pose> placed_;     ///< placements of the links, configuration by configuration
    std::vector<Pose> relatives_;  ///< placement of a pair's second link in the first one's frame
    std::vector<PairByPair> by_pair_;
    std::vector<std::string> names_;
    std::vector<Side> sides_;
    std::vector<std::vector<Bits>> answers_;
    std::vector<Bits> inside_;  ///< pairs of which one lies inside the other
    checks::RobotCheck::Memory memory_;
    std::vector<checks::BodyHit> hits_;
#ifdef GRAZE_BENCH_FCL
    FclRobot fcl_;
#endif
};

}  // namespace

void peers_scene(Study& study) {
    const std::size_t few = study.quick() ? 200 : 1000;
    const int frames = study.quick() ? 6 : 20;
    const std::string of = std::to_string(few) + " parts, ";
    scene_row(study, of + "as many contacts", {.count = few}, frames);
    scene_row(study, of + "few contacts", {.count = few, .room = 3}, frames);
}

void peers_robot(Study& study) {
    const auto check = panda();
    if (!check) {
        std::printf("peers-robot is left out: the Panda is not in ../shared/models.\n");
        return;
    }
    RobotContest contest(study, *check);
    for (const bool first : {false, true}) contest.run(first);
}

}  // namespace graze::bench
