// SPDX-License-Identifier: Apache-2.0
#include "checks/robot_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include "checks/encode.hpp"
#include "checks/json.hpp"
#include "files/text.hpp"

namespace graze::checks {

namespace {

const std::string& name_a(const RobotRun& run, std::uint32_t pair) {
    return run.check.bodies()[run.check.pairs()[pair].a].name;
}
const std::string& name_b(const RobotRun& run, std::uint32_t pair) {
    return run.check.bodies()[run.check.pairs()[pair].b].name;
}

std::string counted(std::uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

void append_runs(const RobotRun& run, std::string& out) {
    constexpr std::size_t shown = 20;
    std::size_t count = 0;
    std::string list;
    const std::size_t n = run.answers.size();
    for (std::size_t i = 0; i < n; ++i) {
        if (run.answers.of(i).empty()) continue;
        const std::size_t begin = i;
        while (i + 1 < n && !run.answers.of(i + 1).empty()) ++i;
        if (count++ < shown)
            list += begin == i ? fmt::format("{}{}", list.empty() ? "" : ", ", i)
                               : fmt::format("{}{}–{}", list.empty() ? "" : ", ", begin, i);
    }
    if (count == 0) return;
    fmt::format_to(std::back_inserter(out), "in collision: {}{}\n", list,
                   count > shown ? fmt::format(" … and {} more", count - shown) : "");
}

/// What the pair does in the configuration where it has the most contacts.
std::string worst(const RobotRun& run, const PairFrequency& f) {
    return f.most > 0 ? counted(f.most, "contact") : inside_text(run.check, f.pair, f.nesting);
}

}  // namespace

std::string inside_text(const RobotCheck& check, std::uint32_t pair, Nesting nesting) {
    const auto [a, b] = check.pairs()[pair];
    const bool a_inside = nesting == Nesting::AInB;
    return fmt::format("{} is inside {}", check.bodies()[a_inside ? a : b].name, check.bodies()[a_inside ? b : a].name);
}

std::size_t collision_count(const RobotAnswers& answers) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) count += !answers.of(i).empty();
    return count;
}

std::vector<PairFrequency> frequencies(const RobotRun& run) {
    std::vector<PairFrequency> all(run.check.pairs().size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i].pair = i;
    for (std::size_t i = 0; i < run.answers.size(); ++i)
        for (const BodyHit& hit : run.answers.of(i)) {
            PairFrequency& f = all[hit.pair];
            if (hit.kind == Kind::Inside && f.inside++ == 0) f.nesting = hit.nesting;
            if (f.configurations++ > 0 && hit.contacts <= f.most) continue;
            f.most = hit.contacts;
            f.at = i;
        }
    std::erase_if(all, [](const PairFrequency& f) { return f.configurations == 0; });
    std::ranges::sort(all, [](const PairFrequency& x, const PairFrequency& y) {
        return x.configurations != y.configurations ? x.configurations > y.configurations : x.pair < y.pair;
    });
    return all;
}

std::string to_json(const RobotRun& run) {
    const files::Robot& robot = run.check.robot();
    const std::size_t joints = robot.active.size();
    JsonLines out;
    out.add("robot", json_text(robot.name));
    out.add("pairs_checked", run.check.pairs().size());
    out.add("pairs_left_out", run.check.left_out());
    out.add("collisions", collision_count(run.answers));
    out.add("beyond_limits", run.answers.beyond);
    Json names = Json::array();
    for (const std::uint32_t joint : robot.active) names.push_back(json_text(robot.joints[joint].name));
    out.add("joints", names);
    out.add_list("configurations", std::views::iota(std::size_t{0}, run.answers.size()), [&](std::size_t i) {
        const std::span<const BodyHit> hits = run.answers.of(i);
        Json entry{{"index", i}, {"hit", !hits.empty()}, {"values", run.values.subspan(i * joints, joints)}};
        if (run.ask == RobotAsk::Free) return entry;
        Json& pairs = entry["pairs"] = Json::array();
        for (const BodyHit& hit : hits) {
            Json& pair = pairs.emplace_back(Json{{"a", json_text(name_a(run, hit.pair))},
                                                 {"b", json_text(name_b(run, hit.pair))},
                                                 {"contacts", hit.contacts},
                                                 {"kind", name(hit.kind)}});
            if (hit.kind == Kind::Inside) pair["inside"] = hit.nesting == Nesting::AInB ? "a" : "b";
        }
        return entry;
    });
    return std::move(out).take();
}

std::string to_csv(const RobotRun& run) {
    const bool free = run.ask == RobotAsk::Free;
    std::string out = free ? "index\n" : "index,a,b,contacts,kind\n";
    for (std::size_t i = 0; i < run.answers.size(); ++i)
        for (const BodyHit& hit : run.answers.of(i))
            if (free)
                fmt::format_to(std::back_inserter(out), "{}\n", i);
            else
                fmt::format_to(std::back_inserter(out), "{},{},{},{},{}\n", i, as_csv(name_a(run, hit.pair)),
                               as_csv(name_b(run, hit.pair)), hit.contacts, name(hit.kind));
    return out;
}

std::string to_text(const RobotRun& run, bool path) {
    std::string out;
    const auto to = std::back_inserter(out);
    const std::size_t n = run.answers.size(), hit = collision_count(run.answers);
    const std::vector<PairFrequency> met = frequencies(run);
    if (n == 1 && hit == 0) return "clear\n";
    if (n == 1 && run.ask == RobotAsk::Free) return "collision\n";
    if (n == 1)
        fmt::format_to(to, "collision: {}\n", counted(met.size(), "pair"));
    else
        fmt::format_to(to, "{} configurations: {} in collision ({:.1f} %)\n", n, hit,
                       100.0 * static_cast<double>(hit) / static_cast<double>(std::max<std::size_t>(n, 1)));
    if (path) append_runs(run, out);
    if (run.ask == RobotAsk::Free) return out;
    std::size_t wide = 0;
    const auto both = [&](std::uint32_t pair) {
        return files::printable(name_a(run, pair)) + " – " + files::printable(name_b(run, pair));
    };
    for (const PairFrequency& f : met) wide = std::max(wide, files::columns(both(f.pair)));
    for (const PairFrequency& f : met) {
        const std::string names = both(f.pair);
        const std::string blanks(wide - files::columns(names), ' ');
        if (n == 1)
            fmt::format_to(to, "  {}{}  {}\n", names, blanks, worst(run, f));
        else if (f.most == 0)
            fmt::format_to(to, "  {}{}  in {}, first in {}: {}\n", names, blanks, f.configurations, f.at,
                           worst(run, f));
        else
            fmt::format_to(to, "  {}{}  in {}{}, most in {}: {}\n", names, blanks, f.configurations,
                           f.inside > 0 ? fmt::format(" (inside in {})", f.inside) : "", f.at, worst(run, f));
    }
    return out;
}

}  // namespace graze::checks
