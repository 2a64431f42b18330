// SPDX-License-Identifier: Apache-2.0
// A robot arm at random configurations: which of its links collide, and whether any do, against FCL-OBBRSS on the same
// pairs of links. One process, turn by turn, the pairs of every configuration compared.
#include "checks/robot.hpp"

#include <bit>
#include <cstdio>
#include <filesystem>

#include "bench/peer_fcl_robot.hpp"
#include "bench/report.hpp"

namespace graze::bench {
namespace {

using checks::RobotAsk;
using checks::RobotCheck;

/// Six links of cylinders and spheres with a fork at the end, where the Panda is not at hand.
std::string generated_arm() {
    const auto link = [](int i, const std::string& shapes) {
        return "<link name='link" + std::to_string(i) + "'>" + shapes + "</link>\n";
    };
    const auto shape = [](const std::string& at, const std::string& what) {
        return "<collision><origin xyz='" + at + "'/><geometry>" + what + "</geometry></collision>";
    };
    std::string text = "<robot name='arm'>\n";
    for (int i = 0; i < 9; ++i) {
        text += link(i, i == 8 ? shape("0 0 0.05", "<box size='0.02 0.16 0.1'/>")
                               : shape("0 0 0.1", "<cylinder radius='0.05' length='0.14'/>") +
                                     shape("0 0 0", "<sphere radius='0.06'/>"));
        if (i == 0) continue;
        text += "<joint name='joint" + std::to_string(i) + "' type='revolute'><parent link='link" +
                std::to_string(i - 1) + "'/><child link='link" + std::to_string(i) +
                "'/><origin xyz='0 0 0.22'/><axis xyz='" + (i % 2 ? "0 1 0" : "0.6 0 0.8") +
                "'/><limit lower='-2.4' upper='2.4' effort='1' velocity='1'/></joint>\n";
    }
    return text + "</robot>\n";
}

struct Loaded {
    std::string name;
    RobotCheck check;
};

/// The Panda's shapes for collisions with the pairs that its SRDF leaves, with all pairs but those of adjacent links,
/// and its shapes to look at with the pairs of the SRDF.
enum class Set { Srdf, All, Visual };

Result<Loaded> load(Set set) {
    const std::string folder = GRAZE_BENCH_PANDA;
    const bool panda = std::filesystem::exists(folder);
    const auto robot =
        panda ? files::read_robot(folder + "/urdf/panda.urdf",
                                  {.shapes = set == Set::Visual ? files::Shapes::Visual : files::Shapes::Collision})
              : files::parse_robot(generated_arm(), "arm.urdf");
    if (!robot) return robot.fault();
    std::optional<files::RobotSemantics> semantics;
    if (panda && set != Set::All) {
        const auto read = files::read_semantics(folder + "/srdf/panda.srdf", *robot);
        if (!read) return read.fault();
        semantics = *read;
    }
    auto check = RobotCheck::make(*robot, semantics ? &*semantics : nullptr);
    if (!check) return check.fault();
    const char* names[] = {"panda", "panda-all", "panda-visual"};
    return Loaded{panda ? names[static_cast<int>(set)] : "arm", std::move(*check)};
}

/// Whether the models meet, found by testing all pairs of triangles.
bool brute(const Model& a, const Model& b, const Affine& a_from_b) {
    for (std::uint32_t j = 0; j < b.triangle_count(); ++j) {
        const Triangle t = b.triangle(j);
        const Triangle mapped{a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)};
        for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
            if (meet(a.triangle(i), mapped)) return true;
    }
    return false;
}

class Run {
public:
    Run(const Options& options, const Loaded& loaded, std::vector<Row>& rows)
        : options_(options), check_(loaded.check), name_(loaded.name), rows_(rows) {
        const std::size_t pairs = check_.pairs().size();
        if (pairs > 64) std::exit((std::fprintf(stderr, "more than 64 pairs\n"), 1));
        ours_met_.resize(options.size.quick ? 2000 : 10'000);
        peer_met_ = ours_inside_ = ours_met_;
        count_ = options.size.quick ? 2000 : 10'000;
        values_ = checks::random_values(check_.robot(), count_, 1);
        for (std::size_t i = 0; i < count_; ++i) {
            files::RobotPose pose;
            if (!files::place(check_.robot(), values_of(i), pose)) std::exit(1);
            poses_.insert(poses_.end(), pose.world_from_link.begin(), pose.world_from_link.end());
            keep(pose.world_from_link);
            fcl_.keep(bodies_);
        }
        for (const RobotBody& body : check_.bodies()) {
            std::vector<Vec3> points;
            std::vector<std::uint32_t> corners;
            for (std::uint32_t i = 0; i < body.model.triangle_count(); ++i) {
                const Triangle t = body.model.triangle(i);
                for (const Vec3& p : {t.a, t.b, t.c}) {
                    corners.push_back(static_cast<std::uint32_t>(points.size()));
                    points.push_back(p);
                }
            }
            fcl_.add_link(SoupView(std::span<const Vec3>(points), corners));
        }
        for (const auto& [a, b] : check_.pairs()) fcl_.add_pair(a, b);
    }

    void all() {
        const std::pair<const char*, FclAsks> ways[] = {
            {"", FclAsks::Each}, {"-boxes", FclAsks::Boxes}, {"-manager", FclAsks::Manager}};
        for (const auto& [way, how] : ways)
            for (const bool first : {false, true})
                for (const bool kinematics : {false, true}) {
                    if (how != FclAsks::Each && (kinematics || name_ != "panda")) continue;
                    measure(name_ + (first ? "-free" : "-pairs") + (kinematics ? "-kinematics" : "") + way, how, first,
                            kinematics);
                }
    }

private:
    std::span<const double> values_of(std::size_t i) const {
        const std::size_t joints = check_.robot().active.size();
        return std::span(values_).subspan(i * joints, joints);
    }
    RobotCheck::Links links_of(std::size_t i) const {
        const std::size_t links = check_.robot().links.size();
        return std::span(poses_).subspan(i * links, links);
    }
    void keep(RobotCheck::Links links) {
        bodies_.clear();
        for (std::uint32_t i = 0; i < check_.bodies().size(); ++i) bodies_.push_back(check_.placement(links, i));
    }

    void measure(const std::string& scenario, FclAsks how, bool first, bool kinematics) {
        if (!options_.wanted(scenario) && !options_.wanted(first ? "free" : "pairs")) return;
        const RobotAsk ask = first ? RobotAsk::Free : RobotAsk::Pairs;
        RobotCheck::Memory memory;
        std::vector<checks::BodyHit> hits;
        files::RobotPose pose;
        const auto ours = [&](std::size_t i) {
            if (kinematics) static_cast<void>(files::place(check_.robot(), values_of(i), pose));
            static_cast<void>(check_.check(kinematics ? pose.world_from_link : links_of(i), ask, memory, hits));
            std::uint64_t met = 0, inside = 0;
            for (const checks::BodyHit& h : hits) {
                met |= std::uint64_t{1} << h.pair;
                if (h.kind == checks::Kind::Inside) inside |= std::uint64_t{1} << h.pair;
            }
            ours_met_[i] = met;
            ours_inside_[i] = inside;
            return met != 0;
        };
        const auto peer = [&](std::size_t i) {
            if (kinematics) {
                static_cast<void>(files::place(check_.robot(), values_of(i), pose));
                keep(pose.world_from_link);
            }
            peer_met_[i] = kinematics ? fcl_.ask(bodies_, how, first) : fcl_.ask(i, how, first);
            return peer_met_[i] != 0;
        };
        const Effort effort{.seconds = options_.size.quick ? 3.0 : 20.0, .by_cpu = options_.by_cpu};
        const Timing t = options_.peer ? interleave(count_, effort, ours, peer) : alone(count_, effort, ours);
        Row row{.scenario = scenario, .queries = count_, .ours_us = t.ours_us};
        row.total = t.total;
        memory.stats = {};
        for (std::size_t i = 0; i < count_; ++i) row.hits += ours(i) != 0;
        const double n = static_cast<double>(count_);
        row.box_tests = static_cast<double>(memory.stats.queries.box_tests) / n;
        row.triangle_tests = static_cast<double>(memory.stats.queries.triangle_tests) / n;
        row.more = {{"pairs_asked", static_cast<double>(memory.stats.pairs) / n},
                    {"apart_by_spheres", static_cast<double>(memory.stats.spheres) / n},
                    {"apart_by_boxes", static_cast<double>(memory.stats.boxes) / n},
                    {"queries", static_cast<double>(memory.stats.asked) / n}};
        if (options_.peer) {
            row.peer = how == FclAsks::Each ? "FCL-OBBRSS" : how == FclAsks::Boxes ? "FCL, boxes" : "FCL, manager";
            row.peer_us = t.peer_us;
            row.ratio = t.peer_us / t.ours_us;
            if (how == FclAsks::Each && !kinematics && !first) row.floor = row.aim = 20;
            row.checked = count_;
            compare(first, row);
        }
        print(row);
        rows_.push_back(std::move(row));
    }

    /// Where the two differ, all pairs of triangles decide. The peer knows surfaces only, so a link inside another one
    /// is not compared.
    void compare(bool first, Row& row) const {
        for (std::size_t i = 0; i < count_; ++i) {
            const std::uint64_t ours = ours_met_[i], peer = peer_met_[i];
            if (first && (ours != 0) == (peer != 0)) continue;
            std::uint64_t differ = (ours ^ peer) & ~ours_inside_[i];
            row.differ += differ != 0;
            for (; differ != 0; differ &= differ - 1) {
                const int k = std::countr_zero(differ);
                const auto& [a, b] = check_.pairs()[static_cast<std::size_t>(k)];
                const Affine a_from_b = relative(check_.placement(links_of(i), a), check_.placement(links_of(i), b));
                const bool truth = brute(check_.bodies()[a].model, check_.bodies()[b].model, a_from_b);
                row.wrong += (ours >> k & 1) != truth;
                row.peer_wrong += (peer >> k & 1) != truth;
            }
        }
    }

    static void print(const Row& r) {
        std::printf("%-30s %6zu %6zu %6.1f %6.1f %8.1f %8.1f %9.3f", r.scenario.c_str(), r.queries, r.hits,
                    r.more[0].second, r.more[3].second, r.box_tests, r.triangle_tests, r.ours_us);
        if (r.ratio)
            std::printf(" %9.2f %6.1fx %5zu %5zu%s", *r.peer_us, *r.ratio, r.wrong, r.peer_wrong,
                        *r.ratio < r.floor ? "  BELOW ITS FLOOR" : "");
        std::printf("\n");
        std::fflush(stdout);
    }

    const Options& options_;
    const RobotCheck& check_;
    std::string name_;
    std::vector<Row>& rows_;
    std::size_t count_ = 0;
    std::vector<double> values_;
    std::vector<Pose> poses_;                         ///< placements of the links, configuration by configuration
    std::vector<std::uint64_t> ours_met_, peer_met_;  ///< bits of the pairs, by configuration
    std::vector<std::uint64_t> ours_inside_;          ///< bits of the pairs of which one lies inside the other
    std::vector<Pose> bodies_;
    FclRobot fcl_;
};

int run_all(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) {
        std::printf("bench_robot [--quick] [--only pairs|free|SCENARIO] [--no-peer] [--cpu-time] [--json FILE]\n");
        return argc == 2 && std::string(argv[1]) == "--help" ? 0 : 2;
    }
    pin();
    std::printf("%-30s %6s %6s %6s %6s %8s %8s %9s %9s %7s %5s %5s\n", "scenario", "config", "hit", "pairs", "asked",
                "boxes", "triang", "us", "peer's us", "ratio", "wrong", "peer");
    std::vector<Row> rows;
    for (const Set set : {Set::Srdf, Set::All, Set::Visual}) {
        const Result<Loaded> loaded = load(set);
        if (!loaded) {
            std::fprintf(stderr, "bench_robot: %s\n", loaded.fault().message.c_str());
            return 2;
        }
        if (!rows.empty() && rows[0].scenario.starts_with("arm")) break;  // it has but one set
        Run(*options, *loaded, rows).all();
    }
    print_disturbed(rows, options->by_cpu);
    return finish(rows, *options);
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) { return graze::bench::run_all(argc, argv); }
